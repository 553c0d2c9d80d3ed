"""How strong an evolved player is: matches against fixed opponents, and controls on the same ladder."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from gameforge.api import player
from gameforge.experiments.tally import Tally
from gameforge.experiments.trial import Trial, TrialRun
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player

OPENINGS = "3move"
"""The ballots of three moves: each opening is played twice, with colours swapped."""
TD = "TD-trained"
FIRST, FIRST_BEST = "first generation", "best of the first generation"
SHUFFLED, MATERIAL = "shuffled weights", "material, same search"
LADDER = {f"material, alphabeta {depth}": f"alphabeta:depth={depth},memory=1,selective=false" for depth in (2, 4, 6)}
"""Rungs of the ladder: they do not depend on any seed."""
_SHUFFLED = 0x5BF0


def even(instance: Any, attribute: "attrs.Attribute[int]", value: int) -> None:
    """Validator of numbers of games."""
    if value < 2 or value % 2:
        raise ValueError(f"'{attribute.name}' must be even and 2 or more, openings are played in pairs: {value!r}")


def material(pipeline: Pipeline, searcher: Any, name: str, registry: Any) -> Player:
    """Counts pieces: a man 1, a king 1.5."""
    game = pipeline.settings["game"]
    return player(game, searcher=searcher, evaluator="material", oracle="none", name=name, registry=registry)


def ladder(trial: Trial, pipeline: Pipeline) -> dict[str, Player]:
    """The fixed opponents, and the player that was trained by temporal differences with the same search."""
    found = {name: material(pipeline, searcher, name, trial.registry) for name, searcher in LADDER.items()}
    return found | {TD: trial.player(TD)}


def trained_by_td(trial: Trial, game: Any, searcher: Any, games: int) -> TrialRun:
    """NeuroDraughts' net and learner, with this search and so many games, as a run called TD."""
    sessions = 10
    changes = {
        "game": game,
        "searcher": searcher,
        "learner": {"sessions": sessions, "games": max(2, games // sessions), "result": "clone"},
    }
    return trial.run(trial.pipeline("neurodraughts", changes), TD)


def shuffled(champion: Player, seed: int) -> Player:
    """The same player with the same weights in a random order, but for those that move by steps and the padding."""
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
    """Matches against each of the others: a tally by their names. name: what their folders begin with."""
    return {
        other: Tally.of(trial.match(one, opponent, games, f"{name} - {other}", openings=openings)).numbers
        for other, opponent in others.items()
    }


def played_all(trial: Trial, one: Player, name: str, others: Sequence[Player], games: int) -> dict[str, Any]:
    """A tally of as many games against each of the others: `games` together, or more, since each plays two or more."""
    each = 2 * math.ceil(games / (2 * len(others)))
    tallies = []
    for number, other in enumerate(others):
        openings = trial.seed * len(others) + number  # else all would begin with the same few
        found = trial.match(one, other, each, f"{name}/{other.name}", openings=OPENINGS, seed=openings)
        tallies.append(Tally.of(found))
    return Tally.total(tallies).numbers


def strength(
    trial: Trial, champion: Player, first: TrialRun, pipeline: Pipeline, name: str, games: int
) -> dict[str, dict[str, Any]]:
    """The champion against its first generation, that one's best, a material player with the same search, the ladder.

    first: the evolution ended after one generation.
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
    """What the best of the first generation and the shuffled weights do on the ladder."""
    rungs = ladder(trial, pipeline)
    return {
        control: played(trial, one, f"{name}, {control}", rungs, games)
        for control, one in ((FIRST_BEST, first.player), (SHUFFLED, shuffled(champion, trial.seed)))
    }
