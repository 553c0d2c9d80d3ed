"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "learner",
            "ga",
            "gameforge_learn_ga.learner:GA",
            "Genetic selection of features; another learner trains each individual, as in LS-Draughts.",
        )
    ]
