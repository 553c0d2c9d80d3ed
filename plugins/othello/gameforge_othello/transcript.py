"""Transcripts: the squares of a game one after the other, `f5d6c3`, mostly without passes.

Read are small and capital letters, spaces and commas between moves, numbers of moves (`1. f5`), and passes where
somebody wrote them (`pass`, `pa`, `ps`, `--`). Where a side can only pass and a square follows, it has passed.
"""

import re
from collections.abc import Iterable

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge.play.game import Game
from gameforge_othello.board import NAMES, PASS, PASS_TEXT, PASSES, START, square_text

MOVE = rf"[a-h][1-8]|{'|'.join(PASSES)}"
_WORD = re.compile(rf"({MOVE})|[0-9]+\.+|[\s,]+|(.)", re.IGNORECASE)


class Record:
    """A game as it is replayed; `where` begins the messages of errors."""

    def __init__(self, game: Game, start: State = START, where: str = "transcript") -> None:
        self._game = game
        self.state = start
        self.moves: list[int] = []
        self._where = where
        self._legal = self._game.legal(start)

    @property
    def is_over(self) -> bool:
        return not self._legal

    def add(self, text: str) -> None:
        """Play a move, and before a square the pass that nobody wrote; raises GameforgeError if it is not legal."""
        try:
            if not self._legal:
                raise GameforgeError(f"{text!r} comes after the end, neither side can move")
            if self._legal == [PASS] and text.lower() not in PASSES:
                after = self._game.play(self.state, PASS)
                if NAMES.index(text.lower()) in self._game.legal(after):
                    self._play(PASS)
            self._play(self._game.parse_move(self.state, text, self._legal))
        except GameforgeError as error:
            raise GameforgeError(f"{self._where}, move {len(self.moves) + 1}: {error}") from None

    def _play(self, move: int) -> None:
        self.moves.append(move)
        self.state = self._game.play(self.state, move)
        self._legal = self._game.legal(self.state)


def played(game: Game, text: str, start: State = START) -> Record:
    """The game of a transcript; raises GameforgeError at the first move that is none or not legal."""
    record = Record(game, start)
    for match in _WORD.finditer(text):
        if match[2]:
            raise GameforgeError(
                f"transcript, move {len(record.moves) + 1}: {match[2]!r} begins no move such as f5 or {PASS_TEXT}"
            )
        if match[1]:
            record.add(match[1])
    return record


def transcript(moves: Iterable[int]) -> str:
    """The moves as text, without passes but for one at the end; `played` reads it."""
    words = [square_text(move) for move in moves]
    return "".join(word for i, word in enumerate(words) if word != PASS_TEXT or i == len(words) - 1)
