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
from gameforge.errors import GameforgeError
from gameforge.experiments.schedule import Key
from gameforge.studies.report import REPORT, StudyReport
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
    with executor(where) as machines, kept(folder, "trials"), compilation_notice(console), _Display(console) as display:
        report = chosen.run(
            folder,
            workers=workers,
            executor=machines,
            trial_finished=display.trial_finished,
            noticed=display.noticed,
            progress=False,
        )
    if as_json:
        print(json.dumps({"trials": report.rows, "failures": [attrs.asdict(failure) for failure in report.failures]}))
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


class _Display:
    """A status line; where the output is not a terminal, a line for each finished trial."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status = console.status("training")
        self._finished = 0
        self._notices: set[tuple[Key, str]] = set()

    def __enter__(self) -> "_Display":
        self._status.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._status.stop()

    def trial_finished(self, name: str, seed: int, seconds: float, failure: str) -> None:
        self._finished += 1
        if failure:
            self._console.print(f"{name}, seed {seed}, failed: {failure}", soft_wrap=True)
        elif not self._console.is_terminal:
            self._console.print(f"{name}, seed {seed}, {seconds:.1f} s", soft_wrap=True)
        self._status.update(f"{counted(self._finished, 'trial')} finished, {name}, seed {seed} last")

    def noticed(self, key: Key, text: str) -> None:
        if (key, text) not in self._notices:
            self._notices.add((key, text))
            self._console.print(f"{key[1]}, seed {key[0]}: {text}", soft_wrap=True)
