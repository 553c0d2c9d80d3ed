"""How a protocol writes a game: its dialect if the game has one, else the game's own notation."""

from collections.abc import Sequence

import attrs

from gameforge import Game, GameforgeError, Position
from gameforge.interfaces import Dialect, State


@attrs.frozen
class OwnNotation:
    """The notation of the game itself, as a dialect."""

    game: Game
    variant: str
    implied: str = "pass"

    def position_text(self, state: State) -> str:
        return self.game.position_text(state)

    def parse_position(self, text: str) -> State:
        return self.game.parse_position(text)

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        return self.game.move_text(state, move, legal)

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        return self.game.parse_move(state, text, legal)


_OF_ALL_GAMES = ("gtp", "ugi")
"""Protocols in which a game without a dialect of its own can be written."""


def dialect_of(game: Game, protocol: str) -> Dialect:
    """Return the game's dialect for a protocol, or its own notation; GameforgeError if it can have neither."""
    found = None if game.dialects is None else game.dialects.dialect(protocol)
    if found is not None:
        return found
    if protocol not in _OF_ALL_GAMES:
        raise GameforgeError(
            f"protocol {protocol} cannot express {game.rules.name}: the game offers no dialect for it; "
            "gtp and ugi serve every game"
        )
    return OwnNotation(game, game.rules.name)


def played(dialect: Dialect, position: Position, text: str) -> Position:
    """Play a move given in a dialect."""
    return position.after(dialect.parse_move(position.state, text, position.codes))


def move_words(dialect: Dialect, position: Position, codes: Sequence[int]) -> list[str]:
    """Write the moves that are played one after the other from a position."""
    words = []
    for code in codes:
        words.append(dialect.move_text(position.state, code, position.codes))
        position = position.after(code)
    return words


class GameLine:
    """The last game that was read or written: protocols send the whole game with each search, and it has grown."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._start: Position | None = None

    def _begin(self, start: Position) -> None:
        self._start = self._position = start
        self._moves: list[int] = []
        self._words: list[str] = []

    def read(self, start: Position, words: Sequence[str]) -> Position:
        """Return the position after these moves; GameforgeError for one that is not legal."""
        if start != self._start or self._words != words[: len(self._words)]:
            self._begin(start)
        for word in words[len(self._words) :]:
            code = self._dialect.parse_move(self._position.state, word, self._position.codes)
            self._add(code, word)
        return self._position

    def write(self, start: Position, moves: Sequence[int]) -> list[str]:
        """Return the words of these moves."""
        if start != self._start or self._moves != moves[: len(self._moves)]:
            self._begin(start)
        for code in moves[len(self._moves) :]:
            self._add(code, self._dialect.move_text(self._position.state, code, self._position.codes))
        return list(self._words)

    def _add(self, code: int, word: str) -> None:
        self._position = self._position.after(code)
        self._moves.append(code)
        self._words.append(word)
