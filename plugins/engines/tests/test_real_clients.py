"""Programs by others and our engines meet in whole games. Programs in Python have environments of their own."""

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import gameforge as gf
from gameforge.play.game import Position

pytestmark = pytest.mark.engines
CLIENTS = Path(__file__).with_name("clients")
PLAYER = "alphabeta:depth=3,memory=0 + material + none"
_SECONDS = 300


def client(package: str) -> str:
    """Return the Python of a package's own environment, $GAMEFORGE_CLIENTS/PACKAGE; skip without it, but not in CI.

    pydraughts and py-draughts install the same package, so that they cannot share an environment.
    """
    python = Path(os.environ.get("GAMEFORGE_CLIENTS", "/nowhere")) / package / "bin" / "python"
    if not python.exists():
        assert not os.environ.get("CI"), f"{python} is missing: .ci/run makes the environment"
        pytest.skip(f"no environment with {package}: python -m venv $GAMEFORGE_CLIENTS/{package}; pip install it there")
    return str(python)


def engine_command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "gameforge", "engine", *arguments]


def replayed(name: str, moves: list[str]) -> Position:
    position = gf.game(name).position()
    for move in moves:
        position = position.play(move)
    return position


def moves_of(*command: str) -> list[str]:
    """Run a client, which prints the moves of its game."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_the_hub_client_of_pydraughts(tmp_path: Path) -> None:
    """Its HubEngine understands all our moves, and we all of its."""
    script = tmp_path / "engine"
    command = shlex.join(engine_command(PLAYER, "--game", "draughts", "--protocol", "hub"))
    script.write_text(f"#!/bin/sh\nexec {command} 2>/dev/null\n")
    script.chmod(0o755)
    moves = moves_of(client("pydraughts"), str(CLIENTS / "pydraughts_hub.py"), str(script), "2")
    assert replayed("draughts", moves).outcome is not None


@contextmanager
def dxp_engine() -> Iterator[str]:
    """An engine that waits for clients; yields its port."""
    command = engine_command(PLAYER, "--game", "draughts", "--protocol", "dxp", "--port", "0")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            found = next(filter(None, (re.search(r"port (\d+)", line) for line in process.stderr)))
            yield found[1]
        finally:
            process.kill()


def test_the_dxp_client_of_pydraughts() -> None:
    """Whole games with both colours over one connection each."""
    python = client("pydraughts")
    with dxp_engine() as port:
        for seed, first in ((1, "engine"), (2, "client")):
            moves = moves_of(python, str(CLIENTS / "pydraughts_dxp.py"), port, str(seed), first)
            assert replayed("draughts", moves).outcome is not None


def test_the_engine_of_py_draughts() -> None:
    command = shlex.join([client("py-draughts"), str(CLIENTS / "py_draughts_engine.py"), "2"])
    searcher = {"use": "engine", "command": command, "protocol": "ugi", "handshake": 60.0, "patience": 60.0}
    far = gf.player("draughts", searcher=searcher, evaluator=None, oracle="none", name="SimpleEngine")
    near = gf.player("draughts", searcher="alphabeta:depth=3,memory=0", evaluator="material", oracle="none")
    result = gf.match(far, near, 4, openings="3move")
    assert result.forfeits == (0, 0), [game.note for game in result.games]


def require_openspiel() -> Any:
    if importlib.util.find_spec("pyspiel") is None:
        assert not os.environ.get("CI"), "OpenSpiel is missing: .ci/run installs it with the test extra"
        pytest.skip("OpenSpiel is not installed: pip install 'gameforge[openspiel]'")
    import pyspiel

    return pyspiel


@pytest.mark.parametrize("ours", [0, 1])
@pytest.mark.parametrize(
    ("name", "game", "player"),
    [
        ("othello", "othello", "alphabeta:depth=2,memory=0 + wpc + none"),
        ("checkers", "openspiel:name=checkers", "uct:simulations=20 + none"),
    ],
)
def test_the_gtp_bot_of_openspiel(name: str, game: str, player: str, ours: int) -> None:
    """Its client, against its own random bot; our engine answers with legal moves of its games to the end."""
    pyspiel = require_openspiel()
    import numpy as np
    from open_spiel.python.algorithms import evaluate_bots
    from open_spiel.python.bots import gtp

    spiel = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(side, 1) for side in (0, 1)]
    bots[ours] = gtp.GTPBot(spiel, engine_command(player, "--game", game, "--protocol", "gtp"))
    try:
        returns = evaluate_bots.evaluate_bots(spiel.new_initial_state(), bots, np.random.RandomState(1))
    finally:
        bots[ours].close()
    assert sorted(returns) in ([-1, 1], [0, 0])
