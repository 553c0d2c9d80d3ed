"""`gameforge plot`: draw the learning curves of runs, including running ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from gameforge.cli.commands.runs import readable_runs
from gameforge.cli.options import Force, require_new, require_suffix
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.play.plotting import CURVES_DPI, FIGURES, figure_file, require_matplotlib
from gameforge.storage.files import write_atomically
from gameforge.training.learning_curves import figure
from gameforge.training.run_report import RunReport


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
