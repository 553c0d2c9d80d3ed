"""Nanoseconds per evaluation of a cascade, seconds per training epoch, and a whole training on request.

python benchmarks/cascade.py [EXAMPLES NEURONS]     # default 135,000 (150,000 less the test part) and no training

Examples are random: 128 bits, like those of Othello boards with 4 to 64 discs. Processor time is summed over all
threads, so that it does not depend on other load; the training runs on all processors, everything else on one.
"""

import os
import resource
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
from gameforge_eval_cascade import candidates, cascade, outputs
from gameforge_eval_cascade.cascade import ACTIVATIONS, Layout
from gameforge_eval_cascade.descent import Crew, Rows, rows
from gameforge_eval_cascade.learner import CascadeLearner, Examples, Growth
from machine import pin

from gameforge.interfaces.learner import Progress, TrainingTask
from gameforge.kernel.bits import at
from gameforge.kernel.compile.functions import compiled_function
from gameforge.kernel.compile.jit import kernel

INPUTS, CALLS, RUNS = 128, 200_000, 7
_0, _1, _127 = np.uint64(0), np.uint64(1), np.uint64(127)


@kernel
def evaluations(forward: Any, nd: Any, w: Any, x: Any, n: int) -> float:
    """Sum of n values; one input changes each time."""
    total = 0.0
    for i in range(n):
        x[np.uint64(i) & _127] = np.float32(1) - x[np.uint64(i) & _127]
        total += forward(at(nd, _0), at(w, _0), at(x, _0))
    return total


def nanoseconds(units: int, room: int) -> float:
    """Median of one evaluation of a net with units of all functions in turn."""
    form, rng = Layout(INPUTS, room), np.random.default_rng(1)
    vector = np.zeros(form.length, np.float32)
    vector[0], vector[1 : 1 + units] = units, np.arange(units) % len(ACTIVATIONS)
    weights = form.weights(vector)
    weights[: INPUTS + 1, : 1 + units] = rng.uniform(-0.2, 0.2, (INPUTS + 1, 1 + units))
    weights[INPUTS + 1 :][:units, 1 : 1 + units] = np.triu(rng.uniform(-0.2, 0.2, (units, units)), 1)
    nd = np.array([INPUTS, form.stride, form.matrix, room], np.uint64)
    x = np.zeros(INPUTS + 3 * form.stride, np.float32)
    x[:INPUTS] = rng.random(INPUTS) < 0.27
    forward = compiled_function("forward", cascade.forward)
    evaluations(forward, nd, vector, x, 10)
    seconds = []
    for _ in range(RUNS):
        began = time.process_time()
        evaluations(forward, nd, vector, x, CALLS)
        seconds.append(time.process_time() - began)
    return statistics.median(seconds) / CALLS * 1e9


def drawn(n: int, room: int) -> Rows:
    """Random examples with room for the values of `room` units."""
    rng = np.random.default_rng(n)
    x = (rng.random((n, INPUTS)) < rng.uniform(0.03, 0.5, (n, 1))).astype(np.float32)
    first, second = np.random.default_rng(0).normal(0, 0.3, (2, INPUTS)).astype(np.float32)
    return rows(x, np.tanh(x @ first + np.sin(x @ second)).astype(np.float32), room)


def epochs(examples: int) -> None:
    """Print the seconds per epoch of 80 candidates and of the output, for nets of several sizes."""
    room, pool = 50, candidates.pool(ACTIVATIONS, (0.25, 0.5, 0.75, 1.0), 2)
    train, rng = drawn(examples, room), np.random.default_rng(1)
    train.given[:] = rng.uniform(-1, 1, train.given.shape)
    errors = rng.uniform(-0.3, 0.3, examples).astype(np.float32)
    with ThreadPoolExecutor(1) as threads:
        crew = Crew(threads, 1)
        for units in (0, 25, 50):
            w = candidates.drawn(pool, INPUTS, units, rng)
            sums = candidates.sums_of(train, pool, len(w) - 1)
            blocks = np.uint64(units), w.reshape(-1), pool, errors, False, sums
            output = rng.uniform(-0.1, 0.1, INPUTS + 1 + units).astype(np.float32)
            passing = outputs.pass_through, np.uint64(units), output, outputs.sums_of(train, len(output)), True, True
            times = []
            for work in ((candidates.pass_through, *blocks), passing):
                crew.go_through(train, *work)
                began = time.process_time()
                for _ in range(3):
                    crew.go_through(train, *work)
                times.append((time.process_time() - began) / 3)
            print(
                f"{examples:,} examples, {units:2} units: candidates {times[0]:.3f} s, output {times[1]:.3f} s an epoch"
            )


def train(examples: int, neurons: int) -> None:
    """Print the time after each neuron, and the memory of the process at the end."""
    form = Layout(INPUTS, neurons)
    parts = Examples(drawn(examples, neurons), drawn(examples // 9, neurons), "")
    times = [(time.process_time(), time.perf_counter())]

    def session_finished(progress: Progress) -> None:
        times.append((time.process_time(), time.perf_counter()))
        spent, passed = (after - before for before, after in zip(times[-2], times[-1], strict=True))
        epochs = progress.numbers.get("candidate_epochs", 0), progress.numbers["output_epochs"]
        print(
            f"{progress.numbers['neurons']:3} neurons: {spent:6.1f} s of processor time, {passed:6.1f} s by the clock; "
            f"epochs of candidates {epochs[0]}, of outputs {epochs[1]}",
            flush=True,
        )

    task: Any = TrainingTask(
        parts=None,  # type: ignore[arg-type]
        seed=np.random.SeedSequence(1),
        game_finished=lambda game: None,
        session_finished=session_finished,
        work=SimpleNamespace(workers=os.cpu_count()),  # type: ignore[arg-type]
    )
    learner = CascadeLearner(examples="none")  # type: ignore[arg-type]
    Growth(learner, task, form, np.zeros(form.length, np.float32), parts).run()
    spent, passed = (after - before for before, after in zip(times[0], times[-1], strict=True))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{examples:,} examples, {neurons} neurons: {spent:.0f} s of processor time, {passed:.0f} s by the clock, "
        f"{memory:.2f} GB at most"
    )


def main() -> None:
    examples, neurons = (int(text) for text in sys.argv[1:3]) if len(sys.argv) > 2 else (135_000, 0)
    if neurons:
        train(examples, neurons)
    print(pin())
    epochs(examples)
    for units, room in ((0, 50), (10, 50), (50, 50), (50, 128), (128, 128)):
        print(f"{INPUTS} inputs, {units:3} hidden units, room for {room:3}: {nanoseconds(units, room):6.0f} ns")


if __name__ == "__main__":
    main()
