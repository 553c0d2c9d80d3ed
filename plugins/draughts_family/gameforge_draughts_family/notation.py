"""Moves as text, as in PDN: `32-28`, `32x23`, `c3-d4`, and the whole path if the ends of a capture do not suffice.

The reader accepts numbers and letters in all games, any of `-`, `x` and `:` between squares, nothing between letters,
and any of the squares of a path.
"""

import re
from collections.abc import Sequence

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge_draughts_family.positions import FamilyPositions
from gameforge_draughts_family.routes import Path, ends, is_capture, leads_along, path, result_of
from gameforge_draughts_family.squares import squares_of
from gameforge_draughts_family.variant import Variant

_TEXT = re.compile(r"[0-9]{1,2}(?:\s*[-x:]\s*[0-9]{1,2})+|[a-h][1-8](?:\s*[-x:]?\s*[a-h][1-8])+", re.IGNORECASE)
_SQUARE = re.compile(r"[0-9]+|[a-j][0-9]+", re.IGNORECASE)


@attrs.frozen
class FamilyNotation:
    """The capability `notation` of the rules."""

    variant: Variant

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        """Return a move as two squares if no other legal move shares them, else as its whole path."""
        board = squares_of(self.variant).board
        alike = sum(ends(board, other) == ends(board, move) for other in legal)
        return self.text_of(ends(board, move) if alike == 1 else path(self.variant, state, move), is_capture(move))

    def text_of(self, squares: Path, captures: bool) -> str:
        """Return squares as a move."""
        names = squares_of(self.variant).names
        return ("x" if captures else "-").join(names[square] for square in squares)

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        """Return the legal move that `text` denotes.

        Raises GameforgeError, which lists the legal moves, if there is no such move, or if several of such moves lead
        to different positions.
        """
        if not legal:
            raise GameforgeError(
                f"{text!r} cannot be played in {self._where(state)}: the side to move has no legal move"
            )
        if not _TEXT.fullmatch(text.strip()):
            example = " or ".join((self._listed(state, legal[:1], legal), "its squares joined by - or x"))
            raise GameforgeError(
                f"{text!r} is not a move such as {example}; legal: {self._listed(state, legal, legal)}"
            )
        known = squares_of(self.variant).by_name
        given = tuple(known.get(name.lower(), -1) for name in _SQUARE.findall(text))
        meant = [move for move in legal if self._fits(state, move, given)]
        if not meant:
            raise GameforgeError(
                f"{text!r} is not legal in {self._where(state)}; legal here: {self._listed(state, legal, legal)}"
            )
        if len(set(map(result_of, meant))) > 1:
            choices = self._listed(state, meant, legal)
            raise GameforgeError(f"{text!r} may mean {choices} in {self._where(state)}; write one of them")
        if len(meant) == 1:
            return meant[0]
        whole = [move for move in meant if path(self.variant, state, move) == given]
        return (whole or meant)[0]

    def _where(self, state: State) -> str:
        return FamilyPositions(self.variant).position_text(state)

    def _fits(self, state: State, move: int, given: Path) -> bool:
        if ends(squares_of(self.variant).board, move) != (given[0], given[-1]):
            return False
        return len(given) == 2 or (is_capture(move) and leads_along(self.variant, state, move, given[1:-1]))

    def _listed(self, state: State, moves: Sequence[int], legal: Sequence[int]) -> str:
        return ", ".join(self.move_text(state, move, legal) for move in moves)
