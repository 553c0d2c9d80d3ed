"""What the plugin offers. This module imports nothing that is slow to load."""

from gameforge import Command, Component, hookimpl

_RULES = "gameforge_draughts_family.rules"
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
    "draughts-variant": ("DraughtsVariant", "draughts with rules of your own: board, kings, captures, ..."),
}
_TRAINED = ("international", "russian")
_WITH_ENDINGS = ("international", "russian", "brazilian", "pool", "italian", "spanish", "draughts-variant")
"""The games whose endings can be solved; of `draughts-variant` those with suitable settings."""


@hookimpl
def gameforge_components() -> list[Component]:
    found = [Component("rules", name, f"{_RULES}:{cls}", about) for name, (cls, about) in _GAMES.items()]
    for game in _GAMES:
        found += [
            Component(
                "features",
                "boardbits",
                "gameforge_draughts_family.features:BoardBits",
                "men and kings of both sides as bits",
                game=game,
            ),
            Component(
                "evaluator",
                "material",
                "gameforge_draughts_family.evaluators:Material",
                "number of men and kings",
                game=game,
            ),
        ]
    for game in _TRAINED:
        found += [
            Component(
                "preset",
                f"{game}-strong",
                f"gameforge_draughts_family:presets/{game}-strong.toml",
                "a strong player from scratch: patterns fitted to generations of self-play",
                game=game,
            ),
            Component(
                "player",
                "strong",
                f"gameforge_draughts_family:players/{game}",
                "patterns fitted to self-play, under a selective search; ten levels",
                game=game,
            ),
        ]
    found += [
        Component(
            "oracle",
            "draughts-endings",
            "gameforge_draughts_family.endgames.oracle:DraughtsEndings",
            "exact values and distances with up to 4 pieces, solved on first use or from files (path=DIR)",
            game=game,
        )
        for game in _WITH_ENDINGS
    ]
    return found


@hookimpl
def gameforge_commands() -> list[Command]:
    about = "Build, check and probe endgame databases."
    command = "gameforge_draughts_family.endgames.command:app"
    return [Command("egdb", command, about, game=game, named_only=True) for game in _WITH_ENDINGS]
