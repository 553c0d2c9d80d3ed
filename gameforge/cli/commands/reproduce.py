"""`gameforge reproduce`: repeat a published experiment and compare the results."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from gameforge.cli import options
from gameforge.cli.console import Console
from gameforge.cli.terminal import compilation_notice, kept
from gameforge.cli.trials_display import TrialsDisplay, about, cores_for
from gameforge.config import Spec, parse_spec
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.experiments.report import REPORT
from gameforge.experiments.reproduction import create_experiment, reproduce, seeds_text
from gameforge.experiments.schedule import in_parallel, seconds_of
from gameforge.play.plotting import FIGURES
from gameforge.training.work import LOCAL, executor

FOLDER = Path("experiments")


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


def _list(registry: Registry, at_once: int, scale: float, as_json: bool) -> None:
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
