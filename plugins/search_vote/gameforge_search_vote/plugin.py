"""The plugin's contributions: the searcher `vote` and the evaluators `ensemble` and `modules`."""

from gameforge.interfaces.hooks import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "searcher",
            "vote",
            "gameforge_search_vote.vote:Vote",
            "Several saved players as one: each searches, and the move with the most votes is played.",
        ),
        Component(
            "evaluator",
            "ensemble",
            "gameforge_search_vote.ensemble:Ensemble",
            "The average, maximum or minimum of the scores of several saved players.",
        ),
        Component(
            "evaluator",
            "modules",
            "gameforge_search_vote.modules:Modules",
            "Another evaluator for each phase of the game, by the number of occupied cells.",
        ),
    ]
