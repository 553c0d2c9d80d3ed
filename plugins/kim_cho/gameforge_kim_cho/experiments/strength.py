"""Strength of an evolved player: matches against fixed opponents, and controls on the same ladder."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gameforge.api import player
from gameforge.config.validation import even, whole
from gameforge.experiments.tally import Tally
from gameforge.experiments.trial import Trial, TrialRun
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player

OPENINGS = "3move"
"""The three-move ballots; each opening is played twice, with colours swapped."""
TD = "TD-trained"
FIRST, FIRST_BEST = "first generation", "best of the first generation"
SHUFFLED, MATERIAL = "shuffled weights", "material, same search"
LADDER = {f"material, alphabeta {depth}": f"alphabeta:depth={depth},memory=1,selective=false" for depth in (2, 4, 6)}
"""Rungs of the ladder, which do not depend on the seed."""
PAIRED: Any = [whole("2 or more", 2), even]
"""Validators of numbers of games that come in pairs."""
_SHUFFLED = 0x5BF0


def material(pipeline: Pipeline, searcher: Any, name: str, registry: Any) -> Player:
    """A player that counts pieces: a man 1, a king 1.5."""
    game = pipeline.settings["game"]
    return player(game, searcher=searcher, evaluator="material", oracle="none", name=name, registry=registry)


def ladder(trial: Trial, pipeline: Pipeline) -> dict[str, Player]:
    """The players of the ladder: the fixed opponents and the TD-trained player of the trial."""
    found = {name: material(pipeline, searcher, name, trial.registry) for name, searcher in LADDER.items()}
    return found | {TD: trial.player(TD)}


def trained_by_td(trial: Trial, game: Any, searcher: Any, games: int) -> TrialRun:
    """A run named TD: NeuroDraughts' net and learner with this search and number of games."""
    sessions = 10
    changes = {
        "game": game,
        "searcher": searcher,
        "learner": {"sessions": sessions, "games": max(2, games // sessions), "result": "clone"},
    }
    return trial.run(trial.pipeline("neurodraughts", changes), TD)


def shuffled(champion: Player, seed: int) -> Player:
    """The player with its weights in random order, except stepped weights and padding."""
    weights, vector = champion.weights, champion.parts.vector
    assert weights is not None
    assert vector is not None
    stay = [one.place for one in vector.stepped] + list(vector.unused)
    free = np.setdiff1d(np.arange(len(weights)), stay)
    rng = np.random.default_rng([_SHUFFLED, seed])
    changed = weights.copy()
    changed[free] = weights[rng.permutation(free)]
    return Player(champion.parts, changed, SHUFFLED)


def played(
    trial: Trial, one: Player, name: str, others: Mapping[str, Player], games: int, openings: str | int = OPENINGS
) -> dict[str, dict[str, Any]]:
    """Play a match against each of the others; returns tallies by name. name: prefix of the match folders."""
    return {
        other: Tally.of(trial.match(one, opponent, games, f"{name} - {other}", openings=openings)).numbers
        for other, opponent in others.items()
    }


def played_all(trial: Trial, one: Player, name: str, others: Sequence[Player], games: int) -> dict[str, Any]:
    """Play the same number of games against each of the others, `games` in all or more, as each match has at least
    two."""
    each = 2 * math.ceil(games / (2 * len(others)))
    tallies = []
    for number, other in enumerate(others):
        openings = trial.seed * len(others) + number  # otherwise all matches would begin with the same few openings
        found = trial.match(one, other, each, f"{name}/{other.name}", openings=OPENINGS, seed=openings)
        tallies.append(Tally.of(found))
    return Tally.total(tallies).numbers


def strength(
    trial: Trial, champion: Player, first: TrialRun, pipeline: Pipeline, name: str, games: int
) -> dict[str, dict[str, Any]]:
    """Matches of the champion: its first generation, the best of it, the champion with shuffled weights, a material
    player with the same search, and the ladder.

    first: the run of the same evolution, ended after one generation.
    """
    equal = material(pipeline, pipeline.settings["searcher"], MATERIAL, trial.registry)
    others = {
        FIRST_BEST: first.player,
        SHUFFLED: shuffled(champion, trial.seed),
        MATERIAL: equal,
        **ladder(trial, pipeline),
    }
    everybody = played_all(trial, champion, f"{name} - {FIRST}", first.generations, games)
    return {FIRST: everybody, **played(trial, champion, name, others, games)}


def controls(
    trial: Trial, champion: Player, first: TrialRun, pipeline: Pipeline, name: str, games: int
) -> dict[str, dict[str, dict[str, Any]]]:
    """Matches of the best of the first generation and of the shuffled champion against the ladder."""
    rungs = ladder(trial, pipeline)
    return {
        control: played(trial, one, f"{name}, {control}", rungs, games)
        for control, one in ((FIRST_BEST, first.player), (SHUFFLED, shuffled(champion, trial.seed)))
    }
