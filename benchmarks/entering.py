"""What it costs to enter the kernel from Python: random games, choices of a move, and evaluators in Python.

    python benchmarks/entering.py; with pip install -e '.[bench]' beside OpenSpiel's checkers

Microseconds of the fastest of many short runs, in turn with those of OpenSpiel, on one pinned core: other processes can
only add to them. For evaluators, the number of calls of `values` in the first 12 searches of a random game, and how
many states a call gets.
"""

import importlib.util
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from machine import pin

import gameforge as gf

GAMES = ("draughts", "othello", "morris")
SEARCHERS = ("minimax:depth=1", "minimax:depth=4", "alphabeta:depth=5", "uct:simulations=200,leaf=evaluator")
RUNS = 200


def random_game(start: Callable[[], Any], over: Callable[[Any], Any], moves: Any, play: Any, rng: Any) -> float:
    """Microseconds of a ply of a random game."""
    began, plies, position = time.perf_counter(), 0, start()
    while not over(position):
        position = play(position, rng.choice(moves(position)))
        plies += 1
    return (time.perf_counter() - began) / plies * 1e6


def ours(name: str) -> Callable[[random.Random], float]:
    game = gf.game(name)
    return lambda rng: random_game(
        game.position,
        lambda position: position.outcome is not None,
        lambda position: position.legal_moves,
        lambda position, move: position.play(move),
        rng,
    )


def open_spiel() -> Callable[[random.Random], float]:
    import pyspiel

    game = pyspiel.load_game("checkers")

    def play(state: Any, action: int) -> Any:
        state.apply_action(action)
        return state

    return lambda rng: random_game(
        game.new_initial_state, lambda state: state.is_terminal(), lambda state: state.legal_actions(), play, rng
    )


def plies() -> None:
    games = {name: ours(name) for name in GAMES}
    if importlib.util.find_spec("pyspiel") is not None:
        games["OpenSpiel's checkers"] = open_spiel()
    best = dict.fromkeys(games, np.inf)
    rng = random.Random(1)
    for _ in range(RUNS):
        for name, game in games.items():
            best[name] = min(best[name], game(rng))
    for name, found in best.items():
        print(f"a random ply of {name:22} {found:7.1f}")


def choices() -> None:
    for searcher in ("random", "minimax:depth=1", "alphabeta:depth=1"):
        player = gf.player("draughts", searcher=searcher, evaluator="material")
        position = player.game.position().play("11-15").play("24-20").play("9-13")
        best = np.inf
        for _ in range(10 * RUNS):
            began = time.perf_counter()
            player.choose(position)
            best = min(best, time.perf_counter() - began)
        print(f"choose, {searcher:29} {best * 1e6:7.1f}")


class Counting:
    """Scores states by chance, and counts calls and states."""

    def __init__(self) -> None:
        self.calls = self.states = 0

    def values(self, states: Any) -> Any:
        self.calls += 1
        self.states += len(states)
        mixed = (states[:, 0] ^ (states[:, 1] >> np.uint64(7))) * np.uint64(0x9E3779B97F4A7C15)
        return (mixed >> np.uint64(11)) / 2**53 * 1.8 - 0.9


def batches() -> None:
    for game in GAMES:
        for searcher in SEARCHERS:
            evaluator, rng = Counting(), random.Random(3)
            player = gf.player(game, searcher=searcher, evaluator=evaluator)
            position, seconds = player.game.position(), 0.0
            for _ in range(12):
                began = time.process_time()
                player.analyse(position)
                seconds += time.process_time() - began
                position = position.play(rng.choice(position.legal_moves))
            each = evaluator.states / max(1, evaluator.calls)
            print(f"{game}, {searcher}: {evaluator.calls:,} calls, {each:.1f} states a call, {seconds:.2f} s")


def main() -> None:
    print(pin())
    plies()
    choices()
    batches()


if __name__ == "__main__":
    main()
