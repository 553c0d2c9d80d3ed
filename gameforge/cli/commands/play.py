"""`gameforge play`: play against any player in the terminal."""

import secrets
from pathlib import Path
from typing import Annotated, Any

import typer

from gameforge.cli import options
from gameforge.cli.console import Console, Preparation
from gameforge.cli.play_session import Session
from gameforge.cli.players import plan_for, require_limits, with_limits
from gameforge.cli.terminal import compilation_notice, converse, require_input
from gameforge.config import parse_value
from gameforge.errors import GameforgeError, near
from gameforge.play.game import Game
from gameforge.play.player import LIMITS, Player
from gameforge.play.workshop import Workshop


def play(
    ctx: typer.Context,
    player: Annotated[
        str | None, typer.Argument(help=f"{options.PLAYER_HELP} Default: the default player of the game.")
    ] = None,
    game: Annotated[str | None, typer.Option(help=options.game_help("player", "position"))] = None,
    side: Annotated[str | None, typer.Option(help="Name of your side; default: the first mover.")] = None,
    fen: options.Fen = None,
    level: options.Level = None,
    depth: options.Depth = None,
    nodes: options.Nodes = None,
    simulations: options.Simulations = None,
    time: options.Time = None,
    oracle: options.Oracles = None,
    save: Annotated[Path | None, typer.Option(help="New file for the games; it is updated after every move.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Random seed of the player; without it, every game is different.")
    ] = None,
    name: Annotated[str, typer.Option(help="Your name in the saved games.")] = "you",
) -> None:
    """Play against a player. Enter a move, its number in the list, or a command; `help` lists the commands."""
    registry = ctx.obj.registry
    require_input("play")
    limits = {"depth": depth, "nodes": nodes, "simulations": simulations, "time": time}
    require_limits(**limits)
    console = Console(highlight=False, stderr=True)
    workshop = Workshop(registry, at_once=True)
    plan = plan_for(workshop, player, game, position=fen, level=level, oracles=oracle or ())
    with compilation_notice(console), Preparation(console) as preparation:
        workshop = workshop.announcing(preparation)
        opponent = with_limits(workshop.build(plan), registry, **limits)
        drawn = secrets.randbits(63) if seed is None else seed
        opponent.reseed(drawn)
        oracles = workshop.verdict_oracles(plan, opponent, oracle or ())

        def limited(player: Player, settings: dict[str, str]) -> Player:
            unknown = [key for key in settings if key not in LIMITS]
            if unknown:
                raise GameforgeError(f"unknown limit {unknown[0]!r}; known: {', '.join(LIMITS)}")
            values: dict[str, Any] = {key: parse_value(value) for key, value in settings.items()}
            changed = with_limits(player, registry, **values)
            changed.reseed(drawn)
            return changed

        session = Session(
            opponent,
            opponent.game.position(fen),
            _side(opponent.game, side),
            name=name,
            oracles=oracles,
            save=save,
            limited=limited,
        )
        print(f"You play {opponent.game.rules.sides[session.side]} against {opponent.name}; `help` lists the commands.")
        try:
            session.show()
            converse(session, session.let_player_move)
        finally:
            if session.saved_in is not None:
                print(f"saved in {session.saved_in}")


def _side(game: Game, name: str | None) -> int:
    """Return the number of a side by its name or the first letters of its name, ignoring case."""
    sides = game.rules.sides
    if name is None:
        return 0
    fitting = [i for i, side in enumerate(sides) if name and side.lower().startswith(name.lower())]
    if len(fitting) != 1:
        raise GameforgeError(
            f"--side {name}: not a side of {game.rules.name}{near(name, sides)}; allowed: {' or '.join(sides)}"
        )
    return fitting[0]
