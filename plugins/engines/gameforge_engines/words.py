"""How a protocol writes a game: its dialect if the game has one, else the game's own notation."""

from collections.abc import Sequence

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.dialects import Dialect
from gameforge.interfaces.rules import State
from gameforge.play.game import Game, Position


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


def dialect_of(game: Game, protocol: str, *, required: bool = False) -> Dialect:
    """Return the game's dialect for a protocol, or its own notation.

    Raises GameforgeError if `required` and the game has no dialect for this protocol.
    """
    found = None if game.dialects is None else game.dialects.dialect(protocol)
    if found is not None:
        return found
    if required:
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
