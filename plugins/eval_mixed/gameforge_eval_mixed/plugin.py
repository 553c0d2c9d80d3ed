"""The plugin's contributions: the evaluators `ensemble` and `modules`."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "evaluator",
            "ensemble",
            "gameforge_eval_mixed.evaluators:Ensemble",
            "The average, maximum or minimum of the scores of several saved players.",
        ),
        Component(
            "evaluator",
            "modules",
            "gameforge_eval_mixed.evaluators:Modules",
            "Another evaluator for each phase of the game, by the number of occupied cells.",
        ),
    ]
