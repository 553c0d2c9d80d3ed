"""English draughts in the words of Hub and DXP.

Both protocols were made for international draughts, where White moves first. Hub clients of English draughts call the
first mover W, though its men remain b (the variant `english`); DXP keeps the colours, with Z for Black. A capture lists
the first square, the last, and then the captured squares, in ascending order here and in any order from others.
"""

import re
from collections.abc import Sequence

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.dialects import Dialect
from gameforge.interfaces.rules import State
from gameforge_draughts.board import BLACK, SQUARE_OF, SQUARES, WHITE, pieces, state_of, to_move
from gameforge_draughts.movegen import CAPTURED_MASK, CAPTURED_SHIFT, LOWEST_INNER
from gameforge_draughts.notation import path
from gameforge_draughts.positions import parse_position, position_text

_EMPTY = "e"


@attrs.frozen
class DraughtsDialect:
    """A board of 32 letters after the letter of the side to move."""

    variant: str
    turns: str
    """Letters of Black and White to move."""
    men: str
    """Letters of Black's and White's men; kings are capitals."""
    implied: str = ""

    def position_text(self, state: State) -> str:
        letters = [_EMPTY] * SQUARES
        for square, (side, is_king) in pieces(state).items():
            letters[square - 1] = self.men[side].upper() if is_king else self.men[side]
        return self.turns[to_move(state)] + "".join(letters)

    def parse_position(self, text: str) -> State:
        turn, board = text[:1].upper(), text[1:]
        if turn not in tuple(self.turns) or len(board) != SQUARES or set(board.lower()) - {_EMPTY, *self.men}:
            raise GameforgeError(
                f"position {text!r}: expected {' or '.join(self.turns)} for the side to move, then {SQUARES} of the "
                f"letters {', '.join((*self.men, *self.men.upper(), _EMPTY))}"
            )
        placed = {
            i + 1: (self.men.index(letter.lower()), letter.isupper())
            for i, letter in enumerate(board)
            if letter.lower() != _EMPTY
        }
        return parse_position(position_text(state_of(BLACK if turn == self.turns[0] else WHITE, placed)))

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        first, last, captured = _squares(move)
        return ("x" if captured else "-").join(map(str, (first, last, *captured)))

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        if re.fullmatch(r"\d{1,2}([-x:]\d{1,2})+", text.strip()):
            first, last, *captured = map(int, re.findall(r"\d+", text))
            for move in legal:
                if _squares(move) == (first, last, tuple(sorted(captured))):
                    return move
        listed = ", ".join(self.move_text(state, move, legal) for move in legal) or "none"
        raise GameforgeError(f"{text!r} is not legal in {position_text(state)}; legal here: {listed}")


def _squares(move: int) -> tuple[int, int, tuple[int, ...]]:
    """Return the first and the last square of a move, and those of the captured pieces in ascending order."""
    squares = path(move)
    bits = (move >> int(CAPTURED_SHIFT) & int(CAPTURED_MASK)) << int(LOWEST_INNER)
    return squares[0], squares[-1], tuple(SQUARE_OF[bit] for bit in range(bits.bit_length()) if bits >> bit & 1)


_DIALECTS = {"hub": DraughtsDialect("english", "WB", "bw"), "dxp": DraughtsDialect("", "ZW", "zw")}


def dialect(protocol: str) -> Dialect | None:
    """Return the dialect for a protocol; None if draughts has none there."""
    return _DIALECTS.get(protocol)
