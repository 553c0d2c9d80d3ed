"""`gameforge perft`: count the sequences of legal moves from a position."""

import json
import time
from typing import Annotated

import typer

from gameforge.cli.options import AsJsonLines, Fen
from gameforge.cli.players import game_for
from gameforge.cli.terminal import compilation_notice
from gameforge.play.perft import divide as by_first_move
from gameforge.play.perft import perft as count


def perft(
    ctx: typer.Context,
    depth: Annotated[int, typer.Option(min=1, max=60, help="Depth in plies.")],
    game: Annotated[
        str | None,
        typer.Option(help="Name of the game, with parameters: NAME:key=value; needed if --fen does not imply it."),
    ] = None,
    fen: Fen = None,
    divide: Annotated[
        bool, typer.Option("--divide", help="Print the count for each first move, at this depth only.")
    ] = False,
    as_json: AsJsonLines = False,
) -> None:
    """Count the sequences of exactly 1, 2, ... DEPTH legal moves. Captures by different paths are different moves."""
    position = game_for(ctx.obj.registry, game, fen).position(fen)
    with compilation_notice():
        count(position, 1)  # compile before the first time measurement
    if divide:
        total = 0
        for move, leaves in by_first_move(position, depth):
            total += leaves
            print(json.dumps({"move": str(move), "leaves": leaves}) if as_json else f"{move}: {leaves}")
        print(json.dumps({"depth": depth, "leaves": total}) if as_json else f"total: {total}")
        return
    for plies in range(1, depth + 1):
        began = time.perf_counter()
        leaves = count(position, plies)
        seconds = time.perf_counter() - began
        if as_json:
            print(json.dumps({"depth": plies, "leaves": leaves, "seconds": seconds}), flush=True)
        else:
            print(f"{plies:3} {leaves:>16,} {seconds:9.3f} s {leaves / seconds / 1e6:8.1f} M/s", flush=True)
