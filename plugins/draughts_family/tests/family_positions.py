"""Random positions of the family, and translation between states and the reference's positions."""

import random

from family_reference import Laws, Move, Place, Position
from gameforge_draughts_family.board import BLACK, WHITE, Board, Variant, board_of, pieces, state_of
from gameforge_draughts_family.captures import CROWNED, ends, taken_squares

from gameforge.interfaces.rules import State

LETTERS = {(WHITE, False): "w", (WHITE, True): "W", (BLACK, False): "b", (BLACK, True): "B"}


def laws_of(variant: Variant) -> Laws:
    """The same rules in the words of the reference."""
    return Laws(
        size=int(variant.layout[: variant.layout.index("x")]),
        orthogonal=variant.layout.endswith("orthogonal"),
        long_kings=variant.kings != "short",
        halting=variant.kings == "halting",
        men_back=variant.men_capture == "backwards",
        straight_captures=variant.lines == "all",
        kings_immune=not variant.men_take_kings,
        majority=variant.majority,
        by_king=variant.by_king,
        most_kings=variant.most_kings,
        king_first=variant.king_first,
        promotion=variant.promotion,
        at_once=variant.removal == "at-once",
    )


def position_of(board: Board, state: State) -> Position:
    return {board.places[square]: LETTERS[piece] for square, piece in pieces(board, state).items()}


def places_of(board: Board, state: State, move: int) -> Move:
    """A move of the kernel as the reference writes it."""
    start, to = (board.places[square] for square in ends(board, move))
    captured = frozenset[Place](board.places[square] for square in taken_squares(board, state, move))
    return start, to, captured, bool(move & int(CROWNED))


def random_state(variant: Variant, rng: random.Random, kings: float) -> State:
    """A random position with 1 to 12 pieces a side, of which about this fraction are kings."""
    board = board_of(variant)
    squares = rng.sample(range(len(board.places)), rng.randint(2, min(2 * board.men, 24)))
    placed = {}
    for i, square in enumerate(squares):
        colour = i % 2 if i < 2 else rng.randrange(2)
        row = board.places[square][0]
        own_rows = row if colour == BLACK else board.size - 1 - row
        is_king = row == board.last_row(colour) or own_rows < board.rows_of_men[0] or rng.random() < kings
        if sum(owner == colour for owner, _ in placed.values()) < board.men:
            placed[square] = colour, is_king
    return state_of(board, placed, rng.randrange(2))
