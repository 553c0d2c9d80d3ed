"""The experiment `loop-rate`: loop draws in 2,000 training games ([Neto2009], section 7 and figure 5).

Each condition changes the preset `neurodraughts-2009` in one way. The paper gives the features, random weights, "depth
4" and 10 sessions of 200 games. It does not say what a loop is, how values become bits, which gamma and momentum were
used, or which mistakes of the surviving programs the program had.
"""

import hashlib
import json
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs

from gameforge import GameforgeError, Pipeline
from gameforge.experiments import (
    FEWEST_SEEDS,
    Report,
    Result,
    Trial,
    interval,
    interval_of_mean,
    mean_interval,
    number,
    prediction_interval,
    probability,
    sign_flip_test,
    table,
)
from gameforge.interfaces import GameRecord

NEURODRAUGHTS = 1045
"""Loop draws in 2,000 games that the paper reports for NeuroDraughts."""


@attrs.frozen(kw_only=True)
class Condition:
    """A pipeline whose loops are counted."""

    name: str
    says: str
    """What the condition changes, and its source."""
    changes: Mapping[str, Any] = attrs.field(factory=dict)
    source: str = "neurodraughts-2009"
    """The preset, file or folder that the condition changes."""
    published: int | None = NEURODRAUGHTS
    """Published number of loops in 2,000 games, for comparison."""
    counted: Literal["loops", "draws"] = "loops"
    seconds: float = 17.0
    """Approximate seconds of one core for 2,000 games."""


_LEGACY_CODER = {"features": {"coder": "legacy"}}
_LEGACY_TRACE = {"legacy_trace": True}

VARIANTS = (
    Condition(name="base", says="loops by repetition or shuffle, clean bits, true gradient, momentum 0.9, 5 plies"),
    Condition(
        name="repetition",
        says="a loop is only a position that occurs for the third time",
        changes={"game": {"shuffle": 0}},
    ),
    Condition(
        name="shuffle 3",
        says="a loop is each side taking back its own move 3 times in a row (a descendant's training)",
        changes={"game": {"repetition": 0}},
    ),
    Condition(
        name="shuffle 5",
        says="the same, 5 times (a descendant's matches)",
        changes={"game": {"repetition": 0, "shuffle": 5}},
    ),
    Condition(
        name="51 moves",
        says="no loops; games undecided after 51 moves are drawn (the thesis), and all draws are counted",
        changes={"game": {"repetition": 0, "shuffle": 0, "no_progress": 0, "max_plies": 102}},
        counted="draws",
    ),
    Condition(
        name="legacy coder",
        says="values become bits as in the descendant",
        changes={"evaluator": _LEGACY_CODER},
    ),
    Condition(
        name="legacy trace",
        says="the hidden layer's trace with W1 for W2, as in the descendants",
        changes={"evaluator": _LEGACY_TRACE},
    ),
    Condition(
        name="legacy both",
        says="legacy coder and legacy trace",
        changes={"evaluator": {**_LEGACY_CODER, **_LEGACY_TRACE}},
    ),
    Condition(name="momentum 0", says="no momentum", changes={"learner": {"momentum": 0.0}}),
    Condition(
        name="equation 2",
        says="no momentum, gamma 1: the paper's equation to the letter",
        changes={"learner": {"momentum": 0.0, "gamma": 1.0}},
    ),
    Condition(
        name="4 plies",
        says='"depth 4" read as 4 plies: the board after the opponent\'s move is evaluated',
        changes={"searcher": {"depth": 4}},
        seconds=6.0,
    ),
    Condition(
        name="own net",
        says="12 hidden units and direct links, as in the thesis",
        changes={"evaluator": {"hidden": 12, "direct": True}},
    ),
    Condition(
        name="clone at 4",
        says="both test games must be won, as in the thesis' board file",
        changes={"learner": {"clone_points": 4}},
    ),
)
"""The first is the preset itself."""


@attrs.frozen(kw_only=True)
class LoopRate:
    """Number of training games that end as loop draws, over several seeds, compared with the published number.

    * `pipelines`: presets, TOML files or run folders to train instead of NeuroDraughts and its variants.
    * `published`: the published number for each of these, in 2,000 games; optional.
    """

    pipelines: tuple[str, ...] = attrs.field(default=())
    published: tuple[int, ...] = attrs.field(default=())

    title = "Loop draws in 2,000 training games"
    source = "Neto, Julia and Caixeta 2009, section 7: NeuroDraughts 1,045, LS-Draughts 759, with databases 172"
    seeds = 10
    least_scale = 0.01
    """Two training games a session; a comparison with the published count needs all 200."""

    @pipelines.validator
    def _different(self, attribute: "attrs.Attribute[tuple[str, ...]]", value: tuple[str, ...]) -> None:
        twice = [name for i, name in enumerate(value) if name in value[:i]]
        if twice:
            raise GameforgeError(f"pipelines has {twice[0]!r} twice")

    @published.validator
    def _one_each(self, attribute: "attrs.Attribute[tuple[int, ...]]", value: tuple[int, ...]) -> None:
        if value and len(value) != len(self.pipelines):
            raise GameforgeError(f"published has {len(value)} numbers for {len(self.pipelines)} pipelines")

    @property
    def chosen(self) -> tuple[Condition, ...]:
        """The conditions to train."""
        if not self.pipelines:
            return VARIANTS
        figures = self.published or (None,) * len(self.pipelines)
        return tuple(
            Condition(name=source, says="", source=source, published=figure)
            for source, figure in zip(self.pipelines, figures, strict=True)
        )

    @property
    def conditions(self) -> Mapping[str, float]:
        return {condition.name: condition.seconds for condition in self.chosen}

    def run(self, trial: Trial) -> Mapping[str, Any]:
        """Results of the training games, the reasons of draws, and how many games are distinct."""
        condition = next(one for one in self.chosen if one.name == trial.condition)
        pipeline = trial.pipeline(condition.source, condition.changes)
        of_a_session = getattr(pipeline.learner, "games", None)
        if isinstance(of_a_session, int):
            shorter = {"learner": {"games": trial.scaled(of_a_session)}}
            pipeline = trial.pipeline(condition.source, condition.changes, shorter)
        games = _Games()
        training = trial.train(pipeline, games.add)
        if not games.number:
            raise GameforgeError(f"loop-rate: the learner of {condition.source} plays no training games")
        return {
            "pipeline": _digest(pipeline),
            "games": games.number,
            "draws": sum(games.draws.values()),
            "loops": sum(games.loops.values()),
            "draws_by_reason": dict(sorted(games.draws.items())),
            "loops_by_session": list(games.loops.values()),
            "mean_plies": games.plies / games.number,
            "distinct": len(games.seen),
            "clones": sum(bool(session.get("cloned")) for session in training.sessions),
        }

    def report(self, results: Sequence[Result], scale: float) -> Report:
        return loop_report(results, self.chosen)


def _digest(pipeline: Pipeline) -> str:
    """Digest of a pipeline without its seed."""
    text = json.dumps({**pipeline.settings, "seed": None}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class _Games:
    """Counts of the training games of one trial."""

    def __init__(self) -> None:
        self.number, self.plies = 0, 0
        self.loops: dict[int, int] = {}
        """By session."""
        self.draws: Counter[str] = Counter()
        """By reason."""
        self.seen: set[int] = set()
        """Hashes of start and moves."""

    def add(self, game: GameRecord) -> None:
        if game.phase != "training":
            return
        self.number += 1
        self.plies += len(game.moves)
        self.seen.add(hash((game.start, game.moves)))
        self.loops[game.session] = self.loops.get(game.session, 0) + game.outcome.loop
        if game.outcome.winner is None:
            self.draws[game.outcome.reason] += 1


GAMES = 2000
"""Number of training games to which all counts are scaled."""
RANGE = (0.0, float(GAMES))
"""Least and largest possible count."""
SIGNIFICANT = 0.05


@attrs.frozen
class Counted:
    """Counts of one condition in GAMES games, seed by seed."""

    condition: Condition
    loops: tuple[float, ...]
    """Loop draws, or all draws, as the condition counts them."""
    draws: tuple[float, ...]
    reasons: Mapping[str, float]
    """Draws by reason, mean over the seeds."""
    plies: float
    clones: float
    games: int
    """Fewest training games of a seed."""
    distinct: float
    """Share of different games, mean over the seeds."""

    @property
    def judged(self) -> bool:
        """Whether there are enough seeds, of whole trainings, to compare the published count with."""
        return len(self.loops) >= FEWEST_SEEDS and self.games >= GAMES

    @property
    def mean(self) -> float:
        return statistics.fmean(self.loops)


def loop_report(results: Sequence[Result], conditions: Sequence[Condition]) -> Report:
    """Compare variants with their first condition, and other pipelines with their published numbers.

    Raises GameforgeError if a pipeline was changed between the trials.
    """
    counted = [_counted(one, [r.numbers for r in results if r.condition == one.name]) for one in conditions]
    base = counted[0]
    if base.condition is VARIANTS[0]:
        parts = [
            _against_published(base),
            "One change at a time, with the same seeds:\n",
            _variants(base, counted[1:]),
            _conclusion(base, counted[1:]),
        ]
    else:
        parts = [_against_published(one) for one in counted]
    parts += [
        "Draws in 2,000 games by reason, lengths of games, and share of distinct games:\n",
        _reasons(counted),
    ]
    return Report(
        text="\n".join(parts),
        numbers={"conditions": {one.condition.name: _numbers(one, base) for one in counted}},
        figures={"loops": lambda figure: _draw(figure, counted)},
    )


def _counted(condition: Condition, trials: Sequence[Mapping[str, Any]]) -> Counted:
    if len({trial["pipeline"] for trial in trials}) > 1:
        raise GameforgeError(
            f"loop-rate: {condition.source} has changed between two trials", advice="use a new folder", parameter="out"
        )

    def share(trial: Mapping[str, Any], count: int) -> float:
        return count * GAMES / int(trial["games"])

    reasons = sorted({reason for trial in trials for reason in trial["draws_by_reason"]})
    return Counted(
        condition=condition,
        loops=tuple(share(trial, trial[condition.counted]) for trial in trials),
        draws=tuple(share(trial, trial["draws"]) for trial in trials),
        reasons={
            reason: statistics.fmean(share(trial, trial["draws_by_reason"].get(reason, 0)) for trial in trials)
            for reason in reasons
        },
        plies=statistics.fmean(trial["mean_plies"] for trial in trials),
        clones=statistics.fmean(trial["clones"] for trial in trials),
        games=min(int(trial["games"]) for trial in trials),
        distinct=statistics.fmean(trial["distinct"] / trial["games"] for trial in trials),
    )


def _spread(values: Sequence[float]) -> tuple[float, float] | None:
    """95 % interval of the mean count over seeds (Student's t); None for one seed."""
    return mean_interval(values, RANGE) if len(values) > 1 else None


def _against_published(one: Counted) -> str:
    """Compare one condition with the published count."""
    name, seeds, published = one.condition.name, len(one.loops), one.condition.published
    text = f"**{name}**: {number(one.mean)} loop draws in 2,000 games"
    if published is not None:
        text += f" (published: {number(published)})"
    if seeds == 1:
        return text + "; one seed does not show the spread.\n"
    low, high = prediction_interval(one.loops)
    text += (
        f", the mean of {seeds} seeds (95 % interval: {interval_of_mean(one.loops, within=RANGE)}); single seeds "
        f"{interval(min(one.loops), max(one.loops))}; one more would lie within {interval(low, high)} (normal)"
    )
    if published is None:
        return text + ".\n"
    if not one.judged:
        return f"{text}; no verdict, which needs {FEWEST_SEEDS} seeds of {number(GAMES)} games.\n"
    return f"{text}: the published run {'agrees' if low <= published <= high else 'does not agree'} with ours.\n"


def _differences(one: Counted, base: Counted) -> list[float]:
    """Differences to the first condition, seed by seed."""
    return [a - b for a, b in zip(one.loops, base.loops, strict=True)]


def _p(one: Counted, base: Counted) -> float:
    """Probability of a difference at least as large if the change has no effect."""
    return sign_flip_test([round(difference) for difference in _differences(one, base)])


def _variants(base: Counted, others: Sequence[Counted]) -> str:
    rows = [_row(base, "", "")]
    for one in others:
        found = _differences(one, base)
        mean, spread = f"{statistics.fmean(found):+,.0f}", interval_of_mean(found)
        rows.append(_row(one, f"{mean} ({spread})" if spread else mean, probability(_p(one, base))))
    headings = ("condition", "loops", "95 %", "seeds from, to", "of 1,045", "difference (95 %)", "p", "what is changed")
    return table(headings, rows)


def _row(one: Counted, difference: str, p: str) -> tuple[str, ...]:
    return (
        one.condition.name,
        number(one.mean),
        interval_of_mean(one.loops, within=RANGE),
        interval(min(one.loops), max(one.loops)),
        f"{one.mean / one.condition.published:.0%}" if one.condition.published else "",
        difference,
        p,
        one.condition.says,
    )


def _conclusion(base: Counted, others: Sequence[Counted]) -> str:
    """The changes that significantly affect the count, and the conditions compatible with the published one."""
    least, level = 2 / 2 ** len(base.loops), SIGNIFICANT / len(others)
    if least < level:
        said = f"Changes with p below {SIGNIFICANT} / {len(others)} (Bonferroni)"
    else:  # no p can be so small
        said = f"Changes with p below {SIGNIFICANT}, each judged alone (so few seeds cannot give a p below {least:.2g})"
        level = SIGNIFICANT
    sure = [one for one in others if _p(one, base) < level]
    moved = (
        ", ".join(f"{one.condition.name} ({statistics.fmean(_differences(one, base)):+,.0f})" for one in sure) or "none"
    )
    return f"{said}: {moved}.\n\n{_compatible([base, *others])}"


def _compatible(counted: Sequence[Counted]) -> str:
    """The conditions under which the published count lies where one more run would be expected; "" without verdict."""
    if not any(one.judged for one in counted):
        return ""
    holds: dict[bool, list[str]] = {True: [], False: []}
    for one in counted:
        if one.condition.published is not None and one.judged:
            low, high = prediction_interval(one.loops)
            holds[low <= one.condition.published <= high].append(one.condition.name)
    return (
        "The published run lies where one more run would be expected (95 %, normal distribution) under: "
        f"{', '.join(holds[True]) or 'none'}; it lies outside under: {', '.join(holds[False]) or 'none'}.\n"
    )


def _reasons(counted: Sequence[Counted]) -> str:
    reasons = sorted({reason for one in counted for reason in one.reasons})
    rows = [
        (
            one.condition.name,
            *(number(one.reasons.get(reason, 0.0)) for reason in reasons),
            number(statistics.fmean(one.draws)),
            number(one.plies, 1),
            number(one.clones, 1),
            f"{one.distinct:.1%}",
        )
        for one in counted
    ]
    return table(("condition", *reasons, "all draws", "plies a game", "clones", "distinct games"), rows)


def _numbers(one: Counted, base: Counted) -> dict[str, Any]:
    numbers: dict[str, Any] = {
        "loops": list(one.loops),
        "mean": one.mean,
        "interval": _spread(one.loops),
        "published": one.condition.published,
        "draws": list(one.draws),
        "distinct": one.distinct,
    }
    if len(one.loops) > 1:
        numbers["prediction_interval"] = prediction_interval(one.loops)
    if one is not base and one.condition in VARIANTS:
        found = _differences(one, base)
        numbers |= {
            "difference": statistics.fmean(found),
            "difference_interval": mean_interval(found) if len(found) > 1 else None,
            "p_difference": _p(one, base),
        }
    return numbers


def _draw(figure: Any, counted: Sequence[Counted]) -> None:
    """Draw a dot for each seed, a bar for the mean, a band for its interval, and a line for the published count."""
    axes = figure.subplots()
    for i, one in enumerate(counted):
        axes.plot(one.loops, [i] * len(one.loops), "o", color="tab:blue", alpha=0.5, markersize=5)
        axes.plot([one.mean], [i], "|", color="black", markersize=16, markeredgewidth=2)
        if (ends := _spread(one.loops)) is not None:
            axes.plot(ends, [i, i], color="black", linewidth=6, alpha=0.25)
        if one.condition.published is not None:
            axes.plot([one.condition.published] * 2, [i - 0.4, i + 0.4], color="tab:red")
    axes.set_yticks(range(len(counted)), [one.condition.name for one in counted])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("loop draws in 2,000 training games: seeds, mean, its 95 % interval, published count (red)")
