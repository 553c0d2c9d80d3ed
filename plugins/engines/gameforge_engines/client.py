"""What a player needs of an engine, whatever its protocol is."""

from collections.abc import Callable, Mapping
from typing import Protocol

import attrs

from gameforge.play.game import Game, Position
from gameforge_engines.process import EngineProcess

MOST_DEPTH, MOST_NODES, MOST_SCORE = 1e6, 1e18, 1e9
"""Largest figures that an engine can report about a search."""


@attrs.frozen(kw_only=True)
class Answer:
    """The engine's answer."""

    move: int
    score: float = 0.0
    """From -1 to 1 for the side to move; 0 if the engine states none."""
    nodes: int = 0
    depth: int = 0


@attrs.frozen(kw_only=True)
class Limits:
    """How long an engine may think about a move; None: not limited by this."""

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None


class Client(Protocol):
    """The other end of a protocol: it tells an engine what to do and reads its answers.

    All methods raise EngineFailed if the engine does not do what the protocol demands.
    """

    def __init__(self, process: EngineProcess, game: Game) -> None: ...

    def shake_hands(self, options: Mapping[str, str], seconds: float) -> None:
        """Make the engine ready for games, with these options, within this time."""
        ...

    def choose(self, position: Position, limits: Limits, seconds: float, check: Callable[[], None]) -> Answer:
        """Return the engine's move in a position; it must answer within `seconds`. check: as for `receive`."""
        ...

    farewell: str
    """The line that ends the engine."""


def figure(text: str | None, otherwise: float, most: float) -> float:
    """Read a figure that an engine reports; one that is not a number from -most to most is ignored."""
    try:
        number = otherwise if text is None else float(text)
    except ValueError:
        return otherwise
    return number if -most <= number <= most else otherwise


def squashed(pieces: float) -> float:
    """Map a score in pieces to (-1, 1); engines count pieces differently, so this is for display only."""
    return pieces / (1 + abs(pieces))
