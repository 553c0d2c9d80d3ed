"""`gameforge study`: train variants of a pipeline with several seeds, and report how they compare."""

import json
from pathlib import Path
from typing import Annotated

import attrs
import typer

from gameforge.cli import options
from gameforge.cli.console import Console
from gameforge.cli.figures import counted
from gameforge.cli.terminal import compilation_notice, kept
from gameforge.cli.trials_display import TrialsDisplay, cores_for
from gameforge.errors import GameforgeError
from gameforge.experiments.report import REPORT
from gameforge.studies.report import StudyReport
from gameforge.studies.study import Study
from gameforge.training.work import LOCAL, executor

FOLDER = Path("studies")


def study(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="TOML file of the study.")],
    out: Annotated[
        Path | None,
        typer.Option(help=f"Folder of the study; default: {FOLDER}/NAME. Finished trials in it are not run again."),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Print the trials that are left and what they cost, and run nothing.")
    ] = False,
    workers: options.TrialWorkers = 1,
    where: options.TrialExecutor = LOCAL,
    as_json: options.AsJson = False,
) -> None:
    """Train variants of a pipeline with several seeds, measure them alike, and save a report that compares them."""
    chosen = Study.read(file, ctx.obj.registry)
    folder = out or FOLDER / file.stem
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


def _require_all(report: StudyReport) -> None:
    """Raise GameforgeError if trials failed, after the report on the others."""
    if report.failures:
        first, *others = report.failures
        more = f" (and {counted(len(others), 'other trial')})" if others else ""
        raise GameforgeError(f"a trial failed: {first}{more}; the others are kept, and the same command tries it again")
