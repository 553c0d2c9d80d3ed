"""Moves as text, as in PDN: `11-15`, `22x15`, and the whole path `22x15x8` if it is needed.

PDN 3.0 requires two squares, or every square of the path if two are ambiguous. The reader accepts more: any of `-`, `x`
and `:` between the squares, and any of the squares of the path. Two moves with the same path are the same move.
"""

import re
from collections.abc import Iterator, Sequence

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge_draughts.board import SQUARE_OF
from gameforge_draughts.movegen import BIT_MASK, CAPTURED_SHIFT, ROUTE_SHIFT, TO_SHIFT
from gameforge_draughts.positions import position_text

_BIT, _TO, _CAPTURED, _ROUTE = map(int, (BIT_MASK, TO_SHIFT, CAPTURED_SHIFT, ROUTE_SHIFT))
_JUMP = (8, 10, -8, -10)
"""Number of bits by which a jump moves a piece, by direction in a route."""
_CAPTURES = (1 << (_ROUTE - _CAPTURED)) - 1
_TEXT = re.compile(r"[0-9]{1,2}(?:\s*[-x:]\s*[0-9]{1,2})+", re.IGNORECASE)


def path(move: int) -> tuple[int, ...]:
    """Return the squares that a move touches, in order."""
    bit = move & _BIT
    captured = _captured(move)
    if not captured:
        return SQUARE_OF[bit], SQUARE_OF[move >> _TO & _BIT]
    squares = [SQUARE_OF[bit]]
    for jump in range(captured.bit_count()):
        bit += _JUMP[move >> (_ROUTE + 2 * jump) & 3]
        squares.append(SQUARE_OF[bit])
    return tuple(squares)


def short_text(move: int) -> str:
    """Return a move as the first and the last square of its path."""
    squares = path(move)
    return f"{squares[0]}{_sign(move)}{squares[-1]}"


def whole_text(move: int) -> str:
    """Return a move as all squares of its path."""
    return _sign(move).join(map(str, path(move)))


def move_text(state: State, move: int, legal: Sequence[int]) -> str:
    """Return a move as two squares if no other legal move shares them, else as its whole path."""
    ends = (1 << _CAPTURED) - 1
    alike = sum(other & ends == move & ends for other in legal)
    return short_text(move) if alike == 1 else whole_text(move)


def parse_move(state: State, text: str, legal: Sequence[int]) -> int:
    """Return the legal move that `text` denotes.

    A whole path denotes its move. Otherwise `text` denotes the moves that begin and end as given and touch the squares
    between in that order; if these differ only in the route, the first is returned. Raises GameforgeError, which lists
    the legal moves, if there is no such move, or if such moves capture different pieces.
    """
    if not legal:
        raise GameforgeError(f"{text!r} cannot be played in {position_text(state)}: the side to move has no legal move")
    if not _TEXT.fullmatch(text.strip()):
        choices = _listed(state, legal, legal)
        raise GameforgeError(f"{text!r} is not a move such as 11-15 or 22x15; legal here: {choices}")
    given = tuple(map(int, re.findall("[0-9]+", text)))
    paths = {path(move): move for move in legal}
    if given in paths:
        return paths[given]
    meant = [move for squares, move in paths.items() if _leads_along(squares, given)]
    if not meant:
        choices = _listed(state, legal, legal)
        raise GameforgeError(f"{text!r} is not legal in {position_text(state)}; legal here: {choices}")
    if len({_captured(move) for move in meant}) > 1:
        choices = _listed(state, meant, legal)
        raise GameforgeError(f"{text!r} may mean {choices} in {position_text(state)}; write one of them")
    return meant[0]


def _captured(move: int) -> int:
    return move >> _CAPTURED & _CAPTURES


def _leads_along(squares: tuple[int, ...], given: tuple[int, ...]) -> bool:
    """Return whether a path starts and ends as given and touches the squares between in that order."""
    if (squares[0], squares[-1]) != (given[0], given[-1]):
        return False
    rest: Iterator[int] = iter(squares[1:-1])
    return all(square in rest for square in given[1:-1])


def _sign(move: int) -> str:
    return "x" if _captured(move) else "-"


def _listed(state: State, moves: Sequence[int], legal: Sequence[int]) -> str:
    return ", ".join(move_text(state, move, legal) for move in moves)
