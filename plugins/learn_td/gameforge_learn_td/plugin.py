"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "learner",
            "td",
            "gameforge_learn_td.learner:TD",
            "TD(lambda), TDLeaf or TreeStrap by self-play, with cloning as in NeuroDraughts or without.",
        ),
        Component(
            "learner",
            "expert",
            "gameforge_learn_td.learner:Expert",
            "TD(lambda) over games from files, as NeuroDraughts' XTRAIN.",
        ),
    ]
