"""`gameforge web`: the browser board."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import attrs
import typer

from gameforge.cli.commands.analyze import MISTAKE
from gameforge.cli.shared.annotated import mark, remark
from gameforge.cli.shared.draw_offer import answer
from gameforge.cli.shared.limits import limits_of, with_limits
from gameforge.cli.shared.player_choice import oracles_for, player_for
from gameforge.cli.shared.players import PLAYER_HELP
from gameforge.cli.shared.score_text import score_text
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce
from gameforge.play.analysis import GameAnalysis, Judged
from gameforge.play.game import Game, Position
from gameforge.play.oracle_handle import OracleHandle
from gameforge.play.player import Player
from gameforge.play.score_unit import score_unit
from gameforge.plugins.registry import Registry


@attrs.frozen
class _Backend:
    """Players as the other commands make them."""

    registry: Registry

    def player(self, text: str, game: str, announce: Announce) -> Player:
        from gameforge.config import parse_spec

        found = Game(self.registry.create("rules", parse_spec(game)))
        return player_for(text or None, game, found, self.registry, announce)

    def limited(self, player: Player, **limits: float) -> Player:
        whole = {name: limit if name == "time" else int(limit) for name, limit in limits.items()}
        return with_limits(player, self.registry, **whole)

    def limits(self, player: Player) -> Sequence[str]:
        return limits_of(player, self.registry)

    def oracles(self, player: Player, announce: Announce) -> list[OracleHandle]:
        return oracles_for((), player, self.registry, announce)

    def score_text(self, score: float, player: Player) -> str:
        return score_text(score, score_unit(player))

    def mark(self, judged: Judged, player: Player) -> str:
        return mark(judged, MISTAKE)

    def remark(self, analysis: GameAnalysis, i: int, player: Player) -> str:
        return remark(analysis, i, MISTAKE, score_unit(player))

    def answer_to_draw(
        self, player: Player, position: Position, side: int, oracles: Sequence[OracleHandle]
    ) -> tuple[bool, str]:
        return answer(player, position, side, oracles)


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
        list[str] | None, typer.Option(help="Another name under which browsers call this computer; may be repeated.")
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    runs: Annotated[Path | None, typer.Option(help="Folder whose runs and matches the page may show and play.")] = None,
) -> None:
    """Serve the browser board: play, analyse, watch matches and follow trainings in a web page."""
    from gameforge.web.backend import Options
    from gameforge.web.secret import Access, secret_file
    from gameforge.web.serving import serve
    from gameforge.web.site import Site

    if runs is not None and not runs.is_dir():
        raise GameforgeError(f"there is no folder {runs}")
    options = Options(
        game=game, player=player, runs=runs, host=host, port=port, allowed_hosts=(host, *(allow_host or []))
    )
    site = Site(_Backend(ctx.obj.registry), options)
    site.game(site.default_game())
    if player:
        with site.player(player, site.default_game(), {}):
            pass
    serve(site, Access(secret_file()), open_browser=open_browser, say=lambda text: print(text, file=sys.stderr))
