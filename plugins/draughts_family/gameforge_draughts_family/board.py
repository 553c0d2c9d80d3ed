"""Boards as bits, states as pieces, and the names of squares.

The dark squares of the diagonal boards have a gap after every second row, which makes each diagonal step the same shift
everywhere: 4 or 5 bits on 8x8, 5 or 6 bits on 10x10. The orthogonal board uses all 64 bits. Row 0 is at the top; White
starts at the bottom and moves up. A state is four words: pieces of the side to move, pieces of the other side, kings
of both, and the rest: the colour to move and counters (`movegen`).

Squares are named by numbers, or by the letter of the column and the number of the row.
"""

import functools

import attrs

from gameforge.interfaces import State
from gameforge_draughts_family.variant import Variant

WHITE, BLACK = 0, 1
COLOURS = ("White", "Black")
STATE_WORDS = 4
BLACK_TO_MOVE = 1
"""Bit of a state's last word."""

Place = tuple[int, int]
"""Row and column, from the upper left corner."""
Pieces = dict[int, tuple[int, bool]]
"""Index of a square, in reading order -> (colour, whether the piece is a king)."""
_AXES = {
    "diagonal": ((-1, 1), (-1, -1), (0, -2), (-2, 0)),
    "orthogonal": ((-1, 0), (0, -1)),
}


@attrs.frozen
class Board:
    """The squares of a board, in reading order from the upper left corner."""

    size: int
    rows_of_men: tuple[int, ...]
    """The rows on which Black's men stand at the start; White's are those opposite."""
    places: tuple[Place, ...]
    bits: tuple[int, ...]
    """The bit of each square."""
    axes: tuple[Place, ...]
    """Upward steps along the lines of moves (the first two), then along the other lines: changes of row and column."""

    @functools.cached_property
    def square_at(self) -> dict[Place, int]:
        """Place -> index of its square."""
        return {place: i for i, place in enumerate(self.places)}

    @functools.cached_property
    def square_of_bit(self) -> dict[int, int]:
        """Bit -> index of its square."""
        return {bit: i for i, bit in enumerate(self.bits)}

    def last_row(self, colour: int) -> int:
        """Return the row on which men of this colour are crowned."""
        return 0 if colour == WHITE else self.size - 1

    def mask(self, squares: list[int]) -> int:
        """Return the word with the bits of these squares."""
        return sum(1 << self.bits[square] for square in squares)

    def start(self) -> Pieces:
        """Return the pieces of the initial position."""
        mirrored = [self.size - 1 - row for row in self.rows_of_men]
        return {i: (BLACK, False) for i, (row, _) in enumerate(self.places) if row in self.rows_of_men} | {
            i: (WHITE, False) for i, (row, _) in enumerate(self.places) if row in mirrored
        }

    @property
    def men(self) -> int:
        """Number of pieces with which each side starts, and the maximum."""
        return sum(colour == WHITE for colour, _ in self.start().values())


def board_of(variant: Variant) -> Board:
    """Return the board of a variant."""
    return _board(variant.layout, variant.corner)


@functools.cache
def _board(name: str, corner: str) -> Board:
    if name == "8x8-orthogonal":
        every = tuple((row, column) for row in range(8) for column in range(8))
        return Board(8, (1, 2), every, tuple(range(64)), _AXES["orthogonal"])
    size = int(name.partition("x")[0])
    half = size // 2
    places: list[Place] = []
    bits = []
    for row in range(size):
        for i in range(half):
            # Columns of dark squares: on a board with the dark corner on the right, the mirror image of the other.
            column = 2 * i + (1 - row % 2 if corner == "left" else row % 2)
            place_in_row = i if corner == "left" else half - 1 - i
            places.append((row, column))
            bits.append(row * half + place_in_row + row // 2)
    axes = _AXES["diagonal"]
    if corner == "right":
        axes = tuple((rows, -columns) for rows, columns in axes)
    return Board(size, tuple(range(half - 1)), tuple(places), tuple(bits), axes)


def to_move(state: State) -> int:
    """Return the colour to move."""
    return state[3] & BLACK_TO_MOVE


def pieces(board: Board, state: State) -> Pieces:
    """Return the pieces of a state, in reading order."""
    own, opp, kings, _ = state
    colour = to_move(state)
    found = {}
    for square, bit in enumerate(board.bits):
        if (own | opp) >> bit & 1:
            found[square] = (colour if own >> bit & 1 else 1 - colour, bool(kings >> bit & 1))
    return found


def state_of(board: Board, placed: Pieces, colour: int, counters: int = 0) -> State:
    """Return the state with these pieces and this colour to move."""
    words = [0, 0, 0, counters & ~BLACK_TO_MOVE | colour]
    for square, (owner, is_king) in placed.items():
        bit = 1 << board.bits[square]
        words[owner ^ colour] |= bit
        words[2] |= bit if is_king else 0
    return tuple(words)


@attrs.frozen
class Squares:
    """The names of the squares of a variant; squares are indices in reading order."""

    board: Board
    names: tuple[str, ...]
    """As the variant writes them."""
    by_name: dict[str, int]
    """Numbers and, on all boards, letters with numbers -> squares."""

    @property
    def range_text(self) -> str:
        """Describe the names."""
        return f"{min(self.names, key=_order)} to {max(self.names, key=_order)}"


def _order(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdigit() else (0, name)


@functools.cache
def squares_of(variant: Variant) -> Squares:
    """Return the names of the squares of a variant."""
    board = board_of(variant)
    count = len(board.places)
    numbers = [str(i + 1 if variant.origin == "top-left" else count - i) for i in range(count)]
    letters = [f"{chr(ord('a') + column)}{board.size - row}" for row, column in board.places]
    names = tuple(letters if variant.lettering == "algebraic" else numbers)
    known = {name: i for listed in (letters, numbers) for i, name in enumerate(listed)}
    return Squares(board, names, known)
