"""`gameforge egdb probe`: the values of positions and of their moves, according to an oracle."""

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
        str, typer.Option(help="Oracle to probe; chinook:path=DIR reads the files in a folder.")
    ] = "chinook",
    file: Annotated[
        str | None, typer.Option("--file", help="File with one position per line; - reads standard input.")
    ] = None,
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
    from gameforge_draughts.board import BOARD

    own, opp, kings = position.state
    after = position.after(code).state
    men_before = (own | opp) & ~kings & int(BOARD)
    men_after = (after[0] | after[1]) & ~after[2] & int(BOARD)
    return men_before != men_after or (own | opp).bit_count() != (after[0] | after[1]).bit_count()
