"""The plugin's contributions: the searchers `uct`, `puct` and `random`."""

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
            "puct",
            "gameforge_search_mcts.puct:Puct",
            "Tree search guided by a policy (AlphaZero's PUCT, Gumbel), with proofs; simulations, time, memory.",
        ),
        Component(
            "searcher",
            "random",
            "gameforge_search_mcts.simulation:RandomMover",
            "Plays a random legal move; all moves are equally likely.",
        ),
    ]
