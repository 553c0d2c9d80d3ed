"""Job of the learner `roulette`: the games of one individual against the opponent."""

import numpy as np

from gameforge.config import Spec, spec_from_settings
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import Site
from gameforge.kernel.seeds import stream
from gameforge.play.arena.series import GameSeries
from gameforge.play.parts import Parts
from gameforge.play.player import Player
from gameforge_learn_evolve.genome import Floats


def opponent_of(site: Site, evaluator: Spec) -> Player:
    """The pipeline's searcher with this evaluator and without oracles; GameforgeError if the evaluator has weights."""
    searcher = site.create("searcher", spec_from_settings(site.settings["searcher"], "searcher"))
    parts = Parts(site.parts.game, searcher, site.create("evaluator", evaluator))
    if parts.vector is not None:
        raise GameforgeError(
            f"learner roulette: the opponent {evaluator.use} has weights; choose one without weights, such as material"
        )
    return Player(parts, name="opponent")


def results(
    site: Site, evaluator: Spec, weights: Floats, games: int, random_moves: float, seed: np.random.SeedSequence
) -> tuple[int, int]:
    """(wins, draws) of an individual, which moves first in every other game."""
    series = GameSeries(Player(site.parts, weights), opponent_of(site, evaluator), random_moves)
    winners = series.play([i % 2 == 1 for i in range(games)], stream(seed), check=site.check).winners
    return int((winners == 0).sum()), int((winners == -1).sum())
