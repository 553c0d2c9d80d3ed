"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "learner",
            "regress",
            "gameforge_learn_regress.learner:Regress",
            "Fits an evaluator with terms or a gradient to examples by logistic regression on results and scores.",
        ),
        Component(
            "learner",
            "selfplay",
            "gameforge_learn_regress.learner:Selfplay",
            "Generations of self-play and regression from scratch, each gated by an SPRT against the best so far.",
        ),
    ]
