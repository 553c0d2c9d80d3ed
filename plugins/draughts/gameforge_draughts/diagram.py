"""The board in a terminal: White below, as players print it, with the numbers of the squares."""

from gameforge.interfaces.rules import State
from gameforge_draughts.board import BLACK, SIDES, WHITE, pieces, to_move

SYMBOLS = {(BLACK, False): "●", (WHITE, False): "○", (BLACK, True): "♚", (WHITE, True): "♔"}
"""Filled is Black, outlined is White; a crown is a king. (A dark terminal shows both inverted.)"""
_LIGHT = "░░░░░"


def diagram(state: State) -> str:
    """Eight lines of 40 characters, then whose move it is and what the symbols mean."""
    placed = pieces(state)
    lines = []
    for row in range(8):
        line = ""
        for square in range(4 * row + 1, 4 * row + 5):
            dark = f" {SYMBOLS[placed[square]] if square in placed else ' '}{square:2} "
            line += dark + _LIGHT if row % 2 else _LIGHT + dark
        lines.append(line)
    legend = "  ".join(f"{symbol} {SIDES[side]}{' king' * king}" for (side, king), symbol in SYMBOLS.items())
    return "\n".join([*lines, f"{SIDES[to_move(state)]} to move    {legend}"])
