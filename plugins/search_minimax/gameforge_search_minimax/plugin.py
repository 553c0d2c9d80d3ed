"""The plugin's contributions: the searchers `minimax` and `alphabeta`, and the command `probcut`."""

from gameforge import Command, Component, hookimpl


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
            "gameforge_search_minimax.negamax:AlphaBeta",
            "Alpha-beta with deepening, a transposition table and quiescence; depth, nodes, time.",
        ),
    ]


@hookimpl
def gameforge_commands() -> list[Command]:
    return [
        Command(
            "probcut", "gameforge_search_minimax.fitting:probcut", "Fit the cuts of a selective search to a player."
        )
    ]
