"""Evolved players: matches that measure their strength, the evolutions that make them, and tables and plots of both.

The experiments of this plugin share this module.
"""

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gameforge import Pipeline, Player, player
from gameforge.experiments import Matches, Numbers, Report, Sample, Tally, Trial, Verdict
from gameforge.interfaces import kinds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OPENINGS = "3move"
"""The three-move ballots; each opening is played twice, with colours swapped."""
TD = "TD-trained"
FIRST, FIRST_BEST = "first generation", "best of the first generation"
SHUFFLED, MATERIAL = "shuffled weights", "material, same search"
LADDER = {f"material, alphabeta {depth}": f"alphabeta:depth={depth},memory=1,selective=false" for depth in (2, 4, 6)}
"""Rungs of the ladder, which do not depend on the seed."""
PAIRED: Any = [kinds.count(2), kinds.even]
"""Validators of numbers of games that come in pairs."""
TD_SESSIONS = 10
_SHUFFLED = 0x5BF0


def material(trial: Trial, pipeline: Pipeline, searcher: object, name: str) -> Player:
    """A player that counts pieces: a man 1, a king 1.5."""
    chosen: Any = {"game": pipeline.settings["game"], "searcher": searcher}
    return player(**chosen, evaluator="material", oracle="none", name=name, registry=trial.registry)


def rungs(trial: Trial, pipeline: Pipeline) -> dict[str, Player]:
    """The rungs of the ladder that do not depend on the seed."""
    return {name: material(trial, pipeline, searcher, name) for name, searcher in LADDER.items()}


def ladder(trial: Trial, pipeline: Pipeline) -> dict[str, Player]:
    """The players of the ladder: the fixed opponents and the TD-trained player of the trial."""
    return rungs(trial, pipeline) | {TD: trial.player(TD)}


def trained_by_td(trial: Trial, preset: str, games: int) -> Numbers:
    """A run named TD: NeuroDraughts' net and learner with the game and search of a preset; returns its figures."""
    settings = trial.pipeline(preset).settings
    learner = {"sessions": TD_SESSIONS, "games": max(2, games // TD_SESSIONS), "result": "clone"}
    changes = {"game": settings["game"], "searcher": settings["searcher"], "learner": learner}
    run = trial.run(trial.pipeline("neurodraughts", changes), TD)
    return {"games": games, "clones": run.summary.get("clones")}


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
) -> dict[str, Numbers]:
    """Play a match against each of the others; returns tallies by name. name: prefix of the match folders."""
    return {
        other: Tally.of(trial.match(one, opponent, games, f"{name} - {other}", openings=openings)).numbers
        for other, opponent in others.items()
    }


def played_all(trial: Trial, one: Player, name: str, others: Sequence[Player], games: int) -> Numbers:
    """Play the same number of games against each of the others, `games` in all or more, as each match has at least
    two."""
    each = 2 * math.ceil(games / (2 * len(others)))
    tallies = []
    for number, other in enumerate(others):
        openings = trial.seed * len(others) + number  # otherwise all matches would begin with the same few openings
        found = trial.match(one, other, each, f"{name}/{other.name}", openings=OPENINGS, seed=openings)
        tallies.append(Tally.of(found))
    return Tally.total(tallies).numbers


def measured(
    trial: Trial, pipeline: Pipeline, preset: str, changes: Mapping[str, object], games: int
) -> dict[str, Numbers]:
    """The curves of a trial's evolution, and matches of its champion and of two controls.

    The champion plays its first generation, the best of it, itself with shuffled weights, a material player with the
    same search, and the ladder. The best of the first generation and the shuffled champion climb the ladder as well.
    """
    name = trial.condition
    run = trial.run(pipeline, name)
    champion, (first, everybody) = run.player, first_generation(trial, name, preset, changes)
    without = shuffled(champion, trial.seed)
    steps = ladder(trial, pipeline)
    equal = material(trial, pipeline, pipeline.settings["searcher"], MATERIAL)
    others = {FIRST_BEST: first, SHUFFLED: without, MATERIAL: equal, **steps}
    matches = {
        FIRST: played_all(trial, champion, f"{name} - {FIRST}", everybody, games),
        **played(trial, champion, name, others, games),
    }
    return {
        "curves": {key: [float(session[key]) for session in run.sessions] for key in CURVES},
        "matches": matches,
        "controls": {
            control: played(trial, one, f"{name}, {control}", steps, games)
            for control, one in ((FIRST_BEST, first), (SHUFFLED, without))
        },
    }


LEAST = 2
"""Minimum number of generations at any scale."""
CURVES = ("fitness", "mean_fitness", "diversity")


def generations(whole: int, scale: float) -> int:
    return max(LEAST, round(whole * scale))


def seconds(whole: float, generations_at_scale_1: int, scale: float, matches: float) -> float:
    """Duration of an evolution at this scale, of which `whole` is that at scale 1; matches: that of its matches."""
    return whole * generations(generations_at_scale_1, scale) / generations_at_scale_1 + matches


def evolution(trial: Trial, preset: str, *changes: Mapping[str, object]) -> Pipeline:
    """The pipeline of a preset, with its generations at the trial's scale and these changes."""
    whole = trial.pipeline(preset).settings["learner"]["generations"]
    return trial.pipeline(preset, {"learner": {"generations": generations(whole, trial.scale)}}, *changes)


def first_generation(
    trial: Trial, name: str, preset: str, *changes: Mapping[str, object]
) -> tuple[Player, Sequence[Player]]:
    """The best of the first generation, and all of it: the same seed begins with the same individuals."""
    begun = {"learner": {"generations": 1}}
    if "species" in trial.pipeline(preset).settings["learner"]:
        begun["learner"]["species"] = 0
    run = trial.run(trial.pipeline(preset, *changes, begun), f"{name}, first generation")
    return run.player, run.generations


Trials = Sequence[Numbers]
"""Figures of one condition, seed by seed."""


def by_seed(trials: Trials, *keys: str) -> dict[str, Matches]:
    """Matches by opponent; the keys lead to a trial's matches."""
    each = [functools.reduce(lambda found, key: found[key], keys, trial) for trial in trials]
    return {name: Matches.read(matches[name] for matches in each) for name in each[0]}


def pooled(trials: Trials, *keys: str) -> dict[str, Numbers]:
    """The same matches, summed over all seeds, for programs."""
    return {name: found.total.numbers for name, found in by_seed(trials, *keys).items()}


def match_rows(trials: Trials, *keys: str) -> list[Mapping[str, object]]:
    """Scores against each opponent, with the interval over seeds, and the range of single seeds, as rows.

    The last column says whether the player is better; it is empty with too few seeds for a verdict.
    """
    words = {Verdict.DESCRIPTIVE: "", Verdict.HOLDS: "better", Verdict.NOT_SHOWN: "not sure", Verdict.FAILS: "worse"}
    return [
        {
            "against": name,
            "won/lost/drawn": found.total.result,
            "distinct games": found.total.distinct,
            "score (95 %)": found,
            "seeds from, to": found.scores.range_text,
            "": words[found.scores.above(0.5)],
        }
        for name, found in by_seed(trials, *keys).items()
    ]


def control_parts(trials: Trials) -> Iterator[str | list[Mapping[str, object]]]:
    """The matches of the two controls, as parts of a report."""
    for name in (FIRST_BEST, SHUFFLED):
        yield from (f"{name}:\n", match_rows(trials, "controls", name))


def evolutions(number: int) -> str:
    return f"{number} evolution{'s' if number > 1 else ''}"


def curve(axes: "Axes", runs: Sequence[Sequence[float]], label: str) -> None:
    """Draw the mean of the seeds by generation, in the band of its 95 % interval over the seeds.

    With too few seeds for a verdict, the band is from their minimum to their maximum.
    """
    values = np.array([run[: min(map(len, runs))] for run in runs])
    enough = len(runs) >= Report.FEWEST_SEEDS
    ends = [Sample(column).interval if enough else (column.min(), column.max()) for column in values.T]
    x = np.arange(1, values.shape[1] + 1)
    (line,) = axes.plot(x, values.mean(axis=0), label=label)
    low, high = zip(*ends, strict=True)
    axes.fill_between(x, low, high, alpha=0.2, color=line.get_color())
    if len(runs) > 1:
        bands = "95 % intervals" if enough else "minimum to maximum"
        axes.set_title(f"means; bands: {bands} over seeds", fontsize=8)


def bars(axes: "Axes", rungs: Sequence[str], groups: Mapping[str, Mapping[str, Matches]]) -> None:
    """Draw scores against each rung with 95 % intervals, one colour per player; the legend names their units.

    groups: matches by player and rung. Rungs that a player has not met are skipped.
    """
    width = 0.8 / len(groups)
    for i, (name, matches) in enumerate(groups.items()):
        played = [(place, matches[rung]) for place, rung in enumerate(rungs) if rung in matches]
        scores = np.array([found.total.score for _, found in played])
        ends = np.array([found.interval for _, found in played]).T
        places = np.array([place for place, _ in played]) + (i - (len(groups) - 1) / 2) * width
        seeds = max((len(found.seeds) for _, found in played), default=0)
        units = "seeds" if seeds >= Report.FEWEST_SEEDS else "openings"
        axes.bar(places, scores, width, yerr=np.abs(ends - scores), capsize=2, label=f"{name} (over {units})")
    axes.axhline(0.5, color="gray", linewidth=0.8)
    axes.set_xticks(range(len(rungs)), [rung.replace(", ", ",\n") for rung in rungs], fontsize=7)
    axes.set_title("error bars: 95 %", fontsize=8)
    axes.set(ylim=(0, 1), ylabel="points a game")
    axes.legend(fontsize=7)
