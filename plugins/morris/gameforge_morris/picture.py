"""The board in a terminal."""

from gameforge.interfaces.rules import State
from gameforge_morris.board import NAMES, SIDES, hands, men, to_move

SYMBOLS = "○●"
"""White, Black. (A dark terminal shows both inverted.)"""
_BOARD = """\
7 ·───────────·───────────·
  │           │           │
6 │   ·───────·───────·   │
  │   │       │       │   │
5 │   │   ·───·───·   │   │
  │   │   │       │   │   │
4 ·───·───·       ·───·───·
  │   │   │       │   │   │
3 │   │   ·───·───·   │   │
  │   │       │       │   │
2 │   ·───────·───────·   │
  │           │           │
1 ·───────────·───────────·
  a   b   c   d   e   f   g"""


def diagram(state: State) -> str:
    """Fourteen lines, then whose move it is and the men in hand."""
    lines = [list(line) for line in _BOARD.splitlines()]
    for symbol, word in zip(SYMBOLS, men(state), strict=True):
        for bit, name in enumerate(NAMES):
            if word >> bit & 1:
                lines[2 * (7 - int(name[1]))][2 + 4 * "abcdefg".index(name[0])] = symbol
    side = to_move(state)
    in_hand = ", ".join(f"{symbol} {hand}" for symbol, hand in zip(SYMBOLS, hands(state), strict=True))
    last = f"{SIDES[side]} ({SYMBOLS[side]}) to move" + (f"; in hand: {in_hand}" if any(hands(state)) else "")
    return "\n".join(["".join(line) for line in lines] + [last])
