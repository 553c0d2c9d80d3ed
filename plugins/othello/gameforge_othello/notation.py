"""Moves as text: the square on which a disc is placed, `f5`, or `pass`."""

from collections.abc import Sequence

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge_othello.board import NAMES, PASS, PASS_TEXT, PASSES, square_text
from gameforge_othello.positions import position_text


def move_text(state: State, move: int, legal: Sequence[int]) -> str:
    return square_text(move)


def parse_move(state: State, text: str, legal: Sequence[int]) -> int:
    """Return the legal move that `text` denotes; GameforgeError, which lists the legal moves, if there is none."""
    word = text.strip().lower()
    move = PASS if word in PASSES else NAMES.index(word) if word in NAMES else None
    if move is not None and move in legal:
        return move
    where = f"in {position_text(state)}"
    if not legal:
        raise GameforgeError(f"{text!r} cannot be played {where}: the game is over, since neither side can move")
    listed = ", ".join(map(square_text, legal))
    if move is None:
        raise GameforgeError(f"{text!r} is not a move such as f5 or {PASS_TEXT}; legal {where}: {listed}")
    raise GameforgeError(f"{text!r} is not legal {where}; legal: {listed}")
