"""The fit: steps of AdamW on the loss of policy and value.

The loss of a position is the cross-entropy of its policy plus half the squared error of its value. `Fit` takes the
steps in a kernel, `BatchFit` those of a net in Python, which finds the slopes itself.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gameforge import GameforgeError, Parts
from gameforge.interfaces import EvaluatorFunctions
from gameforge.kernel import (
    U0,
    U1,
    CompiledEvaluator,
    FloatArray,
    Floats,
    IntegerArray,
    Score,
    Word,
    WordArray,
    Words,
    assembly,
    at,
    compiled_function,
    entry,
    inline,
    kernel,
    static_score,
)
from gameforge.storage import files
from gameforge_learn_gumbel.self_play import Examples

_BETA1, _BETA2, _EPSILON = 0.9, 0.999, np.float32(1e-8)
"""Constants of Adam [Kingma2015]."""
_TRIALS = 64, 512
"""Positions of the steps that tell how much memory a net in Python takes; a batch of no more needs no such test."""
POLICY, VALUE, ENTROPY = range(3)
"""Indices in the losses of a step: the cross-entropy of the policy, the squared error of the value, and the entropy of
the policy; sums over its positions."""


class Data(NamedTuple):
    """The positions of the window, as kernels read them."""

    words: np.uint64
    states: WordArray
    targets: FloatArray
    """[N]: what the positions should score."""
    counts: IntegerArray
    places: IntegerArray
    """[N]: where the moves of each position begin."""
    moves: WordArray
    shares: FloatArray
    slopes: FloatArray
    """Workspace: the slope of the score, then those of the logits."""
    logits: NDArray[np.float64]
    """Workspace."""


class Adam(NamedTuple):
    """The state of the optimizer, and its settings in a step."""

    weights: FloatArray
    gradient: FloatArray
    mean: FloatArray
    """Means of the gradients."""
    square: FloatArray
    """Means of their squares."""
    rate: np.float32
    unbias_mean: np.float32
    """Factor that makes up for a mean that began with 0."""
    unbias_square: np.float32
    decay: np.float32
    """Share of each weight that the step takes away."""


@kernel
def step(
    evaluator: CompiledEvaluator,
    slope: Callable[[Words, Floats, Words, Words, Word, Floats, Floats, Floats], None],
    data: Data,
    chosen: IntegerArray,
    adam: Adam,
    losses: NDArray[np.float64],
) -> None:
    """One step of AdamW on the chosen positions; adds their losses."""
    ed, w, x = at(evaluator.data, U0), at(evaluator.weights, U0), at(evaluator.inputs, U0)
    for i in chosen:
        s, n = at(data.states, np.uint64(i) * data.words), np.uint64(data.counts[i])
        place = np.uint64(data.places[i])
        moves, shares, logits, slopes = at(data.moves, place), at(data.shares, place), data.logits, data.slopes
        score: Score = static_score(evaluator, s)
        evaluator.policy(ed, w, s, moves, n, x, at(logits, U0))
        error = score - data.targets[i]
        losses[VALUE] += error * error
        greatest, total = -np.inf, 0.0
        for k in range(n):
            greatest = max(greatest, logits[k])
        for k in range(n):
            total += math.exp(logits[k] - greatest)
        slopes[0] = np.float32(error)
        for k in range(n):
            logarithm = logits[k] - greatest - math.log(total)
            probability = math.exp(logarithm)
            losses[POLICY] -= shares[k] * logarithm
            losses[ENTROPY] -= probability * logarithm
            slopes[U1 + k] = np.float32(probability - shares[k])
        slope(ed, w, s, moves, n, x, at(slopes, U0), at(adam.gradient, U0))
    _descend(adam, len(chosen))


@inline
def _descend(adam: Adam, positions: int) -> None:
    """Move the weights by AdamW [Loshchilov2019] against the gradient, a sum over positions, and clear it."""
    share, b1, b2 = np.float32(1.0 / positions), np.float32(_BETA1), np.float32(_BETA2)
    c1, c2 = np.float32(1 - _BETA1), np.float32(1 - _BETA2)
    for j in range(len(adam.weights)):
        g = adam.gradient[j] * share
        adam.gradient[j] = 0
        m = b1 * adam.mean[j] + c1 * g
        v = b2 * adam.square[j] + c2 * g * g
        adam.mean[j], adam.square[j] = m, v
        moved = adam.rate * (m * adam.unbias_mean) / (np.sqrt(v * adam.unbias_square) + _EPSILON)
        adam.weights[j] -= moved + adam.decay * adam.weights[j]


@kernel
def descend(adam: Adam, positions: int) -> None:
    """The step of AdamW by a gradient that was found elsewhere."""
    _descend(adam, positions)


class Weights(NamedTuple):
    """What the fit changes in place."""

    weights: FloatArray
    mean: FloatArray
    """Adam's means of the gradients."""
    square: FloatArray
    """Adam's means of their squares."""

    def adam(self, gradient: FloatArray, number: int, rate: float, decay: float) -> Adam:
        """The state of the optimizer in the step of this number, from 1 on."""
        return Adam(
            weights=self.weights,
            gradient=gradient,
            mean=self.mean,
            square=self.square,
            rate=np.float32(rate),
            unbias_mean=np.float32(1 / (1 - _BETA1**number)),
            unbias_square=np.float32(1 / (1 - _BETA2**number)),
            decay=np.float32(rate * decay),
        )


class Fitting(Protocol):
    """A fit of the evaluator of a pipeline."""

    def require_room(self, batch: int) -> None:
        """Raise GameforgeError if a step of this many positions does not fit into memory."""
        ...

    def read(self, window: Sequence[Examples], blend: float) -> int:
        """Take the positions of the next steps, and return their number; blend: the share of results in their targets.

        The parts of a window that were read before are not prepared again.
        """
        ...

    def step(self, chosen: IntegerArray, number: int, rate: float, decay: float) -> NDArray[np.float64]:
        """Take a step, the one of this number from 1 on; return the sums of the losses before it."""
        ...


def fit_of(parts: Parts, weights: Weights) -> Fitting:
    """Return the fit of the evaluator; GameforgeError if that has no policy that can be trained."""
    vector, _ = parts.tunable()
    net = parts.net
    if isinstance(net, EvaluatorFunctions) and net.batches is not None:
        return BatchFit(parts, net, weights)
    if isinstance(net, EvaluatorFunctions) and net.slope is not None and vector.unpack is None:
        return Fit(parts, net, net.slope, weights)
    raise GameforgeError(
        f"learner gumbel: {type(parts.evaluator).__name__} has no policy to train; choose an evaluator with "
        "one, such as policy-mlp"
    )


class Fit:
    """The fit of a net in the kernel."""

    _data: Data

    def __init__(self, parts: Parts, net: EvaluatorFunctions, slope: Callable[..., object], weights: Weights) -> None:
        self._slope = compiled_function("slope", slope, compiled=net.compiled)
        self._evaluator = assembly.with_inputs_of_its_own(parts.evaluation)._replace(weights=weights.weights)
        self._weights, self._gradient = weights, np.zeros_like(weights.weights)
        self._max_moves = parts.game.functions.max_moves

    def require_room(self, batch: int) -> None:
        pass  # the positions of a step follow one another in the same workspace

    def read(self, window: Sequence[Examples], blend: float) -> int:
        examples = Examples.joined(window)
        self._data = Data(
            words=np.uint64(examples.states.shape[1]),
            states=np.ascontiguousarray(examples.states).reshape(-1),
            targets=examples.targets(blend),
            counts=examples.counts,
            places=np.cumsum(examples.counts) - examples.counts,
            moves=examples.moves,
            shares=examples.shares,
            slopes=np.zeros(1 + self._max_moves, np.float32),
            logits=np.zeros(self._max_moves),
        )
        return len(examples)

    def step(self, chosen: IntegerArray, number: int, rate: float, decay: float) -> NDArray[np.float64]:
        losses = np.zeros(3)
        adam = self._weights.adam(self._gradient, number, rate, decay)
        entry(step)(self._evaluator, self._slope, self._data, chosen, adam, losses)
        assembly.check(self._evaluator, (self._slope,))
        return losses


class BatchFit:
    """The fit of a net in Python, which gets the positions of a step in one call."""

    def __init__(self, parts: Parts, net: EvaluatorFunctions, weights: Weights) -> None:
        """Raises GameforgeError if the net does not fit the game."""
        assert net.batches is not None, "only such a net is fitted here"
        self._net, self._game, self._weights = net.batches, parts.game, weights
        self._indices: dict[int, tuple[Examples, IntegerArray]] = {}
        parts.values(np.array([parts.game.rules.initial()], np.uint64), weights.weights)

    def require_room(self, batch: int) -> None:
        """Take two small steps without an effect, since only the net knows what a position takes."""
        few, more = _TRIALS
        if batch <= more:
            return
        weights, initial = self._weights.weights, np.array([self._game.rules.initial()], np.uint64)

        def step_of(positions: int) -> None:
            states = np.repeat(initial, positions, axis=0)
            self._net.slope(weights, states, *self._net.scores_and_logits(weights, states))

        step_of(few)  # the first call has work that later ones do not repeat
        least, larger = (files.memory_of(functools.partial(step_of, n)) for n in (few, more))
        if least is not None and larger is not None:
            size = larger + (larger - least) * (batch - more) // (more - few)
            files.require_memory(size, f"learner gumbel: batch = {batch}: a step of this net")

    def read(self, window: Sequence[Examples], blend: float) -> int:
        known = self._indices
        self._indices = {
            id(part): known[id(part)] if id(part) in known else (part, self._indices_of(part)) for part in window
        }
        self._examples = Examples.joined(window)
        self._columns = np.concatenate([indices for _, indices in self._indices.values()])
        self._targets = self._examples.targets(blend)
        self._places = np.cumsum(self._examples.counts) - self._examples.counts
        return len(self._examples)

    def step(self, chosen: IntegerArray, number: int, rate: float, decay: float) -> NDArray[np.float64]:
        examples, counts = self._examples, self._examples.counts[chosen]
        states, begins = examples.states[chosen], np.cumsum(counts) - counts
        rows = np.repeat(np.arange(len(chosen)), counts)
        flat = np.arange(len(rows)) + np.repeat(self._places[chosen] - begins, counts)
        columns, shares = self._columns[flat], examples.shares[flat]
        scores, all_logits = self._net.scores_and_logits(self._weights.weights, states)
        errors, logits = scores - self._targets[chosen], all_logits[rows, columns]
        logits -= np.maximum.reduceat(logits, begins)[rows]
        logits -= np.log(np.add.reduceat(np.exp(logits), begins))[rows]
        probabilities, slopes = np.exp(logits), np.zeros_like(all_logits)
        slopes[rows, columns] = probabilities - shares
        gradient = self._net.slope(self._weights.weights, states, errors, slopes)
        entry(descend)(self._weights.adam(gradient, number, rate, decay), len(chosen))
        return np.array([-(shares * logits).sum(), (errors**2).sum(), -(probabilities * logits).sum()])

    def _indices_of(self, examples: Examples) -> IntegerArray:
        """The indices of all moves, by which the net numbers its logits."""
        ends, indices = np.cumsum(examples.counts).tolist(), []
        for state, begin, end in zip(examples.states.tolist(), [0, *ends], ends, strict=False):
            index_of = dict(zip(self._game.legal(state), self._game.move_indices(tuple(state)), strict=True))
            indices += [index_of[move] for move in examples.moves[begin:end].tolist()]
        return np.array(indices, np.int64)
