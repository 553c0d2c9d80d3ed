"""The board as people click on it: a man, its new point, and the man that a mill removes."""

from collections.abc import Sequence

from gameforge.interfaces.board import Board, Piece
from gameforge.interfaces.rules import State
from gameforge_morris.board import BLACK, NAMES, POINTS, WHITE, hands, men, state_of
from gameforge_morris.cells import CELLS
from gameforge_morris.notation import parts

_RINGS = tuple((ring + i, ring + (i + 1) % 8) for ring in (0, 8, 16) for i in range(8))
_SPOKES = tuple((ring + i, ring + i + 8) for ring in (0, 8) for i in (1, 3, 5, 7))


def _pieces(state: State) -> list[Piece]:
    return [Piece(point, side) for side, word in enumerate(men(state)) for point in range(POINTS) if word >> point & 1]


def _path(state: State, move: int) -> list[int]:
    return [point for point in parts(move) if point < POINTS]


def _note(state: State) -> tuple[str, str]:
    white, black = (f"{n} in hand" if n else "" for n in hands(state))
    return white, black


def _arrange(state: State, placed: Sequence[Piece], turn: int) -> State:
    white, black = (sum(1 << piece.cell for piece in placed if piece.side == side) for side in (WHITE, BLACK))
    return state_of(white, black, sum(hands(state)), turn)


BOARD_VIEW = Board(
    places=CELLS.places,
    names=NAMES,
    pieces=_pieces,
    path=_path,
    shape="point",
    upwards=True,
    lines=_RINGS + _SPOKES,
    ground="#d9bf8c",
    note=_note,
    arrange=_arrange,
)
