"""Matches of a training: pairs of games with the same random opening, played by workers, and their searcher."""

from collections.abc import Callable, Generator, Mapping
from typing import Any, NamedTuple

import attrs
import numpy as np

from gameforge import (
    Contender,
    DistinctGames,
    Pentanomial,
    contests,
    elo_figures,
    game_key,
    independent,
    limit_names,
    limited,
    random_opening,
    repeats_text,
)
from gameforge.interfaces import GameRecord, Site, Spec, Work, spec_from_settings
from gameforge.kernel import derived

_OPENINGS, _GAMES = range(2)
"""Purposes of random numbers."""
_PAIRS_A_JOB = 5


class Pair(NamedTuple):
    """A pair of games."""

    points: int
    """Points of the first player, 0 to 4."""
    keys: tuple[int, int]
    """The games by their keys (`game_key`); the first player has the first side in the first one."""


@attrs.define
class Pairs:
    """The pairs of a match."""

    points: list[int] = attrs.field(factory=list)
    """Points of the first player in each pair, 0 to 4."""
    keys: list[int] = attrs.field(factory=list)
    """The games by their keys, two for each pair."""

    def __len__(self) -> int:
        return len(self.points)

    def add(self, pair: Pair) -> None:
        self.points.append(pair.points)
        self.keys += pair.keys

    @property
    def counts(self) -> Pentanomial:
        """The pairs counted by their points."""
        found = np.bincount(np.array(self.points, np.int64), minlength=5).tolist()
        return found[0], found[1], found[2], found[3], found[4]

    @property
    def distinct(self) -> DistinctGames:
        """The distinct games."""
        found = DistinctGames()
        for key in self.keys:
            found.add_key(key)
        return found

    def elo_figures(self, name: str) -> dict[str, float]:
        """Score and Elo difference as in `gameforge.play.arena.elo.elo_figures`; the deviation is that of the distinct
        games.
        """
        return elo_figures(name, independent(self.counts, self.distinct.pairs))

    def repeats_text(self, players: tuple[str, str]) -> str:
        """A sentence that warns of repeated games; empty if half of the games or more are distinct."""
        return repeats_text(players, self.distinct.games, len(self.keys))


def pairs_of_games(
    work: Work,
    players: tuple[Contender, Contender],
    names: tuple[str, str],
    pairs: int,
    plies: int,
    seed: np.random.SeedSequence,
    done: int,
    game_finished: Callable[[GameRecord], None],
) -> Generator[Pair, None, None]:
    """Play the pairs of games from number `done` on.

    A pair depends on the players, the seed and its number alone. Pairs are played in rounds that keep the workers busy,
    and the caller may end the match after any pair. game_finished is called for the games of the yielded pairs.
    """
    game = work.site.parts.game
    openings = [
        random_opening(game, plies, np.random.default_rng(derived(seed, _OPENINGS, pair))) for pair in range(pairs)
    ]
    while done < pairs:
        end = min(pairs, done + _PAIRS_A_JOB * work.workers)
        found = contests(
            work,
            players,
            [(0, 1), (1, 0)] * end,
            derived(seed, _GAMES),
            openings=[opening for opening in openings[:end] for _ in range(2)],
            done=2 * done,
            games_per_piece=2 * _PAIRS_A_JOB,
        )
        played = list(found)
        for pair in range(done, end):
            points, keys = 0, [0, 0]
            for swapped in (0, 1):
                one = attrs.evolve(
                    played[2 * (pair - done) + swapped],
                    phase="match",
                    number=2 * pair + swapped + 1,
                    players=names[::-1] if swapped else names,
                )
                points += one.outcome.points(swapped)
                keys[swapped] = game_key(one)
                game_finished(one)
            yield Pair(points, (keys[0], keys[1]))
        done = end


NODES = 2000
"""Nodes of a search in these matches, unless the pipeline or the training says otherwise."""


def match_searcher(site: Site, chosen: Spec | None) -> Spec | None:
    """Return the chosen searcher, or else the pipeline's with a limit of nodes; None: the pipeline's as it is.

    At equal depth the player with the larger trees would have an advantage. A limit of nodes replaces all others. The
    pipeline's searcher stays as it is if it limits its nodes already, or cannot limit them.
    """
    if chosen is not None:
        return chosen
    settings: Mapping[str, Any] = site.settings["searcher"]
    if "nodes" in settings or "nodes" not in limit_names(type(site.parts.searcher)):
        return None
    spec = spec_from_settings(settings, "searcher")
    return Spec(spec.use, limited(spec.params, {"nodes": NODES}))
