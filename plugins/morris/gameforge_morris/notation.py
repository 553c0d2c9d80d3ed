"""Moves as text: `d6` places a man, `d6-d7` moves one, and `xb4` after either removes the man on b4."""

import re
from collections.abc import Sequence

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge_morris.board import NAMES, POINTS
from gameforge_morris.movegen import FROM_SHIFT, POINT_MASK, REMOVED_SHIFT
from gameforge_morris.positions import position_text

_POINT = int(POINT_MASK)
_FROM, _REMOVED = int(FROM_SHIFT), int(REMOVED_SHIFT)
_TEXT = re.compile(r"(?:([a-g][1-7])\s*-\s*)?([a-g][1-7])(?:\s*x\s*([a-g][1-7]))?", re.IGNORECASE)


def parts(move: int) -> tuple[int, int, int]:
    """Return (from, to, removed) as numbers of points, with POINTS for none."""
    return move >> _FROM & _POINT, move & _POINT, move >> _REMOVED


def move_of(start: int, to: int, removed: int) -> int:
    """Return the word of a move, given by its `parts`."""
    return to | start << _FROM | removed << _REMOVED


def whole_text(move: int) -> str:
    """Return a move as text, with all its parts."""
    start, to, removed = parts(move)
    return (
        (f"{NAMES[start]}-" if start < POINTS else "") + NAMES[to] + (f"x{NAMES[removed]}" if removed < POINTS else "")
    )


def move_text(state: State, move: int, legal: Sequence[int]) -> str:
    return whole_text(move)


def parse_move(state: State, text: str, legal: Sequence[int]) -> int:
    """Return the legal move that `text` denotes; parts may be omitted.

    Raises GameforgeError, which lists the legal moves, if no legal move fits the text, or more than one.
    """
    where = position_text(state)
    if not legal:
        raise GameforgeError(f"{text!r} cannot be played in {where}: the game is over")
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise GameforgeError(f"{text!r} is not a move such as d6, d6-d7 or d6-d7xb4; legal here: {_listed(legal)}")
    given = [None if name is None else name.lower() for name in match.groups()]
    for name in given:
        if name is not None and name not in NAMES:
            raise GameforgeError(f"{text!r}: {name} is not a point of the board; points: {' '.join(NAMES)}")
    wanted = [None if name is None else NAMES.index(name) for name in given]
    meant = [move for move in legal if _fits(wanted, parts(move))]
    if not meant:
        raise GameforgeError(f"{text!r} is not legal in {where}; legal here: {_listed(legal)}")
    if len(meant) > 1:
        raise GameforgeError(f"{text!r} may mean {_listed(meant)} in {where}; write one of them")
    return meant[0]


def _fits(wanted: Sequence[int | None], has: tuple[int, int, int]) -> bool:
    return all(want is None or want == point for want, point in zip(wanted, has, strict=True))


def _listed(moves: Sequence[int]) -> str:
    return ", ".join(map(whole_text, moves))
