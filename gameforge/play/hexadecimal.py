"""Moves and positions in hexadecimal, for rules without a notation."""

from collections.abc import Sequence

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State


class HexMoves:
    """Notation of moves: the word in hexadecimal."""

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        return f"{move:#x}"

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        for move in legal:
            if text == f"{move:#x}":
                return move
        raise GameforgeError(f"no legal move {text!r}; legal: {', '.join(f'{move:#x}' for move in legal)}")


@attrs.frozen
class HexPositions:
    """Notation of positions: the words of the state in hexadecimal, separated by commas."""

    game: str
    words: int
    """Number of words of a state."""

    def position_text(self, state: State) -> str:
        return ",".join(f"{word:#x}" for word in state)

    def parse_position(self, text: str) -> State:
        try:
            words = tuple(int(word, 0) for word in text.split(","))
        except ValueError:
            words = ()
        if len(words) != self.words or any(not 0 <= word < 1 << 64 for word in words):
            raise GameforgeError(
                f"position {text!r}: {self.game} has no notation for positions; "
                f"must be {self.words} unsigned 64-bit words separated by commas"
            )
        return words
