"""What this plugin contributes."""

from gameforge.interfaces.hooks import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "searcher",
            "uct",
            "gameforge_search_mcts.uct:Uct",
            "Monte-Carlo tree search (UCT) with random simulations; simulations, time, memory.",
        ),
        Component(
            "searcher",
            "random",
            "gameforge_search_mcts.random_mover:RandomMover",
            "Plays any legal move, each as likely as the others.",
        ),
    ]
