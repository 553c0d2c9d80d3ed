"""Experiments: folders have the same figures for any number of workers, also if interrupted and resumed."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from plugin_site import Site
from toy_experiment import PARTS
from toy_site import TOY

import gameforge as gf
from gameforge.api import player
from gameforge.cli.commands.trials import time_left
from gameforge.cli.main import run
from gameforge.config import Spec, read_toml
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import GameforgeError
from gameforge.experiments.reproduction import create_experiment, reproduce
from gameforge.experiments.schedule import FinishedTrial, Resources
from gameforge.experiments.store import OTHER_SOURCE, state_of_sources
from gameforge.experiments.trial import Trial
from gameforge.interfaces.experiment import Scaled
from gameforge.play.display import counted
from gameforge.storage.folder import locked
from gameforge.training.train import Pipeline

EXPERIMENT = TOY.with_name("toy_experiment.py")
COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from gameforge.cli.main import main
main()
"""
FILES = ["experiment.json", "report.md", "results.json", "sums.png", "trials.jsonl"]


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry(load([TOY, EXPERIMENT]))


@pytest.fixture(scope="module")
def toml(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The settings of the trials."""
    path = tmp_path_factory.mktemp("settings") / "toy.toml"
    path.write_text(PARTS)
    return path


@pytest.fixture(scope="module")
def spec(toml: Path) -> str:
    return f'drifting:source_file="{toml}"'


@pytest.fixture(scope="module")
def whole(spec: str, registry: Registry, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The experiment, without an interruption, by one worker."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    reproduce(folder, Spec.parse(spec), registry)
    return folder


class Broken(Exception):
    """Raised to interrupt an experiment."""


def break_after(trials: int) -> Any:
    left = [trials]

    def finished(trial: FinishedTrial) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise Broken

    return finished


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in ("report.md", "results.json", "sums.png")}


class TestFolder:
    def test_what_is_in_it(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        out = tmp_path / "out"
        report = reproduce(out, Spec.parse(spec), registry)
        assert sorted(path.name for path in out.iterdir()) == FILES
        results = json.loads((out / "results.json").read_text())
        assert (results["experiment"], results["scale"], results["seeds"]) == ("drifting", 1.0, 3)
        assert results["parameters"]["rounds"] == 4
        assert [(t["seed"], t["condition"]) for t in results["trials"]] == [
            (seed, condition) for seed in (1, 2, 3) for condition in ("small", "large")
        ]
        text = (out / "report.md").read_text()
        assert text.startswith(
            "# Drift of weights\n\nPublished: nobody, nowhere. Ours: 3 seeds. Parameters: `drifting:source_file="
        )
        assert report.text in text
        assert text.endswith("![sums](sums.png)\n")
        assert results["summary"]["interval"] == list(report.numbers["interval"])

    def test_from_python(
        self, whole: Path, toml: Path, registry: Registry, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        """The files are those of the command, also if seeds are added; what the command prints is logged."""
        report = gf.reproduce("drifting", tmp_path, seeds=1, registry=registry, source_file=str(toml))
        assert report.text in (tmp_path / "report.md").read_text()
        (tmp_path / "trials.jsonl").write_text(
            re.sub(r'"source": "\w+"', '"source": "other"', (tmp_path / "trials.jsonl").read_text())
        )
        longer = gf.reproduce("drifting", str(tmp_path), workers=2, registry=registry, source_file=str(toml))
        assert json.loads(json.dumps(longer.numbers)) == json.loads((whole / "results.json").read_text())["summary"]
        assert OTHER_SOURCE in caplog.text

    def test_plots_for_papers(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        reproduce(tmp_path / "out", Spec.parse(spec), registry, seeds=1, plots=[".svg", ".pdf"])
        assert sorted(path.name for path in (tmp_path / "out").glob("sums.*")) == ["sums.pdf", "sums.svg"]
        assert (tmp_path / "out" / "report.md").read_text().endswith("![sums](sums.svg)\n")

    def test_trials_receive_game_and_session_events(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        games = []
        reproduce(tmp_path / "out", Spec.parse(spec), registry, Resources(game_finished=games.append), seeds=1)
        results = json.loads((tmp_path / "out" / "results.json").read_text())
        assert len(games) == 4 + 3  # the toy learner's own number of rounds is 3
        assert [len(t["numbers"]["sessions"]) for t in results["trials"]] == [4, 3]
        reasons = [reason for t in results["trials"] for reason in t["numbers"]["reasons"]]
        assert reasons == [game.outcome.reason for game in games]

    def test_a_trial_has_the_weights_of_a_run(self, toml: Path, spec: str, registry: Registry, tmp_path: Path) -> None:
        reproduce(tmp_path / "out", Spec.parse(spec), registry, seeds=2)
        results = json.loads((tmp_path / "out" / "results.json").read_text())
        run = Pipeline.from_settings({**read_toml(toml), "seed": 2}, registry).run(tmp_path / "run")
        assert run.trained is not None
        assert results["trials"][3]["numbers"]["weights"] == run.trained.weights.tolist()

    def test_a_folder_with_the_name_of_a_preset_does_not_replace_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """`gameforge reproduce anaconda --out anaconda` once made the folder in which its own trials then failed."""
        trial = Trial(condition="", seed=1, registry=default_registry())
        before = trial.pipeline("draughts").settings
        monkeypatch.chdir(tmp_path)
        (tmp_path / "draughts").mkdir()
        assert trial.pipeline("draughts").settings == before

    def test_repeated_games_of_a_match_are_reported(self, registry: Registry, tmp_path: Path) -> None:
        """Two players without randomness replay one game."""
        notices: list[str] = []
        trial = Trial(condition="", seed=1, registry=registry, notice=notices.append, home=tmp_path)
        one = player("shuttle", searcher="greedy", evaluator="linear", features="lanes", registry=registry)
        trial.match(one, one, 10, "repeated", openings=0)
        trial.match(one, one, 2, "once", openings=0)
        assert [text.partition(";")[0] for text in notices] == [
            "match repeated: only 1 of 10 games between player and player are distinct"
        ]

    def test_shorter_trials(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        reproduce(tmp_path / "out", Spec.parse(spec), registry, seeds=1, scale=0.5)
        results = json.loads((tmp_path / "out" / "results.json").read_text())
        assert len(results["trials"][0]["numbers"]["sessions"]) == 2
        assert "Ours: 1 seed at scale 0.5: shorter" in (tmp_path / "out" / "report.md").read_text()

    def test_longer_trials(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        reproduce(tmp_path / "out", Spec.parse(spec), registry, seeds=2, scale=1.5)
        assert "Ours: 2 seeds at scale 1.5: longer" in (tmp_path / "out" / "report.md").read_text()


class TestAgain:
    def test_workers_change_nothing(self, whole: Path, spec: str, registry: Registry, tmp_path: Path) -> None:
        reproduce(tmp_path / "out", Spec.parse(spec), registry, Resources(workers=4))
        assert contents(tmp_path / "out") == contents(whole)

    @pytest.mark.parametrize("after", [1, 2, 5])
    def test_interrupted_and_resumed(
        self, after: int, whole: Path, spec: str, registry: Registry, tmp_path: Path
    ) -> None:
        out, new = tmp_path / "out", []
        with pytest.raises(Broken):
            reproduce(out, Spec.parse(spec), registry, Resources(finished=break_after(after)))
        with (out / "trials.jsonl").open("a") as lines:
            lines.write('{"condition": "large", "se')  # killed while it wrote
        reproduce(out, Spec.parse(spec), registry, Resources(finished=new.append))
        assert len(new) == 6 - after
        assert contents(out) == contents(whole)

    def test_more_seeds_and_fewer(self, whole: Path, spec: str, registry: Registry, tmp_path: Path) -> None:
        new: list[FinishedTrial] = []
        resources = Resources(finished=new.append)
        reproduce(tmp_path / "out", Spec.parse(spec), registry, resources, seeds=2)
        reproduce(tmp_path / "out", Spec.parse(spec), registry, resources, seeds=3)
        assert [trial.seed for trial in new] == [1, 1, 2, 2, 3, 3]
        assert contents(tmp_path / "out") == contents(whole)
        reproduce(tmp_path / "out", Spec.parse(spec), registry, resources, seeds=1)
        assert len(new) == 6
        assert len(json.loads((tmp_path / "out" / "results.json").read_text())["trials"]) == 2


class TestStatesOfTheSource:
    """Developers lose no finished trial by an edit, but no report hides that its trials differ in the code."""

    @pytest.fixture
    def edited(self, tmp_path: Path) -> Path:
        """A copy of the toy experiment; edits of it change the state of the source."""
        file = tmp_path / "plugin" / "edited_experiment.py"
        file.parent.mkdir()
        file.write_text(EXPERIMENT.read_text())
        return file

    def test_trials_of_one_state(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        warnings: list[str] = []
        for seeds in (1, 2, 2):
            reproduce(tmp_path / "out", Spec.parse(spec), registry, Resources(warned=warnings.append), seeds=seeds)
        assert warnings == []
        assert "different states" not in (tmp_path / "out" / "report.md").read_text()
        results = json.loads((tmp_path / "out" / "results.json").read_text())
        assert results["sources"] == {state_of_sources(registry.plugins): 4}

    def test_an_edit_between_trials_is_reported(self, spec: str, edited: Path, tmp_path: Path) -> None:
        warnings: list[str] = []
        own = Registry(load([TOY, edited]))

        def run(seeds: int) -> str:
            reproduce(tmp_path / "out", Spec.parse(spec), own, Resources(warned=warnings.append), seeds=seeds)
            return (tmp_path / "out" / "report.md").read_text()

        run(1)
        before = state_of_sources(own.plugins)
        edited.write_text(edited.read_text() + "# an edit\n")
        after = state_of_sources(own.plugins)
        assert "different states" not in run(1), "no trial was run by the present state"
        assert warnings == []
        text = run(2)
        assert (
            f"different states of the source code** of GameForge or its plugins (2 by `{before}`, 2 by `{after}`)"
            in (" ".join(text.split()))
        )
        assert warnings == [OTHER_SOURCE]
        assert run(2) == text
        assert warnings == [OTHER_SOURCE]

    def test_trials_whose_state_is_not_known(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        """Earlier versions did not write it."""
        out = tmp_path / "out"
        reproduce(out, Spec.parse(spec), registry, seeds=1)
        log = out / "trials.jsonl"
        log.write_text(
            "".join(re.sub(', "source": "[0-9a-f]+"', "", line) for line in log.read_text().splitlines(True))
        )
        reproduce(out, Spec.parse(spec), registry, seeds=2)
        assert "(2 by an unknown one, 2 by `" in (out / "report.md").read_text()


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"seeds": 0}, "seeds = 0: must be from 1 to 100,000"),
            ({"seeds": 1 << 64}, "seeds = 18446744073709551616: must be from 1 to 100,000"),
            ({"scale": 0.0}, "scale = 0.0: must be a number above 0"),
            ({"plots": [".gif"]}, "plots = '.gif': must be .png, .svg or .pdf"),
            ({"scale": float("nan")}, "scale = nan: must be a number above 0"),
            ({"scale": 1e308}, "scale = 1e.308: must be a number above 0, at most 1,000"),
        ],
    )
    def test_numbers(
        self, options: dict[str, Any], message: str, spec: str, registry: Registry, tmp_path: Path
    ) -> None:
        with pytest.raises(GameforgeError, match=message):
            reproduce(tmp_path / "out", Spec.parse(spec), registry, **options)
        assert not (tmp_path / "out").exists()

    def test_workers(self) -> None:
        with pytest.raises(GameforgeError, match="workers = 0: must be 1 or more"):
            Resources(workers=0)

    def test_another_experiment_in_the_folder(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        out = tmp_path / "out"
        reproduce(out, Spec.parse(spec), registry, seeds=1)
        before = contents(out)
        with pytest.raises(GameforgeError, match=r"holds another experiment: scale is 1\.0 there and 2\.0 here"):
            reproduce(out, Spec.parse(spec), registry, seeds=1, scale=2.0)
        with pytest.raises(GameforgeError, match=r"holds another experiment: parameters\.rounds is 4 there and 5 here"):
            reproduce(out, Spec.parse(spec + ",rounds=5"), registry, seeds=1)
        assert contents(out) == before

    @pytest.mark.parametrize(
        ("file", "text", "message"),
        [
            ("experiment.json", "{", "experiment.json is damaged"),
            ("experiment.json", '{"format": "other"}', "experiment.json is not the manifest of an experiment"),
            ("experiment.json", '{"format": "gameforge-experiment", "schema": 9}', "schema 9; this GameForge reads"),
            ("trials.jsonl", "nonsense\n", "trials.jsonl, line 1 is damaged"),
            (
                "trials.jsonl",
                '{"condition": "odd", "seed": 1, "numbers": {}}\n',
                "line 1 is damaged: .* no condition 'odd'",
            ),
        ],
    )
    def test_damaged_files(
        self, file: str, text: str, message: str, spec: str, registry: Registry, tmp_path: Path
    ) -> None:
        reproduce(tmp_path / "out", Spec.parse(spec), registry, seeds=1)
        (tmp_path / "out" / file).write_text(text)
        with pytest.raises(GameforgeError, match=message):
            reproduce(tmp_path / "out", Spec.parse(spec), registry, seeds=1)
        assert (tmp_path / "out" / file).read_text() == text

    def test_two_processes_do_not_write_one_folder(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        pytest.importorskip("fcntl")
        out = tmp_path / "out"
        out.mkdir()
        with locked(out), pytest.raises(GameforgeError, match="is writing there"):
            reproduce(out, Spec.parse(spec), registry, seeds=1)
        assert not list(out.iterdir())

    def test_other_files_and_a_file(self, toml: Path, spec: str, registry: Registry) -> None:
        with pytest.raises(GameforgeError, match="already holds other files"):
            reproduce(toml.parent, Spec.parse(spec), registry)
        with pytest.raises(GameforgeError, match=r"toy.toml is a file; name a folder"):
            reproduce(toml, Spec.parse(spec), registry)

    def test_a_trial_that_fails_leaves_the_finished_ones(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match="seed 2 fails"):
            reproduce(tmp_path / "a" / "out", Spec.parse(spec + ",fails_at=2"), registry)
        assert len((tmp_path / "a" / "out" / "trials.jsonl").read_text().splitlines()) == 2

    def test_a_seed_is_not_added_to_trials_of_another_version(
        self, spec: str, registry: Registry, tmp_path: Path
    ) -> None:
        out = tmp_path / "out"
        reproduce(out, Spec.parse(spec), registry, seeds=1)
        manifest, trials = out / "experiment.json", (out / "trials.jsonl").read_bytes()
        here = json.loads(manifest.read_text())["gameforge"]
        manifest.write_text(manifest.read_text().replace(f'"gameforge": "{here}"', '"gameforge": "0.0.7"'))
        with pytest.raises(GameforgeError) as error:
            reproduce(out, Spec.parse(spec), registry, seeds=2)
        assert str(error.value) == (
            f'the folder {out} holds another experiment: gameforge is "0.0.7" there and "{here}" here; '
            "choose another folder"
        )
        assert (out / "trials.jsonl").read_bytes() == trials

    def test_no_folder_is_left_if_no_trial_finished(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match="seed 1 fails"):
            reproduce(tmp_path / "a" / "out", Spec.parse(spec + ",fails_at=1"), registry)
        assert not (tmp_path / "a").exists()

    def test_not_an_experiment(self, registry: Registry, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match="experiment 'incomplete': Incomplete does not implement Experiment"):
            reproduce(tmp_path / "out", Spec.parse("incomplete"), registry)


@pytest.mark.parametrize("name", default_registry().names("experiment"))
def test_trials_that_are_too_short_are_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    experiment = create_experiment(default_registry(), Spec.parse(name))
    assert isinstance(experiment, Scaled)
    least = experiment.least_scale
    assert run(["reproduce", name, "--scale", str(0.9 * least)]) == 2
    out, errors = capsys.readouterr()
    assert (out, errors) == (
        "",
        f"error: scale = {0.9 * least}: {name} is too short to mean anything below {least:g}\n",
    )
    assert not list(tmp_path.iterdir())


def test_the_cost_is_that_of_this_computer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two trials; each takes an hour where the durations were estimated, and twice as long at half the speed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy.toml").write_text(PARTS)
    slow = tmp_path / "slow_experiment.py"
    slow.write_text(EXPERIMENT.read_text().replace('{"small": 0.5, "large": 0.5}', '{"small": 3600, "large": 3600}'))
    command = ["--plugin", str(TOY), "--plugin", str(slow), "reproduce", "drifting", "--seeds", "1", "--out"]
    for speed, hours in ((1.0, 2), (0.5, 4)):
        monkeypatch.setattr("gameforge.cli.commands.trials.relative_speed", lambda speed=speed: speed)
        assert run([*command, f"speed-{speed}"]) == 0
        assert capsys.readouterr().err.startswith(
            f"Drift of weights: 2 trials; about {hours}.0 h with 1 worker, {hours} processor hours on this computer\n"
        )


@pytest.mark.parametrize(
    ("estimate", "elapsed", "done", "text"),
    [
        (600, 0, 0.0, "about 10 min left"),
        (600, 570, 0.05, "about 30 s left"),
        (600, 700, 0.05, "longer than expected"),
        (600, 50, 0.5, "about 50 s left"),
        (600, 700, 1.0, "about 0 s left"),
    ],
)
def test_time_left(estimate: float, elapsed: float, done: float, text: str) -> None:
    assert time_left(estimate, elapsed, done) == text


class TestCommand:
    PLUGINS = ("--plugin", str(TOY), "--plugin", str(EXPERIMENT))

    def run(self, site: Site, *arguments: str) -> "subprocess.CompletedProcess[str]":
        (site.folder / "toy.toml").write_text(PARTS)
        return site.run(*self.PLUGINS, "reproduce", *arguments, GAMEFORGE_PLUGINS="")

    def test_report(self, site: Site) -> None:
        done = self.run(site, "drifting", "--seeds", "1", "--workers", "2")
        assert done.returncode == 0, done.stderr
        assert "| small | 1 |" in done.stdout
        assert done.stdout.endswith("report saved in experiments/drifting/report.md\n")
        assert re.search(
            "^Drift of weights: 2 trials; about [0-9]+ s with 2 workers, "
            "less than 0.01 processor hours on this computer$",
            done.stderr,
            re.MULTILINE,
        )
        assert "2 of 2: " in done.stderr
        again = self.run(site, "drifting", "--seeds", "1", "--json")
        assert set(json.loads(again.stdout)) == {"interval"}
        assert "2 of them are finished" in again.stderr

    def test_the_estimate_counts_cores_not_workers(self, site: Site) -> None:
        cores = os.cpu_count() or 1
        done = self.run(site, "drifting", "--workers", str(cores + 7))
        assert f" with {cores + 7} workers on {counted(cores, 'core')}, " in done.stderr
        listed = [self.run(site, "--json", "--workers", str(n)).stdout for n in (cores, cores + 7)]
        assert listed[0] == listed[1]

    def test_list(self, site: Site) -> None:
        expected = [
            "drifting: Drift of weights",
            "    nobody, nowhere; 3 seeds, about 6 s",
            "incomplete: FAILED: experiment 'incomplete': Incomplete does not implement Experiment",
        ]
        assert self.run(site, "--scale", "2").stdout.splitlines() == expected
        assert [row["name"] for row in json.loads(self.run(site, "--json").stdout)] == ["drifting", "incomplete"]

    def test_list_without_experiments(self, site: Site) -> None:
        assert site.run("reproduce", GAMEFORGE_PLUGINS="").stdout == "no plugin offers an experiment\n"

    def test_unknown(self, site: Site) -> None:
        done = self.run(site, "drifing")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: unknown experiment 'drifing' (did you mean 'drifting'?)")

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
    def test_ended_by_a_signal(self, number: int, site: Site) -> None:
        """Finished trials are kept, and the same command resumes the experiment."""
        arguments = ["drifting:waits_at=2", "--seeds", "3", "--workers", "2"]
        out = site.folder / "experiments" / "drifting"
        (site.folder / "toy.toml").write_text(PARTS)
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, *self.PLUGINS, "reproduce", *arguments],
            cwd=site.folder,
            env=os.environ | {"GAMEFORGE_PLUGINS": ""},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        trials = out / "trials.jsonl"
        while process.poll() is None and not (trials.exists() and trials.read_text().count("\n") == 2):
            time.sleep(0.01)
        process.send_signal(number)
        _, errors = process.communicate(timeout=600)
        assert trials.read_text().count("\n") == 2
        if number == signal.SIGINT:
            assert process.returncode == 130
            assert errors.endswith(
                f"interrupted: {out.relative_to(site.folder)} holds the finished trials; repeat the command to resume\n"
            )
        (site.folder / "go").touch()
        again = self.run(site, *arguments)
        assert "2 of them are finished" in again.stderr
        assert trials.read_text().count("\n") == 6
