"""The board as people click on it, with the number of discs of either side."""

from collections.abc import Sequence

from gameforge.interfaces.board import Board, Piece
from gameforge.interfaces.rules import State
from gameforge_othello.board import BLACK, NAMES, PASS, SQUARES, WHITE, discs, state_of
from gameforge_othello.cells import CELLS


def _pieces(state: State) -> list[Piece]:
    return [Piece(i, side) for side, word in enumerate(discs(state)) for i in range(SQUARES) if word >> i & 1]


def _path(state: State, move: int) -> list[int]:
    return [] if move == PASS else [move]


def _note(state: State) -> tuple[str, str]:
    black, white = discs(state)
    return str(black.bit_count()), str(white.bit_count())


def _arrange(state: State, placed: Sequence[Piece], turn: int) -> State:
    black, white = (sum(1 << piece.cell for piece in placed if piece.side == side) for side in (BLACK, WHITE))
    return state_of(black, white, turn)


BOARD_VIEW = Board(
    places=CELLS.places,
    names=NAMES,
    pieces=_pieces,
    path=_path,
    colours=("#23211f", "#f7f4ea"),
    ground="#3b7f58",
    note=_note,
    arrange=_arrange,
)
