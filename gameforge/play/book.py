"""The opening books of a player, and the block in which kernels read their lines."""

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
    """A book component and the spec by which a pipeline names it."""

    component: Book
    spec: Spec


def book_block_of(game: Game, books: Sequence[BookLines]) -> "Words | None":
    """Combine the lines of all books into one block; None if there are no lines.

    Moves are drawn in proportion to their lines if all books are `by_lines`. Raises GameforgeError for a line that does
    not begin at the initial position.
    """
    from gameforge.kernel.book_block import book_block

    lines = [opening for book in books for opening in book.lines]
    start = game.rules.initial()
    for opening in lines:
        if opening.start != start:
            raise GameforgeError(f"book: the line {opening.name} does not begin at the initial position")
    by_lines = all(book.by_lines for book in books)
    return book_block(game.compiled, start, [opening.moves for opening in lines], by_lines) if lines else None
