"""Work killed by SIGKILL at random moments is resumed by the same command, to the same files.

A few kills of each kind of folder, while files are written, are part of the normal tests; `pytest -m slow
tests/test_random_kills.py --kills 500` spreads 500, at any moment, over all kinds, and prints how many of them made a
difference.
"""

import logging
import random
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import ga_runs
import pytest
import test_folder_kills
import test_selfplay_learner
from gameforge_egdb_chinook.build import Build
from gameforge_egdb_chinook.target import target
from gameforge_examples.conversion import read_games_into
from kills import essence, killed_after, killed_at_call, storage_calls
from toy_site import registry

import gameforge as gf
from gameforge.training import checkpoint
from gameforge.training.run_folder import run_manifest

pytestmark = test_folder_kills.pytestmark
Work = Callable[[Path], object]
FEW = 2
SLOW = {"run of selfplay"}
"""Kinds whose few kills take longer than a minute, too."""


def run_of(pipeline: Callable[[], gf.Pipeline]) -> Work:
    def work(folder: Path) -> None:
        is_there = (folder / "run.json").exists()
        if not (is_there and run_manifest(folder)["state"] == "finished"):
            pipeline().run(folder, resume=is_there)

    return work


def td() -> gf.Pipeline:
    parts = {"searcher": "greedy", "evaluator": "linear", "features": "lanes"}
    return gf.Pipeline(game="shuttle", seed=5, registry=registry(), learner="td:sessions=4,games=40", **parts)


def examples(out: Path) -> None:
    file = out.parent / "some.oth"
    if not file.exists():
        file.write_text("f5d6c3d3c4 40-24\nf5d6c3 24-40\n" * 200)
    read_games_into(out, gf.game("othello"), [file])


def database(out: Path) -> None:
    Build(target("chinook", 2, None, out)).run()


KINDS: dict[str, Work] = {
    "run of td": run_of(td),
    "run of ga": run_of(ga_runs.pipeline),
    "run of selfplay": run_of(test_selfplay_learner.pipeline),
    "match": test_folder_kills.MATCH,
    "tournament": test_folder_kills.TOURNAMENT,
    "examples": examples,
    "database": database,
    "experiment": test_folder_kills.experiment,
    "study": test_folder_kills.study,
}


def resumed(work: Work, folder: Path, status: int, expected: object) -> None:
    """Resume the work that was killed, or that had ended before."""
    assert status in (0, -signal.SIGKILL)
    work(folder)
    assert essence(folder) == expected, folder.name


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in SLOW])
def test_few_kills(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "SHARE", 1e9)
    work, rng = KINDS[kind], random.Random(7)
    work(tmp_path / "first")  # compiles kernels
    calls = storage_calls(work, tmp_path / "whole")
    for number in range(FEW):
        folder = tmp_path / f"killed-{number}"
        status = killed_at_call(rng.randrange(calls), work, folder)
        resumed(work, folder, status, essence(tmp_path / "whole"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_kills(
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    monkeypatch.setattr(checkpoint, "SHARE", 1e9)
    work, rng = KINDS[kind], random.Random(2)
    kills, differences = -(-request.config.getoption("--kills") // len(KINDS)), 0
    work(tmp_path / "first")
    began = time.perf_counter()
    work(tmp_path / "whole")
    seconds = time.perf_counter() - began
    for number in range(kills):
        folder = tmp_path / f"killed-{number}"
        status = killed_after(rng.uniform(0, seconds), work, folder)
        try:
            resumed(work, folder, status, essence(tmp_path / "whole"))
        except Exception:
            logging.exception("%s, kill %s", kind, number)
            differences += 1
        else:
            shutil.rmtree(folder)
    record_property("kills", kills)
    record_property("differences", differences)
    assert not differences
