"""The board drawn: as text for a terminal, as an SVG picture, and as the board that people click on.

White is at the bottom, and the squares have their names. On the clickable board a capture is entered square by square.
"""

import functools
from collections.abc import Sequence

from gameforge_draughts.drawing import DraughtsDrawing

from gameforge.interfaces import Board, Piece, State
from gameforge_draughts_family.board import BLACK, COLOURS, WHITE, Variant, pieces, squares_of, state_of, to_move
from gameforge_draughts_family.captures import path
from gameforge_draughts_family.notation import FamilyPositions

_COLOURS = {WHITE: "#f8f5ec", BLACK: "#312e2b"}


def side_of(variant: Variant, colour: int) -> int:
    """Return 0 for the colour that moves first, 1 for the other; and the colour of a side."""
    return colour ^ (variant.first == "black")


@functools.cache
def board_view(variant: Variant) -> Board:
    """Return the board of a variant for the browser."""
    squares = squares_of(variant)
    board = squares.board

    def listed(state: State) -> list[Piece]:
        placed = pieces(board, state).items()
        return [Piece(square, side_of(variant, colour), Board.KING * king) for square, (colour, king) in placed]

    def clicks(state: State, move: int) -> Sequence[int]:
        return path(variant, state, move)

    def arrange(state: State, placed: Sequence[Piece], turn: int) -> State:
        there = {piece.cell: (side_of(variant, piece.side), piece.kind == Board.KING) for piece in placed}
        counters = state[-1] if there == pieces(board, state) else 0
        return state_of(board, there, side_of(variant, turn), counters)

    first, second = (_COLOURS[side_of(variant, side)] for side in (0, 1))
    return Board(
        places=board.places,
        names=squares.names,
        pieces=listed,
        path=clicks,
        chequered=True,
        colours=(first, second),
        ground="#9a7653",
        kinds=("", Board.KING),
        arrange=arrange,
    )


@functools.cache
def drawing_of(variant: Variant) -> DraughtsDrawing:
    """Return the pictures of a variant."""
    return DraughtsDrawing(
        board=board_view(variant),
        sides=(COLOURS[side_of(variant, 0)], COLOURS[side_of(variant, 1)]),
        side_to_move=lambda state: side_of(variant, to_move(state)),
        position_text=FamilyPositions(variant).position_text,
        light="#efe2cb",
        dark="#9a7653",
        frame="#4a4038",
        bright="#b28d68" if variant.layout == "8x8-orthogonal" else "",
    )
