"""The display of `gameforge run`: the progress of the training, and a summary at the end."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.live import Live
from rich.table import Table

from gameforge.cli.shared.console import Console
from gameforge.cli.shared.figures_text import counted, figure_text, rate_text
from gameforge.cli.shared.paced import Paced
from gameforge.cli.shared.preparation import Preparation
from gameforge.cli.shared.session_table import heading_lines, session_table
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import PlansGames, Progress
from gameforge.training.duration import duration_text
from gameforge.training.run_report import figure_name

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
            self._rows = [dict(row) for row in run.earlier]
            self._games = self._before = max((row.pop("games") for row in self._rows), default=0)
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
        self._games += 1
        self._now[("losses", "draws", "wins")[game.outcome.points(game.learner)]] += 1
        self._now["loops"] += game.outcome.loop
        if self._live is None and self._lines.due():
            self._console.print(self._status(), soft_wrap=True)

    @hookimpl
    def gameforge_checkpoint(self, progress: Progress) -> None:
        self._games, self._total = progress.games, progress.total
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
        seconds = time.perf_counter() - self._began
        if not (self._games or self._total):
            return duration_text(seconds)
        played = self._games - self._before
        left = f", {duration_text(seconds / played * (self._total - self._games))} left" if self._is_under_way() else ""
        rate = f", {rate_text(played, seconds)}" if played else ""
        return f"{self._games:,} of {counted(self._total, 'game')}{rate}, {duration_text(seconds)}{left}"

    def _is_under_way(self) -> bool:
        return self._before < self._games < self._total

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
