"""Moves, transcripts and positions as text, also in the words of the protocols GTP and NBoard.

A move is the square on which a disc is placed, `f5`, or `pass`.

A transcript is the squares of a game one after the other, `f5d6c3`, usually without passes. The reader accepts small
and capital letters, spaces and commas between moves, move numbers (`1. f5`) and passes (`pass`, `pa`, `ps`, `--`). If a
side can only pass and a square follows, a pass is inserted.

A position is 64 squares from a1 to h8, row by row, then the side to move. Positions are written in the form of endgame
problems (OBF), with `-` for an empty square, `X` for Black, `O` for White:

    ---------------------------OX------XO--------------------------- X

The reader also accepts diagrams over several lines, with or without the names of columns and rows; `.`, `_` and `·` for
empty squares; `*`, `B` and `●` for Black; `0`, `W` and `○` for White. The side to move follows the squares, as one of
these symbols, `Black` or `White`; without it Black is to move. Text after a semicolon is ignored. A transcript is read
as the position that it leads to.

GTP is spoken as by GRhino, without passes.
"""

import functools
import re
from collections.abc import Iterable, Sequence
from typing import NoReturn

import attrs

from gameforge import Game, GameforgeError
from gameforge.interfaces import Dialect, Rules, State
from gameforge_othello.movegen import BLACK, CENTRE, NAMES, PASS, SQUARES, START, WHITE, discs, state_of, to_move

PASS_TEXT = "pass"
PASSES = (PASS_TEXT, "pa", "ps", "--")
"""Ways to write a pass in transcripts, in small or capital letters."""


def square_text(move: int) -> str:
    """Return the name of the square of a move, or `pass`."""
    return PASS_TEXT if move == PASS else NAMES[move]


def move_text(state: State, move: int, legal: Sequence[int]) -> str:
    return square_text(move)


def parse_move(state: State, text: str, legal: Sequence[int]) -> int:
    """Return the legal move that `text` denotes; GameforgeError, which lists the legal moves, if there is none."""
    word = text.strip().lower()
    move = PASS if word in PASSES else NAMES.index(word) if word in NAMES else None
    if move is not None and move in legal:
        return move
    where = f"in {position_text(state)}"
    if not legal:
        raise GameforgeError(f"{text!r} cannot be played {where}: the game is over, since neither side can move")
    listed = ", ".join(map(square_text, legal))
    if move is None:
        raise GameforgeError(f"{text!r} is not a move such as f5 or {PASS_TEXT}; legal {where}: {listed}")
    raise GameforgeError(f"{text!r} is not legal {where}; legal: {listed}")


MOVE = rf"[a-h][1-8]|{'|'.join(PASSES)}"
_WORD = re.compile(rf"({MOVE})|[0-9]+\.+|[\s,]+|(.)", re.IGNORECASE)


class Record:
    """A game that is being replayed; `where` begins its error messages."""

    def __init__(self, game: Game, start: State = START, where: str = "transcript") -> None:
        self._game = game
        self.start = self.state = start
        self.moves: list[int] = []
        self.written: list[int] = []
        """Indices of the moves that were added, so without passes that were inserted."""
        self._where = where
        self._legal = self._game.legal(start)

    @property
    def is_over(self) -> bool:
        return not self._legal

    def add(self, text: str) -> None:
        """Play a move, after a pass that the transcript omits; GameforgeError if the move is not legal."""
        try:
            if not self._legal:
                raise GameforgeError(f"{text!r} comes after the end of the game; neither side can move")
            if self._legal == [PASS] and text.lower() not in PASSES:
                after = self._game.play(self.state, PASS)
                if NAMES.index(text.lower()) in self._game.legal(after):
                    self._play(PASS)
            self._play(self._game.parse_move(self.state, text, self._legal))
            self.written.append(len(self.moves) - 1)
        except GameforgeError as error:
            where = f"{self._where}, " if self._where else ""
            raise GameforgeError(f"{where}move {len(self.moves) + 1}: {error}") from None

    def _play(self, move: int) -> None:
        self.moves.append(move)
        self.state = self._game.play(self.state, move)
        self._legal = self._game.legal(self.state)


def played(game: Game, text: str, start: State = START) -> Record:
    """Replay a transcript; GameforgeError at the first text that is not a legal move."""
    record = Record(game, start)
    for match in _WORD.finditer(text):
        if match[2]:
            raise GameforgeError(
                f"transcript, move {len(record.moves) + 1}: {match[2]!r} is not a move such as f5 or {PASS_TEXT}"
            )
        if match[1]:
            record.add(match[1])
    return record


def transcript(moves: Iterable[int]) -> str:
    """Return moves as text that `played` reads: without passes, except at the end."""
    words = [square_text(move) for move in moves]
    return "".join(word for i, word in enumerate(words) if word != PASS_TEXT or i == len(words) - 1)


SYMBOLS = "XO"
_BLACK, _WHITE, _EMPTY = "xb*●", "ow0○", "-._·"
_EDGES = re.compile(r"a\s*b\s*c\s*d\s*e\s*f\s*g\s*h|[1-8]")
_TURN = re.compile(r"\b(black|white)\b[^\n]*\s*$")
_TRANSCRIPT = re.compile(r"\s*(1\s*\.\s*)?[a-h][0-9]", re.IGNORECASE)


def position_text(state: State) -> str:
    """Return the position in one line, which `parse_diagram` reads."""
    black, white = discs(state)
    squares = "".join("X" if black >> i & 1 else "O" if white >> i & 1 else "-" for i in range(SQUARES))
    return f"{squares} {SYMBOLS[to_move(state)]}"


@attrs.frozen
class OthelloPositions:
    """The capability `positions` of the rules."""

    rules: Rules

    position_text = staticmethod(position_text)

    @functools.cached_property
    def _game(self) -> Game:
        return Game(self.rules)

    def parse_position(self, text: str) -> State:
        """Parse a diagram or a transcript; GameforgeError if the text is neither, or not a possible position."""
        return played(self._game, text).state if _TRANSCRIPT.match(text) else parse_diagram(text)


def parse_diagram(text: str) -> State:
    """Parse a diagram; GameforgeError if the text is not one, or not a possible position."""

    def refuse(reason: str) -> NoReturn:
        raise GameforgeError(f"diagram {' '.join(text.split())!r}: {reason}")

    board = text.partition(";")[0].lower()
    side = BLACK
    turn = _TURN.search(board)
    if turn is not None:
        side = WHITE if turn[1] == "white" else BLACK
        board = board[: turn.start()]
    groups = _EDGES.sub(" ", board).split()
    spaced = all(len(group) == 1 for group in groups)  # then the side to move is a 65th symbol
    if turn is None and groups and groups[-1] in [*_BLACK, *_WHITE] and (len(groups) == SQUARES + 1 or not spaced):
        side = WHITE if groups.pop() in _WHITE else BLACK
    squares = "".join(groups)
    for symbol in squares:
        if symbol not in _BLACK + _WHITE + _EMPTY:
            refuse(f"{symbol!r} is not a square; X is Black, O is White, - is empty")
    if len(squares) != SQUARES:
        refuse(f"it has {len(squares)} squares; a board has {SQUARES}")
    black, white = (sum(1 << i for i, symbol in enumerate(squares) if symbol in kind) for kind in (_BLACK, _WHITE))
    for i, name in enumerate(NAMES):
        if (CENTRE & ~(black | white)) >> i & 1:
            refuse(f"{name} is empty, but the four squares in the centre have discs from the start")
    return state_of(black, white, side)


@attrs.frozen
class OthelloDialect:
    """Squares in capitals, and a word for the pass."""

    variant: str
    pass_word: str
    implied: str = ""

    def position_text(self, state: State) -> str:
        return position_text(state).replace("X", "*")

    def parse_position(self, text: str) -> State:
        return parse_diagram(text)

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        return self.pass_word if move == PASS else square_text(move).upper()

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        return parse_move(state, text, legal)


_DIALECTS = {"gtp": OthelloDialect("Othello", "PASS", implied="PASS"), "nboard": OthelloDialect("", "PA")}


def dialect(protocol: str) -> Dialect | None:
    """Return the dialect for a protocol; None if Othello has none there."""
    return _DIALECTS.get(protocol)
