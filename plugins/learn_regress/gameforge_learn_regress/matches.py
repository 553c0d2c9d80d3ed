"""Matches of a training: pairs of games with the same random opening, played by workers, in their order."""

from collections.abc import Callable, Generator

import attrs
import numpy as np

from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import Work
from gameforge.kernel.seeds import derived
from gameforge.play.arena.contests import Contender, contests
from gameforge.play.arena.openings import random_opening

_OPENINGS, _GAMES = range(2)
"""Purposes of random numbers."""
_PAIRS_A_JOB = 5


def points_of_pairs(
    work: Work,
    players: tuple[Contender, Contender],
    names: tuple[str, str],
    pairs: int,
    plies: int,
    seed: np.random.SeedSequence,
    done: int,
    game_finished: Callable[[GameRecord], None],
) -> Generator[int, None, None]:
    """Points of the first player, 0 to 4, in each pair of games from number `done` on.

    A pair depends on the players, the seed and its number alone. Pairs are played in rounds that keep the workers busy,
    and the caller may end the match after any pair. game_finished is called for the games whose points are returned.
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
            points = 0
            for swapped in (0, 1):
                one = attrs.evolve(
                    played[2 * (pair - done) + swapped],
                    phase="match",
                    number=2 * pair + swapped + 1,
                    players=names[::-1] if swapped else names,
                )
                points += one.outcome.points(swapped)
                game_finished(one)
            yield points
        done = end
