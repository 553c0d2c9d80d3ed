"""The plugin's contributions: the searchers `uct` and `random`."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "searcher",
            "uct",
            "gameforge_search_mcts.uct:Uct",
            "Monte Carlo tree search (UCT) with random simulations; simulations, time, memory.",
        ),
        Component(
            "searcher",
            "random",
            "gameforge_search_mcts.simulation:RandomMover",
            "Plays a random legal move; all moves are equally likely.",
        ),
    ]
