"""The report of the experiment `loop-rate`."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.errors import GameforgeError
from gameforge.experiments.report import FEWEST_SEEDS, interval, interval_of_mean, number, probability, table
from gameforge.experiments.statistics import mean_interval, prediction_interval, sign_flip_test
from gameforge.interfaces.experiment import Report, Result
from gameforge_neurodraughts.experiments.loop_conditions import VARIANTS, Condition

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
