"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "evaluator",
            "mlp",
            "gameforge_eval_mlp.mlp:Mlp",
            "A net with one hidden layer of tanh units over a feature map; trainable.",
        ),
        Component(
            "evaluator",
            "modular-mlp",
            "gameforge_eval_mlp.modular:ModularMlp",
            "A net mlp for each phase of the game, all trained together.",
        ),
        Component(
            "evaluator",
            "policy-mlp",
            "gameforge_eval_mlp.policy:PolicyMlp",
            "A net with two heads, value and policy, over the cells of any game; trained by the learner gumbel.",
        ),
        Component(
            "evaluator",
            "conv",
            "gameforge_eval_mlp.conv:Conv",
            "A residual convolutional net with two heads over the cells of any game; trained by the learner gumbel.",
        ),
    ]
