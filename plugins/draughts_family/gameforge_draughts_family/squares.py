"""Names of squares: numbers, or the letter of the column and the number of the row."""

import functools

import attrs

from gameforge_draughts_family.board import Board, board_of
from gameforge_draughts_family.variant import Variant


@attrs.frozen
class Squares:
    """The names of the squares of a variant; squares are indices in reading order."""

    board: Board
    names: tuple[str, ...]
    """As the variant writes them."""
    by_name: dict[str, int]
    """Numbers and, on all boards, letters with numbers -> squares."""

    @property
    def range_text(self) -> str:
        """Describe the names."""
        return f"{min(self.names, key=_order)} to {max(self.names, key=_order)}"


def _order(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdigit() else (0, name)


@functools.cache
def squares_of(variant: Variant) -> Squares:
    """Return the names of the squares of a variant."""
    board = board_of(variant)
    count = len(board.places)
    numbers = [str(i + 1 if variant.origin == "top-left" else count - i) for i in range(count)]
    letters = [f"{chr(ord('a') + column)}{board.size - row}" for row, column in board.places]
    names = tuple(letters if variant.lettering == "algebraic" else numbers)
    known = {name: i for listed in (letters, numbers) for i, name in enumerate(listed)}
    return Squares(board, names, known)
