"""What the othello plugin offers. This module imports nothing that is slow to load."""

from gameforge import Command, Component, hookimpl

_FROM_SCRATCH = "a strong player from scratch: patterns fitted to generations of self-play"
_OF_THE_GAME = (
    ("features", "boardbits", ".evaluation:BoardBits", "own and opponent's discs as bits"),
    ("features", "discs", ".evaluation:Discs", "one number for each square"),
    ("evaluator", "wpc", ".evaluation:Wpc", "a weight for each square"),
    ("evaluator", "material", ".evaluation:Material", "number of discs"),
    ("evaluator", "mobility", ".evaluation:Mobility", "number of possible moves"),
    ("oracle", "solver", ".solver:Solver", "positions with few empty squares"),
    ("book", "book", ".openings:Book", "named openings that a player follows"),
    ("preset", "othello", ":presets/othello.toml", "TD learning with a net over the board's bits"),
    ("preset", "othello-strong", ":presets/othello-strong.toml", _FROM_SCRATCH),
    ("player", "strong", ":players/strong", "patterns fitted to self-play, under a selective search; ten levels"),
)
"""Kind, name, place in the package, and summary of each component that fits Othello only."""


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component("rules", "othello", "gameforge_othello.rules:Othello", "Othello (Reversi), 8x8"),
        *(
            Component(kind, name, f"gameforge_othello{place}", about, game="othello")
            for kind, name, place, about in _OF_THE_GAME
        ),
    ]


@hookimpl
def gameforge_commands() -> list[Command]:
    return [Command("othello", "gameforge_othello.command:app", "Check files of Othello games and solve endings.")]
