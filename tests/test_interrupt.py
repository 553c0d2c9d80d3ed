"""Ctrl-C ends every command within moments: exit code 130, one line, nothing half-written."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from toy_site import TOY

import gameforge as gf
from gameforge.play.game import Position
from gameforge.play.perft import perft
from gameforge.play.playouts import playouts

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals as on Unix")

# A shell may have started pytest in the background, where children ignore SIGINT.
COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from gameforge.cli.main import main
main()
"""


def interrupted(arguments: list[str], once: Callable[[], bool], **environment: str) -> tuple[int, str, float]:
    """(exit code, standard error, seconds from the signal to the end) of a command that gets SIGINT `once`."""
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(TOY.parent)} | environment,
    )
    try:
        deadline = time.monotonic() + 120
        while not once():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        return process.returncode, errors, time.monotonic() - began
    finally:
        process.kill()


def test_training(tmp_path: Path) -> None:
    out = tmp_path / "run"
    parts = ["--oracle=none", "--searcher=minimax:depth=3", "--learner=td:sessions=1000,games=20,clone_points=0"]
    code, errors, seconds = interrupted(
        ["run", "--game=draughts", *parts, "--out", str(out)],
        (out / "checkpoint" / "manifest.json").exists,
    )
    assert code == 130, errors
    assert re.fullmatch(
        r"interrupted: the training has not finished; resume with: gameforge run --resume .*run\n", errors
    )
    assert seconds < 10
    assert json.loads((out / "run.json").read_text())["state"] == "interrupted"
    assert not (out / "player").exists()
    assert not [path for path in out.rglob("*") if path.name.startswith(".") or path.name.endswith(".tmp")]
    sessions = [json.loads(line)["session"] for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert sessions == list(range(1, len(sessions) + 1))
    games = (out / "games.pdn").read_text()
    assert games.endswith(("1-0\n\n", "0-1\n\n", "1/2-1/2\n\n"))
    assert games.count("[Event ") == games.count("[Result ")
    assert games.count('[Event "training') >= 20 * len(sessions)
    checkpoint = gf.player(out / "checkpoint")
    assert re.fullmatch(r"session \d+", checkpoint.name)
    assert 1 <= int(checkpoint.name.split()[1]) <= len(sessions)
    assert checkpoint.weights is not None
    assert np.isfinite(checkpoint.weights).all()


ENDLESS: dict[str, Callable[[Position], object]] = {
    "perft": lambda position: perft(position, 40),
    "playouts": lambda position: playouts(position, 10**12),
    "analyse": lambda position: gf.player("draughts", searcher="minimax:depth=40", evaluator="material").analyse(
        position
    ),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_in_the_middle_of_a_kernel(what: str) -> None:
    position = gf.game("draughts").position()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            ENDLESS[what](position)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("workers", ["1", "2"])
def test_match(workers: str, tmp_path: Path) -> None:
    """Players that never come to an end: the evaluator is plain Python and sleeps."""
    began = tmp_path / "began"
    plugin = tmp_path / "sleepy.py"
    plugin.write_text(SLEEPY)
    code, errors, seconds = interrupted(
        [
            "--plugin",
            str(plugin),
            "match",
            *["minimax:depth=1 + sleepy"] * 2,
            "--game",
            "draughts",
            "--workers",
            workers,
        ],
        began.exists,
        SLEEPY=str(began),
    )
    assert code == 130, errors
    assert errors.splitlines()[-1] == "interrupted"
    assert "Traceback" not in errors
    assert seconds < 10


SLEEPY = """
import os, pathlib, time
import attrs
from gameforge import Component, hookimpl
from gameforge.interfaces.evaluator import EvaluatorFunctions

def evaluate(ed, w, s, x):
    pathlib.Path(os.environ["SLEEPY"]).touch()
    time.sleep(0.05)
    return 0.0

class Sleepy:
    def functions(self, rules, features):
        return EvaluatorFunctions(evaluate=evaluate, compiled=False)

@hookimpl
def gameforge_components():
    return [Component("evaluator", "sleepy", "sleepy:Sleepy", "takes its time")]
"""
