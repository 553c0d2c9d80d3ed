"""Positions as the kernels of a fit read them: for an evaluator with terms, or with a gradient."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from gameforge_examples.positions import Positions
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import EvaluatorFunctions, NetFunctions
from gameforge.kernel.assembly import block, check, with_inputs_of_its_own
from gameforge.kernel.compile.functions import compiled_function
from gameforge.kernel.compile.launch import entry
from gameforge.play.parts import Parts
from gameforge_learn_regress.gradient_kernel import loss_gradient, no_gradient, predict
from gameforge_learn_regress.states import States
from gameforge_learn_regress.terms_kernel import Terms, terms_gradient, terms_predict

if TYPE_CHECKING:
    from gameforge.kernel.context import CompiledEvaluator

Floats = NDArray[np.float32]
SHARDS = 4
"""Parts of a batch, each with a gradient of its own: as many threads can share the work, with the same result."""


class Data(Protocol):
    """Positions for a fit."""

    @property
    def targets(self) -> Floats: ...
    @property
    def importance(self) -> Floats: ...
    def add_gradient(self, w: Floats, first: int, end: int, shard: int, gradient: Floats) -> float:
        """Add the gradient of the loss of positions first to end; return the sum of their losses.

        shard: number of the thread's workspace, below SHARDS.
        """
        ...

    def predict(self, w: Floats) -> Floats:
        """Expected results by these weights."""
        ...


class TermsData:
    """Positions of an evaluator with terms."""

    def __init__(self, parts: Parts, functions: EvaluatorFunctions, positions: Positions, targets: Floats) -> None:
        assert functions.terms is not None
        write = compiled_function("terms", functions.terms, compiled=functions.compiled)
        self._terms = [
            Terms(
                write=write,
                data=block(functions.data),
                places=np.zeros(functions.max_terms, np.int32),
                factors=np.zeros(functions.max_terms, np.float32),
            )
            for _ in range(SHARDS)
        ]
        self._states = _states(parts, positions, targets)

    @property
    def targets(self) -> Floats:
        return self._states.targets

    @property
    def importance(self) -> Floats:
        return self._states.importance

    def add_gradient(self, w: Floats, first: int, end: int, shard: int, gradient: Floats) -> float:
        terms = self._terms[shard]
        loss = float(entry(terms_gradient)(terms, self._states, w, np.uint64(first), np.uint64(end), gradient))
        check((terms.write,))
        return loss

    def predict(self, w: Floats) -> Floats:
        found = np.zeros(len(self.targets), np.float32)
        entry(terms_predict)(self._terms[0], self._states, w, np.uint64(0), np.uint64(len(found)), found)
        check((self._terms[0].write,))
        return found


class GradientData:
    """Positions of an evaluator with a gradient: a net, or one that offers `gradient`."""

    def __init__(
        self, parts: Parts, functions: NetFunctions | EvaluatorFunctions, positions: Positions, targets: Floats
    ) -> None:
        assert functions.vector is not None
        self._vector = functions.vector
        offered = functions.gradient if isinstance(functions, EvaluatorFunctions) else None
        self._gradient = compiled_function("gradient", offered or no_gradient, compiled=functions.compiled)
        self._evaluators: Sequence[CompiledEvaluator] = [
            with_inputs_of_its_own(parts.evaluation) for _ in range(SHARDS)
        ]
        self._states = _states(parts, positions, targets)

    @property
    def targets(self) -> Floats:
        return self._states.targets

    @property
    def importance(self) -> Floats:
        return self._states.importance

    def _evaluator(self, w: Floats, shard: int) -> "CompiledEvaluator":
        return self._evaluators[shard]._replace(weights=self._vector.block(w))

    def add_gradient(self, w: Floats, first: int, end: int, shard: int, gradient: Floats) -> float:
        evaluator = self._evaluator(w, shard)
        trace, total = np.zeros_like(evaluator.weights), np.zeros_like(evaluator.weights)
        span = np.uint64(first), np.uint64(end)
        loss = float(entry(loss_gradient)(evaluator, self._gradient, self._states, *span, trace, total))
        check(evaluator, self._gradient)
        gradient += self._vector.gradient(w, total)
        return loss

    def predict(self, w: Floats) -> Floats:
        evaluator = self._evaluator(w, 0)
        found = np.zeros(len(self.targets), np.float32)
        entry(predict)(evaluator, self._states, found)
        check(evaluator)
        return found


def _states(parts: Parts, positions: Positions, targets: Floats) -> States:
    return States(
        words=np.uint64(parts.game.functions.words),
        states=np.ascontiguousarray(positions.states, np.uint64).reshape(-1),
        targets=np.ascontiguousarray(targets),
        importance=np.ascontiguousarray(positions.weights),
    )


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


def data_of(parts: Parts, positions: Positions, targets: Floats) -> Data:
    """Positions for the fit of this evaluator, which must provide gradients."""
    net = parts.net
    assert net is not None
    if isinstance(net, EvaluatorFunctions) and net.terms is not None:
        return TermsData(parts, net, positions, targets)
    return GradientData(parts, net, positions, targets)
