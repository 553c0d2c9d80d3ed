"""The capability `notation` of games whose moves have a text that does not depend on the position."""

from collections.abc import Callable, Sequence

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State


@attrs.frozen
class MoveTexts:
    """Moves as text, given the function that writes a move; a text is read by comparing it with the legal moves."""

    text: Callable[[int], str]
    """Writes a move, such as a2-a3; the texts of the legal moves of a position differ."""

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        """Return the text of a move."""
        return self.text(move)

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        """Return the legal move with this text, whatever its case; GameforgeError if there is none."""
        for move in legal:
            if self.text(move).lower() == text.strip().lower():
                return move
        raise GameforgeError(f"no legal move {text!r}; legal: {', '.join(map(self.text, legal)) or 'none'}")
