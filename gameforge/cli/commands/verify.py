"""`gameforge verify`: check what a folder says about runs, matches and players, by checksums and by the rules."""

from pathlib import Path
from typing import Annotated

import typer

from gameforge.cli.figures import counted
from gameforge.errors import GameforgeError
from gameforge.play.terminal import printable
from gameforge.storage.folder import require_folder
from gameforge.training.verification import verified


def verify(
    ctx: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="Folder of a run, match or player, or a folder that holds such folders."),
    ],
) -> None:
    """Check that runs, matches and players are as they were written, and that their games follow the rules.

    Checksums find damage and edits, but no forgery that alters them as well. `gameforge player verify` trains again.
    """
    require_folder(folder)
    checked = wrong = 0
    for one in verified(folder, ctx.obj.registry):
        checked, wrong = checked + 1, wrong + (not one.holds)
        print(printable(f"{one.path.parent}: {one.found}" if one.holds else f"WRONG {one.found}"))
    if wrong:
        raise GameforgeError(f"{wrong} of {counted(checked, 'manifest')} in {folder} do not hold")
