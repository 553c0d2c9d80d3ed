"""The report of a study, from its finished trials.

report.md                       tables and figures
tables.tex                      the same tables for LaTeX
trials.csv, comparisons.csv, curves.csv, and the same as .parquet if pyarrow is installed
scores.*, curves.*, profiles.*  figures as .svg, .pdf and .png, if matplotlib is installed
"""

import functools
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from gameforge.config.settings import Json
from gameforge.experiments.report import Report
from gameforge.experiments.schedule import FailedTrial, FinishedTrial
from gameforge.experiments.statistics import fewest_seeds, profile
from gameforge.experiments.store import mixed_sources
from gameforge.play.display import FIGURES, counted
from gameforge.storage.files import write_table
from gameforge.studies.comparisons import Comparison, Scores, Setting, compare, scores_of, settings_of
from gameforge.studies.curves import GAMES, SECONDS, Curve, learning_curves
from gameforge.studies.tables import Rows, axis_rows, comparison_rows, crosstable_rows, score_rows
from gameforge.studies.trials import Finished, StudyTrials
from gameforge.studies.variants import Variant
from gameforge.training.spending import EVALUATIONS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@attrs.frozen(repr=False)
class StudyReport:
    """The results of a study."""

    folder: Path
    """The folder of the study."""
    text: str
    """The report in Markdown."""
    rows: Sequence[dict[str, Json]]
    """A row for each finished trial: variant, its value on each axis, seed, score, games and seconds."""
    comparisons: Sequence[Comparison]
    """What was compared."""
    failures: Sequence[FailedTrial]
    """Trials that failed this time."""

    def __repr__(self) -> str:
        return f"<StudyReport {self.folder}: {len(self.rows)} trials, {len(self.failures)} failed>"

    def __str__(self) -> str:
        return self.text


@attrs.frozen(kw_only=True)
class StudyFigures:
    """What a study has found so far."""

    title: str
    ended: int
    """Number of trials that have ended."""
    wanted: int
    """Number of trials of the whole study."""
    tables: Mapping[str, Rows]
    """The tables of the report by their headings."""
    curves: Sequence[Curve]
    """The learning curves of the variants."""


def figures_so_far(
    folder: Path, study: StudyTrials, wanted: int, baseline: str, trials: Sequence[FinishedTrial]
) -> StudyFigures:
    """Return tables and curves of these trials; nothing is written."""
    variants, finished = study.variants, study.finished(trials)
    scores, groups = scores_of(finished, variants), settings_of(variants, baseline)
    tables = _tables(variants, scores, finished, groups, compare(scores, groups, baseline))
    curves = learning_curves(folder, variants, finished)
    return StudyFigures(title=study.title, ended=len(trials), wanted=wanted, tables=tables, curves=curves)


def write_report(
    folder: Path,
    study: StudyTrials,
    seeds: int,
    baseline: str,
    trials: Sequence[FinishedTrial],
    failures: Sequence[FailedTrial],
) -> StudyReport:
    """Write the report of these trials into the folder of the study; the Markdown is written last."""
    variants, finished, mixed = study.variants, study.finished(trials), mixed_sources(trials)
    scores = scores_of(finished, variants)
    groups = settings_of(variants, baseline)
    comparisons = compare(scores, groups, baseline)
    curves = learning_curves(folder, variants, finished)
    tables = _tables(variants, scores, finished, groups, comparisons)
    rows = _trial_rows(variants, scores, finished)
    _write_tables(folder, rows, comparisons, curves)
    failed = "".join(f"* {failure}\n" for failure in failures)
    used = [float(one.evaluations or one.processor_seconds or 0) for one in finished.trainings.values()]
    report = Report.of(
        "" if study.budget is None else f"{study.budget.note(used)}\n",
        f"{mixed}\n" if mixed else "",
        f"**Trials failed**, and are missing:\n\n{failed}" if failed else "",
        *(part for name, rows in tables.items() for part in (f"## {name}\n", rows, _notes(name, comparisons))),
        figures=_figures(variants, scores, curves),
    )
    heading = f"# {study.title}\n\n{len(variants)} variants, {seeds} seeds; {len(finished.trainings)} trials.\n"
    text = report.write(folder, heading, FIGURES)
    return StudyReport(folder, text, rows, comparisons, failures)


def _tables(
    variants: Sequence[Variant],
    scores: Scores,
    finished: Finished,
    groups: Sequence[Sequence[Setting]],
    comparisons: Sequence[Comparison],
) -> dict[str, Rows]:
    """Return the tables of the report by their headings."""
    league = bool(finished.matches)
    tables = {"Scores": score_rows(variants, scores, finished, with_elo=not league)}
    if len(groups) > 1:
        tables["Values of each axis"] = axis_rows(groups, scores)
    if comparisons:
        tables["Comparisons"] = comparison_rows(comparisons)
    if league:
        tables["League"] = crosstable_rows(variants, finished)
    return tables


def _notes(name: str, comparisons: Sequence[Comparison]) -> str:
    """Return what a reader must know about a table."""
    if name == "Scores":
        return (
            "Scores are points a game. The interval of a mean is Student's t over the seeds; that of an "
            "interquartile mean comes from resampling them, and is too narrow for fewer than about ten.\n"
        )
    if name == "Values of each axis":
        return "Each value over all settings of the other axes, whose seeds are resampled one setting at a time.\n"
    if name != "Comparisons":
        return ""
    fewest = fewest_seeds(len(comparisons))
    few = min(one.seeds for one in comparisons) < fewest
    number = counted(len(comparisons), "comparison")
    warning = f" Fewer than {fewest} seeds cannot show any difference in {number}." if few else ""
    return (
        "Differences are taken seed by seed. p is that of the exact permutation test, which changes their signs. "
        f"p (Holm) is corrected for {number}; a difference is shown if p (Holm) is at most 0.05."
        f"{warning} The last column says how many seeds would show a difference like this one with a probability of "
        "80 %.\n"
    )


def _trial_rows(variants: Sequence[Variant], scores: Scores, finished: Finished) -> list[dict[str, Json]]:
    rows: list[dict[str, Json]] = []
    for variant in variants:
        for seed, one in finished.of(variant).items():
            tally = scores.by_variant[variant.name].get(seed)
            figures = {} if tally is None else {"wins": tally.wins, "draws": tally.draws, "losses": tally.losses}
            rows.append(
                {
                    "variant": variant.name,
                    **variant.values,
                    "seed": seed,
                    "score": None if tally is None else tally.score,
                    **figures,
                    "training games": one.games,
                    "seconds": one.seconds,
                    **({} if one.evaluations is None else {"evaluations": one.evaluations}),
                    **({} if one.processor_seconds is None else {"processor seconds": one.processor_seconds}),
                    "run": one.run,
                }
            )
    return rows


def _write_tables(
    folder: Path, trials: Sequence[dict[str, Json]], comparisons: Sequence[Comparison], curves: Sequence[Curve]
) -> None:
    compared = [
        {
            "first": one.first,
            "second": one.second,
            "seeds": one.seeds,
            "difference": one.difference.mean,
            **dict(zip(("low", "high"), one.difference.interval, strict=True)),
            "probability of improvement": one.improvement.value,
            "improvement low": one.improvement.low,
            "improvement high": one.improvement.high,
            "p": one.p,
            "p (Holm)": one.corrected,
            "seeds to show it": one.needed,
        }
        for one in comparisons
    ]
    points = [row for curve in curves for row in curve.rows]
    suffixes = [".csv"] if importlib.util.find_spec("pyarrow") is None else [".csv", ".parquet"]
    for name, rows in (("trials", trials), ("comparisons", compared), ("curves", points)):
        for suffix in suffixes if rows else ():
            write_table(folder / f"{name}{suffix}", rows)


def _figures(
    variants: Sequence[Variant], scores: Scores, curves: Sequence[Curve]
) -> dict[str, Callable[["Figure"], None]]:
    """Return the functions that draw the figures for which there is data."""
    drawings: dict[str, Callable[[Figure], None]] = {}
    if any(scores.of(variant.name) for variant in variants):
        drawings["scores"] = functools.partial(draw_scores, variants=variants, scores=scores)
        drawings["profiles"] = functools.partial(draw_profiles, variants=variants, scores=scores)
    if curves:
        drawings["curves"] = functools.partial(draw_curves, curves=curves)
    return drawings


_LIMITS = [i / 200 for i in range(201)]
"""Scores at which profiles are drawn."""


def draw_scores(figure: "Figure", variants: Sequence[Variant], scores: Scores) -> None:
    """Draw for each variant a dot for each seed, the mean, and a bar for its 95 % interval."""
    figure.set_size_inches(9, 1.2 + 0.4 * len(variants))
    axes = figure.subplots()
    for place, variant in enumerate(variants):
        if scores.of(variant.name):
            scores.sample(variant.name).draw(axes, -place)
    axes.set_yticks([-place for place in range(len(variants))], [variant.name for variant in variants])
    axes.set_ylim(-len(variants) + 0.4, 0.6)
    axes.set_xlabel("score (dots: seeds; bar: 95 % interval of the mean)")
    axes.grid(alpha=0.3, axis="x")


def draw_curves(figure: "Figure", curves: Sequence[Curve]) -> None:
    """Draw the learning curves against games, time and, if they are counted, evaluations, with 95 % bands."""
    counted = any(point.evaluations is not None for curve in curves for point in curve.points)
    drawn = [GAMES, *([EVALUATIONS] if counted else []), SECONDS]
    panels = figure.subplots(1, len(drawn), sharey=True)
    for axes, axis in zip(panels, drawn, strict=True):
        for i, curve in enumerate(curves):
            points = [(x, point) for point in curve.points if (x := point.x(axis)) is not None]
            places = [x for x, _ in points]
            axes.plot(places, [point.mean for _, point in points], f"C{i}.-", linewidth=1.3, label=curve.variant)
            low, high = [point.low for _, point in points], [point.high for _, point in points]
            axes.fill_between(places, low, high, color=f"C{i}", alpha=0.2, linewidth=0)
        axes.set_xlabel(axis)
        if axis == GAMES:
            axes.xaxis.get_major_locator().set_params(integer=True)  # no half games
        axes.set_ylim(-0.03, 1.03)
        axes.grid(alpha=0.3)
    panels[0].set_ylabel(" and ".join(dict.fromkeys(curve.figure for curve in curves)))
    panels[0].legend(fontsize="small")


def draw_profiles(figure: "Figure", variants: Sequence[Variant], scores: Scores) -> None:
    """Draw the performance profile of each variant: the share of its trials above each score."""
    axes = figure.subplots()
    for variant in variants:
        values = list(scores.of(variant.name).values())
        if values:
            axes.step(_LIMITS, profile(values, _LIMITS), where="post", label=variant.name)
    axes.set_xlabel("score")
    axes.set_ylabel("share of trials above it")
    axes.set_ylim(-0.03, 1.03)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
