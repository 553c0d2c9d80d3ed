"""The symmetry of draughts: the board is turned by 180 degrees and the colours are exchanged.

Square n becomes 33 - n (bit b becomes 34 - b, and gaps fall on gaps), so that each direction of a route becomes its
opposite. The side to move keeps its pieces and has the other colour.
"""

from gameforge.interfaces.rules import State
from gameforge_draughts.board import LAST_BIT, WHITE_TO_MOVE
from gameforge_draughts.movegen import BIT_MASK, CAPTURED_MASK, CAPTURED_SHIFT, LOWEST_INNER, ROUTE_SHIFT, TO_SHIFT

count = 2
"""Number of symmetries, the identity included."""

_WHITE = int(WHITE_TO_MOVE)
_SQUARE, _CAPTURED = int(BIT_MASK), int(CAPTURED_MASK)
_TO, _TAKEN, _ROUTE, _INNER = map(int, (TO_SHIFT, CAPTURED_SHIFT, ROUTE_SHIFT, LOWEST_INNER))


def state_image(state: State, i: int) -> State:
    """Return the image of a state: the state itself (i = 0), or turned with the colours exchanged (i = 1)."""
    if i == 0:
        return state
    own, opp, kings = state
    return _turned(own), _turned(opp), _turned(kings & ~_WHITE) | (~kings & _WHITE)


def move_image(state: State, move: int, i: int) -> int:
    """Return the image of a move: the move itself (i = 0), or turned (i = 1)."""
    if i == 0:
        return move
    start, to = LAST_BIT - (move & _SQUARE), LAST_BIT - (move >> _TO & _SQUARE)
    captured = move >> _TAKEN & _CAPTURED
    opposite = int("10" * captured.bit_count() or "0", 2)  # two bits per jump
    route = (move >> _ROUTE) ^ opposite
    return start | to << _TO | (_turned(captured << _INNER) >> _INNER) << _TAKEN | route << _ROUTE


def _turned(word: int) -> int:
    return int(f"{word:0{LAST_BIT + 1}b}"[::-1], 2)
