"""`gameforge egdb --game morris`: build, verify and probe databases of endings."""

import json
from pathlib import Path
from typing import Annotated

import attrs
import typer
from gameforge_retrograde import database_commands

from gameforge import GameforgeError
from gameforge.cli import counted, options, print_verdicts
from gameforge_morris import endgames
from gameforge_morris.movegen import LEAST_MEN

app = typer.Typer(help="Build, check and probe endgame databases.", add_completion=False, no_args_is_help=True)

_Game = Annotated[str, typer.Option(help="Game: morris.")]
_Path = Annotated[Path, typer.Argument(help="Folder of a database, or its manifest.")]


@app.command()
def build(
    game: _Game = "morris",
    men: Annotated[int, typer.Option(help="Maximum number of men of each side: 3 or 4.")] = endgames.MOST_MEN,
    out: Annotated[Path, typer.Option(help="Output folder.")] = Path("."),
) -> None:
    """Solve all positions of the moving phase with up to `--men` men of each side.

    The database holds the number of plies to the end of the game for each position.
    """
    if not LEAST_MEN <= men <= endgames.MOST_MEN:
        raise GameforgeError(f"--men {men}: must be {LEAST_MEN} or {endgames.MOST_MEN}")
    database_commands.build(
        out / f"morris{men}.json", endgames.read, lambda announce: endgames.build(men, out, announce)
    )


@app.command()
def verify(path: _Path, game: _Game = "morris") -> None:
    """Check the checksum, and every value against the values of the positions after its moves."""
    database_commands.verify(endgames.read(path), endgames.check)


@app.command()
def stats(
    path: _Path,
    game: _Game = "morris",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per subspace.")] = False,
) -> None:
    """Print wins, losses and draws of the side to move, and the longest win with an example, for each subspace."""
    found = endgames.read(path)
    if as_json:
        for counts in found.counts:
            print(json.dumps(attrs.asdict(counts)))
        return
    print(f"{'men':4} {'positions':>12} {'won':>12} {'lost':>12} {'drawn':>12}  longest win")
    for c in found.counts:
        longest = f"{counted(c.longest_win, 'ply', 'plies')}, {c.example}"
        print(f"{c.name:4} {c.positions:12,} {c.win:12,} {c.loss:12,} {c.draw:12,}  {longest}")


@app.command()
def probe(
    ctx: typer.Context,
    positions: Annotated[
        list[str] | None, typer.Argument(metavar="POSITION...", help="Positions, such as W:Wa7,d7,g4:Bb2,d2,f4.")
    ] = None,
    game: Annotated[str, typer.Option(help="Game: morris, or with parameters NAME:key=value.")] = "morris",
    oracle: Annotated[
        str, typer.Option(help="Oracle with the values; endings:path=DIR reads files of your own.")
    ] = "endings",
    file: options.PositionsFile = None,
    as_json: options.AsJsonLines = False,
) -> None:
    """Print the value of each position for the side to move, its plies to the end, and the values of all moves."""
    print_verdicts(ctx.obj.registry, game, oracle, positions or [], file, as_json, 1)
