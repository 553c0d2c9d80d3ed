"""Othello: perft, random playouts and alphabeta, compared with OpenSpiel and rust-reversi in the same run.

    pip install -e '.[bench]'; python benchmarks/othello.py

All numbers are per second of processor time on one pinned core. The peers' playouts are called from Python
through their Monte Carlo searches: simulations without a growing tree are playouts from the children of the root.
rust-reversi's perft cannot be called from Python.
"""

import sys
from collections.abc import Iterable
from typing import Any

from machine import pin
from rates import rate

import gameforge as gf
from gameforge.play.perft import perft, playouts

PERFT_DEPTH, GAMES, PEER_GAMES = 10, 100_000, 2000
SEARCH_DEPTH = 11
RUST_PERFT = 14e6
"""Leaves/s of rust-reversi, counted in bulk, measured on a 2.6 GHz Xeon."""
GAME = gf.game("othello")


def ours() -> Iterable[tuple[str, float]]:
    start = GAME.position()
    yield "perft, leaves", rate(lambda: perft(start, PERFT_DEPTH))
    games = rate(lambda: (playouts(start, GAMES, seed=1), GAMES)[1])
    yield "playouts, games", games
    yield "playouts, plies", games * playouts(start, GAMES, seed=1).plies / GAMES
    for evaluator in ("wpc", "mobility"):
        player = gf.player(GAME, searcher=f"alphabeta:depth={SEARCH_DEPTH}", evaluator=evaluator, oracle="none")
        places = [opening.moves for opening in GAME.rules.openings.get("named")[::6]]  # type: ignore[attr-defined]
        positions = []
        for moves in places:
            position = start
            for move in moves:
                position = position.after(move)
            positions.append(position)
        nodes = rate(lambda p=player, x=positions: sum(p.analyse(position).nodes for position in x))
        yield f"alphabeta + {evaluator}, nodes", nodes


def open_spiel() -> float:
    """Games/s of the rollouts of its C++ search."""
    import pyspiel

    game = pyspiel.load_game("othello")
    start = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=PEER_GAMES // 10, seed=1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 10, 100, False, 1, False)
    return rate(lambda: (bot.mcts_search(start), PEER_GAMES)[1])


def rust_reversi() -> float:
    """Games/s of the playouts of its search; the tree has only the root and its children."""
    from rust_reversi import Board, MctsSearch

    board, search = Board(), MctsSearch(10 * PEER_GAMES, 1.0, 10**9)
    return rate(lambda: (search.get_move(board), 10 * PEER_GAMES)[1])


def main() -> None:
    print(pin())
    mine: dict[str, Any] = {}
    for name, found in ours():
        mine[name] = found
        print(f"{name:28} {found:14,.0f} /s", flush=True)
    print(f"perft beside rust-reversi's on another machine: {mine['perft, leaves'] / RUST_PERFT:.1f}")
    for name, peer in (("OpenSpiel", open_spiel), ("rust-reversi", rust_reversi)):
        try:
            games = peer()
        except ImportError:
            print(f"{name} is not installed (extra `bench`): no comparison", file=sys.stderr)
            continue
        print(f"playouts of {name}, games  {games:14,.0f} /s   ratio {mine['playouts, games'] / games:8.1f}")


if __name__ == "__main__":
    main()
