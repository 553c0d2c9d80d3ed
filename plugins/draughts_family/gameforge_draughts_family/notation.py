"""Moves and positions as text: PDN, FEN, and the words of the protocols Hub and DXP.

Moves as in PDN: `32-28`, `32x23`, `c3-d4`, and the whole path if the ends of a capture do not suffice. The reader
accepts numbers and letters in all games, the spellings that English draughts accepts (gameforge_draughts.notation), and
any of the squares of a path.

Positions as in the FEN of PDN: `W:W31,32,K40:B1,2,K5`, with squares in the notation of the game. Counters follow the
pieces if they are not 0: `:E7` for 7 plies of an ending, `:M30/2` for a king on 30 that has moved twice in a row
(White's or Black's by the piece on that square). The reader also accepts the spellings of English draughts, and squares
in the other notation.

Hub and DXP have squares as numbers in reading order, and captures with the captured squares. Hub names its variants;
those that it does not know have the names of our games. DXP names none, and has Z for Black.
"""

import re
from collections.abc import Sequence

import attrs
from gameforge_draughts.notation import Entry, read_fen, squares_of_move

from gameforge import GameforgeError
from gameforge.interfaces import Dialect, State
from gameforge_draughts_family.board import (
    BLACK,
    COLOURS,
    ENDINGS,
    NO_ENDINGS,
    WHITE,
    Pieces,
    Variant,
    pieces,
    squares_of,
    state_of,
    to_move,
)
from gameforge_draughts_family.captures import Path, ends, is_capture, leads_along, path, result_of, taken_squares
from gameforge_draughts_family.movegen import KING_SHIFT, PLIES_MASK, PLIES_SHIFT


@attrs.frozen
class FamilyNotation:
    """The capability `notation` of the rules."""

    variant: Variant

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        """Return a move as two squares if no other legal move shares them, else as its whole path."""
        board = squares_of(self.variant).board
        alike = sum(ends(board, other) == ends(board, move) for other in legal)
        squares = ends(board, move) if alike == 1 else path(self.variant, state, move)
        return self.text_of(squares, is_capture(board, move))

    def text_of(self, squares: Path, captures: bool) -> str:
        """Return squares as a move."""
        names = squares_of(self.variant).names
        return ("x" if captures else "-").join(names[square] for square in squares)

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        """Return the legal move that `text` denotes.

        Raises GameforgeError, which lists the legal moves, if there is no such move, or if several of such moves lead
        to different positions.
        """
        meant = self.readings(state, text, legal)
        if len(meant) > 1:
            choices = self._listed(state, meant, legal)
            raise GameforgeError(f"{text!r} may mean {choices} in {self._where(state)}; write one of them")
        return meant[0]

    def readings(self, state: State, text: str, legal: Sequence[int]) -> list[int]:
        """Return the legal moves that `text` may denote, one for each position they lead to; errors as `parse_move`."""
        if not legal:
            raise GameforgeError(
                f"{text!r} cannot be played in {self._where(state)}: the side to move has no legal move"
            )
        names = squares_of_move(text)
        if not names:
            example = " or ".join((self._listed(state, legal[:1], legal), "its squares joined by - or x"))
            raise GameforgeError(
                f"{text!r} is not a move such as {example}; legal: {self._listed(state, legal, legal)}"
            )
        board, known = squares_of(self.variant).board, squares_of(self.variant).by_name
        given = tuple(known.get(name, -1) for name in names)
        found: dict[int, list[int]] = {}
        for move in legal:
            if self._fits(state, move, given):
                found.setdefault(result_of(board, move), []).append(move)
        if not found:
            raise GameforgeError(
                f"{text!r} is not legal in {self._where(state)}; legal here: {self._listed(state, legal, legal)}"
            )
        return [self._whole(state, moves, given) for moves in found.values()]

    def _whole(self, state: State, moves: Sequence[int], given: Path) -> int:
        """Return the move whose whole path is given, else the first."""
        if len(moves) == 1:
            return moves[0]
        return next((move for move in moves if path(self.variant, state, move) == given), moves[0])

    def _where(self, state: State) -> str:
        return FamilyPositions(self.variant).position_text(state)

    def _fits(self, state: State, move: int, given: Path) -> bool:
        board = squares_of(self.variant).board
        if ends(board, move) != (given[0], given[-1]):
            return False
        return len(given) == 2 or (is_capture(board, move) and leads_along(self.variant, state, move, given[1:-1]))

    def _listed(self, state: State, moves: Sequence[int], legal: Sequence[int]) -> str:
        return ", ".join(self.move_text(state, move, legal) for move in moves)


_LETTERS = {"W": WHITE, "B": BLACK}
_COUNTER = re.compile(r"E([0-9]{1,3})|M([a-h][1-8]|[0-9]{1,2})/([1-3])", re.IGNORECASE)
_PLIES, _KING, _MOST_PLIES = int(PLIES_SHIFT), int(KING_SHIFT), int(PLIES_MASK)


@attrs.frozen
class FamilyPositions:
    """The capability `positions` of the rules."""

    variant: Variant

    def position_text(self, state: State) -> str:
        """Return a position as text that `parse_position` reads."""
        squares = squares_of(self.variant)
        lists: tuple[list[str], list[str]] = ([], [])
        for square, (colour, is_king) in pieces(squares.board, state).items():
            lists[colour].append("K" * is_king + squares.names[square])
        text = f"{COLOURS[to_move(state)][0]}:W{','.join(lists[WHITE])}:B{','.join(lists[BLACK])}"
        return text + "".join(f":{counter}" for counter in self._counters(state[-1]))

    def _counters(self, rest: int) -> list[str]:
        squares = squares_of(self.variant)
        plies = rest >> _PLIES & _MOST_PLIES
        found = [f"E{plies}"] if plies else []
        for colour in (WHITE, BLACK):
            counter = rest >> _KING + 8 * colour & 255
            if counter & 3:
                found.append(f"M{squares.names[squares.board.square_of_bit[counter >> 2]]}/{counter & 3}")
        return found

    def parse_position(self, text: str) -> State:
        """Parse a FEN; GameforgeError if the text is not one, or not a possible position."""
        return _Parser(self.variant, text).state()


class _Parser:
    def __init__(self, variant: Variant, text: str) -> None:
        self.variant = variant
        self.squares = squares_of(variant)
        self.board = self.squares.board
        self.placed: Pieces = {}
        names = self.squares.names
        self.fen = read_fen(text, f"W:W{names[-1]}:B{names[0]},K{names[-3]}", _COUNTER)
        self.refuse = self.fen.refuse

    def state(self) -> State:
        for letter, entries in self.fen.pieces.items():
            for entry in entries:
                self._place(entry, _LETTERS[letter])
        mover = _LETTERS[self.fen.turn]
        self._check(mover)
        return state_of(self.board, self.placed, mover, self._counted(self.fen.counters))

    def _square(self, name: str) -> int:
        square = self.squares.by_name.get(name.lower())
        if square is None:
            self.refuse(f"there is no square {name}; squares: {self.squares.range_text}")
        return square

    def _place(self, entry: Entry, colour: int) -> None:
        first, last = sorted((self._square(entry.first), self._square(entry.last)))
        for square in range(first, last + 1):
            name = self.squares.names[square]
            if square in self.placed:
                self.refuse(f"square {name} holds two pieces")
            if not entry.is_king:
                self._check_man(square, name, colour)
            self.placed[square] = colour, entry.is_king

    def _check_man(self, square: int, name: str, colour: int) -> None:
        row = self.board.places[square][0]
        man = f"a {COLOURS[colour].lower()} man cannot be on square {name}"
        if row == self.board.last_row(colour):
            self.refuse(f"{man}, where it would be a king")
        start = self.board.rows_of_men[0]
        if (row if colour == BLACK else self.board.size - 1 - row) < start:
            self.refuse(f"{man}, behind the row where men begin")

    def _check(self, mover: int) -> None:
        for colour, name in enumerate(COLOURS):
            count = sum(owner == colour for owner, _ in self.placed.values())
            if count > self.board.men:
                self.refuse(f"{name} has {count} pieces; a side has at most {self.board.men}")
        if not self.placed:
            self.refuse("there are no pieces on the board")
        if self.variant.goal == "king" and (mover, True) in self.placed.values():
            self.refuse(f"{COLOURS[mover]} is to move and has a king, so the game would be over")

    def _counted(self, counters: list[str]) -> int:
        word = 0
        for text in counters:
            match = _COUNTER.fullmatch(text)
            assert match is not None
            if match[1]:
                endings = ENDINGS.get(self.variant.endings, NO_ENDINGS)
                most = 2 * max((ending.moves for ending in endings), default=0)
                if not 1 <= int(match[1]) <= most:
                    self.refuse(f"{text} counts plies of an ending; these rules allow 1 to {most}")
                word |= int(match[1]) << _PLIES
                continue
            square, times = self._square(match[2]), int(match[3])
            colour, is_king = self.placed.get(square, (WHITE, False))
            if not is_king or times > self.variant.king_moves:
                self.refuse(f"{text} counts moves of a king; it needs a king there, and rules that count its moves")
            word |= (self.board.bits[square] << 2 | times) << _KING + 8 * colour
        return word


_EMPTY = "e"
_HUB_NAMES = {
    "international": "normal",
    "breakthrough-draughts": "bt",
    "antidraughts": "losing",
}


@attrs.frozen
class FamilyDialect:
    """A board of letters, in reading order, after the letter of the side to move."""

    kind: Variant
    variant: str
    letters: str
    """Letters of White's and Black's men; kings and the side to move are capitals."""
    implied: str = ""

    def position_text(self, state: State) -> str:
        board = squares_of(self.kind).board
        found = [_EMPTY] * len(board.places)
        for square, (colour, is_king) in pieces(board, state).items():
            found[square] = self.letters[colour].upper() if is_king else self.letters[colour]
        return self.letters[to_move(state)].upper() + "".join(found)

    def parse_position(self, text: str) -> State:
        board = squares_of(self.kind).board
        turn, found = text[:1].lower(), text[1:]
        allowed = {_EMPTY, *self.letters}
        if turn not in tuple(self.letters) or len(found) != len(board.places) or set(found.lower()) - allowed:
            white, black = self.letters[WHITE], self.letters[BLACK]
            raise GameforgeError(
                f"position {text!r}: expected {white.upper()} or {black.upper()} for the side to move, then "
                f"{len(board.places)} of the letters {white}, {black}, {white.upper()}, {black.upper()}, {_EMPTY}"
            )
        placed = {
            square: (WHITE if letter.lower() == self.letters[WHITE] else BLACK, letter.isupper())
            for square, letter in enumerate(found)
            if letter.lower() != _EMPTY
        }
        positions = FamilyPositions(self.kind)
        return positions.parse_position(
            positions.position_text(state_of(board, placed, self.letters.index(turn)))
        )  # refuses what cannot be

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        first, last, taken = self._squares(state, move)
        return ("x" if taken else "-").join(map(str, (first, last, *taken)))

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        if re.fullmatch(r"\d{1,2}([-x:]\d{1,2})+", text.strip()):
            first, last, *taken = map(int, re.findall(r"\d+", text))
            for move in legal:
                if self._squares(state, move) == (first, last, tuple(sorted(taken))):
                    return move
        listed = ", ".join(self.move_text(state, move, legal) for move in legal) or "none"
        where = FamilyPositions(self.kind).position_text(state)
        raise GameforgeError(f"{text!r} is not legal in {where}; legal here: {listed}")

    def _squares(self, state: State, move: int) -> tuple[int, int, tuple[int, ...]]:
        """Return the first and the last square of a move, and those of the captured pieces in ascending order."""
        board = squares_of(self.kind).board
        first, last = ends(board, move)
        return first + 1, last + 1, tuple(square + 1 for square in taken_squares(board, state, move))


@attrs.frozen
class FamilyDialects:
    """The capability `dialects` of the rules."""

    name: str
    kind: Variant

    def dialect(self, protocol: str) -> Dialect | None:
        """Return the dialect for a protocol; None if the game has none there."""
        if protocol == "hub":
            return FamilyDialect(self.kind, _HUB_NAMES.get(self.name, self.name), "wb")
        return FamilyDialect(self.kind, "", "wz") if protocol == "dxp" else None
