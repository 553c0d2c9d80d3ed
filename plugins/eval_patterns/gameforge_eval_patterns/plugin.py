"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "evaluator",
            "patterns",
            "gameforge_eval_patterns.patterns:Patterns",
            "Sums of weights by the configurations of small groups of cells; for any game that offers its cells.",
        ),
        Component(
            "evaluator",
            "policy-patterns",
            "gameforge_eval_patterns.policy:PolicyPatterns",
            "Patterns with a value and a policy, for `puct` and `gumbel`; for any game that offers its cells.",
        ),
    ]
