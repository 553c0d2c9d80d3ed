"""Positions as text: the FEN of PDN, `W:W31,32,K40:B1,2,K5`, with squares in the notation of the game.

Counters follow the pieces if they are not 0: `:E7` for 7 plies of an ending, `:M30/2` for a king on 30 that has moved
twice in a row (White's or Black's by the piece on that square). The reader also accepts the other order of the colours,
ranges (`B1-12`), spaces, small letters, a final dot, and squares in the other notation.
"""

import re
from typing import NoReturn

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge_draughts_family.board import BLACK, COLOURS, WHITE, Pieces, pieces, state_of, to_move
from gameforge_draughts_family.counters import KING_SHIFT, PLIES_MASK, PLIES_SHIFT
from gameforge_draughts_family.endings import ENDINGS, NO_ENDINGS
from gameforge_draughts_family.squares import Squares, squares_of
from gameforge_draughts_family.variant import Variant

_LETTERS = {"W": WHITE, "B": BLACK}
_TAG = re.compile(r'\[\s*FEN\s*"(.*)"\s*\]', re.IGNORECASE | re.DOTALL)
_ENTRY = re.compile(r"(K?)\s*([a-h][1-8]|[0-9]{1,4})(?:\s*-\s*([a-h][1-8]|[0-9]{1,4}))?", re.IGNORECASE)
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
        return text + "".join(f":{counter}" for counter in self._counters(squares, state[3]))

    def _counters(self, squares: Squares, rest: int) -> list[str]:
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
        self.variant, self.text = variant, text.strip()
        self.squares = squares_of(variant)
        self.board = self.squares.board
        self.placed: Pieces = {}

    def refuse(self, reason: str) -> NoReturn:
        raise GameforgeError(f"FEN {self.text!r}: {reason}")

    def state(self) -> State:
        example = f"a FEN looks like W:W{self.squares.names[-1]}:B{self.squares.names[0]},K{self.squares.names[-3]}"
        tag = _TAG.fullmatch(self.text)
        bare = (tag[1] if tag else self.text).strip().strip('"').strip().removesuffix(".")
        if not bare:
            self.refuse(f"it is empty; {example}")
        turn, *parts = (part.strip() for part in bare.split(":"))
        if turn.upper() not in _LETTERS:
            self.refuse(f"it must begin with the side to move, W: or B:, not with {turn!r} ({example})")
        listed = set()
        counters = [part for part in parts if _COUNTER.fullmatch(part)]
        for part in (part for part in parts if part not in counters):
            if part[:1].upper() not in _LETTERS:
                self.refuse(f"a list of pieces must begin with its colour, W or B, not with {part[:1]!r} ({example})")
            colour = _LETTERS[part[0].upper()]
            if colour in listed:
                self.refuse(f"{COLOURS[colour]}'s pieces are listed twice")
            listed.add(colour)
            for entry in part[1:].split(",") if part[1:].strip() else []:
                self._place(entry.strip(), colour)
        for colour, name in enumerate(COLOURS):
            if colour not in listed:
                self.refuse(f"{name}'s pieces are not listed ({example})")
        mover = _LETTERS[turn.upper()]
        self._check(mover)
        return state_of(self.board, self.placed, mover, self._counted(counters))

    def _square(self, name: str) -> int:
        square = self.squares.by_name.get(name.lower())
        if square is None:
            self.refuse(f"there is no square {name}; squares: {self.squares.range_text}")
        return square

    def _place(self, entry: str, colour: int) -> None:
        match = _ENTRY.fullmatch(entry)
        if match is None:
            names = self.squares.names
            self.refuse(f"{entry!r} in {COLOURS[colour]}'s list is not a square such as {names[-1]} or K{names[-1]}")
        first, last = self._square(match[2]), self._square(match[3] or match[2])
        if last < first:
            first, last = last, first
        for square in range(first, last + 1):
            name = self.squares.names[square]
            if square in self.placed:
                self.refuse(f"square {name} holds two pieces")
            if not match[1]:
                self._check_man(square, name, colour)
            self.placed[square] = colour, bool(match[1])

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
