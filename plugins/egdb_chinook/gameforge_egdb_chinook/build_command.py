"""`gameforge egdb build`: build a database, or print what the build would cost."""

import os
import re
import time
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column

from gameforge.cli.shared.compilation import compilation_notice
from gameforge.cli.shared.console import Console
from gameforge.errors import GameforgeError, near
from gameforge.storage.room import size_text
from gameforge_egdb_chinook.target import Target, capacity, cost, require_room, target

GameOption = Annotated[
    str,
    typer.Option(help="Game of the database. Other games have options of their own: add `--game NAME --help`."),
]

_UNITS = {"": 1, "K": 1_000, "M": 10**6, "G": 10**9}
_LINE_EVERY = 10.0
"""Seconds between two lines of progress if standard error is not a terminal."""


def build(
    pieces: Annotated[int, typer.Option(help="Maximum number of pieces, both sides together.")],
    game: GameOption = "draughts",
    format: Annotated[
        str,
        typer.Option(
            help="Format: chinook (win, loss, draw), dtw (plies to the win) or mtc (plies to a capture or man's move)."
        ),
    ] = "chinook",
    out: Annotated[Path, typer.Option(help="Output folder.")] = Path("."),
    workers: Annotated[int | None, typer.Option(min=1, help="Number of threads; default: one per core.")] = None,
    max_memory: Annotated[str | None, typer.Option(help="Memory limit, such as 3G.")] = None,
    material: Annotated[
        str | None,
        typer.Option(
            help="Material to build, with everything that it leads to: four digits, the numbers of black kings, "
            "white kings, black men and white men."
        ),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Print the positions, memory, disk space and time needed; build nothing.")
    ] = False,
) -> None:
    """Build the database of all positions with up to N pieces. Resumes an interrupted build, with the same result."""
    check_game(game)
    wanted = target(format, pieces, material, out)
    threads = workers or os.cpu_count() or 1
    most = None if max_memory is None else _bytes(max_memory)
    if plan:
        _print_plan(wanted, threads, most)
        return
    slices = wanted.slices()
    room = None if most is None else capacity(wanted, most, slices)
    from gameforge_egdb_chinook.build import Build
    from gameforge_egdb_chinook.databases import databases
    from gameforge_egdb_chinook.verify import check_bytes

    console = Console(stderr=True, highlight=False)
    if wanted.manifest_path.exists():
        for database in databases(wanted.manifest_path):
            check_bytes(database)
        Build(wanted).run()
        console.print(f"{wanted.manifest_path} exists: nothing to build, its checksums match", soft_wrap=True)
        return
    require_room(wanted, threads, room)
    try:
        wanted.folder.mkdir(parents=True, exist_ok=True)
        wanted.log_path.touch()
    except OSError as error:
        raise GameforgeError(f"{error.filename}: cannot be written ({error.strerror})") from error
    began = time.perf_counter()
    with compilation_notice(console), _Display(console, wanted.name) as display:

        def write(line: str) -> None:
            with wanted.log_path.open("a") as log:
                log.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}\n")
            display.slice(line)

        path = Build(wanted, threads, room, display, write).run()
    console.print(f"{path.with_suffix('')}: built in {time.perf_counter() - began:.1f} s", soft_wrap=True)


def check_game(game: str) -> None:
    """Raise GameforgeError if the game is not draughts, the only one with databases."""
    if game != "draughts":
        raise GameforgeError(f"there are no endgame databases of {game!r}{near(game, ['draughts'])}, only of draughts")


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]?)B?", text.strip().upper())
    if found is None:
        raise GameforgeError(f"--max-memory {text!r} is not a number of bytes such as 3G or 800M")
    return int(float(found[1]) * _UNITS[found[2]])


def _print_plan(wanted: Target, workers: int, most: int | None) -> None:
    slices = wanted.slices()
    needs = cost(wanted, workers, slices)
    limit = "" if most is None else f" (limit {size_text(most)})"
    if most is not None and most < needs.memory:
        capacity(wanted, most, slices)
        limit += ", so fewer units are solved at once"
    by_division: Counter[tuple[int, str]] = Counter()
    for s in slices:
        black, white = s.black_kings + s.black_men, s.white_kings + s.white_men
        by_division[s.pieces, f"{max(black, white)}v{min(black, white)}"] += s.size
    print(f"{'pieces':>6} {'divided':>8} {'positions':>18}")
    for (pieces, division), positions in sorted(by_division.items()):
        print(f"{pieces:6} {division:>8} {positions:18,}")
    print(f"{'':6} {'all':>8} {needs.positions:18,}")
    print(f"slices  {len(slices):,}, in {needs.units:,} units; the largest has {needs.largest_unit:,} positions")
    print(f"memory  at most {size_text(needs.memory)}, {size_text(needs.store)} of it mapped from a file{limit}")
    print(f"disk    {size_text(needs.disk)}")
    print(f"time    {_duration(needs.seconds)} with {workers} threads, as measured on two cores of an AMD EPYC")


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"about {max(1, round(seconds))} s"
    return f"about {round(seconds / 60)} min" if seconds < 7200 else f"about {seconds / 3600:.1f} h"


class _Display:
    """Progress (an Announce): a bar with the remaining time on a terminal, else a line every LINE_EVERY seconds."""

    def __init__(self, console: Console, title: str) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn(title, markup=False),
            BarColumn(bar_width=12),
            TextColumn("{task.percentage:>5.1f}%"),
            TimeRemainingColumn(),
            TextColumn("{task.description}", markup=False, table_column=Column(ratio=1, no_wrap=True)),
            console=console,
            transient=True,
            expand=True,
        )
        self._task = self._bar.add_task("", total=None)
        self._began: tuple[float, int] | None = None
        self._last_line = time.perf_counter()
        self._line = ""

    def __enter__(self) -> "_Display":
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._console.is_terminal:
            self._bar.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.perf_counter()
        if self._began is None:
            self._began = now, done
        self._bar.update(self._task, completed=done, total=total, description=self._line)
        if not self._console.is_terminal and now - self._last_line >= _LINE_EVERY:
            self._last_line = now
            began, first = self._began
            left = (now - began) * (total - done) / (done - first) if done > first else 0.0
            self._console.print(f"{done / total:.1%} done, {left:.0f} s left; {self._line}", soft_wrap=True)

    def slice(self, line: str) -> None:
        """Show the log line of the last finished slice beside the progress."""
        self._line = line
