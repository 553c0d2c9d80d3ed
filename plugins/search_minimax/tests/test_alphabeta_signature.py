"""The node counts of a fixed bench, which change only with a commit that says so.

The evaluator counts men and kings in integers, so the results do not depend on rounding. Every position is searched
separately, to a fixed depth, by one thread. After an intended change, write the file again:

    python plugins/search_minimax/tests/test_alphabeta_signature.py
"""

from pathlib import Path

import pytest

import gameforge as gf
from gameforge.errors import GameforgeError

FILE = Path(__file__).with_name("signature.txt")
DEPTH = 11
BENCH = (
    "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
    "W:W18,21,22,24,25,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,10,12,15",
    "B:W17,22,23,25,26,27,30,31,32:B2,3,5,6,9,10,11,12,19",
    "W:W13,20,21,22,26,27,29,31:B3,4,5,6,10,12,15,19",
    "B:W15,18,27,28,30,32:B3,7,12,16,20,21",
    "W:W10,19,27,K5:B3,12,20,K30",
    "B:WK18,K22,23:B5,K7,K11,12",
    "W:WK15,K20,K32:BK1,K6",
)


def signature() -> str:
    """One line per position with its nodes, move and text; then a line with the sum."""
    game = gf.game("draughts")
    player = gf.player(game, searcher=f"alphabeta:depth={DEPTH}", evaluator="material", oracle="none")
    lines, total = [], 0
    for text in BENCH:
        found = player.analyse(game.position(text))
        total += found.nodes
        lines.append(f"{found.nodes} {found.move} {text}")
    return "\n".join([*lines, f"{total} in all, depth {DEPTH}", ""])


def test_signature() -> None:
    try:
        gf.game("draughts")
    except GameforgeError as error:  # the plugin of the bench is not installed
        pytest.skip(str(error))
    assert signature() == FILE.read_text(encoding="utf-8")


if __name__ == "__main__":
    FILE.write_text(signature(), encoding="utf-8")
    print(FILE.read_text(encoding="utf-8"), end="")
