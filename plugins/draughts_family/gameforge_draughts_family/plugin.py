"""What the plugin offers. This module imports nothing that is slow to load."""

from pathlib import Path
from typing import TYPE_CHECKING

from gameforge import Command, Component, hookimpl

if TYPE_CHECKING:
    from gameforge import Registry
    from gameforge.interfaces import Announce

_GAMES = {
    "international": ("International", "international draughts, 10x10"),
    "frisian": ("Frisian", "Frisian draughts, 10x10: captures along rows and columns as well"),
    "russian": ("Russian", "Russian draughts, 8x8"),
    "brazilian": ("Brazilian", "Brazilian draughts: the international rules on 8x8"),
    "pool": ("Pool", "American pool checkers, 8x8"),
    "italian": ("Italian", "Italian draughts, 8x8"),
    "spanish": ("Spanish", "Spanish draughts, 8x8"),
    "turkish": ("Turkish", "Turkish draughts: all squares of 8x8"),
    "breakthrough-draughts": ("BreakthroughDraughts", "international draughts: the first king wins"),
    "antidraughts": ("Antidraughts", "international draughts: a side that cannot move wins"),
    "canadian": ("Canadian", "Canadian draughts: the international rules on 12x12"),
    "draughts-variant": ("DraughtsVariant", "draughts with rules of your own: board, kings, captures, ..."),
}
_IN_WORDS = tuple(game for game in _GAMES if game != "canadian")
"""The games whose squares fit in a word."""
_TRAINED = ("international", "russian")
_WITH_ENDINGS = ("international", "russian", "brazilian", "pool", "italian", "spanish", "draughts-variant")
"""The games whose endings can be solved; of `draughts-variant` those with suitable settings."""


_FROM_SCRATCH = "a strong player from scratch: patterns fitted to generations of self-play"
_LEVELS = "patterns fitted to self-play, under a selective search; ten levels"
_SOLVED = "exact values and distances with up to 4 pieces, solved on first use or from files (path=DIR)"
_COMPONENTS = (
    (_IN_WORDS, "features", "boardbits", ".evaluation:BoardBits", "men and kings of both sides as bits"),
    (_GAMES, "evaluator", "material", ".evaluation:Material", "number of men and kings"),
    (_TRAINED, "preset", "{game}-strong", ":presets/{game}-strong.toml", _FROM_SCRATCH),
    (_TRAINED, "player", "strong", ":players/{game}", _LEVELS),
    (_WITH_ENDINGS, "oracle", "draughts-endings", ".endgames:DraughtsEndings", _SOLVED),
)
"""Games, kind, name, place in the package, and summary of the components for these games."""


def _component(kind: str, name: str, place: str, about: str, game: str = "") -> Component:
    target = f"gameforge_draughts_family{place.format(game=game)}"
    return Component(kind, name.format(game=game), target, about, game=game)


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        *(_component("rules", name, f".rules:{cls}", about) for name, (cls, about) in _GAMES.items()),
        *(
            _component(kind, name, place, about, game)
            for games, kind, name, place, about in _COMPONENTS
            for game in games
        ),
    ]


@hookimpl
def gameforge_commands() -> list[Command]:
    about = "Build, check and probe endgame databases."
    command = "gameforge_draughts_family.command:app"
    return [Command("egdb", command, about, game=game, named_only=True) for game in _WITH_ENDINGS]


@hookimpl
def gameforge_verify(path: Path, registry: "Registry", announce: "Announce") -> str | None:
    from gameforge_retrograde import database_commands, database_files

    if (game := database_files.game_of(path)) not in _WITH_ENDINGS:
        return None
    from gameforge_draughts_family import endgames

    rules = registry.create("rules", endgames.spec_of(path))
    database = endgames.read(path, rules)
    endgames.check(database, rules, announce)
    return f"database of endings of {game}, {database_commands.sound(database)}"
