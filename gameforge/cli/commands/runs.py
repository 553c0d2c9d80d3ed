"""`gameforge runs`: list runs with their progress, or compare their settings and figures.

A damaged run is named and does not hide the others.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from gameforge.cli.console import table_console
from gameforge.cli.options import EXPORT_HELP, AsJson, Force, require_new
from gameforge.cli.training_display import comparison
from gameforge.errors import GameforgeError
from gameforge.experiments.seed_runs import seed_runs
from gameforge.storage.folder import differences
from gameforge.storage.tables import check_table, write_table
from gameforge.training.metrics import STRENGTH
from gameforge.training.run_report import RunReport, read_run, run_folders

_MAIN = ("score", "loop rate", "clones")
"""Figures in the list of runs, for learners that report them."""
_MOST = 4
"""Number of figures of a learner that reports none of these."""


def runs(
    ctx: typer.Context,
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FOLDER", help="Folders of runs, or folders that contain runs; default: runs."),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Compare the settings and figures of two or more runs. Runs of one pipeline with several seeds share "
            "a column.",
        ),
    ] = False,
    export: Annotated[Path | None, typer.Option(metavar="FILE", help=EXPORT_HELP.format("session"))] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """List runs, including running ones, or compare them."""
    if export is not None:
        check_table(export)
        require_new(export, force)
    found = readable_runs(folders or [Path("runs")])
    if compare and len(found) < 2:
        raise GameforgeError(f"--compare: must be given two or more runs, found {len(found)}")
    if export is not None:
        rows = [{"run": str(run.folder), **row, **run.parameters} for run in found for row in run.rows()]
        write_table(export, rows)
    if as_json:
        changed = differences([run.settings for run in found])
        print(json.dumps({"runs": [_described(run) for run in found], "differences": changed}, default=str))
        return
    console = table_console()
    console.print(comparison(seed_runs(found, ctx.obj.registry), console.width) if compare else _list(found))


def _list(found: Sequence[RunReport]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("run", "game", "state", "began", "sessions", "games", "result"):
        table.add_column(heading, justify="right" if heading in ("sessions", "games") else "left", overflow="fold")
    for run in found:
        table.add_row(
            *(str(run.folder), run.game, run.state, run.began), *(_sessions(run), str(run.games), _result(run))
        )
    return table


def _sessions(run: RunReport) -> str:
    learner = run.settings.get("learner")
    of = learner.get("sessions") if isinstance(learner, dict) else None
    return f"{run.sessions}/{of}" if of and run.state != "finished" else str(run.sessions)


def _result(run: RunReport) -> str:
    figures = run.figures
    main = [key for key in _MAIN if key in figures] + [key for key in STRENGTH if key in figures][:1]
    shown = list(run.tuned) or main or list(figures)[:_MOST]
    return ", ".join(f"{key} {figures[key]:.3g}" for key in shown)


def _described(run: RunReport) -> dict[str, object]:
    return {
        "folder": str(run.folder),
        "game": run.game,
        "state": run.state,
        "began": run.began,
        "sessions": run.sessions,
        "games": run.games,
        "figures": run.figures,
        "summary": dict(run.summary),
    }


def readable_runs(where: Iterable[Path]) -> list[RunReport]:
    """The reports of all runs in these folders, each once, with a warning for each that cannot be read.

    Raises GameforgeError if a folder holds no runs, or if there is only one and it cannot be read.
    """
    folders = list(dict.fromkeys(folder for place in where for folder in run_folders(place)))
    if len(folders) == 1:
        return [read_run(folders[0])]
    reports = []
    for folder in folders:
        try:
            reports.append(read_run(folder))
        except GameforgeError as error:
            print(f"warning: {folder} is left out: {error}", file=sys.stderr)
    return reports
