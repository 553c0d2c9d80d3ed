"""The board as people click on it: White at the bottom, and a capture square by square."""

from collections.abc import Sequence

from gameforge.interfaces.board import KING, Board, Piece
from gameforge.interfaces.rules import State
from gameforge_draughts.board import pieces, state_of
from gameforge_draughts.cells import CELLS
from gameforge_draughts.notation import path


def _pieces(state: State) -> list[Piece]:
    return [Piece(square - 1, side, KING if king else "") for square, (side, king) in pieces(state).items()]


def _path(state: State, move: int) -> list[int]:
    return [square - 1 for square in path(move)]


def _arrange(state: State, placed: Sequence[Piece], turn: int) -> State:
    return state_of(turn, {piece.cell + 1: (piece.side, piece.kind == KING) for piece in placed})


BOARD_VIEW = Board(
    places=CELLS.places,
    names=CELLS.names,
    pieces=_pieces,
    path=_path,
    chequered=True,
    colours=("#312e2b", "#f8f5ec"),
    ground="#7d945d",
    kinds=("", KING),
    arrange=_arrange,
)
