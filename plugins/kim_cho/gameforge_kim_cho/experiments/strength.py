"""How strong an evolved player is: matches against fixed opponents, and controls on the same ladder."""

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from gameforge.api import player
from gameforge.experiments import Trial, TrialRun
from gameforge.pipeline import Pipeline
from gameforge.players import Player
from gameforge_kim_cho.experiments.tally import Tally

OPENINGS = "3move"
"""The ballots of three moves: each opening is played twice, with colours swapped."""
TD = "TD-trained"
FIRST, SHUFFLED, MATERIAL = "first generation", "shuffled weights", "material, same search"
LADDER = {f"material, alphabeta {depth}": f"alphabeta:depth={depth},memory=1" for depth in (2, 4, 6)}
"""Rungs of the ladder: they do not depend on any seed."""
_SHUFFLED = 0x5BF0


def even(instance: Any, attribute: "attrs.Attribute[int]", value: int) -> None:
    """Validator of numbers of games."""
    if value < 2 or value % 2:
        raise ValueError(f"'{attribute.name}' must be even and 2 or more, openings are played in pairs: {value!r}")


def material(pipeline: Pipeline, searcher: Any, name: str, registry: Any) -> Player:
    """Counts pieces: a man 1, a king 1.5."""
    game = pipeline.table["game"]
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


def strength(
    trial: Trial, champion: Player, first: Player, pipeline: Pipeline, name: str, games: int
) -> dict[str, dict[str, Any]]:
    """The champion against the best of its first generation, a material player with the same search and the ladder."""
    equal = material(pipeline, pipeline.table["searcher"], MATERIAL, trial.registry)
    others = {FIRST: first, SHUFFLED: shuffled(champion, trial.seed), MATERIAL: equal, **ladder(trial, pipeline)}
    return played(trial, champion, name, others, games)


def controls(
    trial: Trial, champion: Player, first: Player, pipeline: Pipeline, name: str, games: int
) -> dict[str, dict[str, dict[str, Any]]]:
    """What the best of the first generation and the shuffled weights do on the ladder."""
    rungs = ladder(trial, pipeline)
    return {
        control: played(trial, one, f"{name}, {control}", rungs, games)
        for control, one in ((FIRST, first), (SHUFFLED, shuffled(champion, trial.seed)))
    }
