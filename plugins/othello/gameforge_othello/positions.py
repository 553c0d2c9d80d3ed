"""Positions as text: 64 squares from a1 to h8, row by row, then the side to move.

Positions are written in the form of endgame problems (OBF), with `-` for an empty square, `X` for Black, `O` for White:

    ---------------------------OX------XO--------------------------- X

The reader also accepts diagrams over several lines, with or without the names of columns and rows; `.`, `_` and `·` for
empty squares; `*`, `B` and `●` for Black; `0`, `W` and `○` for White. The side to move follows the squares, as one of
these symbols, `Black` or `White`; without it Black is to move. Text after a semicolon is ignored. A transcript is read
as the position that it leads to.
"""

import functools
import re
from typing import NoReturn

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import Rules, State
from gameforge.play.game import Game
from gameforge_othello.board import BLACK, CENTRE, NAMES, SQUARES, WHITE, discs, state_of, to_move
from gameforge_othello.transcript import played

SYMBOLS = "XO"
_BLACK, _WHITE, _EMPTY = "xb*●", "ow0○", "-._·"
_EDGES = re.compile(r"a\s*b\s*c\s*d\s*e\s*f\s*g\s*h|[1-8]")
_TURN = re.compile(r"\b(black|white)\b[^\n]*\s*$")
_TRANSCRIPT = re.compile(r"\s*(1\s*\.\s*)?[a-h][0-9]", re.IGNORECASE)


def position_text(state: State) -> str:
    """Return the position in one line, which `parse_diagram` reads."""
    black, white = discs(state)
    squares = "".join("X" if black >> i & 1 else "O" if white >> i & 1 else "-" for i in range(SQUARES))
    return f"{squares} {SYMBOLS[to_move(state)]}"


@attrs.frozen
class OthelloPositions:
    """The capability `positions` of the rules."""

    rules: Rules

    position_text = staticmethod(position_text)

    @functools.cached_property
    def _game(self) -> Game:
        return Game(self.rules)

    def parse_position(self, text: str) -> State:
        """Parse a diagram or a transcript; GameforgeError if the text is neither, or not a possible position."""
        return played(self._game, text).state if _TRANSCRIPT.match(text) else parse_diagram(text)


def parse_diagram(text: str) -> State:
    """Parse a diagram; GameforgeError if the text is not one, or not a possible position."""

    def refuse(reason: str) -> NoReturn:
        raise GameforgeError(f"diagram {' '.join(text.split())!r}: {reason}")

    board = text.partition(";")[0].lower()
    side = BLACK
    turn = _TURN.search(board)
    if turn is not None:
        side = WHITE if turn[1] == "white" else BLACK
        board = board[: turn.start()]
    groups = _EDGES.sub(" ", board).split()
    spaced = all(len(group) == 1 for group in groups)  # then the side to move is a 65th symbol
    if turn is None and groups and groups[-1] in [*_BLACK, *_WHITE] and (len(groups) == SQUARES + 1 or not spaced):
        side = WHITE if groups.pop() in _WHITE else BLACK
    squares = "".join(groups)
    for symbol in squares:
        if symbol not in _BLACK + _WHITE + _EMPTY:
            refuse(f"{symbol!r} is not a square; X is Black, O is White, - is empty")
    if len(squares) != SQUARES:
        refuse(f"it has {len(squares)} squares; a board has {SQUARES}")
    black, white = (sum(1 << i for i, symbol in enumerate(squares) if symbol in kind) for kind in (_BLACK, _WHITE))
    for i, name in enumerate(NAMES):
        if (CENTRE & ~(black | white)) >> i & 1:
            refuse(f"{name} is empty, but the four squares in the centre have discs from the start")
    return state_of(black, white, side)
