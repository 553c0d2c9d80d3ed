"""What the draughts plugin offers. This module imports nothing that is slow to load."""

from gameforge import Command, Component, hookimpl

_FROM_SCRATCH = "a strong player from scratch: patterns fitted to generations of self-play"
_OF_THE_GAME = (
    (
        "features",
        "netfeaturemap",
        ".evaluation:NetFeatureMap",
        "hand-made features of NeuroDraughts and LS-Draughts, as bits",
    ),
    ("features", "binarymap", ".evaluation:BinaryMap", "three bits for each square"),
    ("features", "directmap", ".evaluation:DirectMap", "one number for each square"),
    ("evaluator", "material", ".evaluation:Material", "number of men and kings"),
    (
        "book",
        "book",
        ".openings:Book",
        "opening lines that a player follows: Kim and Cho's, the three-move ballots, named ones",
    ),
    (
        "preset",
        "draughts",
        ":presets/draughts.toml",
        "TD learning with LS-Draughts' features and a 4-piece endgame database",
    ),
    ("preset", "draughts-strong", ":presets/draughts-strong.toml", _FROM_SCRATCH),
    ("player", "strong", ":players/strong", "a net trained by self-play, under a selective search; ten levels"),
)
"""Kind, name, place in the package, and summary of each component that fits draughts only."""


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "rules", "draughts", "gameforge_draughts.rules:Draughts", "English draughts (American checkers), 8x8"
        ),
        *(
            Component(kind, name, f"gameforge_draughts{place}", about, game="draughts")
            for kind, name, place, about in _OF_THE_GAME
        ),
    ]


@hookimpl
def gameforge_commands() -> list[Command]:
    return [Command("pdn", "gameforge_draughts.command:app", "Check, count and rewrite files of draughts games.")]
