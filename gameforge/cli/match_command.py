"""`gameforge match`: two players, openings in pairs with colours swapped."""

import itertools
import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from gameforge.api import player as make_player
from gameforge.arena import OPENING_PLIES
from gameforge.arena import match as play_match
from gameforge.cli.live import Preparation, compilation_notice
from gameforge.errors import GameforgeError, near
from gameforge.players import Player
from gameforge.registry import Registry
from gameforge.saved import load_player


def match(
    ctx: typer.Context,
    first: Annotated[
        str, typer.Argument(help="Folder of a run or saved player, or parts: 'SEARCHER + EVALUATOR + ORACLE'.")
    ],
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
        one, other = (_player(text, game, ctx.obj.registry, preparation, workers) for text in (first, second))
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


def _player(text: str, game: str | None, registry: Registry, announce: Preparation, workers: int) -> Player:
    """A folder, or parts joined by ` + `: each is a searcher, an evaluator, a feature map or an oracle."""
    folder = Path(text)
    if text and folder.is_dir():
        return load_player(folder, registry, announce, workers)
    chosen: dict[str, Any] = {"oracle": []}
    for part in text.split(" + "):
        name = part.partition(":")[0].strip()
        known = {kind: registry.names(kind) for kind in ("searcher", "evaluator", "features", "oracle")}
        kinds = [kind for kind, names in known.items() if name in names]
        if not kinds:
            suggestion = near(name, itertools.chain(*known.values()))
            raise GameforgeError(
                f"player {text!r}: {name!r} is no folder, searcher, evaluator, feature map or oracle{suggestion}"
            )
        if len(kinds) > 1:
            raise GameforgeError(f"player {text!r}: {name!r} is the name of a {' and of a '.join(kinds)}")
        if kinds[0] == "oracle":
            chosen["oracle"].append(part.strip())
        elif kinds[0] in chosen:
            raise GameforgeError(f"player {text!r}: names two of the kind {kinds[0]}")
        else:
            chosen[kinds[0]] = part.strip()
    if game is None:
        raise GameforgeError(f"player {text!r}: parts need a game; give --game NAME")
    return make_player(game, **chosen, name=text, registry=registry)
