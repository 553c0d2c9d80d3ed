"""What this plugin contributes."""

from gameforge.hooks import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "searcher",
            "minimax",
            "gameforge_search_minimax.minimax:Minimax",
            "Fixed-depth minimax with oracles, as printed for LS-Draughts.",
        ),
    ]
