"""Positions as a fit reads them, and the kernels of its loss: for an evaluator with terms, or with a gradient.

With terms, a fit is a sparse logistic regression: a position is the few weights that it uses. They are computed again
in each epoch. That costs little beside the weights, which lie all over memory, and a position takes 32 bytes instead
of the 700 of its terms. All other evaluators are fitted by their own gradient, position by position.
"""

import abc
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from gameforge_examples.positions import Positions
from numpy.typing import NDArray

from gameforge import GameforgeError, Parts
from gameforge.interfaces import EvaluatorFunctions, NetFunctions, WeightVector
from gameforge.kernel import (
    U0,
    CompiledEvaluator,
    FloatArray,
    Floats,
    Places,
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

_ONE = np.float32(1)
_LEAST_CHANCE = np.float32(1e-7)


class States(NamedTuple):
    """Positions as states."""

    words: np.uint64
    states: WordArray
    """[N * words]."""
    targets: NDArray[np.float32]
    """[N]: the expected result that (score + 1) / 2 should be, 0 to 1."""
    importance: NDArray[np.float32]
    """[N]: how many positions each stands for."""


@inline
def cross_entropy(p: np.float32, y: np.float32) -> np.float32:
    """Loss of the prediction p where the truth is y."""
    p = min(max(p, _LEAST_CHANCE), _ONE - _LEAST_CHANCE)
    return -(y * np.log(p) + (_ONE - y) * np.log(_ONE - p))


class Terms(NamedTuple):
    """An evaluator's terms, with workspace for those of one position.

    The score is tanh(v / 2) with v the sum of weight[place] * factor.
    """

    write: Callable[[Words, Words, Places, Floats], int]
    """EvaluatorFunctions.terms, compiled."""
    data: WordArray
    places: NDArray[np.int32]
    factors: FloatArray


@inline
def _result_of_terms(terms: Terms, w: FloatArray, n: Word) -> np.float32:
    """1 / (1 + exp(-v)) of the n terms in the workspace."""
    v = np.float32(0)
    for k in range(n):
        v += w[terms.places[k]] * terms.factors[k]
    return _ONE / (_ONE + np.exp(-v))


@inline
def _write(terms: Terms, states: States, i: int) -> Word:
    """Write the terms of a position into the workspace; returns their number."""
    state = at(states.states, i * states.words)
    return np.uint64(terms.write(at(terms.data, U0), state, at(terms.places, U0), at(terms.factors, U0)))


@kernel
def terms_gradient(
    terms: Terms, states: States, w: FloatArray, first: np.uint64, end: np.uint64, gradient: FloatArray
) -> float:
    """Add the gradient of the loss of positions first to end; return the sum of their losses."""
    loss = 0.0
    for i in range(first, end):
        n = _write(terms, states, i)
        p, y, importance = _result_of_terms(terms, w, n), states.targets[i], states.importance[i]
        loss += np.float64(importance * cross_entropy(p, y))
        slope = importance * (p - y)
        for k in range(n):
            gradient[terms.places[k]] += slope * terms.factors[k]
    return loss


@kernel
def terms_predict(
    terms: Terms, states: States, w: FloatArray, first: np.uint64, end: np.uint64, predicted: FloatArray
) -> None:
    """Write the expected results of positions first to end."""
    for i in range(first, end):
        predicted[i] = _result_of_terms(terms, w, _write(terms, states, i))


_HALF = np.float32(0.5)
_LEAST_SLOPE = np.float32(1 / 1024)


def no_gradient(ed: Words, w: Floats, s: Words, x: Floats, trace: Floats) -> None:
    """Stand for EvaluatorFunctions.gradient where the evaluator is a net, which has `backward` instead."""
    return


@inline
def _result_of_score(evaluator: CompiledEvaluator, s: Words) -> np.float32:
    return np.float32(static_score(evaluator, s)) * _HALF + _HALF


@kernel
def loss_gradient(
    evaluator: CompiledEvaluator,
    gradient: Callable[[Words, Floats, Words, Floats, Floats], None],
    states: States,
    first: np.uint64,
    end: np.uint64,
    trace: FloatArray,
    total: FloatArray,
) -> float:
    """Add the gradient of the loss of positions first to end to the total; return the sum of their losses.

    The loss is the cross-entropy. Its slope is bounded where the evaluator is sure and wrong. `trace` and `total` have
    the layout of the evaluator's block of weights; `gradient` is EvaluatorFunctions.gradient, compiled.
    """
    loss = 0.0
    sign = np.float32(evaluator.sign)
    data, w, x = at(evaluator.data, U0), at(evaluator.weights, U0), at(evaluator.inputs, U0)
    for i in range(first, end):
        s = at(states.states, i * states.words)
        p, y, importance = _result_of_score(evaluator, s), states.targets[i], states.importance[i]
        loss += np.float64(importance * cross_entropy(p, y))
        held = min(max(p, _LEAST_SLOPE), _ONE - _LEAST_SLOPE)
        slope = sign * importance * _HALF * (p - y) / (held * (_ONE - held))
        for j in range(len(trace)):
            trace[j] = 0
        if evaluator.is_net:
            evaluator.backward(data, w, x, at(trace, U0))
        else:
            gradient(data, w, s, x, at(trace, U0))
        for j in range(len(trace)):
            total[j] += slope * trace[j]
    return loss


@kernel
def predict_all(evaluator: CompiledEvaluator, states: States, predicted: FloatArray) -> None:
    """Write the expected result of each position."""
    for i in range(np.uint64(len(predicted))):
        predicted[i] = _result_of_score(evaluator, at(states.states, i * states.words))


SHARDS = 4
"""Parts of a batch, each with a gradient of its own: as many threads can share the work, with the same result."""


class Data(abc.ABC):
    """Positions for a fit, each with its target and how many positions it stands for."""

    def __init__(self, parts: Parts, positions: Positions, targets: FloatArray) -> None:
        self._states = States(
            words=np.uint64(parts.game.functions.words),
            states=np.ascontiguousarray(positions.states, np.uint64).reshape(-1),
            targets=np.ascontiguousarray(targets),
            importance=np.ascontiguousarray(positions.weights),
        )
        self.targets, self.importance = self._states.targets, self._states.importance

    @abc.abstractmethod
    def add_gradient(self, w: FloatArray, first: int, end: int, shard: int, gradient: FloatArray) -> float:
        """Add the gradient of the loss of positions first to end; return the sum of their losses.

        shard: number of the thread's workspace, below SHARDS.
        """

    @abc.abstractmethod
    def predict(self, w: FloatArray) -> FloatArray:
        """Expected results by these weights."""


class TermsData(Data):
    """Positions of an evaluator with terms."""

    def __init__(self, parts: Parts, functions: EvaluatorFunctions, positions: Positions, targets: FloatArray) -> None:
        super().__init__(parts, positions, targets)
        assert functions.terms is not None
        write = compiled_function("terms", functions.terms, compiled=functions.compiled)
        self._terms = [
            Terms(
                write=write,
                data=assembly.block(functions.data),
                places=np.zeros(functions.max_terms, np.int32),
                factors=np.zeros(functions.max_terms, np.float32),
            )
            for _ in range(SHARDS)
        ]

    def add_gradient(self, w: FloatArray, first: int, end: int, shard: int, gradient: FloatArray) -> float:
        terms = self._terms[shard]
        loss = float(entry(terms_gradient)(terms, self._states, w, np.uint64(first), np.uint64(end), gradient))
        assembly.check((terms.write,))
        return loss

    def predict(self, w: FloatArray) -> FloatArray:
        found = np.zeros(len(self.targets), np.float32)
        entry(terms_predict)(self._terms[0], self._states, w, np.uint64(0), np.uint64(len(found)), found)
        assembly.check((self._terms[0].write,))
        return found


class GradientData(Data):
    """Positions of an evaluator with a gradient: a net, or one that offers `gradient`."""

    def __init__(
        self, parts: Parts, functions: NetFunctions | EvaluatorFunctions, positions: Positions, targets: FloatArray
    ) -> None:
        super().__init__(parts, positions, targets)
        assert functions.vector is not None
        self._vector = functions.vector
        offered = functions.gradient if isinstance(functions, EvaluatorFunctions) else None
        self._gradient = compiled_function("gradient", offered or no_gradient, compiled=functions.compiled)
        self._evaluators = [assembly.with_inputs_of_its_own(parts.evaluation) for _ in range(SHARDS)]

    def _evaluator(self, w: FloatArray, shard: int) -> CompiledEvaluator:
        return self._evaluators[shard]._replace(weights=self._vector.block(w))

    def add_gradient(self, w: FloatArray, first: int, end: int, shard: int, gradient: FloatArray) -> float:
        evaluator = self._evaluator(w, shard)
        trace, total = np.zeros_like(evaluator.weights), np.zeros_like(evaluator.weights)
        span = np.uint64(first), np.uint64(end)
        loss = float(entry(loss_gradient)(evaluator, self._gradient, self._states, *span, trace, total))
        assembly.check(evaluator, self._gradient)
        gradient += self._vector.gradient(w, total)
        return loss

    def predict(self, w: FloatArray) -> FloatArray:
        evaluator = self._evaluator(w, 0)
        found = np.zeros(len(self.targets), np.float32)
        entry(predict_all)(evaluator, self._states, found)
        assembly.check(evaluator)
        return found


def require_slopes(parts: Parts) -> None:
    """Raise GameforgeError unless the evaluator has weights, and terms or a gradient."""
    parts.tunable()
    net = parts.net
    if isinstance(net, NetFunctions) or (isinstance(net, EvaluatorFunctions) and (net.terms or net.gradient)):
        return
    raise GameforgeError(
        f"learner: {type(parts.evaluator).__name__} has weights, but neither terms nor a gradient to fit them by; "
        "choose an evaluator such as patterns, or a net"
    )


_VECTORS = 6
"""Vectors of weights in memory at once beside the gradients of the shards: the state of a fit, the centre of its
penalty, and the initial weights."""


def require_room(who: str, vector: WeightVector) -> None:
    """Raise GameforgeError if there is too little memory to fit these weights. who: the learner, for the message."""
    files.require_memory((SHARDS + _VECTORS) * 4 * vector.length, f"{who}: a fit of {vector.length:,} weights")


def data_of(parts: Parts, positions: Positions, targets: FloatArray) -> Data:
    """Positions for the fit of this evaluator, which must provide gradients."""
    net = parts.net
    assert net is not None
    if isinstance(net, EvaluatorFunctions) and net.terms is not None:
        return TermsData(parts, net, positions, targets)
    return GradientData(parts, net, positions, targets)
