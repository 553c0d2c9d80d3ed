"""`gameforge verify`: check what a folder says about runs, matches and players, by checksums, rules and repetition."""

from pathlib import Path
from typing import Annotated

import typer

from gameforge.cli.console import Console, Preparation
from gameforge.cli.figures import counted
from gameforge.cli.terminal import compilation_notice
from gameforge.errors import GameforgeError
from gameforge.play.terminal import printable
from gameforge.storage.folder import require_folder
from gameforge.training.run_folder import RUN_FORMAT
from gameforge.training.verification import first_sessions_repeated, verified


def verify(
    ctx: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="Folder of a run, match or player, or a folder that holds such folders."),
    ],
    sessions: Annotated[
        int, typer.Option(min=0, help="Number of sessions of each run to train again, from its first.")
    ] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Number of threads that train.")] = 1,
) -> None:
    """Check that runs, matches and players are as they were written, and that their games follow the rules.

    Checksums find damage and edits, but no forgery that alters them as well. With --sessions the beginning of each run
    is trained again and compared; `gameforge player verify` trains a packed player again from start to end.
    """
    require_folder(folder)
    console = Console(highlight=False, stderr=True)
    checked = wrong = 0
    for one in verified(folder, ctx.obj.registry):
        found = [one]
        if sessions and one.holds and one.path.name == RUN_FORMAT.file:
            with compilation_notice(console), Preparation(console) as announce:
                found.append(
                    first_sessions_repeated(
                        one.path.parent, sessions, ctx.obj.registry, workers=workers, announce=announce
                    )
                )
        checked, wrong = checked + 1, wrong + any(not each.holds for each in found)
        for each in found:
            print(printable(f"{each.path.parent}: {each.found}" if each.holds else f"WRONG {each.found}"))
    if wrong:
        raise GameforgeError(f"{wrong} of {counted(checked, 'manifest')} in {folder} do not hold")
