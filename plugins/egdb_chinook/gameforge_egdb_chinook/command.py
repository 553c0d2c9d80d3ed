"""`gameforge egdb`: build, probe, verify, describe and count endgame databases."""

import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import attrs
import numpy as np
import typer
from gameforge_draughts.movegen import BOARD
from gameforge_retrograde.database_files import KeptFile
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column

from gameforge import GameforgeError, Position
from gameforge.cli import Console, compilation_notice, counted, options, print_verdicts
from gameforge.interfaces import near
from gameforge.storage import files
from gameforge_egdb_chinook import manifest
from gameforge_egdb_chinook.build import Build
from gameforge_egdb_chinook.chinook_files import coverage_text, tally
from gameforge_egdb_chinook.manifest import Database, databases
from gameforge_egdb_chinook.solving import forget_captures
from gameforge_egdb_chinook.soundness import check_bytes, check_published, published, sound
from gameforge_egdb_chinook.target import Target, capacity, cost, require_room, target
from gameforge_egdb_chinook.units import DraughtsUnits

GameOption = Annotated[
    str,
    typer.Option(help="Game of the database. Other games have options of their own: add `--game NAME --help`."),
]

_BYTE_UNITS = {"": 1, "K": 1_000, "M": 10**6, "G": 10**9}
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
    most = None if max_memory is None else _bytes_from(max_memory)
    if plan:
        _print_plan(wanted, threads, most)
        return
    slices = wanted.slices()
    room = None if most is None else capacity(wanted, most, slices)
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


def _bytes_from(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]?)B?", text.strip().upper())
    if found is None:
        raise GameforgeError(f"--max-memory {text!r} is not a number of bytes such as 3G or 800M")
    return int(float(found[1]) * _BYTE_UNITS[found[2]])


def _print_plan(wanted: Target, workers: int, most: int | None) -> None:
    slices = wanted.slices()
    needs = cost(wanted, workers, slices)
    limit = "" if most is None else f" (limit {files.size_text(most)})"
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
    memory, store = files.size_text(needs.memory), files.size_text(needs.store)
    print(f"memory  at most {memory}, {store} of it mapped from a file{limit}")
    print(f"disk    {files.size_text(needs.disk)}")
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


def probe(
    ctx: typer.Context,
    fens: Annotated[
        list[str] | None, typer.Argument(metavar="FEN...", help="Positions, in the game's notation.")
    ] = None,
    game: Annotated[str, typer.Option(help="The game: draughts, with parameters: NAME:key=value.")] = "draughts",
    oracle: Annotated[
        str, typer.Option(help="Oracle to probe; chinook:path=DIR reads the files in a folder.")
    ] = "chinook",
    file: options.PositionsFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    workers: Annotated[int, typer.Option(min=1, help="Number of threads to build the database, if needed.")] = 2,
) -> None:
    """Print the value of each position for the side to move, and of every move, with distances if there are any.

    A distance is the number of plies to the end of the game or, with the metric mtc, to the next capture or man's
    move. A position that the database does not cover is `unknown`.
    """
    print_verdicts(ctx.obj.registry, game, oracle, fens or [], file, as_json, workers, _is_conversion)


def _is_conversion(position: Position, code: int) -> bool:
    """Whether a move is a capture or a man's move."""
    own, opp, kings = position.state
    after = position.after(code).state
    men_before = (own | opp) & ~kings & int(BOARD)
    men_after = (after[0] | after[1]) & ~after[2] & int(BOARD)
    return men_before != men_after or (own | opp).bit_count() != (after[0] | after[1]).bit_count()


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
        check_bytes(database)
        if database.manifest is not None:
            print(f"{database.title}: checksums match {database.manifest.path.name}", flush=True)
        title = published(database)
        if title is not None:
            print(f"{database.title}: identical to {title}", flush=True)
        if quick:
            check_published(database)
            if database.manifest is None and title is None:
                print(f"{database.title}: the codes fit the index; there is no checksum to compare with", flush=True)
            continue
        began = time.perf_counter()
        with compilation_notice(console), console.preparation() as preparation:
            found = sound(database, workers or os.cpu_count() or 1, preparation)
        print(f"{database.title}: {found} ({time.perf_counter() - began:.1f} s)", flush=True)


_HOLDS = {
    "wld": "win, loss and draw of quiet positions, in Chinook's format",
    "dtw": "plies to the end of the game",
    "mtc": "plies to the next capture or man's move, and the outcome",
}


def info(
    path: Annotated[Path, typer.Argument(help="Folder with databases, or one index or manifest file.")],
    game: GameOption = "draughts",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per database.")] = False,
) -> None:
    """Print the coverage, origin and checksums of databases. Ends with an error at the first damaged one."""
    check_game(game)
    for database in databases(path):
        check_bytes(database)
        check_published(database)
        about = _described(database)
        if as_json:
            print(json.dumps(attrs.asdict(about)))
            continue
        print(database.title)
        print(f"  covers   {about.covers}: {about.positions:,} positions in {about.slices:,} slices")
        print(f"  holds    {about.holds}")
        print(f"  origin   {about.origin}")
        for file in about.files:
            print(f"  {file.name:8} {file.bytes:,} bytes, SHA-256 {file.sha256}")


@attrs.frozen(kw_only=True)
class _About:
    """What `info` says about a database, in the order of its JSON object."""

    database: str
    """Path of the data file."""
    metric: str
    covers: str
    holds: str
    positions: int
    slices: int
    origin: str
    files: Sequence[KeptFile]


def _described(database: Database) -> _About:
    if database.manifest is not None:
        files: Sequence[KeptFile] = database.manifest.files
        origin = database.manifest.origin
    else:
        paths = [path for file in database.files for path in (file.data_path, file.index_path)]
        files = [KeptFile(p.name, p.stat().st_size, manifest.checksum(p)) for p in paths]
        known = manifest.official_of_index(files[1].sha256)
        origin = known.title if known is not None else "unknown"
    return _About(
        database=database.title,
        metric=database.metric,
        covers=coverage_text(database.slices),
        holds=_HOLDS[database.metric],
        positions=sum(s.size for s in database.slices),
        slices=len(database.slices),
        origin=origin,
        files=files,
    )


DRAWN_AFTER = 80
"""Plies without a capture or a man's move after which a game is drawn (the 40-move rule)."""


def stats(
    path: Annotated[Path, typer.Argument(help="Folder with databases, or one index or manifest file.")],
    game: GameOption = "draughts",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per slice.")] = False,
) -> None:
    """Print each slice's positions, wins, losses and draws for the side to move, and its longest win with an example.

    Files without a manifest have no values for positions with pending captures, so only the others are counted.
    """
    check_game(game)
    for database in databases(path):
        check_bytes(database)
        check_published(database)
        rows = list(_rows_of_slices(database))
        if as_json:
            for row in rows:
                print(json.dumps({"database": database.title, **attrs.asdict(row)}))
            continue
        print(database.title + ("" if database.manifest else " (positions without pending captures)"))
        print(f"{'slice':8} {'positions':>14} {'won':>14} {'lost':>14} {'drawn':>14}  longest win")
        for row in rows:
            _print_row(row.name, row)
        for pieces in sorted({_pieces_of(row) for row in rows}):
            _print_row(f"{pieces}", _sum_of_rows([row for row in rows if _pieces_of(row) == pieces]))
        if database.metric == "mtc":
            print(_beyond_the_rule(database))


@attrs.frozen(kw_only=True)
class _Row:
    """The figures of a slice, in the order of its JSON object, or the sum of several slices."""

    name: str
    positions: int
    win: int
    loss: int
    draw: int
    longest_win: int | None = None
    """Plies; None if there is no won position, or if distances are not known."""
    example: str | None = None
    """A position with the longest win."""


def _pieces_of(row: _Row) -> int:
    return sum(map(int, row.name[:4]))


def _print_row(title: str, row: _Row) -> None:
    longest = "" if row.longest_win is None else f"{counted(row.longest_win, 'ply', 'plies')}, {row.example}"
    print(f"{title:8} {row.positions:14,} {row.win:14,} {row.loss:14,} {row.draw:14,}  {longest}".rstrip())


def _sum_of_rows(rows: Sequence[_Row]) -> _Row:
    longest = max(rows, key=lambda row: -1 if row.longest_win is None else row.longest_win)
    return attrs.evolve(
        longest,
        positions=sum(row.positions for row in rows),
        win=sum(row.win for row in rows),
        loss=sum(row.loss for row in rows),
        draw=sum(row.draw for row in rows),
    )


def _beyond_the_rule(database: Database) -> str:
    """A sentence that counts the won and lost positions that the 40-move rule turns into draws."""
    assert database.manifest is not None
    assert database.distances is not None
    distances = np.memmap(database.distances, np.uint8, "r")
    found = []
    for record in database.manifest.slices:
        if max(record["longest_win"] or 0, record["longest_loss"] or 0) > DRAWN_AFTER:
            first, end = record["bytes"]
            plies = distances[first:end] & 127
            found.append(f"{np.count_nonzero(plies > DRAWN_AFTER):,} of BASE{record['name']}")
    rule = f"more than {DRAWN_AFTER} plies to the next capture or man's move"
    return f"{rule}: " + ", ".join(found) if found else f"no position needs {rule}"


def _rows_of_slices(database: Database) -> Iterator[_Row]:
    """The figures of each slice, as the manifest states them, or counted if there is none."""
    if database.manifest is not None:
        for record in database.manifest.slices:
            yield _Row(**{field.name: record[field.name] for field in attrs.fields(_Row)})
        return
    units = DraughtsUnits(database.slices)
    game = units.game_block(units.starts)
    for level in units.levels:
        for unit in level:
            values = database.quiet_values(units, unit)
            forget_captures(game, units.unit_block(unit), values)
            for s, part in units.parts(unit, values):
                _, win, loss, draw = tally(part).tolist()
                yield _Row(name=s.name, positions=win + loss + draw, win=win, loss=loss, draw=draw)


app = typer.Typer(help="Build, check and probe endgame databases.", add_completion=False, no_args_is_help=True)
for command in (build, probe, verify, info, stats):
    app.command()(command)
