"""Positions and moves as text: the capabilities `positions` and `notation` of games on a grid.

A position is written as rows from the top, digits for empty cells, and the side to move. A move has a text that does
not depend on the position.
"""

import re
from collections.abc import Callable, Sequence

import attrs

from gameforge.errors import GameforgeError
from gameforge.grid.board import Grid
from gameforge.interfaces.rules import State


@attrs.frozen(kw_only=True)
class GridPositions:
    """Positions as text in the manner of FEN: `xx3/5/5/3oo x`."""

    grid: Grid
    """The board."""
    pieces: str
    """The letters of the pieces, such as `xo`."""
    board: Callable[[State], str]
    """Returns the letter of each cell of a state, from a1 on; `.` if the cell is empty."""
    side_to_move: Callable[[State], int]
    """Returns the side to move in a state: 0 or 1."""
    state: Callable[[str, int], State]
    """Returns the state with these cells, as `board` writes them, and this side to move.

    Raises GameforgeError if the position is impossible.
    """
    sides: str = ""
    """The letters of the two sides; "": the first two pieces."""

    def position_text(self, state: State) -> str:
        """Return the position as text."""
        board, width = self.board(state), self.grid.columns
        rows = [board[begin : begin + width] for begin in range(0, self.grid.size, width)]
        packed = (re.sub(r"\.+", lambda empty: str(len(empty[0])), row) for row in reversed(rows))
        return f"{'/'.join(packed)} {self._sides[self.side_to_move(state)]}"

    def parse_position(self, text: str) -> State:
        """Return the state that a text describes; GameforgeError if it describes none."""
        packed, _, side = text.strip().partition(" ")
        rows = [re.sub(r"\d+", lambda number: "." * min(int(number[0]), 99), row) for row in packed.split("/")]
        lengths = {len(row) for row in rows}
        if len(rows) != self.grid.rows or lengths != {self.grid.columns}:
            raise GameforgeError(
                f"position {text!r}: must be {self.grid.rows} rows of {self.grid.columns} cells, separated by '/'"
            )
        board = "".join(reversed(rows))
        wrong = sorted(set(board) - {*self.pieces, "."})
        if wrong:
            raise GameforgeError(f"position {text!r}: {wrong[0]!r} is not a piece; the pieces are {self.pieces}")
        if side not in {*self._sides}:
            raise GameforgeError(
                f"position {text!r}: the side to move is {side!r}; must be {' or '.join(self._sides)} after the board"
            )
        return self.state(board, self._sides.index(side))

    @property
    def _sides(self) -> str:
        return self.sides or self.pieces[:2]


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
