"""`gameforge egdb --game russian`: build, verify and probe databases of endings of the draughts family."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import attrs
import typer
from gameforge_retrograde import database_commands

from gameforge import GameforgeError
from gameforge.cli import counted, options, print_verdicts
from gameforge.interfaces import Spec
from gameforge_draughts_family import endgames
from gameforge_draughts_family.indexer import LEAST_PIECES, MOST_PIECES, require_endings
from gameforge_draughts_family.rules import FamilyRules

app = typer.Typer(help="Build, check and probe endgame databases.", add_completion=False, no_args_is_help=True)

_Game = Annotated[str, typer.Option(help="Game of the draughts family, or with parameters NAME:key=value.")]
_Path = Annotated[Path, typer.Argument(help="Folder of a database, or its manifest.")]


def _rules(ctx: typer.Context, game: str) -> FamilyRules:
    return require_endings(ctx.obj.registry.create("rules", Spec.parse(game)))


@app.command()
def build(
    ctx: typer.Context,
    game: _Game,
    pieces: Annotated[int, typer.Option(help="Maximum number of pieces, both sides together.")] = MOST_PIECES,
    out: Annotated[Path, typer.Option(help="Output folder.")] = Path("."),
    workers: Annotated[int, typer.Option(min=1, help="Number of threads.")] = 1,
) -> None:
    """Solve all positions with up to `--pieces` pieces.

    The database holds the number of plies to the end of the game for each position. Rules of draws are ignored.
    """
    rules = _rules(ctx, game)
    if not LEAST_PIECES <= pieces <= MOST_PIECES:
        raise GameforgeError(f"--pieces {pieces}: must be from {LEAST_PIECES} to {MOST_PIECES}")
    database_commands.build(
        out / f"{endgames.stem(rules, pieces)}.json",
        lambda manifest: endgames.read(manifest, rules),
        lambda announce: endgames.build(rules, pieces, out, announce, workers),
    )


@app.command()
def verify(ctx: typer.Context, path: _Path, game: _Game) -> None:
    """Check the checksum, and every value against the values of the positions after its moves."""
    rules = _rules(ctx, game)
    database_commands.verify(endgames.read(path, rules), lambda found, announce: endgames.check(found, rules, announce))


@app.command()
def stats(
    ctx: typer.Context,
    path: _Path,
    game: _Game,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per slice.")] = False,
) -> None:
    """Print wins, losses and draws of the side to move, and the longest win with an example, for each slice.

    A slice holds the positions of one material: the pieces of the side to move, then the opponent's, K for a king and M
    for a man. The totals of each number of pieces follow.
    """
    found = endgames.read(path, _rules(ctx, game))
    if as_json:
        for counts in found.counts:
            print(json.dumps(attrs.asdict(counts)))
        return
    print(f"{'slice':6} {'positions':>11} {'won':>11} {'lost':>11} {'drawn':>11}  longest win")
    totals: dict[int, Counter[str]] = {}
    for c in found.counts:
        longest = f"{counted(c.longest_win, 'ply', 'plies')}, {c.example}" if c.example else ""
        print(f"{_row(c.name, attrs.asdict(c))}  {longest}".rstrip())
        figures = {key: value for key, value in attrs.asdict(c).items() if key in ("positions", "win", "loss", "draw")}
        totals.setdefault(c.pieces, Counter()).update(figures)
    for pieces, figures in totals.items():
        print(_row(f"{pieces}", figures))
    print(f"SHA-256 {found.sha256}")


def _row(name: str, figures: Mapping[str, int]) -> str:
    columns = "".join(f" {figures[key]:11,}" for key in ("positions", "win", "loss", "draw"))
    return f"{name:6}{columns}"


@app.command()
def probe(
    ctx: typer.Context,
    game: _Game,
    positions: Annotated[
        list[str] | None, typer.Argument(metavar="POSITION...", help="Positions, in the game's notation.")
    ] = None,
    oracle: Annotated[
        str, typer.Option(help="Oracle with the values; draughts-endings:path=DIR reads files of your own.")
    ] = "draughts-endings",
    file: options.PositionsFile = None,
    workers: Annotated[int, typer.Option(min=1, help="Number of threads, if a database must be built.")] = 1,
    as_json: options.AsJsonLines = False,
) -> None:
    """Print the value of each position for the side to move, its plies to the end, and the values of all moves."""
    print_verdicts(ctx.obj.registry, game, oracle, positions or [], file, as_json, workers)
