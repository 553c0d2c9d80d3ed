"""Examples as sparse rows of inputs, and their distribution over threads.

Examples are summed in chunks of CHUNK, and the sums of the chunks are added in their order, so results do not depend
on the number of threads.
"""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.compile.jit import inline, kernel
from gameforge.kernel.simd import LANES
from gameforge_eval_cascade.activations import activate_one

Floats = NDArray[np.float32]
CHUNK = 1024
_0, _1 = np.uint64(0), np.uint64(1)
_AT_ONCE = 1 << 14
"""Number of examples whose inputs are searched for nonzeros at once."""


class Rows(NamedTuple):
    """Examples for a net that grows."""

    starts: NDArray[np.uint64]
    """Row i is places[starts[i] : starts[i + 1]], and its values likewise."""
    places: NDArray[np.uint32]
    values: Floats
    targets: Floats
    """Target values in [-1, 1]."""
    given: Floats
    """Values of the hidden units, `room` per row."""
    inputs: np.uint64
    room: np.uint64
    """A multiple of simd.LANES."""


def rows(inputs: Floats, targets: Floats, room: int) -> Rows:
    """Rows of inputs[N, inputs] and targets[N], with room for the values of `room` units."""
    counts: list[NDArray[Any]] = [np.zeros(1, np.int64)]
    places: list[NDArray[Any]] = []
    values: list[NDArray[Any]] = []
    for first in range(0, len(inputs), _AT_ONCE):
        part = inputs[first : first + _AT_ONCE]
        where = part != 0
        counts.append(where.sum(1))
        places.append(np.nonzero(where)[1].astype(np.uint32))
        values.append(part[where])
    room = -(-room // LANES) * LANES
    return Rows(
        starts=np.cumsum(np.concatenate(counts)).astype(np.uint64),
        places=np.concatenate(places) if places else np.zeros(0, np.uint32),
        values=np.concatenate(values).astype(np.float32) if values else np.zeros(0, np.float32),
        targets=np.ascontiguousarray(targets, np.float32),
        given=np.zeros((len(inputs), room), np.float32),
        inputs=np.uint64(inputs.shape[1]),
        room=np.uint64(room),
    )


class Crew:
    """Threads that share the passes over the examples."""

    def __init__(self, pool: ThreadPoolExecutor, workers: int) -> None:
        self._pool, self._workers = pool, workers

    def go_through(self, examples: Rows, work: Callable[..., Any], *arguments: Any) -> None:
        """Call work(examples, *arguments, first, end) for all chunks, divided into ranges that run in parallel."""
        chunks = chunks_of(examples)
        share = math.ceil(chunks / self._workers)
        parts = [(np.uint64(i), np.uint64(min(i + share, chunks))) for i in range(0, chunks, share)]
        for done in [self._pool.submit(work, examples, *arguments, *part) for part in parts]:
            done.result()


def chunks_of(examples: Rows) -> int:
    return math.ceil(len(examples.targets) / CHUNK)


@inline
def weighted_sum(examples: Rows, example: Any, units: Any, w: Any) -> Any:
    """Weighted sum of inputs, bias and the first `units` units; w: their weights, in this order."""
    inputs = examples.inputs
    total = w[inputs]
    for k in range(examples.starts[example], examples.starts[example + _1]):
        total += examples.values[k] * w[examples.places[k]]
    for unit in range(units):
        total += examples.given[example, unit] * w[inputs + _1 + unit]
    return total


@kernel
def add_unit(examples: Rows, units: np.uint64, w: Floats, code: int) -> None:
    """Write the values of hidden unit number `units` (from 0), which has these weights, for all examples."""
    for example in range(np.uint64(len(examples.targets))):
        examples.given[example, units] = activate_one(code, weighted_sum(examples, example, units, w))
