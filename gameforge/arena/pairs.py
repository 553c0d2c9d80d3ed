"""Matches of a training: pairs of games with the same random opening, played as pieces of work.

A learner may end such a match after any pair, and resume it from a checkpoint.
"""

from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING

import attrs

from gameforge.arena.contests import Contender, contests
from gameforge.arena.counts import DistinctGames, game_key, repeats_text
from gameforge.arena.elo import Pentanomial, elo_figures, independent
from gameforge.arena.match import game_of_pair
from gameforge.arena.openings import random_opening
from gameforge.config import Spec, spec_from_settings
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import Site, Work
from gameforge.kernel.parallel import derived
from gameforge.play.player import limit_names, limited

if TYPE_CHECKING:
    import numpy as np

_OPENINGS, _GAMES = range(2)
"""Purposes of random numbers."""
_PAIRS_A_JOB = 5


@attrs.frozen(kw_only=True)
class PairedMatch:
    """Who plays whom, and how."""

    players: tuple[Contender, Contender]
    """The two players; the first one's points are counted."""
    names: tuple[str, str]
    """Their names."""
    pairs: int
    """Largest number of pairs."""
    plies: int
    """Random moves at the beginning of each pair."""
    seed: "np.random.SeedSequence"
    """The source of the openings and of the players' random numbers."""


@attrs.define
class Pairs:
    """The pairs of a match."""

    points: list[int] = attrs.field(factory=list)
    """Points of the first player in each pair, 0 to 4."""
    keys: list[int] = attrs.field(factory=list)
    """The games by their keys (`game_key`), two for each pair; the first player has the first side in the first."""

    def __len__(self) -> int:
        return len(self.points)

    @property
    def counts(self) -> Pentanomial:
        """The pairs counted by their points."""
        of = self.points.count
        return of(0), of(1), of(2), of(3), of(4)

    @property
    def distinct(self) -> DistinctGames:
        """The distinct games."""
        return DistinctGames(self.keys)

    def elo_figures(self, name: str) -> dict[str, float]:
        """Score and Elo difference (`elo_figures`); the deviation is that of the distinct games."""
        return elo_figures(name, independent(self.counts, self.distinct.pairs))

    def repeats_text(self, players: tuple[str, str]) -> str:
        """A sentence that warns of repeated games; empty if half of the games or more are distinct."""
        return repeats_text(players, self.distinct.games, len(self.keys))

    def play(
        self, work: Work, match: PairedMatch, done: int, game_finished: Callable[[GameRecord], None]
    ) -> Generator[None, None, None]:
        """Play the pairs of a match from number `done` on, and add them one by one; yield after each.

        A pair depends on the players, the seed and its number alone. Pairs are played in rounds that keep the workers
        busy, and the caller may end the match after any pair. game_finished is called for the games of a pair before
        the yield.
        """
        import numpy as np

        game = work.site.parts.game
        openings = [
            random_opening(game, match.plies, np.random.default_rng(derived(match.seed, _OPENINGS, pair)))
            for pair in range(match.pairs)
        ]
        a_round = _PAIRS_A_JOB * work.workers
        if work.site.parts.count is not None:  # the learner may write a checkpoint after each pair
            a_round = 1
        while done < match.pairs:
            end = min(match.pairs, done + a_round)
            found = contests(
                work,
                match.players,
                [(0, 1), (1, 0)] * end,
                derived(match.seed, _GAMES),
                openings=[opening for opening in openings[:end] for _ in range(2)],
                done=2 * done,
                games_per_piece=2 * _PAIRS_A_JOB,
            )
            played = list(found)
            for pair in range(done, end):
                points, keys = 0, [0, 0]
                for swapped in (False, True):
                    one = game_of_pair(game, played[2 * (pair - done) + swapped], match.names, pair, swapped)
                    points += one.outcome.points(swapped)
                    keys[swapped] = game_key(one)
                    game_finished(one)
                self.points.append(points)
                self.keys += keys
                yield
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
    settings: Mapping[str, object] = site.settings["searcher"]
    if "nodes" in settings or "nodes" not in limit_names(type(site.parts.searcher)):
        return None
    spec = spec_from_settings(settings, "searcher")
    return Spec(spec.use, limited(spec.params, {"nodes": NODES}))
