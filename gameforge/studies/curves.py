"""Learning curves of a study: the strength of each variant after each session, with a band over the seeds."""

import statistics
from collections.abc import Sequence
from pathlib import Path

import attrs

from gameforge.config.settings import Json
from gameforge.errors import GameforgeError
from gameforge.experiments.statistics import SHARE, Sample
from gameforge.studies.trials import Finished, read_clock
from gameforge.studies.variants import Variant
from gameforge.training.run_folder import SCORE, STRENGTH, session_figures
from gameforge.training.run_report import RunReport
from gameforge.training.spending import EVALUATIONS

GAMES, SECONDS = "training games", "seconds"
"""The x axes."""
_IN_TRAINING = "score in the training"
"""What is drawn if no yardstick measures the runs."""


@attrs.frozen(kw_only=True)
class Point:
    """The strength after a session: its mean over the seeds, with the 95 % interval of the mean."""

    session: int
    games: float
    evaluations: float | None
    """Mean number of evaluations until then; None if they are not counted."""
    seconds: float | None
    """Median time until then; None if a run has no clock."""
    mean: float
    low: float
    high: float
    seeds: int

    def x(self, axis: str) -> float | None:
        """The place of the point on an x axis."""
        return {GAMES: self.games, EVALUATIONS: self.evaluations, SECONDS: self.seconds}[axis]


@attrs.frozen
class Curve:
    """The points of a variant, session by session."""

    variant: str
    figure: str
    """What is measured: the score against the yardstick, or in the training itself."""
    points: tuple[Point, ...]

    @property
    def rows(self) -> list[dict[str, Json]]:
        """The points as rows of a table."""
        return [{"variant": self.variant, "figure": self.figure, **attrs.asdict(point)} for point in self.points]


def learning_curves(folder: Path, variants: Sequence[Variant], finished: Finished) -> list[Curve]:
    """Return the curve of each variant; those without points are left out, as are runs that cannot be read."""
    curves = []
    for variant in variants:
        runs = [found for one in finished.of(variant).values() if (found := _sessions(folder / one.run))]
        figure = next(
            (key for key in (STRENGTH[1], SCORE) if any(key in row for run in runs for row in run.values())), ""
        )
        points = _points(runs, figure)
        if points:
            label = _IN_TRAINING if figure == SCORE else figure
            curves.append(Curve(variant.name, label, points))
    return curves


Sessions = dict[int, dict[str, float]]
"""The figures of a run by session."""


def _sessions(folder: Path) -> Sessions:
    try:
        times = {reading.session: reading.seconds for reading in read_clock(folder)}
        rows = RunReport.read(folder).metrics
    except GameforgeError:  # a run that someone has removed
        return {}
    found: Sessions = {}
    for row in rows:
        session = int(row["session"])
        found[session] = session_figures(row) | {GAMES: float(row["games"])}
        if EVALUATIONS in row:
            found[session][EVALUATIONS] = float(row[EVALUATIONS])
        if session in times:
            found[session][SECONDS] = times[session]
    return found


def _points(runs: Sequence[Sessions], figure: str) -> tuple[Point, ...]:
    """Return a point for each session for which all runs have the figure."""
    if not runs:
        return ()
    points = []
    for session in runs[0]:
        rows = [run.get(session, {}) for run in runs]
        if not all(figure in row for row in rows):
            continue
        sample = Sample((row[figure] for row in rows), SHARE)
        low, high = sample.interval if len(sample) > 1 else (sample.mean, sample.mean)
        times = [row[SECONDS] for row in rows if SECONDS in row]
        spent = [row[EVALUATIONS] for row in rows if EVALUATIONS in row]
        points.append(
            Point(
                session=session,
                games=statistics.fmean(row[GAMES] for row in rows),
                evaluations=statistics.fmean(spent) if len(spent) == len(rows) else None,
                seconds=statistics.median(times) if len(times) == len(rows) else None,
                mean=sample.mean,
                low=low,
                high=high,
                seeds=len(sample),
            )
        )
    return tuple(points)
