"""What the command line lends the server: players by their text, limits, oracles, and scores as text."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import attrs

from gameforge.interfaces.oracle import Announce
from gameforge.play.analysis import GameAnalysis, Judged
from gameforge.play.game import Position
from gameforge.play.oracle_handle import OracleHandle
from gameforge.play.player import Player
from gameforge.plugins.registry import Registry


class Backend(Protocol):
    """Players as the command line makes them. Its methods are called from several threads."""

    @property
    def registry(self) -> Registry:
        """The installed plugins."""
        ...

    def player(self, text: str, game: str, announce: Announce) -> Player:
        """Make the player that the text describes; "" is the default player. GameforgeError if there is none."""
        ...

    def limited(self, player: Player, **limits: float) -> Player:
        """Return the player with these limits; GameforgeError if its searcher does not have them."""
        ...

    def limits(self, player: Player) -> Sequence[str]:
        """Return the names of the limits that the player's searcher has."""
        ...

    def oracles(self, player: Player, text: str, announce: Announce) -> list[OracleHandle]:
        """Return the oracles for exact values of positions, beside the player of this text."""
        ...

    def score_text(self, score: float, player: Player, position: Position) -> str:
        """Write the score of a position as the command line does, in the unit of the player."""
        ...

    def mark(self, judged: Judged, player: Player) -> str:
        """Return the mark of a move of an analysed game, such as `?`, or ""."""
        ...

    def remark(self, analysis: GameAnalysis, i: int, player: Player) -> str:
        """Comment on move i of an analysed game."""
        ...

    def answer_to_draw(
        self, player: Player, position: Position, side: int, oracles: Sequence[OracleHandle]
    ) -> tuple[bool, str]:
        """Return whether the player of this side accepts a draw, and why."""
        ...


@attrs.frozen(kw_only=True)
class Options:
    """The options of the command."""

    game: str | None = None
    """Name of the game that the page opens first; None: the first one installed."""
    player: str = ""
    """The opponent that the page offers first; "": the default player of the game."""
    runs: Path | None = None
    """The folder whose runs and matches the page shows."""
    host: str = "127.0.0.1"
    """Address to bind to."""
    port: int = 8642
    """Port; 0: any free one."""
    opens: str = ""
    """The view that the page opens first, such as `watch/match/.`; "": playing."""
    allowed_hosts: tuple[str, ...] = ()
    """Names of this computer, besides the loopback ones, under which browsers may call it."""
