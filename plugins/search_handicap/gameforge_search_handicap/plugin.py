"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "searcher",
            "handicap",
            "gameforge_search_handicap.handicap:Handicap",
            "Another searcher, some of whose moves are replaced by random ones.",
        ),
    ]
