"""Nanoseconds an evaluation of a cascade, and what a neuron costs in the training of one.

python benchmarks/cascade.py [EXAMPLES NEURONS]     # default 135,000 (150,000 less the test part) and 3; the issue: 50

Examples are drawn: 128 bits, as of Othello boards with 4 to 64 discs. Processor time is that of all threads together,
so that it says the same on a loaded machine; the training runs on all processors, the evaluation on one.
"""

import os
import resource
import statistics
import sys
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
from gameforge_eval_cascade import net
from gameforge_eval_cascade.activations import ACTIVATIONS
from gameforge_eval_cascade.layout import Layout
from gameforge_eval_cascade.learner import CascadeLearner
from gameforge_eval_cascade.rows import rows
from gameforge_eval_cascade.training import Examples, build
from machine import pin

from gameforge.kernel.bits import at
from gameforge.kernel.functions import table_function
from gameforge.kernel.jit import kernel
from gameforge.learning import Progress, TrainingTask

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
    forward = table_function("forward", net.forward)
    evaluations(forward, nd, vector, x, 10)
    seconds = []
    for _ in range(RUNS):
        began = time.process_time()
        evaluations(forward, nd, vector, x, CALLS)
        seconds.append(time.process_time() - began)
    return statistics.median(seconds) / CALLS * 1e9


def train(examples: int, neurons: int) -> None:
    """Print the time after each neuron, and the memory of the process at the end."""
    rng = np.random.default_rng(0)

    def drawn(n: int) -> Any:
        x = (rng.random((n, INPUTS)) < rng.uniform(0.03, 0.5, (n, 1))).astype(np.float32)
        targets = np.tanh(x @ rows_of[0] + np.sin(x @ rows_of[1])).astype(np.float32)
        return rows(x, targets, neurons)

    rows_of = rng.normal(0, 0.3, (2, INPUTS)).astype(np.float32)
    form = Layout(INPUTS, neurons)
    parts = Examples(drawn(examples), drawn(examples // 9), "")
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
    build(learner, task, form, np.zeros(form.length, np.float32), parts)
    spent, passed = (after - before for before, after in zip(times[0], times[-1], strict=True))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{examples:,} examples, {neurons} neurons: {spent:.0f} s of processor time, {passed:.0f} s by the clock, "
        f"{memory:.2f} GB at most"
    )


def main() -> None:
    examples, neurons = (int(text) for text in sys.argv[1:3]) if len(sys.argv) > 2 else (135_000, 3)
    train(examples, neurons)
    print(pin())
    for units, room in ((0, 50), (10, 50), (50, 50), (50, 128), (128, 128)):
        print(f"{INPUTS} inputs, {units:3} hidden units, room for {room:3}: {nanoseconds(units, room):6.0f} ns")


if __name__ == "__main__":
    main()
