"""The display of `gameforge run`: preparation, the progress of the training, and a summary at the end."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Table

from gameforge.cli.shared.console import Console
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import PlansGames, Progress
from gameforge.training.events import read_metrics

if TYPE_CHECKING:
    from gameforge.training.run import Run

_LEAST_ROWS = 5


class Preparation:
    """An Announce that prints messages and, on a terminal, shows progress bars for preparations of oracles."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._notices: set[str] = set()
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> "Preparation":
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Clear the bars."""
        if self._tasks:  # bars that were never started would print an empty line
            self._bars.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        if not total:
            if what not in self._notices:
                self._notices.add(what)
                self._console.print(what, soft_wrap=True)
            return
        if not self._console.is_terminal:
            return
        if what not in self._tasks:
            self._bars.start()
            self._tasks[what] = self._bars.add_task(what, total=total)
        self._bars.update(self._tasks[what], completed=done, total=total)


class LiveDisplay:
    """A subscriber to the events of a run: a live table on a terminal, one line per session elsewhere."""

    def __init__(self, console: Console, preparation: Preparation) -> None:
        self._console, self._preparation = console, preparation
        self._live: Live | None = None
        self._began = 0.0
        self._games, self._total = 0, 0
        self._before = 0
        self._rows: list[dict[str, Any]] = []
        self._now = {"wins": 0, "draws": 0, "losses": 0, "loops": 0}

    @hookimpl
    def gameforge_run_started(self, run: "Run") -> None:
        self._preparation.stop()
        self._began = time.perf_counter()
        learner = run.pipeline.learner
        self._total = learner.training_games if isinstance(learner, PlansGames) else 0
        if run.resumed:
            self._rows = read_metrics(run.folder)
            self._games = self._before = max((row.pop("games") for row in self._rows), default=0)
            for row in self._rows:
                row.pop("over", None)
        self._console.print(_title(run), soft_wrap=True)
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
        self._games += 1
        self._now[("losses", "draws", "wins")[game.outcome.points(game.learner)]] += 1
        self._now["loops"] += game.outcome.loop

    @hookimpl
    def gameforge_checkpoint(self, progress: Progress) -> None:
        self._games, self._total = progress.games, progress.total
        self._rows.append({"session": progress.session} | self._played() | dict(progress.numbers))
        self._now = dict.fromkeys(self._now, 0)
        if self._live is None:
            row = {key: value for key, value in self._rows[-1].items() if key != "session"}
            text = ", ".join(
                _name(key) if value is True else f"{_name(key)} {_cell(value)}" for key, value in row.items()
            )
            where = f"session {progress.session}/{progress.sessions}"
            self._console.print(f"{where}: {text}" if text else where, soft_wrap=True)

    @hookimpl
    def gameforge_notice(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    def stop(self) -> None:
        """Stop the live table and leave its last state on the screen."""
        if self._live is not None:
            self._live.update(self._table())
            self._live.stop()
            self._live = None

    def _played(self) -> dict[str, int]:
        """Results of this session's training games so far; empty if the learner reports no games."""
        return dict(self._now) if any(self._now.values()) else {}

    def _table(self) -> Any:
        """Make the live table, with a column for each of the learner's figures."""
        last = self._rows[-1]["session"] if self._rows else 0
        running = {"session": last + 1} | self._played()
        # No more rows than the terminal shows: drawing thousands would take longer than the training.
        rows = (self._rows + ([running] if len(running) > 1 else []))[-max(_LEAST_ROWS, self._console.height - 4) :]
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
        headings = list(dict.fromkeys(key for row in rows for key in row))
        for heading in headings:
            table.add_column(_name(heading), justify="right")
        for row in rows:
            table.add_row(*(_cell(row.get(heading)) for heading in headings))
        return Group(table, self._status())

    def _status(self) -> str:
        seconds = time.perf_counter() - self._began
        if not (self._games or self._total):
            return f"{seconds:.0f} s"
        rate = (self._games - self._before) / seconds if seconds else 0.0
        left = f", {(self._total - self._games) / rate:.0f} s left" if rate and self._total > self._games else ""
        return f"{self._games} of {self._total} games, {rate:.0f} games/s, {seconds:.0f} s{left}"

    def summary(self, run: "Run") -> Table:
        """Return the figures of the whole training as a table."""
        assert run.trained is not None
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), title="training", title_justify="left")
        figures = {key: value for key, value in run.trained.summary.items() if not isinstance(value, Mapping)}
        for key, value in figures.items():
            table.add_row(key.replace("_", " "), str(value))
        table.add_row("seconds", f"{time.perf_counter() - self._began:.1f}")
        return table


def _name(key: str) -> str:
    return key.replace("_per_second", "/s").replace("_", " ")


def _cell(value: float | int | bool | None) -> str:
    if value is None or value is False:
        return "" if value is None else "no"
    if value is True:
        return "yes"
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def _title(run: "Run") -> str:
    parts = [f"{key} {value['use']}" for key, value in run.pipeline.settings.items() if isinstance(value, dict)]
    evaluator = run.pipeline.settings.get("evaluator")
    features = evaluator.get("features") if isinstance(evaluator, dict) else None
    if isinstance(features, dict):  # it may be "none"
        parts.append(f"features {features['use']}")
    parts += [f"oracle {entry.spec.use}" for entry in run.pipeline.knowledge]
    return ", ".join(parts) + f", seed {run.pipeline.seed}"
