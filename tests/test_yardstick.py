"""The yardstick of a run: it measures and does not disturb, and it is the same with any workers and interruptions."""

import itertools
import json
import re
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from plugin_site import Site
from toy_site import TOY, registry

import gameforge as gf
from gameforge.arena.elo import elo
from gameforge.cli import main as cli
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import Defaults
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import Progress
from gameforge.training.run import Run
from gameforge.training.work import LocalSite
from gameforge.training.yardstick import Measurement, Yardstick, opponent_of

PARTS = {"game": "draughts", "searcher": "minimax:depth=1", "oracle": "none"}
LEARNER = "td:sessions=4,games=6,clone_points=0"
EVERY = Yardstick(every=2, games=4)


def trained(out: Path, yardstick: Any = EVERY, **more: Any) -> Run:
    learner = more.pop("learner", LEARNER)
    return gf.Pipeline(learner=learner, **PARTS).run(out, seed=3, yardstick=yardstick, **more)


def metrics(folder: Path) -> list[dict[str, Any]]:
    """The sessions without the figures that measure time."""
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{key: value for key, value in row.items() if key != "games_per_second"} for row in rows]


def strength(folder: Path) -> dict[str, Any]:
    """The final match without its times."""
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())["strength"]
    return {key: value for key, value in found.items() if key not in ("seconds_per_move", "processor_per_move")}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return trained(tmp_path_factory.mktemp("yardstick") / "run")


def test_every_second_session_is_measured_and_so_is_the_result(run: Run) -> None:
    measured = [row["session"] for row in metrics(run.folder) if "yardstick_score" in row]
    assert measured == [2, 4]
    assert run.strength is not None
    assert run.strength.result.players == ("trained", "material with the same search")
    assert (len(run.strength.result.games), run.strength.measured) == (4, 3 * 4)
    assert strength(run.folder)["score"] == run.strength.result.score
    log = (run.folder / "log.txt").read_text()
    assert f"{run.strength}; all measurements: 12 games" in log


def test_the_figures_are_those_of_a_match(tmp_path: Path) -> None:
    """The last net of a training that returns it is measured twice with the same openings, with the same result."""
    learner = "td:sessions=2,games=6,regime=block,result=net"
    run = trained(tmp_path / "run", Yardstick(every=1, games=20), learner=learner)
    assert run.strength is not None
    last = metrics(run.folder)[-1]
    assert last["yardstick_score"] == run.strength.result.score
    if "yardstick_elo" in last:
        assert last["yardstick_elo"] == pytest.approx(elo(run.strength.result.score))
        assert last["yardstick_elo_deviation"] == pytest.approx(run.strength.result.elo_error / 1.959964)


@pytest.mark.parametrize("yardstick", [None, Yardstick(evaluator="material", every=1, games=2), "random"], ids=str)
def test_the_training_is_the_same_with_any_yardstick(yardstick: Any, run: Run, tmp_path: Path) -> None:
    other = trained(tmp_path / "run", yardstick)
    assert run.trained is not None
    assert other.trained is not None
    assert other.trained.weights is not None
    np.testing.assert_array_equal(other.trained.weights, run.trained.weights)
    for name in ("games.pdn", "pipeline.toml", "player/weights.npz", "generations/clone-2/weights.npz"):
        assert (other.folder / name).read_bytes() == (run.folder / name).read_bytes()
    plain = [{key: value for key, value in row.items() if "yardstick" not in key} for row in metrics(run.folder)]
    assert [{key: row[key] for key in row if "yardstick" not in key} for row in metrics(other.folder)] == plain


def test_measurements_do_not_depend_on_workers(run: Run, tmp_path: Path) -> None:
    other = trained(tmp_path / "run", workers=3)
    assert metrics(other.folder) == metrics(run.folder)
    assert strength(other.folder) == strength(run.folder)


class Interrupted(Exception):
    pass


class Stop:
    """A subscriber that interrupts a run after a session."""

    def __init__(self, session: int) -> None:
        self.session = session

    @hookimpl
    def gameforge_checkpoint(self, progress: Progress) -> None:
        if progress.session == self.session:
            raise Interrupted


@pytest.mark.parametrize("session", [1, 2, 4])
@pytest.mark.parametrize("opponent", [None, "random"])
def test_a_resumed_run_is_measured_like_a_whole_one(
    session: int, opponent: str | None, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It keeps its own yardstick, whichever it is resumed with; a player of its own lies in its folder."""
    monkeypatch.setattr("gameforge.training.reporting.Pace.due", lambda pace: True)
    given = attrs.evolve(EVERY, opponent=opponent and gf.player(searcher=opponent, game="draughts", name=opponent))
    whole = run if opponent is None else trained(tmp_path / "whole", given)
    with pytest.raises(Interrupted):
        trained(tmp_path / "run", given, subscribers=[Stop(session)])
    again = gf.Pipeline.resume(tmp_path / "run")
    assert metrics(again.folder) == metrics(whole.folder)
    assert strength(again.folder) == strength(whole.folder)
    assert (again.folder / "yardstick").is_dir() == (opponent is not None)


def test_measurements_can_be_interrupted(tmp_path: Path) -> None:
    def check() -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        trained(tmp_path / "run", Yardstick(every=1, games=2000), check=check)


@attrs.frozen
class Planned:
    training_games: int


def sessions(training_games: int, number: int, **given: int) -> tuple[list[int], list[int]]:
    """The measured sessions of a training, and the numbers of games of the curve and the final match."""
    opponent = gf.player("draughts", searcher="random")
    measurement = Measurement(Yardstick(**given), opponent, Planned(training_games), 1, 1, lambda: None)  # type: ignore[arg-type]
    played: list[int] = []
    measurement._match = lambda player, n: played.append(n) or Match()  # type: ignore[assignment,func-returns-value]
    steps = (Progress(session=i, sessions=number, games=0, total=0, numbers={}) for i in range(1, number + 1))
    found = [step.session for step in steps if measurement.figures(step, lambda: opponent, print)]
    measurement.strength(opponent)
    return found, sorted(set(played[:-1])) + played[-1:]


class Match:
    independent_pairs = (0, 0, 1, 0, 0)
    distinct, repeats, repeats_text = 1, True, "only 1 of 20 games"


def test_measurements_count_distinct_games_and_warn_once() -> None:
    opponent = gf.player("draughts", searcher="random")
    measurement = Measurement(Yardstick(every=1), opponent, Planned(100), 1, 1, lambda: None)  # type: ignore[arg-type]
    measurement._match = lambda player, n: Match()  # type: ignore[assignment,method-assign,return-value]
    notices: list[str] = []
    for i in (1, 2):
        step = Progress(session=i, sessions=2, games=0, total=0, numbers={})
        assert measurement.figures(step, lambda: opponent, notices.append)["yardstick_distinct"] == 1
    assert notices == ["session 1: only 1 of 20 games"]


@pytest.mark.parametrize(
    ("games", "number", "measured", "played"),
    [
        (100, 10, [10], [20, 20]),
        (2000, 10, [2, 4, 6, 8, 10], [20, 100]),
        (100_000, 1000, list(range(100, 1001, 100)), [100, 100]),
        (0, 3, [1, 2, 3], [20, 100]),
        (0, 100, list(range(10, 101, 10)), [20, 100]),
    ],
)
def test_measurements_are_a_small_share_of_the_games(
    games: int, number: int, measured: list[int], played: list[int]
) -> None:
    assert sessions(games, number) == (measured, played)


def test_number_and_distance_can_be_given() -> None:
    assert sessions(2000, 10, every=5, games=8) == ([5, 10], [8, 8])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"games": 3}, "'games' must be even, because each opening is played twice (got 3)"),
        ({"games": 0}, "'games' must be a whole number from 2 to 1000000 (got 0)"),
        ({"every": 0}, "'every' must be a whole number from 1 to 1000000 (got 0)"),
    ],
)
def test_bad_values(given: dict[str, int], message: str) -> None:
    with pytest.raises(GameforgeError, match=re.escape(message)):
        Yardstick(**given)


def test_a_game_that_names_none_is_not_measured(tmp_path: Path) -> None:
    parts = {"game": "shuttle", "searcher": "greedy", "evaluator": "linear", "features": "lanes", "learner": "drift"}
    run = gf.Pipeline(registry=registry(), **parts).run(tmp_path / "run")
    assert run.strength is None
    assert "strength" not in json.loads((tmp_path / "run" / "run.json").read_text())


RIVAL = """
from gameforge import Component, hookimpl

@hookimpl
def gameforge_components():
    return [Component("evaluator", "material", "{name}:Material", "a rival", game="{game}")]
"""


def test_a_plugin_with_a_name_of_gameforge_s_changes_no_yardstick(site: Site) -> None:
    site.install("rival", RIVAL.format(name="rival", game="draughts"))
    pipeline = gf.Pipeline(learner=LEARNER, **PARTS, registry=Registry(load()))
    found = opponent_of(Yardstick(), LocalSite(pipeline, pipeline.parts()), pipeline.learner)  # type: ignore[arg-type]
    assert found is not None
    assert found.name == "material with the same search"
    done = site.run("plugins", "--kind=evaluator", "--game=draughts")
    listed = [line.split()[1:4] for line in done.stdout.splitlines() if "material" in line]
    assert listed == [["material", "draughts", "draughts"], ["rival/material", "draughts", "rival"]]


def test_a_yardstick_of_the_game_that_cannot_be_used_is_an_error(site: Site) -> None:
    for name in ("one", "two"):
        site.install(name, RIVAL.format(name=name, game="shuttle"))
    game = gf.game("shuttle", registry=registry())
    game.defaults = Defaults(yardstick="material")
    parts = {"searcher": "greedy", "evaluator": "linear", "features": "lanes", "learner": "drift"}
    pipeline = gf.Pipeline(game=game, registry=Registry(load([TOY])), **parts)
    with pytest.raises(GameforgeError, match=r"^yardstick material: .* is offered by one .* and two .* write one/mat"):
        opponent_of(Yardstick(), LocalSite(pipeline, pipeline.parts()), pipeline.learner)  # type: ignore[arg-type]
    game.defaults = Defaults(player="greedy + material")
    with pytest.raises(GameforgeError, match="is offered by one"):
        opponent_of(Yardstick(), LocalSite(pipeline, pipeline.parts()), pipeline.learner)  # type: ignore[arg-type]


COMMAND = ["run", "--game=draughts", "--searcher=minimax:depth=1", "--oracle=none", f"--learner={LEARNER}"]
numbered = itertools.count()


def command(capsys: pytest.CaptureFixture[str], tmp_path: Path, *options: str) -> tuple[int, str, str]:
    code = cli.run([*COMMAND, f"--out={tmp_path / str(next(numbered))}", "--match-games=0", *options])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


class TestCommand:
    @pytest.mark.parametrize("text", ["random", "minimax:depth=2 + material", "material:man=1"])
    def test_it_says_how_strong_the_player_is(
        self, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        code, out, _ = command(capsys, tmp_path, f"--yardstick={text}", "--yardstick-games=2")
        (last,) = [line for line in out.splitlines() if line.startswith("strength: ")]
        assert code == 0
        assert f" against {text}{' with the same search' if text.startswith('material') else ''}, " in last
        assert re.search(r" lost; [12] distinct of 2 games$", last)

    def test_repeated_games_are_reported(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """The toy game has few openings."""
        parts = ("--searcher=greedy", "--evaluator=linear", "--features=lanes", "--learner=drift:rounds=1")
        match = ("--yardstick=greedy + linear + lanes", "--yardstick-games=200", "--match-games=0", "--seed=0")
        assert (
            cli.run(["--plugin", str(TOY), "run", "--game=shuttle", *parts, *match, f"--out={tmp_path / 'run'}"]) == 0
        )
        warning, last, _ = capsys.readouterr().out.splitlines()[-3:]
        assert re.match(r"warning: only \d+ of 200 games between trained and greedy.* are distinct; ", warning)
        assert re.match(r"strength: .* against greedy.* lost; \d+ distinct of 200 games$", last)

    def test_none(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, _ = command(capsys, tmp_path, "--yardstick=none")
        assert (code, "strength" in out, "yardstick" in out) == (0, False, False)
        code, _, err = command(capsys, tmp_path, "--yardstick=none", "--yardstick-games=2")
        assert (code, err) == (
            2,
            "error: --yardstick none: nothing is measured; omit --yardstick-games and --yardstick-every\n",
        )

    @pytest.mark.parametrize(
        ("option", "message"),
        [
            ("--yardstick-games=0", "Invalid value for '--yardstick-games': "),
            ("--yardstick-games=3", "--yardstick-games 3: must be even, because each opening is played twice"),
            ("--yardstick-every=0", "Invalid value for '--yardstick-every': "),
        ],
    )
    def test_a_wrong_number_names_its_option(
        self, option: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        code, out, err = command(capsys, tmp_path, option)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert err.startswith(f"error: {message}")

    def test_a_run_is_resumed_with_its_own(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert cli.run(["run", f"--resume={tmp_path}", "--yardstick=random"]) == 2
        assert "omit PIPELINE, --out and all settings" in capsys.readouterr().err

    def test_a_player_of_another_game(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file = tmp_path / "player.toml"
        file.write_text('game = "shuttle"\nsearcher = "greedy"\nfeatures = "lanes"\nevaluator = "linear"\n')
        line = [*COMMAND, f"--out={tmp_path / 'run'}", f"--yardstick={file}"]
        assert cli.run(["--plugin", str(TOY), *line]) == 2
        assert capsys.readouterr().err == f"error: player '{file}' plays shuttle, not draughts\n"
        assert not (tmp_path / "run").exists()

    def test_a_net_that_is_not_trained(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, _, err = command(capsys, tmp_path, "--yardstick=mlp")
        assert (code, err.count("\n")) == (2, 1)
