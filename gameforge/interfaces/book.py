"""Interface of opening books: moves that a player makes by the record of the game, without a search.

A book knows no values, so it is not an oracle: a searcher never asks it. In a pipeline books stand among the oracles,
in the list `oracle`.
"""

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import attrs

if TYPE_CHECKING:
    from gameforge.interfaces.games import Opening
    from gameforge.interfaces.rules import Rules


@attrs.frozen(kw_only=True)
class BookLines:
    """The lines of a book. While the record of a game is the beginning of a line, its player draws the next move."""

    lines: "tuple[Opening, ...]"
    """All begin at the initial position."""
    by_lines: bool = False
    """Draw a move in proportion to the lines that continue with it; False: every different move is equally likely."""


@runtime_checkable
class Book(Protocol):
    """A book component."""

    def opening_lines(self, rules: "Rules") -> BookLines:
        """The lines for these rules; raises GameforgeError for rules of another game."""
        ...
