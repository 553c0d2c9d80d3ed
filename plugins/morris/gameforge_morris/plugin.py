"""What the morris plugin offers. This module imports nothing that is slow to load."""

from pathlib import Path
from typing import TYPE_CHECKING

from gameforge import Command, Component, hookimpl

if TYPE_CHECKING:
    from gameforge.interfaces import Announce

_FROM_SCRATCH = "a strong player from scratch: patterns fitted to generations of self-play"
_OF_THE_GAME = (
    ("features", "boardbits", ".evaluation:BoardBits", "men and hands as bits"),
    ("features", "points", ".evaluation:Points", "one number for each point"),
    ("evaluator", "material", ".evaluation:Material", "number of men"),
    ("evaluator", "mills", ".evaluation:Mills", "number of closed mills"),
    ("evaluator", "mobility", ".evaluation:Mobility", "number of possible steps"),
    ("evaluator", "weighted", ".evaluation:Weighted", "men, mills and steps, weighted"),
    ("oracle", "endings", ".endgames:Endings", "exact values with up to 4 men a side, solved on first use"),
    ("preset", "morris", ":presets/morris.toml", "TD learning with a net over the board's bits"),
    ("preset", "morris-strong", ":presets/morris-strong.toml", _FROM_SCRATCH),
    ("player", "strong", ":players/strong", "patterns fitted to self-play, under a selective search; ten levels"),
)
"""Kind, name, place in the package, and summary of each component that fits Morris only."""


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component("rules", "morris", "gameforge_morris.rules:Morris", "Nine Men's Morris (mill, merels)"),
        *(
            Component(kind, name, f"gameforge_morris{place}", about, game="morris")
            for kind, name, place, about in _OF_THE_GAME
        ),
    ]


@hookimpl
def gameforge_commands() -> list[Command]:
    about = "Build, check and probe endgame databases."
    return [Command("egdb", "gameforge_morris.command:app", about, game="morris")]


@hookimpl
def gameforge_verify(path: Path, announce: "Announce") -> str | None:
    from gameforge_retrograde import database_commands, database_files

    if database_files.game_of(path) != "morris":
        return None
    from gameforge_morris import endgames

    database = endgames.read(path)
    endgames.check(database, announce)
    return f"database of endings, {database_commands.sound(database)}"
