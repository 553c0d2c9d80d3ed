"""`gameforge replay`: step through a game in the terminal."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from gameforge.cli.shared.compilation import compilation_notice
from gameforge.cli.shared.conversation import converse, require_input
from gameforge.cli.shared.game_source import game_in
from gameforge.cli.shared.stepping import Stepping
from gameforge.cli.shared.which_game import game_help


def replay(
    ctx: typer.Context,
    file: Annotated[
        Path, typer.Argument(help="File of games in the game's own format, or folder of a run or of a match.")
    ],
    game: Annotated[str | None, typer.Option(help=game_help("file"))] = None,
    number: Annotated[int, typer.Option(min=1, help="Number of the game in the file, counted from 1.")] = 1,
    ply: Annotated[int, typer.Option(min=0, help="Show the position after this number of plies first.")] = 0,
    flipped: Annotated[bool, typer.Option("--flipped", help="Show the board as the other side sees it.")] = False,
    encoding: Annotated[str, typer.Option(help="Encoding of the file.")] = "utf-8",
) -> None:
    """Step through a game. Enter shows the next move, `back` the one before; `help` lists the commands."""
    require_input("replay")
    with compilation_notice():
        found, record = game_in(
            *(file, number, ctx.obj.registry, game, encoding), lambda text: print(text, file=sys.stderr)
        )
        stepping = Stepping(found, record, flipped=flipped)
    print(" - ".join(name or "?" for name in record.players))
    stepping.go_to(ply)
    converse(stepping)
