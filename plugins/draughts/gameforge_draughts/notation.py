"""Moves and positions as text: PDN, FEN, and the words of the protocols Hub and DXP.

Moves as in PDN: `11-15`, `22x15`, and the whole path `22x15x8` if it is needed. PDN 3.0 requires two squares, or every
square of the path if two are ambiguous. The reader accepts any of the squares of the path. Two moves with the same path
are the same move.

Positions as in the FEN of PDN 3.0: `B:W21,22,K30:B1,2,K5`, without spaces or a dot at the end, White's pieces first as
in its examples, a K before each king, and squares in ascending order. A side without pieces has an empty list
(`B:W:B12`).

Hub and DXP were made for international draughts, where White moves first. Hub clients of English draughts call the
first mover W, though its men remain b (the variant `english`); DXP keeps the colours, with Z for Black. A capture lists
the first square, the last, and then the captured squares, in ascending order here and in any order from others.

`squares_of_move` and `read_fen` take apart what people write, in all kinds of draughts. Moves that were pasted from a
page have typographic dashes, and programs write blanks, leading zeros or capitals: `32-28`, `1- 6`, `07-12`, `28x 17`,
`C3:E5`, `c3d4`. Nothing need stand between squares with letters. After the lists of a FEN, the counters of some
programs may follow. Those of the site lidraughts are checked for their form and ignored: `H` counts plies and `F`
moves, and `+0+0` counts moves of kings in Frisian draughts (source: the comments on FEN in its library scaladraughts).
"""

import re
from collections.abc import Iterator, Sequence
from typing import NoReturn

import attrs

from gameforge import GameforgeError
from gameforge.interfaces import Dialect, State
from gameforge_draughts import movegen
from gameforge_draughts.movegen import BLACK, MEN, SIDES, SQUARE_OF, SQUARES, WHITE, pieces, state_of, to_move

DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
"""The hyphen, and what typesetters and web pages put in its place."""
_JOIN = rf"\s*[{DASHES}xX:\u00d7\u0445\u0425]\s*"
"""A dash, or a sign for a capture: x in Latin or Cyrillic letters, a multiplication sign, or a colon."""
_AT = "(?:[1-9][0-9]{0,2}|0[0-9]{1,2})"
_USUAL_JOIN = "[-x:](?=[0-9])"
NUMBERED = rf"{_AT}(?:(?:{_USUAL_JOIN}|(?!{_USUAL_JOIN}){_JOIN}){_AT})+"
LETTERED = rf"[a-lA-L][0-9]{{1,2}}(?:(?:{_JOIN})?[a-lA-L][0-9]{{1,2}})+"
"""Moves between squares with numbers, and between squares with letters. 0 is part of results, and no square."""
BROKEN = rf"[0-9]{{1,3}}(?:\s*[{DASHES}xX:])?\s*$"
"""The first half of a move at the end of a line."""
_MOVE = re.compile(rf"{NUMBERED}|{LETTERED}")
_NAMED_SQUARE = re.compile(r"([a-l]?)0*([0-9]+)")


def squares_of_move(text: str) -> tuple[str, ...]:
    """Return the squares that a move names, in lower case and without leading zeros; () if the text is no move."""
    text = text.strip()
    return tuple(map("".join, _NAMED_SQUARE.findall(text.lower()))) if _MOVE.fullmatch(text) else ()


_TAG = re.compile(r'\[\s*FEN\s*"(.*)"\s*\]', re.IGNORECASE | re.DOTALL)
_NAME = r"[a-l][0-9]{1,2}|[0-9]{1,4}"
_ENTRY = re.compile(rf"(K?)\s*({_NAME})(?:\s*[{DASHES}]\s*({_NAME}))?", re.IGNORECASE)
_FOREIGN = re.compile(r"[HF][0-9]{1,5}|\+[0-9]{1,2}\+[0-9]{1,2}", re.IGNORECASE)
_SIDES = {"W": "White", "B": "Black"}


@attrs.frozen
class Entry:
    """Pieces of a FEN on a square, or on all squares from one to another."""

    text: str
    is_king: bool
    first: str
    last: str
    """Names of squares, in lower case and without leading zeros."""


@attrs.frozen
class Fen:
    """The parts of a FEN."""

    text: str
    turn: str
    """W or B."""
    pieces: dict[str, list[Entry]]
    """Entries of W and of B."""
    counters: list[str]
    """What follows the lists, but for the counters that are ignored."""

    def refuse(self, reason: str) -> NoReturn:
        """Raise the error that a FEN is refused with."""
        raise GameforgeError(f"FEN {self.text!r}: {reason}")


def read_fen(text: str, example: str, counters: "re.Pattern[str] | None" = None) -> Fen:
    """Take a FEN apart; GameforgeError, with an example, if the text is not one.

    Accepted are either order of the colours, ranges (`B1-12`), blanks, small letters, a final dot, quotes, and a whole
    tag. counters: the form of the counters that the game knows.
    """
    fen = Fen(text.strip(), "", {}, [])
    tag = _TAG.fullmatch(fen.text)
    bare = (tag[1] if tag else fen.text).strip().strip('"').strip().removesuffix(".")
    example = f"a FEN looks like {example}"
    if not bare:
        fen.refuse(f"it is empty; {example}")
    turn, *parts = (part.strip() for part in bare.split(":"))
    if turn.upper() not in _SIDES:
        fen.refuse(f"it must begin with the side to move, W: or B:, not with {turn!r} ({example})")
    for part in parts:
        colour = part[:1].upper()
        if counters is not None and counters.fullmatch(part):
            fen.counters.append(part)
        elif _FOREIGN.fullmatch(part):
            continue
        elif colour not in _SIDES:
            fen.refuse(f"a list of pieces must begin with its colour, W or B, not with {part[:1]!r} ({example})")
        elif colour in fen.pieces:
            fen.refuse(f"{_SIDES[colour]}'s pieces are listed twice")
        else:
            listed = part[1:].split(",") if part[1:].strip() else []
            fen.pieces[colour] = [_entry(fen, colour, entry.strip()) for entry in listed]
    for colour, name in _SIDES.items():
        if colour not in fen.pieces:
            fen.refuse(f"{name}'s pieces are not listed ({example})")
    return attrs.evolve(fen, turn=turn.upper())


def _entry(fen: Fen, colour: str, text: str) -> Entry:
    match = _ENTRY.fullmatch(text)
    if match is None:
        fen.refuse(f"{text!r} in {_SIDES[colour]}'s list is not a square such as 12 or K12, or a range such as 1-12")
    first, last = ("".join(*_NAMED_SQUARE.findall(name.lower())) for name in (match[2], match[3] or match[2]))
    return Entry(text, bool(match[1]), first, last)


_BIT, _TO, _CAPTURED, _ROUTE = map(
    int, (movegen.BIT_MASK, movegen.TO_SHIFT, movegen.CAPTURED_SHIFT, movegen.ROUTE_SHIFT)
)
_JUMP = (8, 10, -8, -10)
"""Number of bits by which a jump moves a piece, by direction in a route."""
_CAPTURES = (1 << (_ROUTE - _CAPTURED)) - 1


def path(move: int) -> tuple[int, ...]:
    """Return the squares that a move touches, in order."""
    bit = move & _BIT
    captured = _captured(move)
    if not captured:
        return SQUARE_OF[bit], SQUARE_OF[move >> _TO & _BIT]
    squares = [SQUARE_OF[bit]]
    for jump in range(captured.bit_count()):
        bit += _JUMP[move >> (_ROUTE + 2 * jump) & 3]
        squares.append(SQUARE_OF[bit])
    return tuple(squares)


def short_text(move: int) -> str:
    """Return a move as the first and the last square of its path."""
    squares = path(move)
    return f"{squares[0]}{_sign(move)}{squares[-1]}"


def whole_text(move: int) -> str:
    """Return a move as all squares of its path."""
    return _sign(move).join(map(str, path(move)))


def move_text(state: State, move: int, legal: Sequence[int]) -> str:
    """Return a move as two squares if no other legal move shares them, else as its whole path."""
    ends = (1 << _CAPTURED) - 1
    alike = sum(other & ends == move & ends for other in legal)
    return short_text(move) if alike == 1 else whole_text(move)


def parse_move(state: State, text: str, legal: Sequence[int]) -> int:
    """Return the legal move that `text` denotes.

    A whole path denotes its move. Otherwise `text` denotes the moves that begin and end as given and touch the squares
    between in that order; if these differ only in the route, the first is returned. Raises GameforgeError, which lists
    the legal moves, if there is no such move, or if several of such moves capture different pieces.
    """
    meant = readings(state, text, legal)
    if len(meant) > 1:
        choices = _listed(state, meant, legal)
        raise GameforgeError(f"{text!r} may mean {choices} in {position_text(state)}; write one of them")
    return meant[0]


def readings(state: State, text: str, legal: Sequence[int]) -> list[int]:
    """Return the legal moves that `text` may denote, one for each set of captured pieces; errors as `parse_move`."""
    if not legal:
        raise GameforgeError(f"{text!r} cannot be played in {position_text(state)}: the side to move has no legal move")
    given = squares_of_move(text)
    if not "".join(given).isdecimal():
        choices = _listed(state, legal, legal)
        raise GameforgeError(f"{text!r} is not a move such as 11-15 or 22x15; legal here: {choices}")
    wanted = tuple(map(int, given))
    paths = {path(move): move for move in legal}
    if wanted in paths:
        return [paths[wanted]]
    meant: dict[int, int] = {}
    for squares, move in paths.items():
        if _leads_along(squares, wanted):
            meant.setdefault(_captured(move), move)
    if not meant:
        choices = _listed(state, legal, legal)
        raise GameforgeError(f"{text!r} is not legal in {position_text(state)}; legal here: {choices}")
    return list(meant.values())


def _captured(move: int) -> int:
    return move >> _CAPTURED & _CAPTURES


def _leads_along(squares: tuple[int, ...], given: tuple[int, ...]) -> bool:
    """Return whether a path starts and ends as given and touches the squares between in that order."""
    if (squares[0], squares[-1]) != (given[0], given[-1]):
        return False
    rest: Iterator[int] = iter(squares[1:-1])
    return all(square in rest for square in given[1:-1])


def _sign(move: int) -> str:
    return "x" if _captured(move) else "-"


def _listed(state: State, moves: Sequence[int], legal: Sequence[int]) -> str:
    return ", ".join(move_text(state, move, legal) for move in moves)


_LETTERS = {"B": BLACK, "W": WHITE}
_EXAMPLE = "B:W21,22,K30:B1,2,K5"
_KING_ROW = {BLACK: range(29, 33), WHITE: range(1, 5)}


def position_text(state: State) -> str:
    """Return a position as text that `parse_position` reads."""
    lists: dict[int, list[str]] = {WHITE: [], BLACK: []}
    for square, (side, is_king) in pieces(state).items():
        lists[side].append(f"K{square}" if is_king else str(square))
    side_to_move = SIDES[to_move(state)][0]
    return f"{side_to_move}:W{','.join(lists[WHITE])}:B{','.join(lists[BLACK])}"


def parse_position(text: str) -> State:
    """Parse a FEN; GameforgeError if the text is not one, or not a possible position."""
    fen = read_fen(text, _EXAMPLE)
    placed: dict[int, tuple[int, bool]] = {}
    for letter, entries in fen.pieces.items():
        colour = _LETTERS[letter]
        side = SIDES[colour]
        for entry in entries:
            for square in _range(fen, entry):
                if square in placed:
                    fen.refuse(f"square {square} holds two pieces")
                if not entry.is_king and square in _KING_ROW[colour]:
                    fen.refuse(f"a {side.lower()} man cannot be on square {square}, where it would be a king")
                placed[square] = colour, entry.is_king
        count = sum(owner == colour for owner, _ in placed.values())
        if count > MEN:
            fen.refuse(f"{side} has {count} pieces; a side has at most {MEN}")
    if not placed:
        fen.refuse("there are no pieces on the board")
    return state_of(_LETTERS[fen.turn], placed)


def _range(fen: Fen, entry: Entry) -> range:
    first, last = (int(name) if name.isdecimal() else 0 for name in (entry.first, entry.last))
    for square, name in ((first, entry.first), (last, entry.last)):
        if not 1 <= square <= SQUARES:
            fen.refuse(f"there is no square {name}; squares: 1 to {SQUARES}")
    if last < first:
        fen.refuse(f"the range {entry.text} runs backwards")
    return range(first, last + 1)


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
    bits = (move >> int(movegen.CAPTURED_SHIFT) & int(movegen.CAPTURED_MASK)) << int(movegen.LOWEST_INNER)
    return squares[0], squares[-1], tuple(SQUARE_OF[bit] for bit in range(bits.bit_length()) if bits >> bit & 1)


class OwnDialect:
    """Writes positions and moves for CheckerBoard's engines in the notation of this module."""

    variant, implied = "english", ""
    position_text = staticmethod(position_text)
    parse_position = staticmethod(parse_position)
    move_text = staticmethod(move_text)
    parse_move = staticmethod(parse_move)


_DIALECTS: dict[str, Dialect] = {
    "hub": DraughtsDialect("english", "WB", "bw"),
    "dxp": DraughtsDialect("", "ZW", "zw"),
    "checkerboard": OwnDialect(),
}


def dialect(protocol: str) -> Dialect | None:
    """Return the dialect for a protocol; None if draughts has none there."""
    return _DIALECTS.get(protocol)
