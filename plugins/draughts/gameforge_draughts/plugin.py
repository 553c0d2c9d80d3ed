"""What the draughts plugin offers. This module imports nothing that is slow to load."""

from gameforge import Command, Component, hookimpl

_GAME = "draughts"


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "rules", "draughts", "gameforge_draughts.rules:Draughts", "English draughts (American checkers), 8x8"
        ),
        Component(
            "features",
            "netfeaturemap",
            "gameforge_draughts.features:NetFeatureMap",
            "hand-made features of NeuroDraughts and LS-Draughts, as bits",
            game=_GAME,
        ),
        Component(
            "features",
            "binarymap",
            "gameforge_draughts.features:BinaryMap",
            "three bits for each square",
            game=_GAME,
        ),
        Component(
            "features",
            "directmap",
            "gameforge_draughts.features:DirectMap",
            "one number for each square",
            game=_GAME,
        ),
        Component(
            "evaluator", "material", "gameforge_draughts.evaluators:Material", "number of men and kings", game=_GAME
        ),
        Component(
            "book",
            "book",
            "gameforge_draughts.openings:Book",
            "opening lines that a player follows: Kim and Cho's, the three-move ballots, named ones",
            game=_GAME,
        ),
        Component(
            "preset",
            "draughts",
            "gameforge_draughts:presets/draughts.toml",
            "TD learning with LS-Draughts' features and a 4-piece endgame database",
            game=_GAME,
        ),
        Component(
            "preset",
            "draughts-strong",
            "gameforge_draughts:presets/draughts-strong.toml",
            "a strong player from scratch: patterns fitted to generations of self-play",
            game=_GAME,
        ),
        Component(
            "player",
            "strong",
            "gameforge_draughts:players/strong",
            "patterns fitted to self-play, under a selective search; ten levels",
            game=_GAME,
        ),
    ]


@hookimpl
def gameforge_commands() -> list[Command]:
    return [Command("pdn", "gameforge_draughts.pdn.command:app", "Check, count and rewrite files of draughts games.")]
