"""What this plugin contributes."""

from gameforge.interfaces.hooks import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "evaluator",
            "subboard",
            "gameforge_eval_subboard.subboard:Subboard",
            "Anaconda's net: all square windows of the board, 40, 10, 1; for learners without gradients.",
            game="draughts",
        ),
    ]
