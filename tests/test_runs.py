"""Run folders: their contents, their errors, and running them again."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plugin_site import Site
from toy_site import TOY, registry

import gameforge as gf
from gameforge.cli.terminal import OutputFailed
from gameforge.config import read_toml
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import Progress
from gameforge.play.pipeline import pipeline_source
from gameforge.training.run import Run

TOY_PARTS = {"game": "shuttle", "searcher": "greedy", "evaluator": "linear", "features": "lanes", "learner": "drift"}

PLAYERS = ("player", "generations/clone-1", "generations/clone-2")
"""Folders of the players that the run below saves."""


def toy(**components: Any) -> gf.Pipeline:
    return gf.Pipeline(registry=registry(), **(TOY_PARTS | components))


def lines(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.fixture(scope="module")
def draughts(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of two sessions of six games, with all its files."""
    pipeline = gf.Pipeline(
        game="draughts", searcher="minimax:depth=1", learner="td:sessions=2,games=6,clone_points=0", oracle="none"
    )
    return pipeline.run(tmp_path_factory.mktemp("runs") / "draughts", seed=3)


class TestFolder:
    def test_contents(self, draughts: Run) -> None:
        found = {str(path.relative_to(draughts.folder)) for path in draughts.folder.rglob("*") if path.is_file()}
        assert found == {
            "pipeline.toml",
            "run.json",
            "metrics.jsonl",
            "games.pdn",
            "log.txt",
            *(f"{folder}/{file}" for folder in PLAYERS for file in ("manifest.json", "weights.npz")),
        }

    def test_every_manifest_has_format_and_schema(self, draughts: Run) -> None:
        run = json.loads((draughts.folder / "run.json").read_text())
        assert (run["format"], run["schema"], run["seed"], run["state"]) == ("gameforge-run", 1, 3, "finished")
        assert (run["gameforge"], run["summary"]["games"]) == (gf.__version__, 12)
        for folder in PLAYERS:
            manifest = json.loads((draughts.folder / folder / "manifest.json").read_text())
            assert (manifest["format"], manifest["schema"]) == ("gameforge-player", 1)

    def test_a_line_of_metrics_a_session(self, draughts: Run) -> None:
        metrics = lines(draughts.folder / "metrics.jsonl")
        assert [(line["session"], line["games"]) for line in metrics] == [(1, 6), (2, 12)]
        assert all(line["wins"] + line["draws"] + line["losses"] == 6 for line in metrics)

    def test_all_games_are_kept(self, draughts: Run) -> None:
        """12 for training, 2 after each session, and the tournament of net and two clones."""
        text = (draughts.folder / "games.pdn").read_text()
        assert text.count("[Event ") == text.count("[Result ") == 12 + 4 + 6
        assert text.count('[Event "training') == 12
        assert "\n\n\n" not in text

    def test_a_game_without_its_own_format_is_kept_as_text(self, tmp_path: Path) -> None:
        toy(learner="drift:rounds=2").run(tmp_path / "run")
        games = (tmp_path / "run" / "games.trace").read_text().splitlines()
        assert len(games) == 2
        assert games[0].startswith("training 1, session 1: one - other; start 0x2,0x2,0x3,0x0,0x0; 0x")
        assert games[0].endswith(("(last stone taken)", "(both home)", "(ply cap)"))

    def test_the_log_reports_start_sessions_and_end(self, draughts: Run) -> None:
        log = (draughts.folder / "log.txt").read_text().splitlines()
        assert [line.split()[2] for line in log] == [
            *("started:", "session", "session"),
            *("tournament", "strength:", "finished"),
        ]

    def test_players(self, draughts: Run) -> None:
        saved = gf.player(draughts.folder)
        np.testing.assert_array_equal(saved.weights, draughts.player.weights)
        assert (saved.name, draughts.untrained.name) == ("trained", "untrained")
        assert (draughts.untrained.weights != draughts.player.weights).any()
        assert gf.player(draughts.folder / "generations" / "clone-2").name == "clone 2"
        assert saved.analyse(saved.game.position()) == draughts.player.analyse(saved.game.position())


class TestAgain:
    @pytest.mark.parametrize("source", ["folder", "file"])
    def test_a_saved_pipeline_makes_the_same_weights_and_games(
        self, source: str, draughts: Run, tmp_path: Path
    ) -> None:
        path = draughts.folder if source == "folder" else draughts.folder / "pipeline.toml"
        table = pipeline_source(registry(), str(path))
        again = gf.Pipeline.from_settings(table).run(tmp_path / "again")
        assert read_toml(again.folder / "pipeline.toml") == read_toml(draughts.folder / "pipeline.toml")
        assert draughts.trained is not None
        assert again.trained is not None
        assert again.trained.weights.tobytes() == draughts.trained.weights.tobytes()
        for name in ("games.pdn", "player/weights.npz", "player/manifest.json", "generations/clone-2/weights.npz"):
            assert (again.folder / name).read_bytes() == (draughts.folder / name).read_bytes(), name

    def test_another_seed_makes_other_weights_and_games(self, draughts: Run, tmp_path: Path) -> None:
        other = draughts.pipeline.run(tmp_path / "other", seed=4)
        assert other.trained is not None
        assert draughts.trained is not None
        assert other.trained.weights.tobytes() != draughts.trained.weights.tobytes()
        assert read_toml(other.folder / "pipeline.toml")["seed"] == 4


class TestRefusals:
    def test_another_run(self, draughts: Run) -> None:
        before = sorted(draughts.folder.rglob("*"))
        with pytest.raises(
            GameforgeError, match=r"the folder .*draughts already holds another run; choose another folder$"
        ):
            draughts.pipeline.run(draughts.folder)
        assert sorted(draughts.folder.rglob("*")) == before

    def test_other_files(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.tex").write_text("years of work")
        with pytest.raises(GameforgeError, match=r"already holds other files"):
            toy().run(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]

    def test_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(GameforgeError, match=r"file is a file; name a folder"):
            toy().run(tmp_path / "file")

    @pytest.mark.parametrize("place", ["below a file", "/proc"])
    def test_a_folder_that_cannot_be_made(self, place: str, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        out = tmp_path / "file" / "run" if place == "below a file" else Path("/proc/gameforge-run")
        if not out.parent.exists():
            pytest.skip(f"no {out.parent}")
        with pytest.raises(GameforgeError, match=rf"cannot write the run folder {out}: "):
            toy().run(out)

    @pytest.mark.parametrize("parts", [{"evaluator": "material", "game": "draughts"}, {"workers": 0}])
    def test_no_folder_is_made_for_a_pipeline_that_cannot_be_trained(
        self, parts: dict[str, Any], tmp_path: Path
    ) -> None:
        workers = parts.pop("workers", 1)
        pipeline = gf.Pipeline(oracle="none", **parts) if parts else toy()
        with pytest.raises(GameforgeError):
            pipeline.run(tmp_path / "run", workers=workers)
        assert not (tmp_path / "run").exists()

    def test_an_empty_folder_is_accepted(self, tmp_path: Path) -> None:
        toy(learner="drift:rounds=1").run(tmp_path)
        assert (tmp_path / "player").is_dir()


class Recorder:
    """Records the events of a run, and the contents of its folder at that time."""

    def __init__(self, *, fails_at: str = "") -> None:
        self.events: list[tuple[Any, ...]] = []
        self.fails_at = fails_at

    def add(self, name: str, *facts: Any) -> None:
        self.events.append((name, *facts))
        if name == self.fails_at:
            raise ArithmeticError("a subscriber's bug")

    @hookimpl
    def gameforge_run_started(self, run: Run) -> None:
        self.add("started", run.trained, (run.folder / "pipeline.toml").exists())

    @hookimpl
    def gameforge_game_finished(self, run: Run, game: Any) -> None:
        self.add("game", game.number)

    @hookimpl
    def gameforge_checkpoint(self, run: Run, progress: Any) -> None:
        self.add("checkpoint", progress.session, progress.sessions)

    @hookimpl
    def gameforge_run_finished(self, run: Run, result: Any) -> None:
        state = json.loads((run.folder / "run.json").read_text())["state"]
        self.add("finished", run.trained is result, state, (run.folder / "player" / "manifest.json").exists())


PLUGIN = """
from gameforge import hookimpl
events = []

@hookimpl
def gameforge_run_started():
    events.append("started")

@hookimpl
def gameforge_game_finished(game):
    events.append(game.number)

@hookimpl
def gameforge_checkpoint(run, progress):
    events.append(f"checkpoint {progress.session}")

@hookimpl
def gameforge_run_finished(run):
    events.append(f"finished: {len((run.folder / 'games.trace').read_text().splitlines())}")
"""


class TestEvents:
    EXPECTED = [
        ("started", None, True),
        ("game", 1),
        ("checkpoint", 1, 2),
        ("game", 2),
        ("checkpoint", 2, 2),
        ("finished", True, "finished", True),
    ]

    def test_reach_a_subscriber_in_order(self, tmp_path: Path) -> None:
        recorder = Recorder()
        toy(learner="drift:rounds=2").run(tmp_path / "run", subscribers=[recorder])
        assert recorder.events == self.EXPECTED

    def test_reach_a_plugin(self, site: Site, tmp_path: Path) -> None:
        """Plugins come last: at the end, everything is on disk."""
        path = site.module("recorder_plugin", PLUGIN)
        plugins = Registry(load([TOY, path]))
        assert plugins.plugins.failures == []
        gf.Pipeline(registry=plugins, **(TOY_PARTS | {"learner": "drift:rounds=2"})).run(tmp_path / "run")
        assert sys.modules["recorder_plugin"].events == ["started", 1, "checkpoint 1", 2, "checkpoint 2", "finished: 2"]

    @pytest.mark.parametrize("wrapped", [False, True])
    def test_a_reader_that_closes_the_output_interrupts_the_run(self, wrapped: bool, tmp_path: Path) -> None:
        class Closed:
            @hookimpl
            def gameforge_checkpoint(self, run: Run, progress: Progress) -> None:
                if not wrapped:
                    raise BrokenPipeError
                try:
                    raise BrokenPipeError
                except OSError as error:
                    raise OutputFailed(error) from error

        with pytest.raises((GameforgeError, OutputFailed)):
            toy().run(tmp_path / "run", subscribers=[Closed()])
        assert json.loads((tmp_path / "run" / "run.json").read_text())["state"] == "interrupted"

    @pytest.mark.parametrize("event", ["started", "game", "checkpoint", "finished"])
    def test_an_exception_of_a_subscriber_ends_the_run(self, event: str, tmp_path: Path) -> None:
        with pytest.raises(ArithmeticError, match="a subscriber's bug"):
            toy().run(tmp_path / "run", subscribers=[Recorder(fails_at=event)])
        assert json.loads((tmp_path / "run" / "run.json").read_text())["state"] == "failed"
        assert len(lines(tmp_path / "run" / "metrics.jsonl")) == {"started": 0, "game": 0, "checkpoint": 0}.get(
            event, 3
        )


class Picky:
    """A learner that detects invalid settings only when its training begins."""

    def train(self, task: Any) -> Any:
        raise GameforgeError("learner picky: there is no file games.pdn")


def test_a_run_with_invalid_settings_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for folder in (tmp_path / "run", tmp_path / "mine"):
        with pytest.raises(GameforgeError, match=r"no file games\.pdn"):
            toy(learner=Picky()).run(folder)
    assert [path.name for path in tmp_path.rglob("*")] == ["mine"]
