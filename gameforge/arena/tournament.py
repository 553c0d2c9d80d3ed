"""Tournaments: scheduled matches between several players, and their ratings.

Ratings are Elo by maximum likelihood (a draw is half a win), with mean 0. One drawn game is added to each match, so
that players who won or lost every game have a finite rating. The error bars take the spread of the pairs of games into
account (sandwich estimator: H^-1 V H^-1, where H is the curvature of the likelihood and V the variance of its slope).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import attrs

from gameforge.arena.elo import CONFIDENCE, mean_and_variance
from gameforge.arena.match import check_match
from gameforge.arena.result import MatchResult
from gameforge.errors import GameforgeError
from gameforge.play.display import Tabular
from gameforge.play.player import Player
from gameforge.storage.folder import require_folder

_SLOPE = math.log(10) / 400
"""Steepness of the logistic curve, per Elo point."""
_STEPS, _PRECISION = 100, 1e-9


@attrs.frozen
class Rating:
    """Elo relative to the mean of all players, with half the width of its 95 % interval."""

    elo: float
    """Elo, 0 for the mean of all players."""
    error: float
    """Half the width of the 95 % interval."""


@attrs.frozen
class Meeting:
    """A match between two players, given by index."""

    first: int
    second: int
    pairs: Sequence[float]
    """Numbers of independent pairs in which the first player scored 0, 1/2, 1, 3/2 and 2 points."""


def ratings(players: int, meetings: Sequence[Meeting]) -> list[Rating]:
    """Rate players; the meetings must connect all of them."""
    import numpy as np

    elos = np.zeros(players)
    spread = np.zeros((players, players))
    for _ in range(_STEPS):
        slope, curvature, spread = np.zeros(players), np.zeros((players, players)), np.zeros((players, players))
        for meeting in meetings:
            i, j, pairs = meeting.first, meeting.second, sum(meeting.pairs)
            mean, variance = mean_and_variance(meeting.pairs)
            games = 2 * pairs + 1
            points = 2 * pairs * mean + 0.5
            expected = 1 / (1 + 10 ** ((elos[j] - elos[i]) / 400))
            single = expected * (1 - expected)
            slope[[i, j]] += _SLOPE * (points - games * expected) * np.array([1, -1])
            # `variance` is that of a pair's score per game. Without spread, the variance of the model is taken.
            noise = 4 * pairs * variance * pairs / max(1, pairs - 1) if variance > 0 else games * single
            for matrix, weight in ((curvature, games * single), (spread, noise)):
                matrix[np.ix_([i, j], [i, j])] += _SLOPE**2 * weight * np.array([[1, -1], [-1, 1]])
        step = np.linalg.pinv(curvature) @ slope
        elos += np.clip(step, -400, 400)
        if np.abs(step).max() < _PRECISION:
            break
    inverse = np.linalg.pinv(curvature)
    errors = CONFIDENCE * np.sqrt(np.diag(inverse @ spread @ inverse))
    return [Rating(float(elo), float(error)) for elo, error in zip(elos - elos.mean(), errors, strict=True)]


@attrs.frozen(repr=False)
class TournamentResult(Tabular):
    """Players sorted by rating, their ratings, and all matches."""

    players: tuple[str, ...]
    """Names, the strongest first."""
    ratings: tuple[Rating, ...]
    """The rating of each of them."""
    matches: tuple[MatchResult, ...]
    """In the order in which they were played."""

    def __repr__(self) -> str:
        return f"<TournamentResult {', '.join(self.players)}: {self.played} games>"

    def __str__(self) -> str:
        lines = [
            f"{rank}. {player}: Elo {rating.elo:+.0f} +- {rating.error:.0f}, {self.score(player):g} points of "
            f"{self.games(player)} games"
            for rank, (player, rating) in enumerate(zip(self.players, self.ratings, strict=True), 1)
        ]
        return "\n".join((*lines, f"{self.distinct} distinct of {self.played} games"))

    def rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each player, the strongest first: its rating, its points, and those against each other."""
        return [
            {
                "player": player,
                "elo": rating.elo,
                "error": rating.error,
                "games": self.games(player),
                "points": self.score(player),
                **{f"against {other}": self.points(player, other) for other in self.players},
            }
            for player, rating in zip(self.players, self.ratings, strict=True)
        ]

    @property
    def played(self) -> int:
        """Number of games of all matches."""
        return sum(len(match.games) for match in self.matches)

    @property
    def distinct(self) -> int:
        """Number of distinct games of all matches, counted within each match."""
        return sum(match.distinct for match in self.matches)

    def games(self, player: str) -> int:
        """Number of games of a player."""
        return sum(len(match.games) for match in self.matches if player in match.players)

    def score(self, player: str) -> float:
        """Points of a player in all games; a draw is half a point."""
        return sum(self.points(player, other) for other in self.players if self._results(player, other))

    def points(self, player: str, other: str) -> float:
        """Points of a player against another; nan if they did not meet."""
        found = self._results(player, other)
        return math.nan if found is None else found[0] + found[1] / 2

    def cell(self, player: str, other: str) -> str:
        """Format a cell of the crosstable, such as `+3 =4 -1`: wins, draws and losses of a player against another.

        Returns an empty text if they did not meet.
        """
        found = self._results(player, other)
        return "" if found is None else "+{} ={} -{}".format(*found)

    def _results(self, player: str, other: str) -> tuple[int, int, int] | None:
        """Wins, draws and losses of a player against another; None if they did not meet."""
        for match in self.matches:
            if set(match.players) == {player, other}:
                results = match.wins, match.draws, match.losses
                return results if match.players[0] == player else results[::-1]
        return None


class PlayMatch(Protocol):
    """A function that plays match `number` (from 1) between two players."""

    def __call__(self, first: Player, second: Player, number: int) -> MatchResult: ...


def schedule(players: int, gauntlet: bool = False) -> list[tuple[int, int]]:
    """Return the pairs of players that meet, by index: all pairs, or in a gauntlet those of the first player."""
    heroes = 1 if gauntlet else players
    return [(i, j) for i in range(heroes) for j in range(i + 1, players)]


def folder_of_match(out: Path | None, number: int) -> Path | None:
    """Return the folder of match `number`, from 1, of a tournament; None if the tournament is not kept in a folder.

    Raises GameforgeError if there cannot be a folder `out`.
    """
    if out is None:
        return None
    require_folder(out, new=True)
    return out / f"match-{number:03}"


def tournament(
    players: Sequence[Player],
    play_match: PlayMatch,
    *,
    gauntlet: bool = False,
    match_finished: Callable[[MatchResult], None] = lambda match: None,
) -> TournamentResult:
    """Play all matches of the schedule and rate the players.

    Raises GameforgeError if there are fewer than two players, if two have the same name, or if they play different
    games.
    """
    names = [player.name for player in players]
    if len(players) < 2:
        raise GameforgeError(f"tournament: number of players = {len(players)}: must be 2 or more")
    for name in names:
        if names.count(name) > 1:
            raise GameforgeError(f"tournament: {names.count(name)} players have the name {name!r}; names must differ")
    for other in players[1:]:
        check_match(players[0], other, 2)
    matches: list[MatchResult] = []
    for number, (i, j) in enumerate(schedule(len(players), gauntlet), 1):
        matches.append(play_match(players[i], players[j], number))
        match_finished(matches[-1])
    return standings(names, matches)


def standings(players: Sequence[str], matches: Sequence[MatchResult]) -> TournamentResult:
    """Rate players from the matches between them, which connect all of them."""
    meetings = [
        Meeting(players.index(match.players[0]), players.index(match.players[1]), match.independent_pairs)
        for match in matches
    ]
    rated = ratings(len(players), meetings)
    order = sorted(range(len(players)), key=lambda i: -rated[i].elo)
    return TournamentResult(tuple(players[i] for i in order), tuple(rated[i] for i in order), tuple(matches))
