"""Programs by others drive `gameforge engine` through whole games."""

import importlib.util
import os
import random
import shlex
import sys
from pathlib import Path

import pytest

import gameforge as gf

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("draughts") is None and not os.environ.get("CI"),
    reason="pydraughts is not installed (pip install pydraughts)",
)


def test_pydraughts_plays_through_hub(tmp_path: Path) -> None:
    """Its HubEngine understands all our moves, and we all of its, in games with random moves for variety."""
    import draughts
    from draughts.engine import Limit
    from draughts.engines.hub import HubEngine

    script = tmp_path / "engine"
    parts = ["alphabeta:depth=3,memory=0 + material + none", "--game", "draughts", "--protocol", "hub"]
    script.write_text(
        f"#!/bin/sh\nexec {shlex.join([sys.executable, '-m', 'gameforge', 'engine', *parts])} 2>/dev/null\n"
    )
    script.chmod(0o755)
    engine = HubEngine(str(script))
    rng = random.Random(2)
    try:
        assert engine.variants == {"english"}
        engine.configure({"variant": "english"})
        engine.init()
        board = draughts.Board(variant="english")
        ours = gf.game("draughts").position()
        for ply in range(60):
            legal = board.legal_moves()
            if not legal or ours.outcome is not None:
                break
            move = rng.choice(legal) if ply % 2 else engine.play(board, Limit(movetime=1.0), False).move
            steps = move.steps_move
            ours = ours.play(("x" if move.captures else "-").join(map(str, steps)))
            board.push(move)
        assert ply > 20
    finally:
        engine.kill_process()
