"""What it costs to enter the kernel from Python: random games, choices of a move, and evaluators in Python.

    python benchmarks/entering.py; with pip install -e '.[bench]' beside OpenSpiel's checkers
    python benchmarks/entering.py --nets; with pip install jax with a net of JAX, else one of NumPy

Microseconds of the fastest of many short runs, in turn with those of OpenSpiel, on one pinned core: other processes can
only add to them. For evaluators, the number of calls of `values` in the first 12 searches of a random game, and how
many states a call gets.

--nets: matches of a small convolutional net against itself in Othello. For each searcher, how many states a call gets
and how many states are scored a second, in the whole match and by the net alone: one game after the other, and at once.
"""

import argparse
import importlib.util
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from machine import pin

import gameforge as gf
from gameforge.arena import workspace
from gameforge.play.batches import BatchFunction

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


def small_net(channels: int) -> BatchFunction:
    """Return an evaluator: two convolutions of 3x3 with 16 channels, and a layer, with random weights."""
    rng = np.random.default_rng(0)
    shapes = (9 * channels, 16), (9 * 16, 16), (16 * 64, 1)
    first, second, last = (rng.normal(0, size[0] ** -0.5, size).astype(np.float32) for size in shapes)
    if importlib.util.find_spec("jax") is None:

        def convolved(x: Any, weights: Any) -> Any:
            padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
            windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
            found = windows.transpose(0, 2, 3, 1, 4, 5).reshape(-1, len(weights)) @ weights
            return np.maximum(found, 0).reshape(len(x), 8, 8, -1).transpose(0, 3, 1, 2)

        def net(planes: Any) -> Any:
            found = convolved(convolved(planes, first), second)
            return 0.9 * np.tanh(found.reshape(len(planes), -1) @ last)[:, 0]

        return gf.batch_evaluator(net, takes="planes")

    import jax

    kernels = [weights.T.reshape(16, -1, 3, 3) for weights in (first, second)]

    def jax_net(planes: Any) -> Any:
        found = planes
        for kernel in kernels:
            found = jax.nn.relu(jax.lax.conv(found, kernel, (1, 1), "SAME"))
        return 0.9 * jax.numpy.tanh(found.reshape(len(planes), -1) @ last)

    return gf.jax_evaluator(jax_net)


NET_SEARCHERS = (
    "minimax:depth=2",
    "alphabeta:depth=2",
    "uct:simulations=32,prior=4,leaf=evaluator",
    "uct:simulations=32,leaf=evaluator",
    "uct:simulations=32,leaf=evaluator,batch=8",
)


def nets() -> None:
    game = gf.game("othello")
    channels = game.planes([game.rules.initial()]).shape[1]
    at_once = workspace.AT_ONCE
    for searcher in NET_SEARCHERS:
        for games, workspace.AT_ONCE in ((2, 1), (2 * at_once, at_once)):
            evaluator = small_net(channels)
            player = gf.player(game, searcher=searcher, evaluator=evaluator, oracle="none")
            evaluator.function(game.planes([game.rules.initial()] * 64))
            gf.match(player, player, 2, openings=58, seed=1, progress=False)  # kernels are loaded
            evaluator.cost = type(evaluator.cost)()
            began = time.perf_counter()
            gf.match(player, player, games, openings=4, seed=1, progress=False)
            seconds, cost = time.perf_counter() - began, evaluator.cost
            print(
                f"{searcher:42} {workspace.AT_ONCE:2} at once: {cost.states / cost.calls:5.1f} states a call, "
                f"{cost.states / seconds:7,.0f} states a second, {cost.states / cost.seconds:7,.0f} by the net"
            )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--nets", action="store_true")
    options = parser.parse_args()
    print(pin())
    if options.nets:
        nets()
        return
    plies()
    choices()
    batches()


if __name__ == "__main__":
    main()
