"""The games of a session: how many differ, and what warns of a training that repeats itself or has collapsed."""

from collections.abc import Iterator

import attrs

from gameforge.interfaces.games import GameRecord

_LEAST = 20
"""Smallest number of games that a warning is based on."""
_REPEATED = 0.5
"""Share of different games below which a session repeats itself."""
_COLLAPSED = 0.1
"""Score, in [0, 1], below which a session has collapsed."""
_PHASES = ("training", "tournament")
"""Phases whose games a learner learns from."""


@attrs.define
class SessionGames:
    """Counts over the games that a learner has reported in its current session."""

    points: int = 0
    """Points of the learner: 2 for a win, 1 for a draw."""
    own: int = 0
    """Games with a side of the learner."""
    wins: int = 0
    often: dict[str, int] = attrs.field(factory=dict)
    """How often each game occurred, by a hash of its opening and moves."""

    @property
    def games(self) -> int:
        return sum(self.often.values())

    def add(self, game: GameRecord) -> None:
        if game.phase not in _PHASES:
            return
        key = format(hash((game.start, game.moves)) % (1 << 64), "x")
        self.often[key] = self.often.get(key, 0) + 1
        if game.phase == "training" and game.learner is not None:
            points = game.outcome.points(game.learner)
            self.own, self.points, self.wins = self.own + 1, self.points + points, self.wins + (points == 2)

    def figures(self) -> dict[str, int]:
        """`distinct_games`, the number of different games; empty without games."""
        return {"distinct_games": len(self.often)} if self.often else {}


@attrs.define
class Warnings:
    """Warnings of a run, each of which is given once."""

    given: set[str] = attrs.field(factory=set)

    def about(self, session: int, seen: SessionGames) -> Iterator[str]:
        """Yield what is to be said after a session."""
        games, distinct = seen.games, len(seen.often)
        if games >= _LEAST and distinct < _REPEATED * games and self._first("repeats"):
            yield (
                f"warning: session {session}: only {distinct:,} of {games:,} games are different, and one was played "
                f"{max(seen.often.values())} times; random openings or exploration would vary them"
            )
        if seen.own >= _LEAST and seen.points < 2 * _COLLAPSED * seen.own and self._first("collapsed"):
            yield (
                f"warning: session {session}: the player in training won {seen.wins:,} of {seen.own:,} games; the "
                "training may have collapsed, and a lower learning rate or another seed may help"
            )

    def _first(self, what: str) -> bool:
        is_first = what not in self.given
        self.given.add(what)
        return is_first
