"""Anaconda's net: nanoseconds per evaluation, compared with NumPy; games per second between two nets at depth 4.

    python benchmarks/subboard.py [evaluations|games|moves]

evaluations: positions of random games, processor time on one pinned core; numpy multiplies the same layers in float32,
one position at a time and all at once. games: 150 of the first generation of Anaconda's evolution, on one thread and
on two; wall time, which needs an idle machine. moves: moves and values of the searchers in the same positions.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from gameforge_draughts.movegen import BIT_OF, START, WHITE_TO_MOVE
from gameforge_eval_subboard.subboard import windows
from machine import pin
from numpy.typing import NDArray

import gameforge as gf
from gameforge.arena.contests import Contender, contests
from gameforge.play.player import Player
from gameforge.training.work import pipeline_work

RUNS, STATES = 7, 20_000
NETS, OPPONENTS = 30, 5
SEARCHERS = (
    "minimax:depth=4",
    "alphabeta:depth=4,quiescence=false,draws=false,memory=1",
    "alphabeta:depth=4,quiescence=false,draws=false,memory=1,forced=true",
    "alphabeta:depth=4,memory=1",
    "alphabeta:depth=4,memory=1,forced=true",
)
GAME = gf.game("draughts")
Floats = NDArray[np.float32]


def player(seed: int, searcher: str = SEARCHERS[0], evaluator: str = "subboard") -> Player:
    return gf.player(GAME, searcher=searcher, evaluator=evaluator, seed=seed, name=f"net {seed}")


def states() -> NDArray[np.uint64]:
    """Positions of random games."""
    rng = np.random.default_rng(1)
    found = []
    while len(found) < STATES:
        state = START
        while legal := GAME.legal(state):
            found.append(state)
            state = GAME.play(state, legal[int(rng.integers(len(legal)))])
    return np.array(found[:STATES], np.uint64)


def inputs(words: NDArray[np.uint64], king: float) -> Floats:
    """The 32 inputs of each state, by numpy."""
    bits = np.array(BIT_OF, np.uint64)
    own, opponent, kings = ((words[:, i, None] >> bits & np.uint64(1)).astype(np.float32) for i in range(3))
    x = (own - opponent) * (1 + (king - 1) * kings)
    x[words[:, 2] & WHITE_TO_MOVE != 0] = x[words[:, 2] & WHITE_TO_MOVE != 0, ::-1]
    return x.astype(np.float32)


def layers(weights: Floats) -> list[tuple[Floats, Floats]]:
    """(matrix, biases) of each layer."""
    seen = windows()
    first, place = np.zeros((len(seen), 32), np.float32), 0
    for row, squares in zip(first, seen, strict=True):
        row[np.array(squares) - 1] = weights[place : place + len(squares)]
        place += len(squares)
    found = [(first, weights[place : place + len(seen)])]
    place += len(seen)
    for units, n in ((40, 91), (10, 40), (1, 10)):
        found.append((weights[place : place + units * n].reshape(units, n), weights[place + units * n :][:units]))
        place += (n + 1) * units
    return found


def by_numpy(net: list[tuple[Floats, Floats]], x: Floats) -> Floats:
    """Scores of inputs x[..., 32]."""
    h = x
    for matrix, biases in net[:-1]:
        h = np.tanh(h @ matrix.T + biases)
    matrix, biases = net[-1]
    return np.tanh((h @ matrix.T + biases)[..., 0] + x.sum(-1))


def nanoseconds(work: Callable[[], object], n: int) -> float:
    """Processor time per item of n, median of some runs after one warm-up run."""
    work()
    seconds = []
    for _ in range(RUNS):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return statistics.median(seconds) / n * 1e9


def evaluations() -> None:
    print(pin())
    words, net = states(), player(1)
    assert net.weights is not None
    pieces = np.bitwise_count(words[:, 0] | words[:, 1]).mean()
    ours = nanoseconds(lambda: net.values(words), STATES)
    old = player(1, evaluator="subboard:windows=false")
    print(f"5,046 weights: {ours:.0f} ns an evaluation, {pieces:.1f} pieces on the board; ", end="")
    print(f"the net of 1999: {nanoseconds(lambda: old.values(words), STATES):.0f} ns")
    matrices, x = layers(net.weights), inputs(words, float(net.weights[-1]))
    few = x[:2000]
    alone = nanoseconds(lambda: [by_numpy(matrices, one) for one in few], len(few))
    together = nanoseconds(lambda: by_numpy(matrices, x), STATES)
    print(f"numpy: {alone:.0f} ns one by one ({alone / ours:.0f} times), ", end="")
    print(f"{together:.0f} ns all at once ({together / ours:.1f} times), inputs not counted")
    print(f"largest difference {np.abs(net.values(words) - by_numpy(matrices, x)).max():.1e}")


def games() -> None:
    """The first generation of Anaconda's evolution: 30 nets with five opponents each, as a learner plays it."""
    rng = np.random.default_rng(1)
    pairings = [(i, (i + int(d)) % NETS) for i in range(NETS) for d in rng.choice(np.arange(1, NETS), OPPONENTS, False)]
    for searcher in SEARCHERS:
        pipeline = gf.Pipeline(game=GAME, searcher=searcher, evaluator="subboard", learner="none", oracle="none")
        parts = pipeline.parts()
        nets = [Contender(weights=parts.initial_weights(np.random.default_rng(seed))) for seed in range(NETS)]
        rates, plies = [], 0
        for workers in (1, 1, 2):  # the first round compiles
            began = time.perf_counter()
            with pipeline_work(pipeline, parts, None, workers) as work:
                played = list(contests(work, nets, pairings, np.random.SeedSequence(1)))
            rates.append(len(played) / (time.perf_counter() - began))
            plies = sum(len(game.codes) for game in played) // len(played)
        print(
            f"{searcher}: {rates[1]:.0f} games/s on one thread, {rates[2]:.0f} on two; {plies} plies a game; "
            f"load {os.getloadavg()[0]:.1f}"
        )


def moves() -> None:
    """Compare the searchers' values and moves; they agree unless one of them sees a draw or a win in its line."""
    chosen = [gf.game("draughts").position(GAME.position_text(tuple(map(int, row)))) for row in states()[::40]]
    one, other = player(1, SEARCHERS[0]), player(1, SEARCHERS[1])
    same, values, nodes = 0, 0, np.zeros(2, int)
    for position in chosen:
        found = [searcher.analyse(position) for searcher in (one, other)]
        same += found[0].move == found[1].move
        values += abs(found[0].score - found[1].score) < 1e-7 or abs(found[0].score) >= 1
        nodes += [each.nodes for each in found]
    print(f"{len(chosen)} positions: {values} values and {same} moves of minimax and alphabeta are the same; ", end="")
    print(f"{nodes[0] / len(chosen):.0f} and {nodes[1] / len(chosen):.0f} nodes a search")


if __name__ == "__main__":
    parts = {"games": games, "moves": moves, "evaluations": evaluations}  # the last pins the process
    for part in sys.argv[1:] or parts:
        parts[part]()
