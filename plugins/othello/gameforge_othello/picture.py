"""The board in a terminal: row 1 above, as othello players print it."""

from gameforge.interfaces.rules import State
from gameforge_othello.board import SIDES, discs, to_move

SYMBOLS = "●○"
"""Filled is Black. (A dark terminal shows both inverted.)"""


def diagram(state: State) -> str:
    """Ten lines, which `parse_position` reads; the last one says whose move it is and counts the discs."""
    black, white = discs(state)
    lines = ["  " + " ".join("abcdefgh")]
    for row in range(8):
        bits = range(8 * row, 8 * row + 8)
        shown = (SYMBOLS[0] if black >> i & 1 else SYMBOLS[1] if white >> i & 1 else "·" for i in bits)
        lines.append(f"{row + 1} {' '.join(shown)}")
    side = to_move(state)
    counts = f"{SYMBOLS[0]} {black.bit_count()}, {SYMBOLS[1]} {white.bit_count()}"
    return "\n".join([*lines, f"{SIDES[side]} ({SYMBOLS[side]}) to move; {counts}"])
