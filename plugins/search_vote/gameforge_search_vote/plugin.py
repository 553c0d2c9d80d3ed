"""The plugin's contribution: the searcher `vote`."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "searcher",
            "vote",
            "gameforge_search_vote.vote:Vote",
            "Several saved players as one: each searches, and the move with the most votes is played.",
        ),
    ]
