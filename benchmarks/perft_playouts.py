"""Perft and random playouts of draughts, compared with OpenSpiel's checkers in the same run.

    pip install -e '.[bench]'; python benchmarks/perft_playouts.py

OpenSpiel splits a capture of several pieces into several actions, so we compare complete moves and complete games.
Its playouts run in C++ (the rollouts of its MCTS bot). It has no perft in C++, so its perft goes through its Python
binding, one call per action.
"""

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from machine import pin

import gameforge as gf
from gameforge.play.perft import perft, playouts

DEPTH, PEER_DEPTH = 10, 6
GAMES, PEER_GAMES = 100_000, 1000
RUNS = 5


def median_seconds(work: Callable[[], Any]) -> float:
    """Median seconds of a few runs, after one warm-up run."""
    work()
    seconds = []
    for _ in range(RUNS):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def ours() -> tuple[float, float, float]:
    """(leaves/s, plies/s, games/s)."""
    start = gf.game("draughts").position()
    perft_rate = perft(start, DEPTH) / median_seconds(lambda: perft(start, DEPTH))
    seconds = median_seconds(lambda: playouts(start, GAMES, seed=1))
    return perft_rate, playouts(start, GAMES, seed=1).plies / seconds, GAMES / seconds


def peer_perft(state: Any, depth: int) -> int:
    """Number of sequences of `depth` complete moves; consecutive actions of one player are one move."""
    if depth == 0:
        return 1
    if state.is_terminal():
        return 0
    total = 0
    for action in state.legal_actions():
        child = state.child(action)
        same = not child.is_terminal() and child.current_player() == state.current_player()
        total += peer_perft(child, depth if same else depth - 1)
    return total


def peer() -> tuple[float, float, float]:
    """(leaves/s through the binding, plies/s, games/s) of OpenSpiel."""
    import pyspiel

    game = pyspiel.load_game("checkers")
    start = game.new_initial_state()
    count = peer_perft(start, PEER_DEPTH)
    assert count == perft(gf.game("draughts").position(), PEER_DEPTH), "the two disagree on the rules"
    perft_rate = count / median_seconds(lambda: peer_perft(start, PEER_DEPTH))
    # Its rollouts can be called from Python only through a search: few nodes, many rollouts at each.
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=PEER_GAMES // 10, seed=1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 10, 100, False, 1, False)
    games_rate = PEER_GAMES / median_seconds(lambda: bot.mcts_search(start))
    generator = np.random.default_rng(1)
    turns = 0
    for _ in range(PEER_GAMES // 10):
        state, mover = game.new_initial_state(), -1
        while not state.is_terminal():
            turns += state.current_player() != mover
            mover = state.current_player()
            state.apply_action(generator.choice(state.legal_actions()))
    return perft_rate, games_rate * turns / (PEER_GAMES // 10), games_rate


def main() -> None:
    print(pin())
    mine = ours()
    names = ("perft, leaves/s", "playouts, complete moves/s", "playouts, games/s")
    try:
        theirs: tuple[float, ...] | None = peer()
    except ImportError:
        print("OpenSpiel is not installed (extra `bench`): no comparison", file=sys.stderr)
        theirs = None
    for i, name in enumerate(names):
        line = f"{name:28} {mine[i]:14,.0f}"
        print(line + (f"   OpenSpiel {theirs[i]:12,.0f}   ratio {mine[i] / theirs[i]:8.1f}" if theirs else ""))


if __name__ == "__main__":
    main()
