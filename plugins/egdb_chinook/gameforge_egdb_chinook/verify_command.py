"""`gameforge egdb verify`: check checksums, compare with the published files, and check every value by the rules."""

import os
import time
from pathlib import Path
from typing import Annotated

import typer

from gameforge.cli.shared.compilation import compilation_notice
from gameforge.cli.shared.console import Console
from gameforge.cli.shared.preparation import Preparation
from gameforge_egdb_chinook import verify as checks
from gameforge_egdb_chinook.build_command import GameOption, check_game
from gameforge_egdb_chinook.databases import databases
from gameforge_egdb_chinook.solver import counted


def verify(
    path: Annotated[Path, typer.Argument(help="Folder with databases, or one index or manifest file.")],
    game: GameOption = "draughts",
    workers: Annotated[int | None, typer.Option(min=1, help="Number of threads; default: one per core.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Check only the bytes, not every value by the rules.")] = False,
) -> None:
    """Check databases. Ends with an error that names the slice at the first wrong one."""
    check_game(game)
    console = Console(stderr=True, highlight=False)
    for database in databases(path):
        checks.check_bytes(database)
        if database.manifest is not None:
            print(f"{database.title}: checksums match {database.manifest.path.name}", flush=True)
        title = checks.published(database)
        if title is not None:
            print(f"{database.title}: identical to {title}", flush=True)
        if quick:
            checks.check_published(database)
            if database.manifest is None and title is None:
                print(f"{database.title}: the codes fit the index; there is no checksum to compare with", flush=True)
            continue
        positions = sum(s.size for s in database.slices)
        began = time.perf_counter()
        with compilation_notice(console), Preparation(console) as preparation:
            progress = counted(preparation, f"checking {Path(database.title).name}", positions)
            checks.check_values(database, workers or os.cpu_count() or 1, progress)
        checks.check_published(database)
        seconds = time.perf_counter() - began
        print(
            f"{database.title}: {positions:,} values follow from those of their successors ({seconds:.1f} s)",
            flush=True,
        )
