"""What the othello plugin offers. This module imports nothing that is slow to load."""

from gameforge import Command, Component, hookimpl

_GAME = "othello"
_EVALUATORS = "gameforge_othello.evaluators"


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component("rules", "othello", "gameforge_othello.rules:Othello", "Othello (Reversi), 8x8"),
        Component(
            "features",
            "boardbits",
            "gameforge_othello.features:BoardBits",
            "own and opponent's discs as bits",
            game=_GAME,
        ),
        Component("features", "discs", "gameforge_othello.features:Discs", "one number for each square", game=_GAME),
        Component("evaluator", "wpc", f"{_EVALUATORS}:Wpc", "a weight for each square", game=_GAME),
        Component("evaluator", "material", f"{_EVALUATORS}:Material", "number of discs", game=_GAME),
        Component("evaluator", "mobility", f"{_EVALUATORS}:Mobility", "number of possible moves", game=_GAME),
        Component(
            "oracle", "solver", "gameforge_othello.solver:Solver", "positions with few empty squares", game=_GAME
        ),
        Component(
            "book", "book", "gameforge_othello.openings:Book", "named openings that a player follows", game=_GAME
        ),
        Component(
            "preset",
            "othello",
            "gameforge_othello:presets/othello.toml",
            "TD learning with a net over the board's bits",
            game=_GAME,
        ),
        Component(
            "preset",
            "othello-strong",
            "gameforge_othello:presets/othello-strong.toml",
            "a strong player from scratch: patterns fitted to generations of self-play",
            game=_GAME,
        ),
        Component(
            "player",
            "strong",
            "gameforge_othello:players/strong",
            "patterns fitted to self-play, under a selective search; ten levels",
            game=_GAME,
        ),
    ]


@hookimpl
def gameforge_commands() -> list[Command]:
    return [Command("othello", "gameforge_othello.command:app", "Check files of Othello games and solve endings.")]
