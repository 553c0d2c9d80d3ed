"""Capability `dialects`: how engine protocols write the positions and moves of a game.

A protocol such as GTP or Hub has its own words for the games that it serves. Rules that have such words offer them as
an attribute `dialects`. For all other protocols, engines exchange the game's own notation.
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from gameforge.interfaces.rules import State


@runtime_checkable
class Dialect(Protocol):
    """How one protocol writes this game."""

    @property
    def variant(self) -> str:
        """Name of the game in this protocol; "" if the protocol names no games."""
        ...

    @property
    def implied(self) -> str:
        """Text of a move that programs leave out because it follows by itself, such as a pass; "" if there is none."""
        ...

    def position_text(self, state: State) -> str:
        """The position as the protocol writes it."""
        ...

    def parse_position(self, text: str) -> State:
        """Raise GameforgeError if the text is not a possible position."""
        ...

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        """Return a text that no other legal move has, and that `parse_move` reads."""
        ...

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        """Return the legal move that `text` means; raise GameforgeError, with the legal moves, if there is none."""
        ...


@runtime_checkable
class Dialects(Protocol):
    """The dialects of a game."""

    def dialect(self, protocol: str) -> Dialect | None:
        """Return the dialect for a protocol, such as "gtp", "nboard", "hub" or "dxp"; None if there is none."""
        ...
