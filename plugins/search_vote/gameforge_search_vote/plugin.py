"""What this plugin contributes."""

from gameforge.interfaces.hooks import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "searcher",
            "vote",
            "gameforge_search_vote.vote:Vote",
            "Several saved players as one: each searches, the move with most votes is played.",
        ),
        Component(
            "evaluator",
            "ensemble",
            "gameforge_search_vote.ensemble:Ensemble",
            "The average, maximum or minimum of what the evaluators of several saved players say.",
        ),
    ]
