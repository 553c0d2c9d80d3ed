"""Trainings in the terminal: the live display of `gameforge run`, the table of sessions, and the comparison of runs.

The table of sessions shows the columns that fit the width of the terminal. In a comparison, several seeds of a pipeline
share a column.
"""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table

from gameforge.arena.elo import CONFIDENCE
from gameforge.cli.console import Console, Paced, Preparation, columns_that_fit
from gameforge.cli.figures import Figure, figure_text, rate_text, results_text
from gameforge.experiments.seed_runs import SeedRuns
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import PlansGames, Progress, Step
from gameforge.play.display import counted, duration_text
from gameforge.storage.folder import differences
from gameforge.training.run_folder import figure_name

if TYPE_CHECKING:
    from gameforge.training.run import Run


_LEAST_ROWS = 5


class LiveDisplay:
    """A subscriber to the events of a run: a live table on a terminal, one line per session elsewhere."""

    def __init__(self, console: Console, preparation: Preparation) -> None:
        self._console, self._preparation = console, preparation
        self._live: Live | None = None
        self._lines = Paced()
        self._began = 0.0
        self._games, self._total = 0, 0
        self._measured: tuple[int, float] | None = None
        """Games and time of the first report, since which the speed is measured: kernels compile before it."""
        self._step: Step | None = None
        self._rows: list[dict[str, Any]] = []
        self._now = {"wins": 0, "draws": 0, "losses": 0, "loops": 0}

    @hookimpl
    def gameforge_run_started(self, run: "Run") -> None:
        self._preparation.stop()
        self._began = time.perf_counter()
        learner = run.pipeline.learner
        self._total = learner.training_games if isinstance(learner, PlansGames) else 0
        if run.resumed:
            self._rows = [dict(row) for row in run.earlier]
            self._games = max((row.pop("games") for row in self._rows), default=0)
            for row in self._rows:
                row.pop("over", None)
        self._console.print(_title(run), soft_wrap=not self._console.is_terminal)
        if run.resumed:
            where = f"after session {self._rows[-1]['session']}" if self._rows else "from the beginning"
            self._console.print(f"resumed {where}", soft_wrap=True)
        if self._console.is_terminal:
            self._live = Live(self._table(), console=self._console, refresh_per_second=4, get_renderable=self._table)
            self._live.start()

    @hookimpl
    def gameforge_game_finished(self, game: GameRecord) -> None:
        if game.phase != "training" or game.learner is None:
            return
        self._reached(self._games + 1)
        self._now[("losses", "draws", "wins")[game.outcome.points(game.learner)]] += 1
        self._now["loops"] += game.outcome.loop
        if self._live is None and self._lines.due():
            self._console.print(self._status(), soft_wrap=True)

    @hookimpl
    def gameforge_step_advanced(self, step: Step) -> None:
        self._reached(step.games)
        self._step = step
        if self._live is None and self._lines.due():
            self._console.print(self._status(), soft_wrap=True)

    @hookimpl
    def gameforge_checkpoint(self, progress: Progress) -> None:
        self._reached(progress.games)
        self._total, self._step = progress.total, None
        self._rows.append({"session": progress.session} | self._played() | dict(progress.numbers))
        self._now = dict.fromkeys(self._now, 0)
        if self._live is None:
            row = {key: value for key, value in self._rows[-1].items() if key != "session"}
            text = ", ".join(
                figure_name(key) if value is True else f"{figure_name(key)} {figure_text(value)}"
                for key, value in row.items()
            )
            where = f"session {progress.session}/{progress.sessions}"
            self._console.print(f"{where}: {text}" if text else where, soft_wrap=True)
            self._lines.printed()

    @hookimpl
    def gameforge_notice(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    def stop(self) -> None:
        """Stop the live table and leave its last state on the screen."""
        if self._live is not None:
            self._live.update(self._table())
            self._live.stop()
            self._live = None

    def _reached(self, games: int) -> None:
        """Record the number of games that are finished."""
        self._games = games
        if self._measured is None:
            self._measured = games, time.perf_counter()

    def _played(self) -> dict[str, int]:
        """Results of this session's training games so far; empty if the learner reports no games."""
        return dict(self._now) if any(self._now.values()) else {}

    def _table(self) -> Group:
        """Make the live table of the last sessions, and the line below it."""
        last = self._rows[-1]["session"] if self._rows else 0
        running = {"session": last + 1} | self._played()
        rows = self._rows + ([running] if len(running) > 1 else [])
        # No more rows than the terminal shows: drawing thousands would take longer than the training.
        room = self._console.height - heading_lines(rows[-self._console.height :], self._console.width) - 2
        return Group(session_table(rows[-max(_LEAST_ROWS, room) :], self._console.width), self._status())

    def _status(self) -> str:
        return self._games_status() if self._step is None else f"{self._games_status()}; {self._step}"

    def _games_status(self) -> str:
        seconds = time.perf_counter() - self._began
        if not (self._games or self._total):
            return duration_text(seconds)
        parts = [f"{self._games:,} of {counted(self._total, 'game')}"]
        first, began = self._measured or (self._games, self._began)
        played, spent = self._games - first, self._began + seconds - began
        if played:
            parts.append(rate_text(played, spent))
        parts.append(duration_text(seconds))
        if played and self._games < self._total:
            parts.append(f"{duration_text(spent / played * (self._total - self._games))} left")
        return ", ".join(parts)

    def summary(self, run: "Run") -> Table:
        """Return the figures of the whole training as a table."""
        assert run.trained is not None
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), title="training", title_justify="left")
        figures = {key: value for key, value in run.trained.summary.items() if not isinstance(value, Mapping)}
        for key, value in figures.items():
            table.add_row(key.replace("_", " "), figure_text(value) if isinstance(value, float) else str(value))
        if run.strength is not None:
            table.add_row("yardstick", run.strength.cost)
        table.add_row("seconds", f"{time.perf_counter() - self._began:.1f}")
        return table


def _title(run: "Run") -> str:
    parts = [f"{key} {value['use']}" for key, value in run.pipeline.settings.items() if isinstance(value, dict)]
    evaluator = run.pipeline.settings.get("evaluator")
    features = evaluator.get("features") if isinstance(evaluator, dict) else None
    if isinstance(features, dict):  # it may be "none"
        parts.append(f"features {features['use']}")
    parts += [f"oracle {entry.spec.use}" for entry in run.pipeline.knowledge]
    return ", ".join(parts) + f", seed {run.pipeline.seed}"


Row = Mapping[str, Figure]
_GAP = 2
"""Spaces between columns."""
_RESULTS = ("wins", "draws", "losses")
_RARELY_NEEDED = ("mean_plies", "games_per_second", "probes", "hits")
"""Figures that are the first to be left out."""
_DEVIATION, _DEVIATION_KEY = " deviation", "_deviation"
_YARDSTICK, _SCORE, _ELO = "yardstick", "_score", "_elo"


@attrs.frozen
class Column:
    """A column with the text of its cells."""

    heading: str
    cells: tuple[str, ...]

    @property
    def width(self) -> int:
        """The width in which no word of the heading and no cell is cut; headings may have several lines."""
        return max(map(len, (*self.heading.split(), *self.cells)))


def session_table(rows: Sequence[Row], width: int) -> Table:
    """Make a table of sessions that is at most `width` wide, unless even its first column is wider.

    Columns that do not fit are left out, those that the learner reports last first.
    """
    table = Table(box=None, padding=(0, _GAP, 0, 0), header_style="bold", pad_edge=False)
    chosen = fitting(columns(rows), width)
    for column in chosen:
        table.add_column(column.heading, justify="right", width=column.width, no_wrap=False)
    for cells in zip(*(column.cells for column in chosen), strict=True):
        table.add_row(*cells)
    return table


def heading_lines(rows: Sequence[Row], width: int) -> int:
    """Return the number of lines of the table's heading, at most."""
    return max((len(column.heading.split()) for column in fitting(columns(rows), width)), default=0)


def columns(rows: Sequence[Row]) -> list[Column]:
    """Return all columns, the most important ones first: session, results, yardstick, then as reported.

    A match with a score and an Elo difference has one column.
    """
    keys = list(dict.fromkeys(key for row in rows for key in row))
    left = [key for key in keys if key != "session" and not key.startswith(f"{_YARDSTICK}_")]
    left.sort(key=_RARELY_NEEDED.__contains__)
    found = [Column("session", tuple(figure_text(row.get("session")) for row in rows))]
    if all(key in keys for key in _RESULTS):
        found.append(Column("won drawn lost", tuple(map(_results, rows))))
        left = [key for key in left if key not in _RESULTS]
    if any(key.startswith(f"{_YARDSTICK}_") for key in keys):
        found.append(_match_column(_YARDSTICK, rows))
    for key in left:
        match = key.removesuffix(_SCORE)
        if key != match and match + _ELO in keys:
            found.append(_match_column(match, rows))
        elif key.endswith(_ELO) and key.removesuffix(_ELO) + _SCORE in keys:
            continue  # in the column of the match
        elif _deviation_of(key, keys) is None and not _is_superfluous(key, keys, rows):
            found.append(Column(figure_name(key), tuple(_with_deviation(key, row) for row in rows)))
    return found


def fitting(all_columns: Sequence[Column], width: int) -> list[Column]:
    """Return the columns that fit into a width; a narrow one may take the place of a wide one."""
    chosen: list[Column] = []
    room = width
    for column in all_columns:
        if not chosen or column.width <= room:
            chosen.append(column)
            room -= column.width + _GAP
    return chosen


def _is_superfluous(key: str, keys: Sequence[str], rows: Sequence[Row]) -> bool:
    """Whether a counter is the same as an earlier one, or as the number of games, in all of several rows."""
    counts = [row[key] for row in rows if key in row]
    if len(counts) < 2 or not all(type(count) is int for count in counts):
        return False
    games = [
        sum(int(row[result]) for result in _RESULTS) if all(result in row for result in _RESULTS) else None
        for row in rows
        if key in row
    ]
    earlier = ([row.get(other) for row in rows if key in row] for other in keys[: keys.index(key)])
    return counts == games or any(counts == other for other in earlier) or not any(counts)


def _results(row: Row) -> str:
    if not all(key in row for key in _RESULTS):
        return ""
    return results_text(*(int(row[key]) for key in _RESULTS))


def _match_column(match: str, rows: Sequence[Row]) -> Column:
    """The Elo differences of a match in each session, with their 95 % errors; scores where these are infinite."""

    def cell(row: Row) -> str:
        if match + _ELO in row:
            return _with_deviation(match + _ELO, row)
        return f"score {float(row[match + _SCORE]):.2f}" if match + _SCORE in row else ""

    return Column(f"{figure_name(match)} Elo", tuple(map(cell, rows)))


def _deviation_of(key: str, keys: Sequence[str]) -> str | None:
    for suffix in (_DEVIATION, _DEVIATION_KEY):
        if key.endswith(suffix) and key.removesuffix(suffix) in keys:
            return key.removesuffix(suffix)
    return None


def _with_deviation(key: str, row: Row) -> str:
    """A figure with its standard deviation; an Elo difference with its 95 % error."""
    figure, deviation = row.get(key), row.get(key + _DEVIATION, row.get(key + _DEVIATION_KEY))
    if figure is None or deviation is None:
        return figure_text(figure)
    if key.endswith(_ELO):
        return f"{float(figure):+.0f} +- {CONFIDENCE * float(deviation):.0f}"
    return f"{figure_text(figure)} ({float(deviation):.2g})"


def comparison(found: Sequence[SeedRuns], width: int) -> Group:
    """Make a table with a column for each run or group of seeds; several, one below the other, if it is too wide."""
    changed = differences([one.settings for one in found])
    figures = [one.figures for one in found]
    settings = [(key, ["-" if value is None else str(value) for value in values]) for key, values in changed.items()]
    results = [("state", [one.state for one in found]), ("games", [str(one.games) for one in found])]
    for key in dict.fromkeys(key for one in figures for key in one):
        texts = [one.figure_text(key, own[key]) if key in own else "-" for one, own in zip(found, figures, strict=True)]
        results.append((key, texts))
    titles = [one.title for one in found]
    whole = [("", titles), *settings, *results]
    label = max(len(key) for key, _ in whole) + _GAP
    wide = [max(len(texts[i]) for _, texts in whole) + _GAP for i in range(len(found))]
    tables: list[RenderableType] = []
    for part in columns_that_fit(wide, width - label):
        table = Table(box=None, padding=(0, _GAP, 0, 0), header_style="bold")
        table.add_column("", no_wrap=True, min_width=label - _GAP)  # a very wide run would fold it away
        for i in part:
            table.add_column(titles[i], justify="right", overflow="fold")
        for key, texts in settings:
            table.add_row(key, *(texts[i] for i in part))
        table.add_section()
        for key, texts in results:
            table.add_row(key, *(texts[i] for i in part))
        tables += ["", table] if tables else [table]
    if any(len(one.runs) > 1 for one in found):
        tables.append("means over seeds, with 95 % intervals (Student's t)")
    return Group(*tables)
