"""The books of a player: their components as a pipeline names them, and their lines as one block for kernels."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from gameforge.config import Spec
from gameforge.errors import GameforgeError
from gameforge.interfaces.book import Book, BookLines
from gameforge.play.game import Game

if TYPE_CHECKING:
    from gameforge.kernel.context import Words


@attrs.frozen
class NamedBook:
    """A book component and what a pipeline calls it."""

    component: Book
    spec: Spec


def book_block_of(game: Game, books: Sequence[BookLines]) -> "Words | None":
    """The lines of all books as one block; None without any. Raises GameforgeError for lines that begin elsewhere.

    Moves are drawn in proportion to their lines if every book wants it so.
    """
    from gameforge.kernel.book_block import book_block

    lines = [opening for book in books for opening in book.lines]
    start = game.rules.initial()
    for opening in lines:
        if opening.start != start:
            raise GameforgeError(f"book: the line {opening.name} does not begin at the initial position")
    by_lines = all(book.by_lines for book in books)
    return book_block(game.compiled, start, [opening.moves for opening in lines], by_lines) if lines else None
