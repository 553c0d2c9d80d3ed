"""`gameforge board`: look at a position."""

from pathlib import Path
from typing import Annotated

import typer

from gameforge.cli.shared.which_game import game_for
from gameforge.errors import GameforgeError
from gameforge.storage.atomic import write_atomically


def board(
    ctx: typer.Context,
    fen: Annotated[str | None, typer.Argument(help="Position in the game's notation; without it, the start.")] = None,
    game: Annotated[str | None, typer.Option(help="The game; needed where there are several.")] = None,
    svg: Annotated[bool, typer.Option("--svg", help="An SVG picture instead of text.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write to this file instead of the terminal.")] = None,
) -> None:
    """Show a position as a board in the terminal, or as an SVG picture."""
    found = game_for(ctx.obj.registry, game, fen)
    position = found.position(fen)
    text = position._repr_svg_() if svg else str(position)
    if text is None:
        raise GameforgeError(f"--svg: {found.rules.name} draws no pictures")
    if out is None:
        print(text)
    else:
        write_atomically(out, f"{text}\n".encode())
