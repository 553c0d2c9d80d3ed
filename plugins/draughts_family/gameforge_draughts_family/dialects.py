"""The games in the words of Hub and DXP: squares as numbers in reading order, and captures with the captured squares.

Hub names its variants; those that it does not know have the names of our games. DXP names none, and has Z for Black.
"""

import re
from collections.abc import Sequence

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.dialects import Dialect
from gameforge.interfaces.rules import State
from gameforge_draughts_family.board import BLACK, WHITE, board_of, pieces, state_of, to_move
from gameforge_draughts_family.positions import FamilyPositions
from gameforge_draughts_family.routes import ends, taken_squares
from gameforge_draughts_family.variant import Variant

_EMPTY = "e"
_HUB_NAMES = {
    "international": "normal",
    "breakthrough-draughts": "bt",
    "antidraughts": "losing",
}


@attrs.frozen
class FamilyDialect:
    """A board of letters, in reading order, after the letter of the side to move."""

    kind: Variant
    variant: str
    letters: str
    """Letters of White's and Black's men; kings and the side to move are capitals."""
    implied: str = ""

    def position_text(self, state: State) -> str:
        board = board_of(self.kind)
        found = [_EMPTY] * len(board.places)
        for square, (colour, is_king) in pieces(board, state).items():
            found[square] = self.letters[colour].upper() if is_king else self.letters[colour]
        return self.letters[to_move(state)].upper() + "".join(found)

    def parse_position(self, text: str) -> State:
        board = board_of(self.kind)
        turn, found = text[:1].lower(), text[1:]
        allowed = {_EMPTY, *self.letters}
        if turn not in tuple(self.letters) or len(found) != len(board.places) or set(found.lower()) - allowed:
            white, black = self.letters[WHITE], self.letters[BLACK]
            raise GameforgeError(
                f"position {text!r}: expected {white.upper()} or {black.upper()} for the side to move, then "
                f"{len(board.places)} of the letters {white}, {black}, {white.upper()}, {black.upper()}, {_EMPTY}"
            )
        placed = {
            square: (WHITE if letter.lower() == self.letters[WHITE] else BLACK, letter.isupper())
            for square, letter in enumerate(found)
            if letter.lower() != _EMPTY
        }
        positions = FamilyPositions(self.kind)
        return positions.parse_position(
            positions.position_text(state_of(board, placed, self.letters.index(turn)))
        )  # refuses what cannot be

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        first, last, taken = self._squares(state, move)
        return ("x" if taken else "-").join(map(str, (first, last, *taken)))

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        if re.fullmatch(r"\d{1,2}([-x:]\d{1,2})+", text.strip()):
            first, last, *taken = map(int, re.findall(r"\d+", text))
            for move in legal:
                if self._squares(state, move) == (first, last, tuple(sorted(taken))):
                    return move
        listed = ", ".join(self.move_text(state, move, legal) for move in legal) or "none"
        where = FamilyPositions(self.kind).position_text(state)
        raise GameforgeError(f"{text!r} is not legal in {where}; legal here: {listed}")

    def _squares(self, state: State, move: int) -> tuple[int, int, tuple[int, ...]]:
        """Return the first and the last square of a move, and those of the captured pieces in ascending order."""
        board = board_of(self.kind)
        first, last = ends(board, move)
        return first + 1, last + 1, tuple(square + 1 for square in taken_squares(board, state, move))


@attrs.frozen
class FamilyDialects:
    """The capability `dialects` of the rules."""

    name: str
    kind: Variant

    def dialect(self, protocol: str) -> Dialect | None:
        """Return the dialect for a protocol; None if the game has none there."""
        if protocol == "hub":
            return FamilyDialect(self.kind, _HUB_NAMES.get(self.name, self.name), "wb")
        return FamilyDialect(self.kind, "", "wz") if protocol == "dxp" else None
