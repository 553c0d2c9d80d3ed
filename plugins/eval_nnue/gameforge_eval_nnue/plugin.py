"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "evaluator",
            "nnue",
            "gameforge_eval_nnue.nnue:Nnue",
            "A net of integers over pieces and cells, updated from move to move; for any game that offers its cells.",
        ),
        Component(
            "preset",
            "draughts-nnue",
            "gameforge_eval_nnue:presets/draughts-nnue.toml",
            "An incremental net for draughts, fitted to generations of self-play.",
            game="draughts",
        ),
    ]
