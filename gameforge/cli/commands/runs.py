"""`gameforge runs`, `plot` and `verify`: list and compare runs, draw their learning curves, and check what was saved.

`runs` and `plot` name a damaged run, which does not hide the others. `verify` checks whatever GameForge writes: by
checksums, by the rules, and by training the first sessions of runs again.
"""

import json
import secrets
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from gameforge.cli.console import Console, table_console
from gameforge.cli.options import EXPORT_HELP, AsJson, Force, require_new, require_suffix
from gameforge.cli.terminal import compilation_notice
from gameforge.cli.training_display import comparison
from gameforge.config.outside import require_path
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.experiments.reproduction import EXPERIMENT_FORMAT, experiment_checked
from gameforge.experiments.seed_runs import seed_runs
from gameforge.play.display import CURVES_DPI, FIGURES, figure_file, printable, require_matplotlib
from gameforge.storage.files import check_table, write_atomically, write_table
from gameforge.storage.folder import differences
from gameforge.studies.trials import STUDY_FORMAT, study_checked
from gameforge.training.run_folder import RUN_FORMAT, STRENGTH
from gameforge.training.run_report import RunReport, figure, run_folders
from gameforge.training.verification import drawn_session, first_sessions_repeated, runs_to_repeat, verified

CHECKS = {STUDY_FORMAT.format: study_checked, EXPERIMENT_FORMAT.format: experiment_checked}
"""What `verify` checks beside what `gameforge.training.verification` knows."""
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
        columns = list(dict.fromkeys(key for row in _session_rows(found) for key in row))
        write_table(export, _session_rows(found), columns)
    if as_json:
        changed = differences([run.settings for run in found])
        print(json.dumps({"runs": [_described(run) for run in found], "differences": changed}, default=str))
        return
    console = table_console()
    console.print(comparison(seed_runs(found, ctx.obj.registry), console.width) if compare else _list(found))


def _session_rows(found: Sequence[RunReport]) -> Iterator[dict[str, object]]:
    """Yield a row for each session of each run, with the parameters of the run."""
    for run in found:
        parameters = run.parameters
        yield from ({"run": str(run.folder), **row, **parameters} for row in run.rows())


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
        return [RunReport.read(folders[0])]
    reports = []
    for folder in folders:
        try:
            reports.append(RunReport.read(folder))
        except GameforgeError as error:
            print(f"warning: {folder} is left out: {error}", file=sys.stderr)
    return reports


def plot(
    ctx: typer.Context,
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER", help="Folders of runs, or folders that contain runs.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="PNG, SVG or PDF file; default: plot.png, in the folder of the run if it is a single one.",
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Draw score, loop rate, piece balance and moves per game, or whatever figures the learner reports."""
    if out is not None:
        require_suffix("--out", out, "a PNG, SVG or PDF file", FIGURES)
    require_matplotlib("gameforge plot")
    runs = readable_runs(folders)
    if not runs:
        raise GameforgeError("no run can be read; there is nothing to draw")
    path = out or (runs[0].folder if len(runs) == 1 else Path()) / "plot.png"
    require_new(path, force)
    write_curves(runs, ctx.obj.registry, path)
    print(path)


def write_curves(runs: Sequence[RunReport], registry: Registry, path: Path) -> None:
    """Write the curves of runs as a PNG, SVG or PDF file, with the panels of the learner if there is a single run."""
    drawn = figure(runs, [run.illustration(registry) for run in runs])
    write_atomically(path, figure_file(drawn, path.suffix.lower(), CURVES_DPI))


def verify(
    ctx: typer.Context,
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="Folder of a run, match, player, study, experiment or examples; a database of games or endings; or a "
            "folder that holds such.",
        ),
    ],
    sessions: Annotated[
        int, typer.Option(min=0, help="Number of sessions of each run to train again, from its first.")
    ] = 0,
    random_session: Annotated[
        bool,
        typer.Option(
            "--random-session",
            help="Draw a session of each run, but of only one run of a study or an experiment, and train the run again "
            "from its first session to this one.",
        ),
    ] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of that draw; default: another one each time.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Number of threads that train.")] = 1,
) -> None:
    """Check that what GameForge has written is as it was, and follows from the rules and from what it was made of.

    Games are replayed, values of endings compared with those after each move, positions of examples with those before
    them, and figures of studies and experiments with their runs and matches. Checksums find damage and edits, but no
    forgery that alters them as well. With --sessions or --random-session the beginning of each run is trained again and
    compared; `gameforge player verify` trains a packed player again from start to end.
    """
    require_path(path)
    if not path.exists():
        raise GameforgeError(f"there is no file or folder {path}")
    if sessions and random_session:
        raise GameforgeError("--sessions and --random-session: choose one of them")
    if seed is not None and not random_session:
        raise GameforgeError("--seed: nothing is drawn without --random-session")
    drawn_by = secrets.randbelow(2**32) if seed is None else seed
    drawn = {*runs_to_repeat(path, drawn_by, [STUDY_FORMAT.file, EXPERIMENT_FORMAT.file])} if random_session else set()
    console = Console(highlight=False, stderr=True)
    checked = wrong = unknown = 0
    with compilation_notice(console), console.preparation() as announce:
        for one in verified(path, ctx.obj.registry, CHECKS, announce=announce):
            found, again = [one], sessions
            if one.holds and one.path.parent in drawn and one.path.name == RUN_FORMAT.file:
                again = drawn_session(one.named, drawn_by)
                print(printable(f"{one.named}: session {again} is drawn by --seed {drawn_by}"), flush=True)
            if again and one.holds and one.path.name == RUN_FORMAT.file:
                found.append(
                    first_sessions_repeated(one.named, again, ctx.obj.registry, workers=workers, announce=announce)
                )
            checked, wrong = checked + 1, wrong + any(not each.holds for each in found)
            for each in found:
                unknown += not each.checked
                text = f"WRONG {each.found}" if each.checked and not each.holds else f"{each.named}: {each.found}"
                print(printable(text if each.checked else f"NOT CHECKED {text}"), flush=True)
    if wrong > unknown:
        raise GameforgeError(f"{wrong - unknown:,} of {checked:,} manifests and databases in {path} do not hold")
    if unknown:
        raise GameforgeError(f"{unknown:,} of {checked:,} manifests and databases in {path} could not be checked")
