"""A kind of draughts: its settings, its board as bits, its states as pieces, and the names of its squares.

A limit of an ending with few pieces counts moves since the last capture or promotion, while both sides have a king. The
first ending of a table that fits applies. The Turkish text draws a game as soon as each side has one piece, "even if
one of the two is a king" (damaakademisi.com/page/178, 19b).

The dark squares of 8x8 and 10x10 have a gap after every second row, which makes each diagonal step the same shift
everywhere: 4 or 5 bits on 8x8, 5 or 6 bits on 10x10. The orthogonal board uses all 64 bits. The 72 dark squares of
12x12 need two words for each set of pieces, and a generator of their own (wide.py). Row 0 is at the top; White starts
at the bottom and moves up. Squares are named by numbers, or by the letter of the column and the number of the row. A
state has three sets, each in one word (on 12x12, in two): pieces of the side to move, pieces of the other side, and
kings of both. Its last word is the rest: the colour to move and counters (`movegen`).
"""

import functools
from collections.abc import Callable, Iterable

import attrs

from gameforge import GameforgeError
from gameforge.interfaces import State, kinds


@attrs.frozen
class Ending:
    """A material balance in which the game is drawn after some moves."""

    least: int
    """Minimum number of pieces on the board."""
    most: int
    """Maximum number of pieces on the board."""
    moves: int
    """Number of moves of each side after which the game is drawn; 0: at once, when each side has one piece."""
    lone_king: bool = False
    """Whether one side must have a single king and nothing else."""
    kings: int = 1
    """Minimum number of kings of the side with more of them."""

    def words(self) -> tuple[int, ...]:
        """Return the ending as settings for the kernel, with the limit in plies."""
        return self.least, self.most, int(self.lone_king), self.kings, 2 * self.moves


ENDINGS: dict[str, tuple[Ending, ...]] = {
    "international": (Ending(2, 3, 5, lone_king=True), Ending(4, 4, 16, lone_king=True)),
    "russian": (Ending(4, 13, 15, lone_king=True, kings=3), Ending(2, 3, 5), Ending(4, 5, 30), Ending(6, 7, 60)),
    "brazilian": (Ending(2, 3, 5, lone_king=True), Ending(4, 4, 16, lone_king=True)),
    "frisian": (Ending(2, 2, 2, lone_king=True), Ending(3, 3, 7, lone_king=True, kings=2)),
    "pool": (Ending(2, 2, 1, lone_king=True), Ending(4, 4, 13, lone_king=True, kings=3)),
    "spanish": (Ending(2, 2, 1, lone_king=True), Ending(4, 4, 12, lone_king=True, kings=3)),
    "turkish": (Ending(2, 2, 0, kings=0),),
}
"""Federation -> its endings. One without moves stands first."""
NO_ENDINGS: tuple[Ending, ...] = ()


_MOST_KING_MOVES = 3


def _one_of(*allowed: str) -> Callable[[object, "attrs.Attribute[str]", str], None]:
    def check(instance: object, attribute: "attrs.Attribute[str]", value: str) -> None:
        if value not in allowed:
            raise GameforgeError(f"'{attribute.name}' must be one of {', '.join(allowed)} (got {value!r})")

    return check


def _choice(default: str, *others: str) -> str:
    return attrs.field(default=default, validator=_one_of(default, *others))


def _switch(default: bool) -> bool:
    return attrs.field(default=default, validator=attrs.validators.instance_of(bool))


@attrs.frozen(kw_only=True, slots=False)
class Variant:
    """A kind of draughts. The defaults are international draughts.

    The rules that are made of these settings have a board and a notation as well, so the fields `layout` and
    `lettering` are written `board` and `notation` where they are set.

    Raises GameforgeError if two settings contradict each other.
    """

    layout: str = attrs.field(
        default="10x10", validator=_one_of("10x10", "8x8", "8x8-orthogonal", "12x12"), alias="board"
    )
    """`8x8`, `10x10` and `12x12`: the dark squares, along diagonals. `8x8-orthogonal`: all squares, along rows and
    columns. On 12x12 pieces move and capture as in international draughts."""
    corner: str = _choice("left", "right")
    """Which lower corner of each player is a dark square."""
    kings: str = _choice("flying", "short", "halting")
    """How far a king moves: any number of free squares (`flying`), or one (`short`). A `halting` king flies, but stands
    right behind each piece that it captures."""
    men_capture: str = _choice("backwards", "forwards")
    """Whether men capture in all directions or only in those in which they move."""
    lines: str = _choice("move", "all")
    """Lines of captures: those of moves, or rows and columns as well."""
    men_take_kings: bool = _switch(True)
    """Whether men can capture kings."""
    majority: str = _choice("number", "free", "value")
    """Which captures may be played: those of most pieces, any, or those of the greatest value, where n kings are worth
    more than 2n - 1 men and less than 2n."""
    by_king: bool = _switch(False)
    """Of such captures, those by kings must be played."""
    most_kings: bool = _switch(False)
    """Of the captures that remain, those of most kings must be played."""
    king_first: bool = _switch(False)
    """Of the captures that remain, those that meet a king first must be played."""
    promotion: str = _choice("pass", "stop", "continue")
    """A man that reaches the last row in a capture: continues as a man and is crowned only if it ends there (`pass`),
    ends its capture there (`stop`), or continues as a king (`continue`)."""
    removal: str = _choice("after", "at-once")
    """When captured pieces leave the board: after the whole capture, or at once. A captured piece is never jumped
    twice; one that is still on the board is in the way."""
    first: str = _choice("white", "black")
    """Who moves first."""
    goal: str = _choice("block", "lose", "king")
    """Who wins: the player whose opponent cannot move (`block`), who cannot move (`lose`), or who first has a king."""
    king_moves: int = attrs.field(
        default=0, validator=kinds.whole(f"a whole number from 0 (off) to {_MOST_KING_MOVES}", 0, _MOST_KING_MOVES)
    )
    """How often in a row a side that has men may move the same king without capturing."""
    endings: str = _choice("none", *ENDINGS)
    """Whose limits for endings with few pieces apply."""
    lettering: str = attrs.field(default="numeric", validator=_one_of("numeric", "algebraic"), alias="notation")
    """How squares are written: with numbers, or with the letter of the column and the number of the row."""
    origin: str = _choice("top-left", "bottom-right")
    """Where square 1 is, with White at the bottom."""

    def __attrs_post_init__(self) -> None:
        for reason in self._contradictions():
            raise GameforgeError(reason)

    def _contradictions(self) -> list[str]:
        orthogonal, race = self.layout == "8x8-orthogonal", self.goal == "king"
        found = {
            "lines=all needs dark squares: on board=8x8-orthogonal, all lines are rows and columns": (
                orthogonal and self.lines == "all"
            ),
            "corner=right needs dark squares: board=8x8-orthogonal uses all squares": (
                orthogonal and self.corner == "right"
            ),
            "origin=bottom-right needs notation=numeric: squares such as a1 are not counted": (
                self.lettering == "algebraic" and self.origin != "top-left"
            ),
            f"goal=king ends the game with the first king, so king_moves={self.king_moves} never applies": (
                race and self.king_moves > 0
            ),
            f"goal=king ends the game with the first king, so endings={self.endings} never applies": (
                race and self.endings != "none"
            ),
        }
        if self.layout == "12x12":
            usual = attrs.fields_dict(Variant)
            for name in _MOVES:
                value = getattr(self, name)
                reason = f"board=12x12 has the moves of international draughts, so {name}={value} is not possible"
                found[reason] = value != usual[name].default
        return [reason for reason, applies in found.items() if applies]


_MOVES = (
    *("kings", "men_capture", "lines", "men_take_kings", "promotion", "removal", "king_moves", "endings"),
    *("majority", "by_king", "most_kings", "king_first"),
)
"""The settings about moves and their counters, which only the generator for sets of one word reads."""

WHITE, BLACK = 0, 1
COLOURS = ("White", "Black")
STATE_WORDS = 4
_WORD = 64
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
class MoveParts:
    """The parts of a move's word: squares from and to, captured pieces, whether a man was crowned, and the route."""

    square: int
    """Bits of a square, and the lowest bit of the square to which the move leads."""
    taken: int
    """Bits of the set of captured pieces: the most that a side has."""

    @property
    def captured(self) -> int:
        """The lowest bit of the captured pieces."""
        return 2 * self.square

    @property
    def crowned(self) -> int:
        """The bit of the crowning."""
        return self.captured + self.taken

    @property
    def route(self) -> int:
        """The lowest bit of the route."""
        return self.crowned + 1


NARROW, WIDE = MoveParts(6, 20), MoveParts(7, 30)
"""On boards of up to 64 squares, and on larger ones."""


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

    @property
    def words(self) -> int:
        """Number of words of a set of pieces."""
        return 1 if len(self.places) <= _WORD else 2

    @property
    def move(self) -> MoveParts:
        """The parts of moves on this board."""
        return NARROW if self.words == 1 else WIDE

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
    bits: list[int] = []
    for row in range(size):
        for i in range(half):
            # Columns of dark squares: on a board with the dark corner on the right, the mirror image of the other.
            column = 2 * i + (1 - row % 2 if corner == "left" else row % 2)
            place_in_row = i if corner == "left" else half - 1 - i
            places.append((row, column))
            bits.append(len(bits) if size == 12 else row * half + place_in_row + row // 2)
    axes = _AXES["diagonal"]
    if corner == "right":
        axes = tuple((rows, -columns) for rows, columns in axes)
    return Board(size, tuple(range(half - 1)), tuple(places), tuple(bits), axes)


def to_move(state: State) -> int:
    """Return the colour to move."""
    return state[-1] & BLACK_TO_MOVE


def sets_of(state: State) -> tuple[int, int, int]:
    """Return the sets of a state as integers with a bit for each square: own pieces, the opponent's, and kings."""
    if len(state) == STATE_WORDS:
        return state[0], state[1], state[2]
    own, opp, kings = (state[i] | state[i + 1] << _WORD for i in (0, 2, 4))
    return own, opp, kings


def state_from(board: Board, sets: Iterable[int], rest: int) -> State:
    """Return the state with these sets, as `sets_of` returns them, and this last word."""
    mask = (1 << _WORD) - 1
    return (*(found >> _WORD * i & mask for found in sets for i in range(board.words)), rest)


def pieces(board: Board, state: State) -> Pieces:
    """Return the pieces of a state, in reading order."""
    own, opp, kings = sets_of(state)
    colour = to_move(state)
    found = {}
    for square, bit in enumerate(board.bits):
        if (own | opp) >> bit & 1:
            found[square] = (colour if own >> bit & 1 else 1 - colour, bool(kings >> bit & 1))
    return found


def state_of(board: Board, placed: Pieces, colour: int, counters: int = 0) -> State:
    """Return the state with these pieces and this colour to move."""
    sets = [0, 0, 0]
    for square, (owner, is_king) in placed.items():
        bit = 1 << board.bits[square]
        sets[owner ^ colour] |= bit
        sets[2] |= bit if is_king else 0
    return state_from(board, sets, counters & ~BLACK_TO_MOVE | colour)


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
