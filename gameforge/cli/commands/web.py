"""`gameforge web`: the browser board, and the option --watch, which shows a match or tournament on it."""

import contextlib
import functools
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gameforge.cli.analysed_games import lesson, loss_text
from gameforge.cli.commands.play import answer_to_draw
from gameforge.cli.figures import score_text
from gameforge.cli.options import PLAYER_HELP, OpenBrowser
from gameforge.cli.players import limits_of, plan_for, with_limits
from gameforge.config import Spec
from gameforge.discovery.registry import Registry
from gameforge.play.analysis import graded, least_loss
from gameforge.play.player import Player
from gameforge.play.workshop import Workshop
from gameforge.storage.folder import require_folder

if TYPE_CHECKING:
    from gameforge.web.site import Backend


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
    open_browser: OpenBrowser = True,
    games: Annotated[
        list[Path] | None,
        typer.Option(help="Database or file of games for the analysis; may be repeated."),
    ] = None,
    runs: Annotated[Path | None, typer.Option(help="Folder whose runs and matches the page may show and play.")] = None,
) -> None:
    """Serve the browser board: play, analyse, practise, watch matches and follow trainings in a web page."""
    from gameforge.web.access import Access, secret_file
    from gameforge.web.serving import serve
    from gameforge.web.site import Options, Site

    if runs is not None:
        require_folder(runs)
    options = Options(
        game=game,
        player=player,
        runs=runs,
        kept=secret_file().with_name("web-matches"),
        practice=secret_file().with_name("practice.json"),
        databases=tuple(games or ()),
        host=host,
        port=port,
        allowed_hosts=(host, *(allow_host or [])),
    )
    backend = web_backend(ctx.obj.registry)
    if player:  # its file may name a program, which no page can agree to
        backend.workshop.build(plan_for(backend.workshop, player, game))
    site = Site(backend, options)
    site.game(site.default_game())
    if player:
        with site.player(player, site.default_game(), {}):
            pass
    with contextlib.closing(site.databases):
        serve(site, Access(secret_file()), open_browser=open_browser, say=lambda text: print(text, file=sys.stderr))


def web_backend(registry: Registry) -> "Backend":
    """Return what the commands lend the server."""
    from gameforge.web.site import Backend

    return Backend(
        workshop=Workshop(registry, at_once=True),
        plan=plan_for,
        limited=with_limits,
        limits=limits_of,
        score_text=score_text,
        mistake=least_loss,
        mark=graded,
        remark=lesson,
        loss=loss_text,
        answer_to_draw=answer_to_draw,
    )


@contextlib.contextmanager
def watched(
    watch: bool, what: Literal["match", "tournament"], out: Path | None, player: Player, registry: Registry
) -> Iterator[Path | None]:
    """Serve a page that shows a match or tournament while it is played, and afterwards until Ctrl-C.

    out: its folder; without one, the games are kept in a temporary folder. player: one of its players. Yields the
    folder in which it must be played. Without `watch`, does nothing and yields `out`.
    """
    if not watch:
        yield out
        return
    from gameforge.web.access import Access, secret_file
    from gameforge.web.serving import serving
    from gameforge.web.site import Options, Site, plain_game

    say = functools.partial(print, file=sys.stderr)
    game = plain_game(str(Spec.from_settings(player.spec["game"], "game")), registry)
    with tempfile.TemporaryDirectory(prefix="gameforge-watch-") as temporary:
        folder = Path(temporary) / what if out is None else out
        require_folder(folder, new=True)
        folder.mkdir(parents=True, exist_ok=True)
        practice = secret_file().with_name("practice.json")
        options = Options(game=game, runs=folder, practice=practice, port=0, opens=f"watch/{what}/.")
        site = Site(web_backend(registry), options)
        with contextlib.closing(site.databases), serving(site, Access(secret_file()), open_browser=True, say=say):
            yield folder
            say("The page shows the games until you press Ctrl-C.")
            with contextlib.suppress(KeyboardInterrupt):
                threading.Event().wait()
