"""Experiments in stages: runs and matches inside trials resume, too, no matter how often the experiment is killed."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
import toy_stages

from gameforge.config import parse_spec
from gameforge.errors import GameforgeError
from gameforge.experiments.reproduction import reproduce
from gameforge.experiments.schedule import estimate, trial_keys
from gameforge.interfaces.experiment import Result
from gameforge.plugins.discovery import load
from gameforge.plugins.registry import Registry

PLUGIN = Path(toy_stages.__file__)
COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from gameforge.cli.main import main
main()
"""


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
    reproduce(folder, parse_spec(spec), registry)
    return (folder / "results.json").read_bytes()


class TestStages:
    def test_order(self, whole: bytes) -> None:
        trials = json.loads(whole)["trials"]
        assert [(t["seed"], t["condition"]) for t in trials] == [(s, c) for s in (1, 2) for c in ("td", "ga", "match")]
        for seed in (0, 1):
            td, ga, match = (trial["numbers"] for trial in trials[3 * seed :][:3])
            assert ga["weights"] in ga["kept"].values()
            assert match["earlier"] == {"td": td["games"], "ga": ga["games"]} == {"td": 40, "ga": 120}
            assert match["players"] == ["td", "ga"]
            assert len(match["moves"]) == 8
        assert trials[0]["numbers"] != trials[3]["numbers"]

    def test_the_folder(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        reproduce(tmp_path / "out", parse_spec(spec), registry, seeds=1)
        names = sorted(path.name for path in (tmp_path / "out" / "seed-1").iterdir())
        assert names == ["ga", "td", "td-ga"]
        assert not (tmp_path / "out" / "seed-1" / "ga" / "checkpoint").exists()

    @pytest.mark.parametrize("workers", [2, 5])
    def test_workers_change_nothing(
        self, workers: int, whole: bytes, spec: str, registry: Registry, tmp_path: Path
    ) -> None:
        reproduce(tmp_path / "out", parse_spec(spec), registry, workers=workers)
        assert (tmp_path / "out" / "results.json").read_bytes() == whole

    def test_an_executor_changes_nothing(self, whole: bytes, spec: str, registry: Registry, tmp_path: Path) -> None:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
            reproduce(tmp_path / "out", parse_spec(spec), registry, executor=executor)
        assert (tmp_path / "out" / "results.json").read_bytes() == whole

    def test_more_seeds(self, whole: bytes, spec: str, registry: Registry, tmp_path: Path) -> None:
        new: list[Result] = []

        def finished(result: Result, seconds: float) -> None:
            new.append(result)

        reproduce(tmp_path / "out", parse_spec(spec), registry, seeds=1, trial_finished=finished)
        reproduce(tmp_path / "out", parse_spec(spec), registry, seeds=2, trial_finished=finished)
        assert [(result.seed, result.condition == "match") for result in new] == [
            (seed, is_match) for seed in (1, 2) for is_match in (False, False, True)
        ]
        assert (tmp_path / "out" / "results.json").read_bytes() == whole

    def test_notices(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        """Notices of a learner are reported with the name of its trial."""
        heard: list[tuple[tuple[int, str], str]] = []

        def noticed(key: tuple[int, str], text: str) -> None:
            heard.append((key, text))

        reproduce(tmp_path / "out", parse_spec(spec), registry, seeds=1, noticed=noticed)
        assert {key for key, _ in heard} == {(1, "ga"), (1, "td")}
        for key, told in (((1, "ga"), "training games/s measured"), ((1, "td"), "tournament of")):
            assert told in next(text for one, text in heard if one == key)

    def test_its_own_estimate(self, spec: str, registry: Registry) -> None:
        experiment = registry.create("experiment", parse_spec(spec))
        keys = trial_keys(experiment, 2)
        assert estimate(experiment, keys, 1, 1.0) == 14
        assert estimate(experiment, keys, 2, 0.5) == 14 / 2 / 4


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
            reproduce(tmp_path / "out", parse_spec(f"broken:{settings}"), registry)
        assert not (tmp_path / "out").exists()

    def test_a_run_of_another_pipeline(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        out = tmp_path / "out"
        reproduce(out, parse_spec(spec), registry, seeds=1)
        (out / "trials.jsonl").write_text("")
        (out / "seed-1" / "td" / "pipeline.toml").write_text(
            (out / "seed-1" / "td" / "pipeline.toml").read_text().replace("depth = 1", "depth = 2")
        )
        with pytest.raises(GameforgeError, match=r"seed-1/td holds another run: searcher\.depth is 2 there"):
            reproduce(out, parse_spec(spec), registry, seeds=1)

    def test_a_failed_trial_keeps_what_is_finished(self, spec: str, registry: Registry, tmp_path: Path) -> None:
        out = tmp_path / "out"
        out.mkdir()
        (out / "seed-1").mkdir()
        with pytest.raises(GameforgeError, match="already holds other files"):
            reproduce(out, parse_spec(spec), registry, seeds=1)
        (out / "seed-1").rmdir()
        reproduce(out, parse_spec(spec), registry, seeds=1)
        lines = (out / "trials.jsonl").read_text().splitlines(keepends=True)
        (out / "trials.jsonl").write_text("".join(line for line in lines if '"match"' not in line))
        (out / "seed-1" / "td" / "player" / "weights.npz").write_bytes(b"")
        with pytest.raises(GameforgeError, match="incomplete or altered"):
            reproduce(out, parse_spec(spec), registry, seeds=1)
        assert len((out / "trials.jsonl").read_text().splitlines()) == 2


def start(spec: str, out: Path, *options: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "--plugin", str(PLUGIN), "reproduce", spec, "--out", str(out), *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def sizes(folder: Path) -> list[int]:
    """The sizes of all files in a folder."""
    with contextlib.suppress(FileNotFoundError):  # a file may vanish meanwhile
        return [path.stat().st_size for path in sorted(folder.rglob("*"))]
    return []


def ended_before(changes: int, process: "subprocess.Popen[str]", out: Path) -> bool:
    """Wait until the folder has been seen to change this often, or until the process has ended before."""
    last = sizes(out)
    while process.poll() is None:
        now = sizes(out)
        changes -= now != last
        if changes <= 0:
            return False
        last = now
        time.sleep(0.002)
    return True


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_at_any_moment(whole: bytes, spec: str, kills: int, tmp_path: Path) -> None:
    """Killed repeatedly with kill -9, the same command gets the same result."""
    rng = random.Random(20261121)
    killed, inside = 0, 0
    for i in range(100):
        out = tmp_path / str(i)
        while not (out / "report.md").exists():
            process = start(spec, out, "--workers", "2")
            if ended_before(rng.randint(1, 60), process, out):
                assert process.returncode == 0, process.communicate()
            else:
                process.kill()
                process.communicate()
                killed += 1
                inside += (out / "seed-1").exists()
        assert (out / "results.json").read_bytes() == whole
        if killed >= kills:
            break
    assert inside >= kills // 2


@pytest.mark.skipif(os.name == "nt", reason="signals as on Unix")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupted_inside_a_run(workers: str, spec: str, tmp_path: Path) -> None:
    """Trainings that would take hours end, including those on workers."""
    out = tmp_path / "out"
    process = start(spec + ",endless=true", out, "--workers", workers)
    deadline = time.monotonic() + 600
    begun = {"td": out / "seed-1" / "td" / "metrics.jsonl", "ga": out / "seed-1" / "ga" / "log.txt"}
    wanted = ["td", "ga"][: int(workers)]
    while not all(begun[name].exists() and begun[name].stat().st_size > 100 for name in wanted):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=600)[1]
    assert process.returncode == 130
    assert errors.endswith(f"interrupted: {out} holds the finished trials; repeat the command to resume\n")
    assert "Traceback" not in errors
    for name in wanted:
        manifest: dict[str, Any] = json.loads((out / "seed-1" / name / "run.json").read_text())
        assert manifest["state"] == "interrupted"
