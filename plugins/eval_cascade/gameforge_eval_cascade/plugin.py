"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "evaluator",
            "cascade",
            "gameforge_eval_cascade.cascade:Cascade",
            "A net of single hidden units, each connected to all earlier ones, over a feature map; grows in training.",
        ),
        Component(
            "learner",
            "cascade",
            "gameforge_eval_cascade.learner:CascadeLearner",
            "Builds a cascade net from examples, unit by unit: cascade-correlation or Cascade-2.",
        ),
    ]
