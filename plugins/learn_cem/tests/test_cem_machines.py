"""The same training in other processes, killed in its middle, and by the command."""

import json
import multiprocessing
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cem_runs import TOYS, pipeline
from machines import dask_executor
from reported import Reported, same, train

COMMAND = """
from gameforge.cli.main import main
from gameforge.training import checkpoint
checkpoint.SHARE = 1e9
main()
"""
"""A checkpoint is written wherever it could be."""


@pytest.fixture(scope="module")
def whole() -> Reported:
    return train(pipeline())


def test_processes_build_the_pipeline_themselves(whole: Reported) -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        same(train(pipeline(), executor=pool), whole)


def test_workers_of_dask(whole: Reported, tmp_path: Path) -> None:
    with dask_executor(tmp_path) as executor:
        same(train(pipeline(), executor=executor), whole)


def command(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, f"--plugin={TOYS}", "run", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def essence(folder: Path) -> dict[str, Any]:
    """What must not depend on how often it was killed."""
    metrics = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return {
        "metrics": [row | {"games_per_second": 0} for row in metrics],
        "games": (folder / "games.txt").read_bytes(),
        "player": json.loads((folder / "player" / "manifest.json").read_text()),
        "summary": json.loads((folder / "run.json").read_text())["summary"],
    }


def test_killed_again_and_again(tmp_path: Path) -> None:
    """Each process is killed with kill -9, each time a little later after its first checkpoint."""
    learner = "cem:iterations=4,samples=6,games=4,openings='random:0'"
    parts = ["--game=target", "--searcher=thrower:pause=0.02", f"--learner={learner}", "--tune=searcher.aim=0..1"]
    first = [*parts, "--seed=5", "--match-games=0"]
    ended = command(*first, f"--out={tmp_path / 'whole'}")
    assert "searcher.aim" in ended.communicate()[0]
    out = tmp_path / "run"
    state = out / "checkpoint" / "state.bin"
    arguments = [*first, f"--out={out}"]
    kills = 0
    for life in range(3):
        process = command(*arguments)
        before = state.read_bytes() if state.exists() else b""
        deadline = time.monotonic() + 600
        while process.poll() is None and (not state.exists() or state.read_bytes() == before):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(0.1 * life)
        kills += process.poll() is None
        process.kill()
        process.communicate()
        arguments = ["--resume", str(out), "--match-games=0"]
        if json.loads((out / "run.json").read_text())["state"] == "finished":
            break
    else:
        text, _ = command(*arguments).communicate()
        assert "resumed " in text
    assert kills > 0
    assert essence(out) == essence(tmp_path / "whole")


def test_the_command(tmp_path: Path) -> None:
    """Of a game and a searcher that are known elsewhere."""
    given = ["--game=othello", "--searcher=uct:simulations=20", "--evaluator=none", "--oracle=none"]
    learner = ["--learner=cem:iterations=2,samples=2,games=2", "--tune=searcher.cp=0.2..2.0"]
    process = command(*given, *learner, f"--out={tmp_path / 'run'}", "--match-games=2")
    text, _ = process.communicate()
    assert process.returncode == 0, text
    assert "session 2/2: " in text
    assert "trained - untrained: " in text
    settings = json.loads((tmp_path / "run" / "player" / "manifest.json").read_text())["pipeline"]
    assert 0.2 <= settings["searcher"]["cp"] <= 2.0
    assert settings["evaluator"] == "none"
    assert "mean (searcher.cp 1.1)" in (tmp_path / "run" / "games.oth").read_text()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("searcher.aim", "error: --tune searcher.aim: must be KEY=LOW..HIGH, such as searcher.cp=0.2..2.0"),
        ("searcher.aim=0", "error: --tune searcher.aim=0: must be KEY=LOW..HIGH, such as searcher.cp=0.2..2.0"),
        ("=0..1", "error: --tune =0..1: must be KEY=LOW..HIGH, such as searcher.cp=0.2..2.0"),
    ],
)
def test_the_option(given: str, sentence: str, tmp_path: Path) -> None:
    process = command("--game=target", "--searcher=thrower", "--learner=cem", f"--tune={given}", f"--out={tmp_path}/x")
    assert process.communicate()[0].strip() == sentence
    assert process.returncode == 2
