"""`gameforge egdb probe`: what an oracle knows of positions and of their moves."""

from typing import Annotated

import typer

from gameforge.cli.shared.probe import print_verdicts
from gameforge.play.game import Position


def probe(
    ctx: typer.Context,
    fens: Annotated[
        list[str] | None, typer.Argument(metavar="FEN...", help="Positions, in the game's notation.")
    ] = None,
    game: Annotated[str, typer.Option(help="The game: draughts, with parameters: NAME:key=value.")] = "draughts",
    oracle: Annotated[
        str, typer.Option(help="Where the values come from; files are named by chinook:path=DIR.")
    ] = "chinook",
    file: Annotated[
        str | None, typer.Option("--file", help="A file with one position a line; - reads standard input.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    workers: Annotated[int, typer.Option(min=1, help="Threads, where something has to be computed first.")] = 2,
) -> None:
    """Print each position's value for the side to move, its distance where the database has it, and every move's value.

    A distance counts plies to the end, or (metric mtc) to the next capture or man's move. `unknown` is a position
    that the database does not cover.
    """
    print_verdicts(ctx.obj.registry, game, oracle, fens or [], file, as_json, workers, _is_conversion)


def _is_conversion(position: Position, code: int) -> bool:
    from gameforge_draughts.board import BOARD

    own, opp, kings = position.state
    after = position.after(code).state
    men_before = (own | opp) & ~kings & int(BOARD)
    men_after = (after[0] | after[1]) & ~after[2] & int(BOARD)
    return men_before != men_after or (own | opp).bit_count() != (after[0] | after[1]).bit_count()
