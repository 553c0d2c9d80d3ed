"""What the morris plugin offers. This module imports nothing that is slow to load."""

from gameforge import Command, Component, hookimpl

_GAME = "morris"
_FEATURES, _EVALUATORS = "gameforge_morris.features", "gameforge_morris.evaluators"


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component("rules", "morris", "gameforge_morris.rules:Morris", "Nine Men's Morris (mill, merels)"),
        Component("features", "boardbits", f"{_FEATURES}:BoardBits", "men and hands as bits", game=_GAME),
        Component("features", "points", f"{_FEATURES}:Points", "one number for each point", game=_GAME),
        Component("evaluator", "material", f"{_EVALUATORS}:Material", "number of men", game=_GAME),
        Component("evaluator", "mills", f"{_EVALUATORS}:Mills", "number of closed mills", game=_GAME),
        Component("evaluator", "mobility", f"{_EVALUATORS}:Mobility", "number of possible steps", game=_GAME),
        Component("evaluator", "weighted", f"{_EVALUATORS}:Weighted", "men, mills and steps, weighted", game=_GAME),
        Component(
            "oracle",
            "endings",
            "gameforge_morris.endgames.oracle:Endings",
            "exact values with up to 4 men a side, solved on first use",
            game=_GAME,
        ),
        Component(
            "preset",
            "morris",
            "gameforge_morris:presets/morris.toml",
            "TD learning with a net over the board's bits",
            game=_GAME,
        ),
        Component(
            "preset",
            "morris-strong",
            "gameforge_morris:presets/morris-strong.toml",
            "a strong player from scratch: patterns fitted to generations of self-play",
            game=_GAME,
        ),
        Component(
            "player",
            "strong",
            "gameforge_morris:players/strong",
            "patterns fitted to self-play, under a selective search; ten levels",
            game=_GAME,
        ),
    ]


@hookimpl
def gameforge_commands() -> list[Command]:
    about = "Build, check and probe endgame databases."
    return [Command("egdb", "gameforge_morris.endgames.command:app", about, game=_GAME)]
