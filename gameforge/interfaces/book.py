"""Interface of opening books: lines that a player follows by the record of the game, without a search.

A book knows no values of positions, so it is not an oracle, and searchers never consult it. A pipeline lists books
together with oracles, under `oracle`.
"""

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import attrs

if TYPE_CHECKING:
    from gameforge.interfaces.games import Opening
    from gameforge.interfaces.rules import Rules


@attrs.frozen(kw_only=True)
class BookLines:
    """The lines of a book. While a game follows one of them, the player draws its next move from the book."""

    lines: "tuple[Opening, ...]"
    """All of them begin at the initial position."""
    by_lines: bool = False
    """True: draw a move with probability proportional to its number of lines. False: all moves are equally likely."""


@runtime_checkable
class Book(Protocol):
    """A book component."""

    def opening_lines(self, rules: "Rules") -> BookLines:
        """Return the lines for these rules; raises GameforgeError for rules of another game."""
        ...
