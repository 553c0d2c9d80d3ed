"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "evaluator",
            "subboard",
            "gameforge_eval_subboard.subboard:Subboard",
            "Anaconda's net over all square windows of the board, then 40-10-1 units.",
            game="draughts",
        ),
    ]
