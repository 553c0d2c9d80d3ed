"""`gameforge web`: the browser board."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from gameforge.cli.shared.players import PLAYER_HELP
from gameforge.cli.shared.web_backend import WebBackend
from gameforge.storage.folder import require_folder


def web(
    ctx: typer.Context,
    game: Annotated[str | None, typer.Option(help="Game that the page opens first.")] = None,
    player: Annotated[
        str, typer.Option(help=f"Opponent that the page offers first. {PLAYER_HELP} Default: that of the game.")
    ] = "",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any free one.")] = 8642,
    host: Annotated[str, typer.Option(help="Address to listen on; the default serves this computer only.")] = (
        "127.0.0.1"
    ),
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Additional host name that browsers may use for this server; may be repeated."),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    runs: Annotated[Path | None, typer.Option(help="Folder whose runs and matches the page may show and play.")] = None,
) -> None:
    """Serve the browser board: play, analyse, watch matches and follow trainings in a web page."""
    from gameforge.web.backend import Options
    from gameforge.web.secret import Access, secret_file
    from gameforge.web.serving import serve
    from gameforge.web.site import Site

    if runs is not None:
        require_folder(runs)
    options = Options(
        game=game, player=player, runs=runs, host=host, port=port, allowed_hosts=(host, *(allow_host or []))
    )
    site = Site(WebBackend(ctx.obj.registry), options)
    site.game(site.default_game())
    if player:
        with site.player(player, site.default_game(), {}):
            pass
    serve(site, Access(secret_file()), open_browser=open_browser, say=lambda text: print(text, file=sys.stderr))
