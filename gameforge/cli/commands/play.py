"""`gameforge play`: a person against any player, in the terminal."""

import contextlib
import io
import secrets
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from gameforge.cli.shared.compilation import compilation_notice
from gameforge.cli.shared.console import Console
from gameforge.cli.shared.limits import LIMITS, Depth, Nodes, Simulations, Time, with_limits
from gameforge.cli.shared.play_session import Session
from gameforge.cli.shared.player_choice import lookups_for, player_for
from gameforge.cli.shared.players import PLAYER_HELP
from gameforge.cli.shared.progress_display import Preparation
from gameforge.cli.shared.which_game import game_for
from gameforge.config import parse_value
from gameforge.errors import GameforgeError, near
from gameforge.play.game import Game
from gameforge.play.player import Player


def play(
    ctx: typer.Context,
    player: Annotated[str | None, typer.Argument(help=f"{PLAYER_HELP} Without it, the game's own choice.")] = None,
    game: Annotated[str | None, typer.Option(help="The game; needed where there are several.")] = None,
    side: Annotated[str | None, typer.Option(help="Your side, by its name; without it, the first mover.")] = None,
    fen: Annotated[str | None, typer.Option(help="Position to begin with, in the game's notation.")] = None,
    depth: Depth = None,
    nodes: Nodes = None,
    simulations: Simulations = None,
    time: Time = None,
    oracle: Annotated[list[str] | None, typer.Option(help="Whom `oracle` asks; may be repeated.")] = None,
    save: Annotated[Path | None, typer.Option(help="New file that holds the games, up to the last move.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Draws moves of a book; without it, games differ.")] = None,
    name: Annotated[str, typer.Option(help="Your name, for the file.")] = "you",
) -> None:
    """Play against a player. `help` lists what can be asked for; a move is written or chosen from the list."""
    registry = ctx.obj.registry
    if sys.stdin is None:
        raise GameforgeError("play needs a terminal, or lines on its standard input")
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without some character is no reason to lose a game
    console = Console(highlight=False, stderr=True)
    found = game_for(registry, game, fen)
    with compilation_notice(console), Preparation(console) as preparation:
        opponent = player_for(player, game, found, registry, preparation)
        limits = {"depth": depth, "nodes": nodes, "simulations": simulations, "time": time}
        opponent = with_limits(opponent, registry, **limits)
        drawn = secrets.randbits(63) if seed is None else seed
        opponent.reseed(drawn)
        oracles = lookups_for(oracle or [], opponent, registry, preparation)

        def limited(player: Player, settings: dict[str, str]) -> Player:
            unknown = [key for key in settings if key not in LIMITS]
            if unknown:
                raise GameforgeError(f"limit {unknown[0]!r}: known are {', '.join(LIMITS)}")
            values: dict[str, Any] = {key: parse_value(value) for key, value in settings.items()}
            changed = with_limits(player, registry, **values)
            changed.reseed(drawn)
            return changed

        session = Session(
            opponent,
            opponent.game.position(fen),
            _side(found, side),
            name=name,
            oracles=oracles,
            save=save,
            limited=limited,
        )
        print(f"You have {found.rules.sides[session.side]} against {opponent.name}; `help` lists the commands.")
        try:
            _converse(session)
        finally:
            if session.saved_in is not None:
                print(f"saved in {session.saved_in}")


def _converse(session: Session) -> None:
    """Turn by turn, until the person leaves or the input ends."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - line editing and history for input()
    session.show()
    while not session.over:
        if session.to_think:
            session.think()
            continue
        try:
            line = input(session.prompt)
        except EOFError:
            print()
            return
        if not sys.stdin.isatty():
            print(line)
        try:
            session.take(line)
        except KeyboardInterrupt:
            print("interrupted")
        except GameforgeError as error:
            print(f"error: {' '.join(str(error).split())}")


def _side(game: Game, name: str | None) -> int:
    """0 or 1 by the side's name, in any case; its first letters will do."""
    sides = game.rules.sides
    if name is None:
        return 0
    fitting = [i for i, side in enumerate(sides) if name and side.lower().startswith(name.lower())]
    if len(fitting) != 1:
        raise GameforgeError(f"--side {name}: {game.rules.name} has {' and '.join(sides)}{near(name, sides)}")
    return fitting[0]
