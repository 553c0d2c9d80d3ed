"""The plugin's contributions: the searchers `minimax` and `alphabeta`."""

from gameforge.interfaces.hooks import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "searcher",
            "minimax",
            "gameforge_search_minimax.minimax:Minimax",
            "Fixed-depth minimax with oracles, as printed for LS-Draughts.",
        ),
        Component(
            "searcher",
            "alphabeta",
            "gameforge_search_minimax.alphabeta:AlphaBeta",
            "Alpha-beta with deepening, a transposition table and quiescence; depth, nodes, time.",
        ),
    ]
