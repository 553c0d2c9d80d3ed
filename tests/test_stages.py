"""Experiments in stages: runs and matches inside trials resume, too, no matter how often the experiment is killed."""

import functools
import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NoReturn

import pytest
import toy_stages
from called import completed
from copies import copies_this_process, exit_code, in_a_copy
from kills import Deadly, steps_of

from gameforge.config import Spec
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.experiments.archive import write_archive
from gameforge.experiments.reproduction import EXPERIMENT_FORMAT, reproduce
from gameforge.experiments.schedule import FinishedTrial, Resources, seconds_of
from gameforge.training import checkpoint

PLUGIN = Path(toy_stages.__file__)


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry(load([PLUGIN]))


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f'stages:source_file="{toy_stages.preset(tmp_path_factory.mktemp("source"))}"'


@pytest.fixture(scope="module")
def whole(spec: str, registry: Registry, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """results.json of an experiment that is not interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    reproduce(folder, Spec.parse(spec), registry)
    return (folder / "results.json").read_bytes()


@pytest.fixture(scope="module")
def one_seed(spec: str, registry: Registry, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an experiment with one seed that is not interrupted."""
    folder = tmp_path_factory.mktemp("one") / "out"
    reproduce(folder, Spec.parse(spec), registry, seeds=1)
    return folder


class TestStages:
    def test_order(self, whole: bytes) -> None:
        trials = json.loads(whole)["trials"]
        assert [(t["seed"], t["condition"]) for t in trials] == [(s, c) for s in (1, 2) for c in ("td", "ga", "match")]
        for seed in (0, 1):
            td, ga, match = (trial["numbers"] for trial in trials[3 * seed :][:3])
            assert ga["weights"] in ga["kept"].values()
            assert match["earlier"] == {"td": td["games"], "ga": ga["games"]} == {"td": 8, "ga": 18}
            assert match["players"] == ["td", "ga"]
            assert len(match["moves"]) == 4
        assert trials[0]["numbers"] != trials[3]["numbers"]

    def test_the_folder(self, one_seed: Path) -> None:
        names = sorted(path.name for path in (one_seed / "seed-1").iterdir())
        assert names == ["ga", "td", "td-ga"]
        assert not (one_seed / "seed-1" / "ga" / "checkpoint").exists()

    def test_workers_change_nothing(self, whole: bytes, spec: str, registry: Registry, tmp_path: Path) -> None:
        """There are more workers than trials that can run at once."""
        reproduce(tmp_path / "out", Spec.parse(spec), registry, Resources(workers=5))
        assert (tmp_path / "out" / "results.json").read_bytes() == whole

    def test_an_executor_changes_nothing(self, one_seed: Path, spec: str, registry: Registry, tmp_path: Path) -> None:
        with ProcessPoolExecutor(1, mp_context=get_context("fork" if hasattr(os, "fork") else "spawn")) as executor:
            executor.submit(os.getpid).result()  # starts the process while this one has no other threads
            reproduce(tmp_path / "out", Spec.parse(spec), registry, Resources(executor=executor), seeds=1)
        assert (tmp_path / "out" / "results.json").read_bytes() == (one_seed / "results.json").read_bytes()

    def test_more_seeds(self, whole: bytes, spec: str, registry: Registry, tmp_path: Path) -> None:
        new: list[FinishedTrial] = []
        resources = Resources(finished=new.append)
        reproduce(tmp_path / "out", Spec.parse(spec), registry, resources, seeds=1)
        reproduce(tmp_path / "out", Spec.parse(spec), registry, resources, seeds=2)
        assert [(trial.seed, trial.condition == "match") for trial in new] == [
            (seed, is_match) for seed in (1, 2) for is_match in (False, False, True)
        ]
        assert (tmp_path / "out" / "results.json").read_bytes() == whole

    def test_an_archive_has_no_players(self, one_seed: Path, spec: str, registry: Registry, tmp_path: Path) -> None:
        """Players that a missing match needs are trained again; if the match is there, nothing is."""
        ran: list[FinishedTrial] = []
        resources, trials = Resources(finished=ran.append), (one_seed / "trials.jsonl").read_text().splitlines(True)
        for name, lines in (("whole", trials), ("no match", trials[:2])):
            source = tmp_path / name
            source.mkdir()
            shutil.copy(one_seed / "experiment.json", source)
            (source / "trials.jsonl").write_text("".join(lines))
            archive, out = tmp_path / f"{name}.jsonl.xz", tmp_path / f"{name} again"
            write_archive(archive, source, EXPERIMENT_FORMAT)
            reproduce(out, Spec.parse(spec), registry, resources, seeds=1, archive=archive)
            assert [trial.condition for trial in ran] == ([] if name == "whole" else ["td", "ga", "match"])
            assert (out / "results.json").read_bytes() == (one_seed / "results.json").read_bytes()

    def test_notices(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        """Notices of a learner are reported with the name of its trial."""
        heard: list[tuple[tuple[int, str], str]] = []

        def noticed(key: tuple[int, str], text: str) -> None:
            heard.append((key, text))

        reproduce(tmp_path / "out", Spec.parse(spec), registry, Resources(noticed=noticed), seeds=1)
        assert {key for key, _ in heard} == {(1, "ga"), (1, "td")}
        for key, told in (((1, "ga"), "training games/s measured"), ((1, "td"), "tournament of")):
            assert told in next(text for one, text in heard if one == key)

    def test_its_own_estimate(self, spec: str, registry: Registry) -> None:
        experiment = registry.create("experiment", Spec.parse(spec))
        assert [seconds_of(experiment, condition, 0.5) for condition in experiment.conditions] == [0.5, 1.0, 0.25]


class TestRefusals:
    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ("ring=false", r"Broken\.after names 'gga', which is not a condition \(did you mean 'ga'\?\)"),
            ("ring=true", r"Broken\.after has a cycle: ('match' after 'ga'|'ga' after 'match')"),
        ],
    )
    def test_impossible_orders_of_stages(self, settings: str, message: str, registry: Registry, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match=message):
            reproduce(tmp_path / "out", Spec.parse(f"broken:{settings}"), registry)
        assert not (tmp_path / "out").exists()

    def test_a_run_of_another_pipeline(self, one_seed: Path, spec: str, registry: Registry, tmp_path: Path) -> None:
        out = shutil.copytree(one_seed, tmp_path / "out")
        (out / "trials.jsonl").write_text("")
        (out / "seed-1" / "td" / "pipeline.toml").write_text(
            (out / "seed-1" / "td" / "pipeline.toml").read_text().replace("depth = 1", "depth = 2")
        )
        with pytest.raises(GameforgeError, match=r"seed-1/td holds another run: searcher\.depth is 2 there"):
            reproduce(out, Spec.parse(spec), registry, seeds=1)

    def test_a_folder_of_other_files(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        (tmp_path / "seed-1").mkdir()
        with pytest.raises(GameforgeError, match="already holds other files"):
            reproduce(tmp_path, Spec.parse(spec), registry, seeds=1)

    def test_a_failed_trial_keeps_what_is_finished(
        self, one_seed: Path, spec: str, registry: Registry, tmp_path: Path
    ) -> None:
        out = shutil.copytree(one_seed, tmp_path / "out")
        lines = (out / "trials.jsonl").read_text().splitlines(keepends=True)
        (out / "trials.jsonl").write_text("".join(line for line in lines if '"match"' not in line))
        (out / "seed-1" / "td" / "player" / "weights.npz").write_bytes(b"")
        with pytest.raises(GameforgeError, match="incomplete or altered"):
            reproduce(out, Spec.parse(spec), registry, seeds=1)
        assert len((out / "trials.jsonl").read_text().splitlines()) == 2


def command(spec: str, *options: str) -> Callable[[Path], int]:
    """The command that runs an experiment in a folder, or resumes the one in it; it writes its errors beside it."""

    def run(out: Path) -> int:
        done = completed(["--plugin", str(PLUGIN), "reproduce", spec, "--out", str(out), *options])
        out.with_suffix(".errors").write_text(done.stderr)
        return done.returncode

    return run


def ended(command: Callable[[Path], int], out: Path) -> NoReturn:
    """End this process with the exit code of the command."""
    os._exit(command(out))


@copies_this_process
@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_at_any_moment(
    one_seed: Path, spec: str, kills: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed repeatedly with kill -9 while it writes files, the same command gets the same result."""
    monkeypatch.setattr(checkpoint, "SHARE", 1e9)  # a checkpoint wherever one can be written
    rng = random.Random(20261121)
    resume = command(spec, "--workers", "2", "--seeds", "1")
    steps = len(steps_of(lambda: resume(tmp_path / "counted")))
    killed, inside = 0, 0
    for i in range(100):
        out = tmp_path / str(i)
        while not (out / "report.md").exists() and killed < kills:
            last = rng.randint(1, steps // 2)
            code = exit_code(in_a_copy(functools.partial(Deadly, last), functools.partial(ended, resume, out)))
            assert code in (0, -signal.SIGKILL), out.with_suffix(".errors").read_text()
            killed += code != 0
            inside += code != 0 and (out / "seed-1").exists()
        assert resume(out) == 0
        assert (out / "results.json").read_bytes() == (one_seed / "results.json").read_bytes()
        if killed >= kills:
            break
    assert inside >= kills // 2


@copies_this_process
@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupted_inside_a_run(workers: str, spec: str, tmp_path: Path) -> None:
    """Trainings that would take hours end, including those on workers."""
    out = tmp_path / "out"
    command_line = command(spec + ",endless=true", "--workers", workers)
    child = in_a_copy(lambda: ended(command_line, out))
    deadline = time.monotonic() + 600
    begun = {"td": out / "seed-1" / "td" / "metrics.jsonl", "ga": out / "seed-1" / "ga" / "log.txt"}
    wanted = ["td", "ga"][: int(workers)]
    while not all(begun[name].exists() and begun[name].stat().st_size > 100 for name in wanted):
        assert os.waitpid(child, os.WNOHANG) == (0, 0)
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(child, signal.SIGINT)
    assert exit_code(child) == 130
    errors = out.with_suffix(".errors").read_text()
    assert errors.endswith(f"interrupted: {out} holds the finished trials; repeat the command to resume\n")
    assert "Traceback" not in errors
    for name in wanted:
        manifest: dict[str, Any] = json.loads((out / "seed-1" / name / "run.json").read_text())
        assert manifest["state"] == "interrupted"
