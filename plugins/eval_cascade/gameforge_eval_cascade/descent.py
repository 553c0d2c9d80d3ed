"""What the trainings of outputs and of candidates share: rows of examples, the threads, iRprop and the stopping rule.

Examples are sparse rows of inputs. They are summed in chunks of CHUNK, and the sums of the chunks are added in their
order, so results do not depend on the number of threads. iRprop is resilient backpropagation with an individual step
size for each weight ([Igel2000]). The stopping rule is FANN's ([Nissen2007]).
"""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.kernel import U1, FloatArray, IntegerArray, Real, Whole, Word, inline, kernel, simd
from gameforge_eval_cascade.cascade import activate_one

Errors = float | NDArray[np.float64]
"""The error of a net, or those of all candidates."""
CHUNK = 1024
_AT_ONCE = 1 << 14
"""Number of examples whose inputs are searched for nonzeros at once."""


class Rows(NamedTuple):
    """Examples for a net that grows."""

    starts: NDArray[np.uint64]
    """Row i is places[starts[i] : starts[i + 1]], and its values likewise."""
    places: NDArray[np.uint32]
    values: FloatArray
    targets: FloatArray
    """Target values in [-1, 1]."""
    given: FloatArray
    """Values of the hidden units, `room` per row."""
    inputs: np.uint64
    room: np.uint64
    """A multiple of simd.LANES."""


def rows(inputs: FloatArray, targets: FloatArray, room: int) -> Rows:
    """Rows of inputs[N, inputs] and targets[N], with room for the values of `room` units."""
    counts: list[IntegerArray] = [np.zeros(1, np.int64)]
    places: list[NDArray[np.uint32]] = []
    values: list[FloatArray] = []
    for first in range(0, len(inputs), _AT_ONCE):
        part = inputs[first : first + _AT_ONCE]
        where = part != 0
        counts.append(where.sum(1))
        places.append(np.nonzero(where)[1].astype(np.uint32))
        values.append(part[where])
    room = -(-room // simd.LANES) * simd.LANES
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

    def go_through(self, examples: Rows, work: Callable[..., None], *arguments: object) -> None:
        """Call work(examples, *arguments, first, end) for all chunks, divided into ranges that run in parallel."""
        chunks = chunks_of(examples)
        share = math.ceil(chunks / self._workers)
        parts = [(np.uint64(i), np.uint64(min(i + share, chunks))) for i in range(0, chunks, share)]
        for done in [self._pool.submit(work, examples, *arguments, *part) for part in parts]:
            done.result()


def chunks_of(examples: Rows) -> int:
    return math.ceil(len(examples.targets) / CHUNK)


@inline
def weighted_sum(examples: Rows, example: Whole, units: Word, w: FloatArray) -> Real:
    """Weighted sum of inputs, bias and the first `units` units; w: their weights, in this order."""
    inputs = examples.inputs
    total = w[inputs]
    for k in range(examples.starts[example], examples.starts[example + U1]):
        total += examples.values[k] * w[examples.places[k]]
    for unit in range(units):
        total += examples.given[example, unit] * w[inputs + U1 + unit]
    return total


@kernel
def add_unit(examples: Rows, units: np.uint64, w: FloatArray, code: int) -> None:
    """Write the values of hidden unit number `units` (from 0), which has these weights, for all examples."""
    for example in range(np.uint64(len(examples.targets))):
        examples.given[example, units] = activate_one(code, weighted_sum(examples, example, units, w))


Rule = Literal["irprop-", "irprop+"]


@attrs.frozen
class Steps:
    """Parameters of the step sizes."""

    rule: Rule = "irprop-"
    increase: float = 1.2
    decrease: float = 0.5
    first: float = 0.1
    least: float = 0.0
    most: float = 50.0


class Irprop:
    """Minimises an error by its gradients; use one instance per optimisation.

    Let p be the product of a weight's slope and its previous slope. If p > 0, the step becomes longer. If p < 0, it
    becomes shorter, the weight does not move, and its slope counts as 0 next time. Otherwise the weight moves a step
    against its slope. `irprop+` also reverts the previous move if p < 0 and the error has grown.
    """

    def __init__(self, steps: Steps, shape: tuple[int, ...]) -> None:
        self._steps = steps
        self._length = np.full(shape, steps.first, np.float32)
        self._slopes = np.zeros(shape, np.float32)
        self._moves = np.zeros(shape, np.float32)
        self._errors: Errors = np.inf

    def move(self, weights: FloatArray, slopes: FloatArray, errors: Errors) -> None:
        """Change the weights. `errors`: the error with these slopes; one per weight if each has its own."""
        steps, turned = self._steps, slopes * self._slopes
        grown = np.minimum(self._length * np.float32(steps.increase), np.float32(steps.most))
        shrunk = np.maximum(self._length * np.float32(steps.decrease), np.float32(steps.least))
        # The step shrinks when the slope changes its sign: the weight has jumped over a minimum.
        self._length = np.where(turned > 0, grown, np.where(turned < 0, shrunk, self._length))
        slopes = np.where(turned < 0, np.float32(0), slopes)  # so the weight rests, and the step is kept next time
        # irprop+ takes the jump back, but only if the whole error grew: a sign can also change on the way down.
        if steps.rule == "irprop+":
            weights -= np.where((turned < 0) & (errors > self._errors), self._moves, np.float32(0))
        self._moves = -np.sign(slopes) * self._length
        weights += self._moves
        self._slopes, self._errors = slopes, errors


@attrs.frozen
class Limits:
    """Limits on the number of epochs, which are numbered from 0."""

    most: int
    """Maximum number of epochs."""
    least: int
    """Minimum number of epochs before stagnation ends the training."""
    patience: int
    """Epochs that may pass without a significant change."""
    change: float
    """Share of the gain from which a change is significant."""


class Patience:
    """Counts the epochs of one training and raises its target as it progresses."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._target, self._backslide = 0.0, -float("inf")
        self._until = limits.most
        self.epochs = 0

    def ends(self, gain: float) -> bool:
        """Whether the training ends with this epoch. `gain`: progress since the first epoch; greater is better.

        A gain above the target, or below the band that counts as stagnation, sets a new target.
        """
        limits, epoch = self._limits, self.epochs
        self.epochs += 1
        # FANN compares with a band around the last significant gain; for a negative gain the band lies the other way.
        if (
            (gain < self._target or gain > self._backslide)
            if self._target < 0
            else (gain > self._target or gain < self._backslide)
        ):
            self._target, self._backslide = gain * (1 + limits.change), gain * (1 - limits.change)
            self._until = epoch + limits.patience
        return self.epochs >= limits.most or (epoch >= self._until and epoch >= limits.least)
