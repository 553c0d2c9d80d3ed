"""The fit: steps of AdamW on the loss of policy and value, in a kernel."""

import math
from collections.abc import Callable
from typing import NamedTuple

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
    kernel,
    static_score,
)
from gameforge_learn_gumbel.self_play import Examples

_BETA1, _BETA2, _EPSILON = 0.9, 0.999, np.float32(1e-8)
"""Constants of Adam [Kingma2015]."""
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
    """One step of AdamW [Loshchilov2019] on the chosen positions; adds their losses.

    The loss of a position is the cross-entropy of its policy plus half the squared error of its value.
    """
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
    share, b1, b2 = np.float32(1.0 / len(chosen)), np.float32(_BETA1), np.float32(_BETA2)
    c1, c2 = np.float32(1 - _BETA1), np.float32(1 - _BETA2)
    for j in range(len(adam.weights)):
        g = adam.gradient[j] * share
        adam.gradient[j] = 0
        m = b1 * adam.mean[j] + c1 * g
        v = b2 * adam.square[j] + c2 * g * g
        adam.mean[j], adam.square[j] = m, v
        moved = adam.rate * (m * adam.unbias_mean) / (np.sqrt(v * adam.unbias_square) + _EPSILON)
        adam.weights[j] -= moved + adam.decay * adam.weights[j]


class Fit:
    """Fits the evaluator of a pipeline; the weights and the state of the optimizer are changed in place."""

    def __init__(self, parts: Parts, weights: FloatArray, mean: FloatArray, square: FloatArray) -> None:
        """Raises GameforgeError for an evaluator without a policy that can be trained."""
        vector, _ = parts.tunable()
        net = parts.net
        if not isinstance(net, EvaluatorFunctions) or net.slope is None or vector.unpack is not None:
            raise GameforgeError(
                f"learner gumbel: {type(parts.evaluator).__name__} has no policy to train; choose an evaluator with "
                "one, such as policy-mlp"
            )
        self._slope = compiled_function("slope", net.slope, compiled=net.compiled)
        self._evaluator = assembly.with_inputs_of_its_own(parts.evaluation)._replace(weights=weights)
        self._weights, self._mean, self._square = weights, mean, square
        self._gradient = np.zeros_like(weights)
        self._max_moves = parts.game.functions.max_moves

    def data(self, examples: Examples, blend: float) -> Data:
        """The positions for the kernel; blend: the share of results in what they should score."""
        return Data(
            words=np.uint64(examples.states.shape[1]),
            states=np.ascontiguousarray(examples.states).reshape(-1),
            targets=np.float32(blend) * examples.results + np.float32(1 - blend) * examples.values,
            counts=examples.counts,
            places=np.cumsum(examples.counts) - examples.counts,
            moves=examples.moves,
            shares=examples.shares,
            slopes=np.zeros(1 + self._max_moves, np.float32),
            logits=np.zeros(self._max_moves),
        )

    def step(self, data: Data, chosen: IntegerArray, number: int, rate: float, decay: float) -> NDArray[np.float64]:
        """Take a step, the one of this number from 1 on; return the sums of the losses before it."""
        losses = np.zeros(3)
        adam = Adam(
            weights=self._weights,
            gradient=self._gradient,
            mean=self._mean,
            square=self._square,
            rate=np.float32(rate),
            unbias_mean=np.float32(1 / (1 - _BETA1**number)),
            unbias_square=np.float32(1 / (1 - _BETA2**number)),
            decay=np.float32(rate * decay),
        )
        entry(step)(self._evaluator, self._slope, data, chosen, adam, losses)
        assembly.check(self._evaluator, (self._slope,))
        return losses
