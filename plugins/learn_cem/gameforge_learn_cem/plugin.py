"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "learner",
            "cem",
            "gameforge_learn_cem.learner:Cem",
            "The cross-entropy method: tunes numbers of any component by matches against the current mean.",
        )
    ]
