"""Trainings in the page while they go on: the curves of runs, and the reports of studies."""

import math
from collections.abc import Sequence
from pathlib import Path

import attrs

from gameforge.config import dump_toml
from gameforge.discovery.registry import Registry
from gameforge.experiments.schedule import TRIALS
from gameforge.storage.folder import is_busy
from gameforge.studies.curves import GAMES, SECONDS, Curve
from gameforge.studies.study import Study
from gameforge.studies.trials import DEFINITION, read_clock
from gameforge.training.run_folder import METRICS, RUN_FORMAT, STRENGTH, Metrics, session_figures
from gameforge.training.run_report import RunReport
from gameforge.web.folders import follow, known_folder, run_progress, stamp
from gameforge.web.requests import Tab
from gameforge.web.views import JsonObject, Send

SESSIONS = "sessions"
MOST_SESSIONS = 1000
"""About the most sessions of a run that are sent: a chart has no more pixels."""


@attrs.frozen(kw_only=True)
class FollowRun:
    """The curves and the settings of a run; answers again after each session and when it ends, however it ends."""

    path: str

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        folder = known_folder(tab.site, self.path)

        def now() -> object:
            return stamp(folder / METRICS), stamp(folder / RUN_FORMAT.file), is_busy(folder)

        def look() -> tuple[JsonObject, bool]:
            report = RunReport.read(folder)
            return run_view(report), report.state != "running"

        return await follow(now, look, send)


def run_view(report: RunReport) -> JsonObject:
    """Return a run as the page draws it.

    `axes` has what the curves can be drawn against, and `curves` their values, both session by session; None where a
    session has no such figure.
    """
    rows = thinned(report.metrics)
    figures = [session_figures(row) for row in rows]
    names = dict.fromkeys(name for row in figures for name in row)
    axes: dict[str, Sequence[float]] = {
        GAMES: [float(row["games"]) for row in rows],
        SESSIONS: [float(row["session"]) for row in rows],
    }
    over = str(rows[-1].get("over", "games")) if rows else "games"
    if over != "games":
        axes = {over: [float(row[over]) for row in rows], **axes}
    seconds = _seconds(report)
    if rows and all(row["session"] in seconds for row in rows):
        axes[SECONDS] = [seconds[int(row["session"])] for row in rows]
    return {
        "state": report.state,
        "game": report.game,
        "detail": run_progress(report),
        "axes": axes,
        "curves": {name: [row.get(name) for row in figures] for name in names},
        "settings": dump_toml(dict(report.settings)),
        "parameters": report.parameters,
    }


def thinned(rows: Sequence[Metrics]) -> list[Metrics]:
    """Return about MOST_SESSIONS of the rows at equal distances, the last one and measured strengths among them."""
    step = -(-len(rows) // MOST_SESSIONS)
    if step <= 1:
        return list(rows)
    measured = [i for i, row in enumerate(rows) if any(name in session_figures(row) for name in STRENGTH)]
    kept = {*range(len(rows) - 1, -1, -step), *measured[:: -(-len(measured) // MOST_SESSIONS) or 1]}
    return [rows[i] for i in sorted(kept)]


def _seconds(report: RunReport) -> dict[int, float]:
    """The seconds of training until the end of each session: from the run's clock, else from its games a second."""
    clock = {reading.session: reading.seconds for reading in read_clock(report.folder)}
    if clock:
        return clock
    found, total, games = dict[int, float](), 0.0, 0.0
    for row in report.metrics:
        rate = float(row.get("games_per_second", math.nan))
        if not rate > 0:
            return {}
        total += (float(row["games"]) - games) / rate
        games = float(row["games"])
        found[int(row["session"])] = total
    return found


@attrs.frozen(kw_only=True)
class FollowStudy:
    """The report of a study from the trials that have ended; answers again after each trial, until none is running."""

    path: str

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        folder = known_folder(tab.site, self.path)

        def now() -> object:
            return stamp(folder / TRIALS), stamp(folder / DEFINITION), is_busy(folder)

        def look() -> tuple[JsonObject, bool]:
            running = is_busy(folder)
            view = _study(folder, tab.site.backend.registry)
            return ({**view, "state": "running"} if running else view), not running

        return await follow(now, look, send)


def _study(folder: Path, registry: Registry) -> JsonObject:
    found = Study.read(folder / DEFINITION, registry).figures(folder)
    finished = found.ended == found.wanted
    return {
        "state": "finished" if finished else "interrupted",
        "title": found.title,
        "ended": found.ended,
        "wanted": found.wanted,
        "tables": [{"name": name, "rows": list(rows)} for name, rows in found.tables.items()],
        "curves": [_curve(curve) for curve in found.curves],
    }


def _curve(curve: Curve) -> JsonObject:
    points = curve.points
    times = [point.seconds for point in points]
    axes = {GAMES: [point.games for point in points], SESSIONS: [point.session for point in points]}
    return {
        "variant": curve.variant,
        "figure": curve.figure,
        "axes": axes if None in times else {**axes, SECONDS: times},
        "mean": [point.mean for point in points],
        "low": [point.low for point in points],
        "high": [point.high for point in points],
    }
