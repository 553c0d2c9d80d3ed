"""Evolved players: matches that measure their strength, the evolutions that make them, and tables and plots of both.

The experiments of this plugin share this module.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gameforge import Pipeline, Player, player
from gameforge.experiments import (
    FEWEST_SEEDS,
    Tally,
    Trial,
    TrialRun,
    Verdict,
    interval,
    interval_over_seeds,
    mean_interval,
    table,
    text_over_seeds,
    verdict,
)
from gameforge.interfaces import even, whole

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


LEAST = 2
"""Minimum number of generations at any scale."""
CURVES = ("fitness", "mean_fitness", "diversity")


def generations(whole: int, scale: float) -> int:
    """Number of generations at this scale."""
    return max(LEAST, round(whole * scale))


def evolution(trial: Trial, preset: str, *changes: Mapping[str, Any]) -> Pipeline:
    """The pipeline of a preset, with its generations at the trial's scale and these changes."""
    whole = trial.pipeline(preset).settings["learner"]["generations"]
    return trial.pipeline(preset, {"learner": {"generations": generations(whole, trial.scale)}}, *changes)


def first_generation(trial: Trial, name: str, preset: str, *changes: Mapping[str, Any]) -> TrialRun:
    """The same evolution ended after the first generation: the same seed begins with the same individuals."""
    begun = {"learner": {"generations": 1}}
    if "species" in trial.pipeline(preset).settings["learner"]:
        begun["learner"]["species"] = 0
    return trial.run(trial.pipeline(preset, *changes, begun), f"{name}, first generation")


def curves(run: TrialRun) -> dict[str, list[float]]:
    """Curves by generation: tournament points of the best and of all survivors, and the diversity."""
    return {key: [float(session[key]) for session in run.sessions] for key in CURVES}


Trials = Sequence[Mapping[str, Any]]


def by_seed(trials: Trials, *keys: str) -> dict[str, list[Tally]]:
    """Tallies by opponent, seed by seed; the keys lead to a trial's matches."""
    each = [functools.reduce(lambda found, key: found[key], keys, trial) for trial in trials]
    return {name: [Tally.read(matches[name]) for matches in each] for name in each[0]}


def pooled(trials: Trials, *keys: str) -> dict[str, Tally]:
    """The same tallies, summed over all seeds."""
    return {name: Tally.total(tallies) for name, tallies in by_seed(trials, *keys).items()}


def matches_table(trials: Trials, *keys: str) -> str:
    """A table of scores against each opponent, with the interval over seeds, and the range of single seeds.

    The last column says whether the player is better; it is empty with too few seeds for a verdict.
    """
    words = {None: "", Verdict.HOLDS: "better", Verdict.NOT_SHOWN: "not sure", Verdict.FAILS: "worse"}
    rows = []
    for name, seeds in by_seed(trials, *keys).items():
        total, scores = Tally.total(seeds), [one.score for one in seeds]
        found = words[verdict([score - 0.5 for score in scores])]
        span = interval(min(scores), max(scores), 2)
        rows.append((name, total.result, total.distinct, text_over_seeds(seeds), span, found))
    return table(("against", "won/lost/drawn", "distinct games", "score (95 %)", "seeds from, to", ""), rows)


def curve(axes: Any, runs: Sequence[Sequence[float]], label: str) -> None:
    """Draw the mean of the seeds by generation, in the band of its 95 % interval over the seeds.

    With too few seeds for a verdict, the band is from their minimum to their maximum.
    """
    values = np.array([run[: min(map(len, runs))] for run in runs])
    enough = len(runs) >= FEWEST_SEEDS
    ends = [mean_interval(column) if enough else (column.min(), column.max()) for column in values.T]
    x = np.arange(1, values.shape[1] + 1)
    (line,) = axes.plot(x, values.mean(axis=0), label=label)
    axes.fill_between(x, *zip(*ends, strict=True), alpha=0.2, color=line.get_color())
    if len(runs) > 1:
        bands = "95 % intervals" if enough else "minimum to maximum"
        axes.set_title(f"means; bands: {bands} over seeds", fontsize=8)


def bars(axes: Any, rungs: Sequence[str], groups: Mapping[str, Mapping[str, Sequence[Tally]]]) -> None:
    """Draw scores against each rung with 95 % intervals, one colour per player; the legend names their units.

    groups: tallies of each seed, by rung and player. Rungs that a player has not met are skipped.
    """
    width = 0.8 / len(groups)
    for i, (name, tallies) in enumerate(groups.items()):
        played = [(place, tallies[rung]) for place, rung in enumerate(rungs) if rung in tallies]
        scores = np.array([Tally.total(seeds).score for _, seeds in played])
        ends = np.array([interval_over_seeds(seeds) for _, seeds in played]).T
        places = np.array([place for place, _ in played]) + (i - (len(groups) - 1) / 2) * width
        seeds = max((len(each) for _, each in played), default=0)
        units = "seeds" if seeds >= FEWEST_SEEDS else "openings"
        axes.bar(places, scores, width, yerr=np.abs(ends - scores), capsize=2, label=f"{name} (over {units})")
    axes.axhline(0.5, color="gray", linewidth=0.8)
    axes.set_xticks(range(len(rungs)), [rung.replace(", ", ",\n") for rung in rungs], fontsize=7)
    axes.set_title("error bars: 95 %", fontsize=8)
    axes.set(ylim=(0, 1), ylabel="points a game")
    axes.legend(fontsize=7)
