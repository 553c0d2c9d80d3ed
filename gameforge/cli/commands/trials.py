"""`gameforge reproduce` and `study`: repeat a published experiment, and compare variants of a pipeline, over seeds.

Both show the trials that they run in the same way: their cost, then a status line on a terminal, and a line for each
finished trial elsewhere.
"""

import json
import os
import time
from collections.abc import Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import attrs
import typer

from gameforge.cli import options
from gameforge.cli.console import Console
from gameforge.cli.terminal import compilation_notice, kept
from gameforge.config import Spec
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.experiments.report import REPORT
from gameforge.experiments.reproduction import create_experiment, reproduce, seeds_text
from gameforge.experiments.schedule import (
    FailedTrial,
    FinishedTrial,
    Key,
    Resources,
    in_parallel,
    relative_speed,
    seconds_of,
)
from gameforge.interfaces.games import GameRecord
from gameforge.play.display import FIGURES, counted, duration_text
from gameforge.training.work import LOCAL, executor

if TYPE_CHECKING:
    from gameforge.studies.report import StudyReport

EXPERIMENTS, STUDIES = Path("experiments"), Path("studies")
"""Folders in which the commands make their own, unless --out names one."""


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
            help=f"Output folder; default: {EXPERIMENTS}/NAME. Resumes the experiment if it holds an interrupted one."
        ),
    ] = None,
    archive: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Archive of finished trials (.jsonl.xz), which are not run again."),
    ] = None,
    plots: Annotated[
        list[str] | None,
        typer.Option(metavar="FORMAT", help="Format of the plots: png, svg or pdf; may be repeated. Default: png."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Repeat a published experiment with several seeds, and save a report, plots and the results of every trial."""
    registry, at_once = ctx.obj.registry, cores_for(workers, where)
    if name is None:
        for option, value in {"game": game, "seeds": seeds, "out": out, "from": archive, "plots": plots}.items():
            if value is not None:
                raise GameforgeError(f"--{option}: no experiment is named; `gameforge reproduce` alone lists them")
        _print_experiments(registry, at_once, scale, as_json)
        return
    spec = Spec.parse(name)
    own = spec.use.rpartition("/")[2]
    if game is not None:
        spec, own = Spec(spec.use, {**spec.params, "game": game}), f"{own}-{game}"
    folder = out or EXPERIMENTS / own
    endings = _endings(plots)
    console = Console(highlight=False, stderr=True)
    with (
        executor(where) as machines,
        kept(folder, "trials"),
        compilation_notice(console),
        TrialsDisplay(console, workers, at_once) as display,
    ):
        resources = display.resources(machines)
        report = reproduce(folder, spec, registry, resources, seeds=seeds, scale=scale, plots=endings, archive=archive)
    if as_json:
        print(json.dumps(report.numbers))
    else:
        print(report.text.strip())
        print(f"\nreport saved in {folder / REPORT}")


def _endings(plots: list[str] | None) -> list[str]:
    """The endings of the files of plots; GameforgeError for a format that is not known."""
    endings = [f".{plot}" for plot in plots or ["png"]]
    for ending in endings:
        if ending not in FIGURES:
            allowed = ", ".join(one.removeprefix(".") for one in FIGURES)
            raise GameforgeError(f"--plots {ending.removeprefix('.')}: must be one of {allowed}")
    return endings


def _print_experiments(registry: Registry, at_once: int, scale: float, as_json: bool) -> None:
    """Print all experiments with their durations, or why one cannot be used."""
    rows: list[dict[str, Any]] = []
    for name in registry.names("experiment"):
        try:
            experiment = create_experiment(registry, Spec(name))
        except GameforgeError as error:
            rows.append({"name": name, "error": str(error)})
            continue
        each = [seconds_of(experiment, condition, scale) for condition in experiment.conditions]
        seconds = in_parallel(each * experiment.seeds, at_once)
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
            print(f"    {row['source']}; {seeds_text(row['seeds'])}, {about(row['seconds'])}")
    if not rows:
        print("no plugin offers an experiment")


def study(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="TOML file of the study.")],
    out: Annotated[
        Path | None,
        typer.Option(help=f"Folder of the study; default: {STUDIES}/NAME. Finished trials in it are not run again."),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Print the trials that are left and what they cost, and run nothing.")
    ] = False,
    workers: options.TrialWorkers = 1,
    where: options.TrialExecutor = LOCAL,
    as_json: options.AsJson = False,
) -> None:
    """Train variants of a pipeline with several seeds, measure them alike, and save a report that compares them."""
    from gameforge.studies.study import Study

    chosen = Study.read(file, ctx.obj.registry)
    folder = out or STUDIES / file.stem
    if plan:
        planned = chosen.plan(folder)
        print(json.dumps(attrs.asdict(planned)) if as_json else planned)
        return
    console = Console(highlight=False, stderr=True)
    with (
        executor(where) as machines,
        kept(folder, "trials"),
        compilation_notice(console),
        TrialsDisplay(console, workers, cores_for(workers, where)) as display,
    ):
        report = chosen.run_with(display.resources(machines), folder)
    if as_json:
        failures = [{"variant": one.condition, "seed": one.seed, "why": one.why} for one in report.failures]
        print(json.dumps({"trials": report.rows, "failures": failures}))
    else:
        print(report.text.strip())
        print(f"\nreport saved in {folder / REPORT}")
    _require_all(report)


def _require_all(report: "StudyReport") -> None:
    """Raise GameforgeError if trials failed, after the report on the others."""
    if report.failures:
        first, *others = report.failures
        more = f" (and {counted(len(others), 'other trial')})" if others else ""
        raise GameforgeError(f"a trial failed: {first}{more}; the others are kept, and the same command tries it again")


_MEASURED = 0.1
"""Share of the work after which the measured time replaces the estimate."""
_PAUSE = 0.2
"""Minimum time between two updates of the status line, in seconds: thousands of games may finish in a second."""


class TrialsDisplay:
    """What a command shows of the trials that it runs."""

    def __init__(self, console: Console, workers: int, at_once: int) -> None:
        """at_once: number of workers that have a core of their own."""
        self._console, self._workers, self._at_once = console, workers, at_once
        self._status = console.status("")
        self._began = time.perf_counter()
        self._trials, self._total, self._games = 0, 0, 0
        self._left: dict[Key, float] = {}
        """Estimated seconds of one core of this computer for each unfinished trial; empty if they are not known."""
        self._shown_notices: set[tuple[Key, str]] = set()
        self._whole, self._estimate, self._shown = 0.0, 0.0, 0.0

    def __enter__(self) -> "TrialsDisplay":
        self._status.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._status.stop()

    def resources(self, executor: Executor | None) -> Resources:
        """Return what runs the trials and shows them here."""
        return Resources(
            workers=self._workers,
            executor=executor,
            planned=self._planned,
            game_finished=self._game_finished,
            finished=self._finished,
            failed=self._failed,
            noticed=self._noticed,
            warned=lambda text: self._print(f"warning: {text}"),
        )

    def _planned(self, title: str, left: Mapping[Key, float], done: int) -> None:
        self._trials, self._total = done, done + len(left)
        parts = [counted(self._total, "trial")]
        if done:
            parts.append(f"{done} of them are finished")
        if all(left.values()):
            speed = relative_speed() if left else 1.0
            self._left = {key: seconds / speed for key, seconds in left.items()}
            self._whole = sum(self._left.values())
            self._estimate = in_parallel(list(self._left.values()), self._at_once)
            parts.append(self._cost())
        self._print(f"{title}: {'; '.join(parts)}")

    def _cost(self) -> str:
        hours = self._whole / 3600
        cost = f"{hours:.2g}" if hours >= 0.01 else "less than 0.01"
        cores = f" on {counted(self._at_once, 'core')}" if self._at_once < self._workers else ""
        return (
            f"{about(self._estimate)} with {counted(self._workers, 'worker')}{cores}, {cost} processor hours on this "
            "computer"
        )

    def _game_finished(self, game: GameRecord) -> None:
        self._games += 1
        if time.perf_counter() > self._shown + _PAUSE:
            self._show()

    def _noticed(self, key: Key, text: str) -> None:
        if (key, text) not in self._shown_notices:
            self._shown_notices.add((key, text))
            self._print(f"{key[1]}, seed {key[0]}: {text}")

    def _finished(self, trial: FinishedTrial) -> None:
        self._trials += 1
        self._left.pop(trial.key, None)
        if not self._console.is_terminal:
            where = f"{self._trials} of {self._total}"
            self._print(f"{where}: {trial.condition}, seed {trial.seed}, {trial.seconds:.1f} s")
        self._show()

    def _failed(self, trial: FailedTrial) -> None:
        self._left.pop((trial.seed, trial.condition), None)
        self._print(f"{trial.condition}, seed {trial.seed}, failed: {trial.why}")

    def _show(self) -> None:
        self._shown = time.perf_counter()
        parts = [f"{self._trials} of {counted(self._total, 'trial')}"]
        parts.append(counted(self._games, "game") if self._games else "...")
        if self._whole:
            done = 1 - sum(self._left.values()) / self._whole
            parts.append(time_left(self._estimate, self._shown - self._began, done))
        self._status.update(", ".join(parts))

    def _print(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)


def cores_for(workers: int, where: str) -> int:
    """Number of workers that have a core of their own; those of a cluster all do."""
    return min(workers, os.cpu_count() or 1) if where == LOCAL else workers


def time_left(estimate: float, elapsed: float, done: float) -> str:
    """The remaining time in words, by the estimate until enough of the work is done, then by the measured time."""
    if done >= _MEASURED:
        return f"{about(elapsed / done * (1 - done))} left"
    return f"{about(estimate - elapsed)} left" if elapsed < estimate else "longer than expected"


def about(seconds: float) -> str:
    """An estimated duration in words."""
    return f"about {duration_text(seconds)}"
