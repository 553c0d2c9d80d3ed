"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "learner",
            "gumbel",
            "gameforge_learn_gumbel.learner:Gumbel",
            "AlphaZero: generations of self-play with tree search, to whose moves a policy and a value are fitted.",
        ),
        Component(
            "preset",
            "gumbel",
            "gameforge_learn_gumbel:presets/gumbel.toml",
            "A policy and value net, trained from nothing by self-play with Gumbel search; for any game.",
        ),
    ]
