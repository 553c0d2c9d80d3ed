"""Interface of evaluators: position -> score.

Three ways to be one, from fast to free:
* a net: features, then `forward`; can be trained by a learner through `backward`;
* a compiled evaluator: `evaluate` straight from the state;
* a batch evaluator: any Python object with `values(states)` (a torch net, a remote model).

Scores are float64 for the side to move. |score| < 1 is heuristic; the constants below name the bands above that.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import attrs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.interfaces.features import FeatureFunctions
    from gameforge.interfaces.rules import Rules

HEURISTIC_LIMIT = 1.0 - 2.0**-20
"""Heuristic scores are kept within this limit."""
WON = 1.0
"""A win whose distance the searcher does not know."""
ORACLE_WIN = 2.0
"""An oracle's win in d plies scores ORACLE_WIN - d * PLY: nearer is better, always above WON.

A searcher that guesses how near an oracle's win of unknown distance is scores it in the lower half of this band.
"""
PROVEN_WIN = 3.0
"""A win proven by search in d plies scores PROVEN_WIN - d * PLY, always above every oracle win."""
PLY = 2.0**-16


@attrs.frozen
class WeightGroup:
    """Weights [start, stop) that share a learning rate."""

    start: int
    stop: int
    source: Literal["inputs", "hidden"]
    """What the weights come from."""
    fan_in: int
    """Number of those; the default learning rate is 1 / fan_in."""


@attrs.frozen(kw_only=True)
class SteppedWeight:
    """A weight that learners move by steps between limits, or leave alone, while the others are free."""

    place: int
    """Index in the vector."""
    low: float
    high: float
    step: float


@attrs.frozen
class WeightVector:
    """The weights of an evaluator that learners set and saved players keep: float32[length]."""

    length: int
    unpack: "Callable[[NDArray[np.float32]], NDArray[np.float32]] | None" = None
    """Makes the block `w` that kernels read of the vector, once for each player; None: it is the vector."""
    stepped: tuple[SteppedWeight, ...] = ()
    unused: tuple[int, ...] = ()
    """Padding, which stays 0."""
    step: float = 0.0
    """Kernels read the weights rounded to multiples of this, -32768 to 32767 times; 0: as they are."""

    def rounded(self, weights: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """The weights as kernels read them: what a learner returns, so that nothing is lost in two bytes a weight."""
        if not self.step:
            return weights
        steps = (weights.astype("float64") / self.step).round().clip(-32768, 32767)
        return (steps * self.step + 0.0).astype("float32")  # without -0.0

    def block(self, weights: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """What kernels read."""
        return weights if self.unpack is None else self.unpack(weights)


@attrs.frozen(kw_only=True)
class NetFunctions:
    """A trainable net as `forward(nd, w, x)` and `backward(nd, w, x, trace)` (kernel/abi.py)."""

    forward: Callable[..., Any]
    backward: Callable[..., Any]
    features: "FeatureFunctions"
    groups: tuple[WeightGroup, ...]
    scratch: int
    """float32 places that forward needs after the inputs."""
    data: "NDArray[np.uint64] | None" = None
    unused: tuple[int, ...] = ()
    """Weights that are padding: 0, and a gradient keeps them so."""
    compiled: bool = True

    @property
    def weights(self) -> int:
        """Length of the weight vector."""
        return max(group.stop for group in self.groups)

    @property
    def vector(self) -> WeightVector:
        """Kernels read the weights as they are: training changes them in place."""
        return WeightVector(self.weights, unused=self.unused)


@attrs.frozen(kw_only=True)
class EvaluatorFunctions:
    """An evaluator as `evaluate(ed, w, s, x)` (kernel/abi.py)."""

    evaluate: Callable[..., Any]
    values: Callable[..., Any] | None = None
    """Scores many states at once, if that is cheaper than one by one."""
    data: "NDArray[np.uint64] | None" = None
    weights: "NDArray[np.float32] | None" = None
    """The block `w`, if no learner sets it."""
    vector: WeightVector | None = None
    """What learners set that need no gradient, in place of `weights`; the component is then Trainable."""
    terms: Callable[..., Any] | None = None
    """For evaluators that are linear before a squash: `terms(ed, s, places, factors)` of the kernel's table.

    The score is tanh(v / 2), which is the expected result if v is the log-odds of a win, and v is the sum of
    weight[place] * factor over the terms. The places are those of `vector`; a place may occur several times.
    """
    max_terms: int = 0
    """Length of the blocks that `terms` writes to. What stands behind the terms is its workspace."""
    scratch: int = 0
    compiled: bool = True


@runtime_checkable
class Evaluator(Protocol):
    """An evaluator component. `features` is None if the pipeline names no feature map."""

    def functions(self, rules: "Rules", features: "FeatureFunctions | None") -> NetFunctions | EvaluatorFunctions: ...


@runtime_checkable
class Trainable(Protocol):
    """An evaluator component whose weights a learner can set."""

    def initial_weights(self, net: Any, rng: "np.random.Generator") -> "NDArray[np.float32]":
        """Fresh weights for `net`, which its functions() gave: as many as net.vector.length."""
        ...


@runtime_checkable
class ChecksWeights(Protocol):
    """An evaluator component that can check weights beyond their number, as those of a net that grows."""

    def check_weights(self, net: Any, weights: "NDArray[np.float32]") -> None:
        """Raise GameforgeError if these weights do not fit `net`, which functions() returned; their number is right."""
        ...


@runtime_checkable
class BatchEvaluator(Protocol):
    """Any Python object that scores many states at once."""

    def values(self, states: "NDArray[np.uint64]") -> "NDArray[np.float64]":
        """states[N, words] -> scores[N] for the side to move, inside (-1, 1)."""
        ...
