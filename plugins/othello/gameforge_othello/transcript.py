"""Transcripts: the squares of a game one after the other, `f5d6c3`, usually without passes.

The reader accepts small and capital letters, spaces and commas between moves, move numbers (`1. f5`) and passes
(`pass`, `pa`, `ps`, `--`). If a side can only pass and a square follows, a pass is inserted.
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
    """A game that is being replayed; `where` begins its error messages."""

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
        """Play a move, after a pass that the transcript omits; GameforgeError if the move is not legal."""
        try:
            if not self._legal:
                raise GameforgeError(f"{text!r} comes after the end of the game; neither side can move")
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
