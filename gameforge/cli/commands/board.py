"""`gameforge board`: show a position."""

from pathlib import Path
from typing import Annotated

import typer

from gameforge.cli.options import Flipped, Force, game_help, require_new, require_suffix
from gameforge.cli.pictures import png
from gameforge.cli.players import game_for
from gameforge.errors import GameforgeError
from gameforge.play.game import Move
from gameforge.play.picture import diagram, picture
from gameforge.play.plotting import require_matplotlib
from gameforge.storage.files import write_atomically


def board(
    ctx: typer.Context,
    fen: Annotated[
        str | None, typer.Argument(help="Position, in the game's notation; default: the initial position.")
    ] = None,
    game: Annotated[str | None, typer.Option(help=game_help("position"))] = None,
    moves: Annotated[
        str | None,
        typer.Option(help="Moves to play from the position, separated by spaces; a picture shows the last one."),
    ] = None,
    arrow: Annotated[
        list[str] | None, typer.Option(metavar="MOVE", help="Legal move to draw as an arrow; may be repeated.")
    ] = None,
    flipped: Flipped = False,
    svg: Annotated[bool, typer.Option("--svg", help="Draw an SVG picture instead of text.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="File to write: a picture if its name ends in .svg or .png, else text.")
    ] = None,
    force: Force = False,
) -> None:
    """Show a position, as text in the terminal or as an SVG or PNG picture."""
    if out is not None and out.suffix:
        require_suffix("--out", out, "an SVG, PNG or text file", [".svg", ".png", ".txt"])
    kind = "" if out is None else out.suffix.lower()
    if svg and kind == ".png":
        raise GameforgeError(f"--svg: {out} is the name of a PNG file; omit --svg")
    if kind == ".png":
        require_matplotlib("a PNG picture")
    drawn = svg or kind in (".svg", ".png")
    if arrow and not drawn:
        raise GameforgeError("--arrow can be used only with a picture: --svg, or --out with a name in .svg or .png")
    if out is not None:
        require_new(out, force)
    position = game_for(ctx.obj.registry, game, fen).position(fen)
    for move in (moves or "").split():
        position = position.play(move)
    if drawn:
        shown = [Move(position, position.game.parse_move(position.state, text, position.codes)) for text in arrow or []]
        text = picture(position, flipped=flipped, arrows=shown)
    else:
        text = diagram(position, flipped=flipped)
        text += f"\nlast move: {moves.split()[-1]}" if moves and moves.split() else ""
    if out is None:
        print(text)
    else:
        write_atomically(out, png(text) if kind == ".png" else f"{text}\n".encode())
