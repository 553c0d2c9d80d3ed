"""Othello in the words of engine protocols: GTP as GRhino speaks it, without passes, and NBoard."""

from collections.abc import Sequence

import attrs

from gameforge.interfaces.dialects import Dialect
from gameforge.interfaces.rules import State
from gameforge_othello import notation
from gameforge_othello.board import PASS, square_text
from gameforge_othello.positions import parse_diagram, position_text


@attrs.frozen
class OthelloDialect:
    """Squares in capitals, and a word for the pass."""

    variant: str
    pass_word: str
    implied: str = ""

    def position_text(self, state: State) -> str:
        return position_text(state).replace("X", "*")

    def parse_position(self, text: str) -> State:
        return parse_diagram(text)

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        return self.pass_word if move == PASS else square_text(move).upper()

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        return notation.parse_move(state, text, legal)


_DIALECTS = {"gtp": OthelloDialect("Othello", "PASS", implied="PASS"), "nboard": OthelloDialect("", "PA")}


def dialect(protocol: str) -> Dialect | None:
    """Return the dialect for a protocol; None if Othello has none there."""
    return _DIALECTS.get(protocol)
