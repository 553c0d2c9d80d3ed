"""`gameforge board`: show a position."""

from pathlib import Path
from typing import Annotated

import typer

from gameforge.cli.shared.which_game import GAME_HELP, game_for
from gameforge.errors import GameforgeError
from gameforge.storage.atomic import write_atomically


def board(
    ctx: typer.Context,
    fen: Annotated[
        str | None, typer.Argument(help="Position, in the game's notation; default: the initial position.")
    ] = None,
    game: Annotated[str | None, typer.Option(help=GAME_HELP)] = None,
    svg: Annotated[bool, typer.Option("--svg", help="Draw an SVG picture instead of text.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write to this file instead of the terminal.")] = None,
) -> None:
    """Show a position, as text in the terminal or as an SVG picture."""
    found = game_for(ctx.obj.registry, game, fen)
    position = found.position(fen)
    text = position._repr_svg_() if svg else str(position)
    if text is None:
        raise GameforgeError(f"--svg: {found.rules.name} has no SVG pictures")
    if out is None:
        print(text)
    else:
        write_atomically(out, f"{text}\n".encode())
