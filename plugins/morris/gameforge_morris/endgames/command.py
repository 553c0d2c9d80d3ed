"""`gameforge egdb --game morris`: build databases of endings, check them, and look into them."""

import json
import time
from pathlib import Path
from typing import Annotated

import attrs
import typer

from gameforge.cli.shared.compilation import compilation_notice
from gameforge.cli.shared.console import Console
from gameforge.cli.shared.probe import print_verdicts
from gameforge.cli.shared.progress_display import Preparation
from gameforge.errors import GameforgeError
from gameforge_morris.board import LEAST_MEN
from gameforge_morris.endgames.subspaces import MOST_MEN

app = typer.Typer(help="Build, check and probe databases of endings.", add_completion=False, no_args_is_help=True)

_Game = Annotated[str, typer.Option(help="The game: morris.")]
_Path = Annotated[Path, typer.Argument(help="Folder with a database, or its manifest.")]


@app.command()
def build(
    game: _Game = "morris",
    men: Annotated[int, typer.Option(help="Most men of each side: 3 or 4.")] = MOST_MEN,
    out: Annotated[Path, typer.Option(help="Folder of the files.")] = Path("."),
) -> None:
    """Solve all positions of the moving phase with up to that many men of each side: plies to the end of each."""
    from gameforge_morris.endgames import database

    if not LEAST_MEN <= men <= MOST_MEN:
        raise GameforgeError(f"--men must be {LEAST_MEN} or {MOST_MEN}, the most men of each side: {men}")
    console = Console(stderr=True, highlight=False)
    manifest = out / f"morris{men}.json"
    if manifest.exists():
        database.read(manifest)
        console.print(f"{manifest} is there already: nothing to build", soft_wrap=True)
        return
    began = time.perf_counter()
    with compilation_notice(console), Preparation(console) as preparation:
        path = database.build(men, out, preparation)
    console.print(f"{path.with_suffix('.egdb')}: built in {time.perf_counter() - began:.1f} s", soft_wrap=True)


@app.command()
def verify(path: _Path, game: _Game = "morris") -> None:
    """Check the checksum, and every value against those of its successors by the rules."""
    from gameforge_morris.endgames import database, recurrence

    console = Console(stderr=True, highlight=False)
    found = database.read(path)
    began = time.perf_counter()
    with compilation_notice(console), Preparation(console) as preparation:
        recurrence.check(found, preparation)
    positions = sum(counts.positions for counts in found.counts)
    seconds = time.perf_counter() - began
    print(f"{found.path}: {positions:,} values follow from those of their successors ({seconds:.1f} s)")


@app.command()
def stats(
    path: _Path,
    game: _Game = "morris",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a subspace.")] = False,
) -> None:
    """Wins, losses and draws of the side to move, and the longest win with an example, subspace by subspace."""
    from gameforge_morris.endgames import database

    found = database.read(path)
    if as_json:
        for counts in found.counts:
            print(json.dumps(attrs.asdict(counts)))
        return
    print(f"{'men':4} {'positions':>12} {'won':>12} {'lost':>12} {'drawn':>12}  longest win")
    for c in found.counts:
        longest = f"{c.longest_win} pl{'y' if c.longest_win == 1 else 'ies'}, {c.example}"
        print(f"{c.name:4} {c.positions:12,} {c.win:12,} {c.loss:12,} {c.draw:12,}  {longest}")


@app.command()
def probe(
    ctx: typer.Context,
    positions: Annotated[
        list[str] | None, typer.Argument(metavar="POSITION...", help="Positions, as W:Wa7,d7,g4:Bb2,d2,f4.")
    ] = None,
    game: Annotated[str, typer.Option(help="The game: morris, with parameters: NAME:key=value.")] = "morris",
    oracle: Annotated[
        str, typer.Option(help="Where the values come from; files are named by endings:path=DIR.")
    ] = "endings",
    file: Annotated[
        str | None, typer.Option("--file", help="A file with one position a line; - reads standard input.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Print each position's value for the side to move, its distance in plies to the end, and every move's value."""
    print_verdicts(ctx.obj.registry, game, oracle, positions or [], file, as_json, 1)
