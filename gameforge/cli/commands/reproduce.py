"""`gameforge reproduce`: repeat a published experiment and compare the results."""

import json
import os
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from gameforge.cli import options
from gameforge.cli.console import Console
from gameforge.cli.figures import counted
from gameforge.cli.terminal import compilation_notice, kept
from gameforge.config import Spec, parse_spec
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.experiments.reproduction import REPORT, create_experiment, reproduce, seeds_text
from gameforge.experiments.schedule import Key, estimate, relative_speed, trial_keys
from gameforge.interfaces.experiment import Experiment, Result
from gameforge.interfaces.games import GameRecord
from gameforge.play.plotting import FIGURES
from gameforge.play.terminal import duration_text
from gameforge.training.work import LOCAL, executor

FOLDER = Path("experiments")
_MEASURED = 0.1
"""Share of the work after which the measured time replaces the estimate."""
_PAUSE = 0.2
"""Minimum time between two updates of the status line, in seconds: thousands of games may finish in a second."""


def reproduce_command(
    ctx: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(metavar="EXPERIMENT", help="NAME:key=value,...; without it, all experiments are listed."),
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="Name of the game, for experiments with several; the same as NAME:game=...")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Number of seeds; default: that of the experiment.")] = None,
    workers: options.TrialWorkers = 1,
    where: options.TrialExecutor = LOCAL,
    scale: Annotated[float, typer.Option(help="Length of a trial; 1 is the length of the published experiment.")] = 1.0,
    out: Annotated[
        Path | None,
        typer.Option(
            help=f"Output folder; default: {FOLDER}/NAME. Resumes the experiment if it holds an interrupted one."
        ),
    ] = None,
    plots: Annotated[
        list[str] | None,
        typer.Option(metavar="FORMAT", help="Format of the plots: png, svg or pdf; may be repeated. Default: png."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Repeat a published experiment with several seeds, and save a report, plots and the results of every trial."""
    registry, at_once = ctx.obj.registry, _at_once(workers, where)
    if name is None:
        _list(registry, at_once, scale, as_json)
        return
    spec = parse_spec(name)
    own = spec.use.rpartition("/")[2]
    if game is not None:
        spec, own = Spec(spec.use, {**spec.params, "game": game}), f"{own}-{game}"
    folder = out or FOLDER / own
    endings = _endings(plots)
    console = Console(highlight=False, stderr=True)
    with (
        executor(where) as machines,
        kept(folder, "trials"),
        compilation_notice(console),
        _Display(console, workers, at_once, scale) as display,
    ):
        report = reproduce(
            *(folder, spec, registry),
            seeds=seeds,
            workers=workers,
            scale=scale,
            executor=machines,
            plots=endings,
            planned=display.planned,
            trial_finished=display.trial_finished,
            game_finished=display.game_finished,
            noticed=display.noticed,
            warned=display.warned,
        )
    if as_json:
        print(json.dumps(report.numbers))
    else:
        print(report.text.strip())
        print(f"\nreport saved in {folder / REPORT}")


class _Display:
    """A status line; where the output is not a terminal, a line for each finished trial."""

    def __init__(self, console: Console, workers: int, at_once: int, scale: float) -> None:
        self._console, self._workers, self._at_once, self._scale = console, workers, at_once, scale
        self._status = console.status("")
        self._began = time.perf_counter()
        self._trials, self._total, self._games = 0, 0, 0
        self._left: dict[Key, float] = {}
        """Estimated seconds of one core of this computer for each unfinished trial."""
        self._shown_notices: set[tuple[Key, str]] = set()
        self._whole, self._estimate, self._shown = 0.0, 0.0, 0.0

    def __enter__(self) -> "_Display":
        self._status.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._status.stop()

    def planned(self, experiment: Experiment, todo: list[Key], done: int) -> None:
        self._trials, self._total = done, done + len(todo)
        speed = relative_speed() if todo else 1.0
        self._left = {key: estimate(experiment, [key], 1, self._scale) / speed for key in todo}
        self._whole = sum(self._left.values())
        self._estimate = estimate(experiment, todo, self._at_once, self._scale) / speed
        known = f"{done} of them are finished; " if done else ""
        hours = self._whole / 3600
        cost = f"{hours:.2g}" if hours >= 0.01 else "less than 0.01"
        cores = f" on {counted(self._at_once, 'core')}" if self._at_once < self._workers else ""
        self._console.print(
            f"{experiment.title}: {counted(self._total, 'trial')}; {known}{_duration(self._estimate)} with "
            f"{counted(self._workers, 'worker')}{cores}, {cost} processor hours on this computer",
            soft_wrap=True,
        )

    def game_finished(self, game: GameRecord) -> None:
        self._games += 1
        if time.perf_counter() > self._shown + _PAUSE:
            self._show()

    def noticed(self, key: Key, text: str) -> None:
        if (key, text) not in self._shown_notices:
            self._shown_notices.add((key, text))
            self._console.print(f"{key[1]}, seed {key[0]}: {text}", soft_wrap=True)

    def warned(self, text: str) -> None:
        self._console.print(f"warning: {text}", soft_wrap=True)

    def trial_finished(self, result: Result, seconds: float) -> None:
        self._trials += 1
        del self._left[result.seed, result.condition]
        if not self._console.is_terminal:
            where = f"{self._trials} of {self._total}"
            self._console.print(f"{where}: {result.condition}, seed {result.seed}, {seconds:.1f} s", soft_wrap=True)
        self._show()

    def _show(self) -> None:
        self._shown = time.perf_counter()
        games = counted(self._games, "game") if self._games else "..."
        done = 1 - sum(self._left.values()) / self._whole if self._whole else 0.0
        left = time_left(self._estimate, self._shown - self._began, done)
        self._status.update(f"{self._trials} of {counted(self._total, 'trial')}, {games}, {left}")


def time_left(estimate: float, elapsed: float, done: float) -> str:
    """The remaining time in words, by the estimate until enough of the work is done, then by the measured time."""
    if done >= _MEASURED:
        return f"{_duration(elapsed / done * (1 - done))} left"
    return f"{_duration(estimate - elapsed)} left" if elapsed < estimate else "longer than expected"


def _duration(seconds: float) -> str:
    return f"about {duration_text(seconds)}"


def _endings(plots: list[str] | None) -> list[str]:
    """The endings of the files of plots; GameforgeError for a format that is not known."""
    endings = [f".{plot}" for plot in plots or ["png"]]
    for ending in endings:
        if ending not in FIGURES:
            allowed = ", ".join(one.removeprefix(".") for one in FIGURES)
            raise GameforgeError(f"--plots {ending.removeprefix('.')}: must be one of {allowed}")
    return endings


def _at_once(workers: int, where: str) -> int:
    """Number of workers that have a core of their own; those of a cluster all do."""
    return min(workers, os.cpu_count() or 1) if where == LOCAL else workers


def _list(registry: Registry, at_once: int, scale: float, as_json: bool) -> None:
    """Print all experiments with their durations, or why one cannot be used."""
    rows: list[dict[str, Any]] = []
    for name in registry.names("experiment"):
        try:
            experiment = create_experiment(registry, Spec(name))
        except GameforgeError as error:
            rows.append({"name": name, "error": str(error)})
            continue
        seconds = estimate(experiment, trial_keys(experiment, experiment.seeds), at_once, scale)
        facts = {"title": experiment.title, "source": experiment.source, "seeds": experiment.seeds}
        rows.append({"name": name} | facts | {"seconds": round(seconds)})
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        if "error" in row:
            print(f"{row['name']}: FAILED: {row['error']}")
        else:
            print(f"{row['name']}: {row['title']}")
            print(f"    {row['source']}; {seeds_text(row['seeds'])}, {_duration(row['seconds'])}")
    if not rows:
        print("no plugin offers an experiment")
