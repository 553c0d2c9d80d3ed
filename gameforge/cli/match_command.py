"""`gameforge match`: two players, openings in pairs with colours swapped."""

import json
import math
from typing import Annotated, Any

import typer
from rich.console import Console

from gameforge.arena import OPENING_PLIES
from gameforge.arena import match as play_match
from gameforge.cli.live import Preparation, compilation_notice
from gameforge.cli.players_text import PLAYER_HELP, player_from_text


def match(
    ctx: typer.Context,
    first: Annotated[str, typer.Argument(help=PLAYER_HELP)],
    second: Annotated[str, typer.Argument(help="The other player.")],
    game: Annotated[str | None, typer.Option(help="The game; needed for players given as parts.")] = None,
    games: Annotated[int, typer.Option(help="Number of games; even.")] = 20,
    opening_plies: Annotated[
        int, typer.Option(min=0, max=40, help="Random plies before each pair of games.")
    ] = OPENING_PLIES,
    seed: Annotated[int, typer.Option(min=0, help="Draws the openings.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Games played at once; the result does not depend on it.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Play a match and print wins, draws, losses, loop draws and Elo with its error bar."""
    console = Console(highlight=False, stderr=True)
    with compilation_notice(console), Preparation(console) as preparation:
        one, other = (player_from_text(text, game, ctx.obj.registry, preparation, workers) for text in (first, second))
    with compilation_notice(console), console.status(f"{games} games"):
        result = play_match(one, other, games, openings=opening_plies, seed=seed, workers=workers)
    if as_json:
        numbers: dict[str, Any] = {
            key: getattr(result, key) for key in ("wins", "draws", "losses", "loops", "distinct", "score")
        }
        for key in ("elo", "elo_error"):  # JSON has no infinity
            value = getattr(result, key)
            numbers[key] = value if math.isfinite(value) else None
        print(json.dumps({"players": result.players, "games": len(result.games), **numbers}))
    else:
        print(result)
