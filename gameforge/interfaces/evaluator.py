"""Interface of evaluators: position -> score, and the units of scores.

There are three kinds, from the fastest to the most flexible:
* a net: features, then `forward`; learners can train it through `backward`;
* a compiled evaluator: `evaluate` scores the state directly; `terms` or `gradient` let learners fit its weights;
* a batch evaluator: any Python object with `values(states)` (a torch net, a remote model), or a Python function of many
  positions; learners can train one with weights through its `batches`.

Scores are float64, for the side to move. Heuristic scores have |score| < 1; the constants below define the bands
above.

An evaluator or searcher that knows what its scores count, such as men, discs or expected points, has the method
`unit(rules)`. If it has none, people see plain scores. A game whose people think in pieces can offer the capability
`piece_odds`, with which an expected result is also shown in pieces.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, runtime_checkable

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import Rules, State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.interfaces.features import FeatureFunctions


HEURISTIC_LIMIT = 1.0 - 2.0**-20
"""Heuristic scores are kept within this limit."""
WON = 1.0
"""Score of a win whose distance the searcher does not know."""
ORACLE_WIN = 2.0
"""A win in d plies that an oracle knows scores ORACLE_WIN - d * PLY: a nearer win scores higher, and all are above WON.

A searcher may estimate the distance of an oracle's win; its scores are then in the lower half of this band.
"""
PROVEN_WIN = 3.0
"""A win in d plies that the search has proven scores PROVEN_WIN - d * PLY, above every oracle win."""
PLY = 2.0**-16
"""What a win loses in score for each ply that it is farther away."""


@attrs.frozen
class WeightGroup:
    """Weights [start, stop) that share a learning rate."""

    start: int
    """Index of the first weight."""
    stop: int
    """Index after the last weight."""
    source: Literal["inputs", "hidden"]
    """The units that feed these weights."""
    fan_in: int
    """Number of units that feed each; the default learning rate is 1 / fan_in."""


@attrs.frozen(kw_only=True)
class SteppedWeight:
    """A weight that learners change in steps between limits, or not at all, while other weights are unrestricted."""

    place: int
    """Index in the weight vector."""
    low: float
    """Lowest value."""
    high: float
    """Highest value."""
    step: float
    """Difference between neighbouring values; 0: the weight never changes."""


@attrs.frozen
class WeightVector:
    """The layout of the weights that learners set and that are saved with a player: float32[length]."""

    length: int
    """Number of weights."""
    unpack: "Callable[[NDArray[np.float32]], NDArray[np.float32]] | None" = None
    """Makes the block `w`, which kernels read, from the vector, once for each player; None: it is the vector."""
    stepped: tuple[SteppedWeight, ...] = ()
    """Weights that are restricted to steps."""
    unused: tuple[int, ...] = ()
    """Indices of padding, which stays 0."""
    step: float = 0.0
    """Kernels read the weights rounded to multiples of this, from -32768 to 32767 times; 0: they are not rounded."""
    layout: str = ""
    """What the weights are for, in words, if their number does not say it. Saved players keep it, and weights that
    were saved with another layout are refused; "": only the number is compared."""
    unpack_backward: "Callable[[NDArray[np.float32], NDArray[np.float32]], NDArray[np.float32]] | None" = None
    """The chain rule for `unpack`, which an evaluator with a gradient needs: unpack_backward(weights, gradient) makes
    the gradient with respect to the vector from that with respect to the block."""
    unpack_one: "Callable[..., object] | None" = None
    """Does for one weight, at little cost, what `unpack` does for all: `unpack_one(ud, w, vector, place)`
    (kernel/abi.py). Learners that change weights during a game need it if there is `unpack`."""
    unpack_data: "Callable[[], NDArray[np.uint64]] | None" = None
    """Makes the block `ud` of `unpack_one`."""
    groups: tuple[WeightGroup, ...] = ()
    """Groups of weights with learning rates of their own, which cover every weight once; (): the learner decides."""

    def rounded(self, weights: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """Return the weights as kernels read them. Learners return these, so that two bytes per weight lose nothing."""
        if not self.step:
            return weights
        steps = (weights.astype("float64") / self.step).round().clip(-32768, 32767)
        return (steps * self.step + 0.0).astype("float32")  # without -0.0

    def block(self, weights: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """Return the block `w` that kernels read."""
        return weights if self.unpack is None else self.unpack(weights)

    def gradient(self, weights: "NDArray[np.float32]", block_gradient: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """Return the gradient with respect to the vector, from that with respect to the block.

        If the vector has `unpack`, it needs `unpack_backward`. Entries of stepped weights mean nothing.
        """
        return block_gradient if self.unpack_backward is None else self.unpack_backward(weights, block_gradient)


@attrs.frozen(kw_only=True)
class NetFunctions:
    """A trainable net as `forward(nd, w, x)` and `backward(nd, w, x, trace)` (kernel/abi.py)."""

    forward: Callable[..., object]
    """Returns the score of inputs."""
    backward: Callable[..., object]
    """Adds the gradient of the score to a trace."""
    features: "FeatureFunctions"
    """The feature map that writes the inputs."""
    groups: tuple[WeightGroup, ...]
    """Groups of weights, each with a learning rate of its own."""
    scratch: int
    """Number of float32 elements of workspace that forward needs after the inputs."""
    data: "NDArray[np.uint64] | None" = None
    """The block `nd`: the sizes of the net."""
    unused: tuple[int, ...] = ()
    """Indices of weights that are padding: they are 0, and backward keeps them 0."""
    compiled: bool = True
    """False: the functions are called as plain Python."""

    @property
    def weights(self) -> int:
        """The length of the weight vector."""
        return max(group.stop for group in self.groups)

    @property
    def vector(self) -> WeightVector:
        """The layout of the weights. Kernels read the vector itself, so that training can change it in place."""
        return WeightVector(self.weights, unused=self.unused)


class BatchGradient(Protocol):
    """A net with a policy, computed in Python for many states at once. Weights are float32[length of the vector]."""

    def scores_and_logits(
        self, weights: "NDArray[np.float32]", states: "NDArray[np.uint64]"
    ) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
        """Return the scores[N] of states[N, words], and logits[N, indices of the game's moves]; they may be nan."""
        ...

    def slope(
        self,
        weights: "NDArray[np.float32]",
        states: "NDArray[np.uint64]",
        scores: "NDArray[np.float64]",
        logits: "NDArray[np.float64]",
    ) -> "NDArray[np.float32]":
        """Return the gradient of the sum of all scores and logits, each times its slope: scores[N], logits[N, indices].

        Raises GameforgeError if the net returns anything else.
        """
        ...


@attrs.frozen(kw_only=True)
class EvaluatorFunctions:
    """An evaluator as `evaluate(ed, w, s, x)` (kernel/abi.py)."""

    evaluate: Callable[..., object]
    """Returns the score of a state for the side to move."""
    values: Callable[..., object] | None = None
    """Scores many states at once; offer it if that is faster than scoring them one by one."""
    data: "NDArray[np.uint64] | None" = None
    """The block `ed`: settings and tables."""
    weights: "NDArray[np.float32] | None" = None
    """The block `w`, if its weights are fixed."""
    vector: WeightVector | None = None
    """The layout of the weights that learners set, instead of `weights`; requires Trainable."""
    terms: Callable[..., object] | None = None
    """For evaluators that are linear before a squash: `terms(ed, s, places, factors)` (kernel/abi.py).

    The score is tanh(v / 2), which is the expected result if v is the log-odds of a win. v is the sum of
    weight[place] * factor over the terms. The places are indices in `vector`; a place may occur several times.
    """
    max_terms: int = 0
    """Length of the blocks that `terms` writes to; the elements after the terms are its workspace."""
    gradient: Callable[..., object] | None = None
    """Adds the gradient of the score, with respect to the block `w`, to a trace: `gradient(ed, w, s, x, trace)`
    (kernel/abi.py).

    It is called after `evaluate` of the same state and may change the workspace `x`, which is as `evaluate` left it.
    Learners by gradient leave stepped weights as they are, so it may omit them.
    """
    policy: Callable[..., object] | None = None
    """Writes a logit for each legal move: `policy(ed, w, s, moves, n, x, logits)` (kernel/abi.py).

    The softmax of the logits is the probability of each move. It is called after `evaluate` of the same state, so that
    both can share what `evaluate` leaves in `x`. Tree searches guided by a policy then evaluate a position once instead
    of once for each of its moves.
    """
    slope: Callable[..., object] | None = None
    """The gradient of score and policy together, for learners that train a policy:
    `slope(ed, w, s, moves, n, x, slopes, trace)` (kernel/abi.py).

    It adds the gradient of slopes[0] * score + slopes[1] * logit of the first move + ... to the trace. It is called
    after `evaluate` and `policy` of the same state.
    """
    batches: "BatchGradient | None" = None
    """The scores, logits and gradients of many states at once, for learners that train a policy: in place of `slope` in
    a net that is computed in Python."""
    refresh: Callable[..., object] | None = None
    """For evaluators that a search updates from move to move: writes the accumulator of a state, `refresh(ed, w, s,
    acc)` (kernel/abi.py).

    An accumulator is what costs most of a score and changes little with a move, such as the sums of a net's first
    layer. A search that can use it keeps one for each position of its line; others call `evaluate`.
    """
    update: Callable[..., object] | None = None
    """Writes the accumulator of `s`, the state after move `m`, from that of the state before, `acc`:
    `update(ed, w, acc, s, m, child_acc)` (kernel/abi.py).

    The result is that of `refresh`, bit for bit. The blocks do not overlap, and `acc` does not change.
    """
    accumulated: Callable[..., object] | None = None
    """Returns what `evaluate` returns for the state of an accumulator: `accumulated(ed, w, acc, x)` (kernel/abi.py)."""
    accumulator: int = 0
    """Number of uint64 words of an accumulator."""
    scratch: int = 0
    """Number of float32 elements of workspace, the block `x`."""
    compiled: bool = True
    """False: the functions are called as plain Python."""
    costly: bool = False
    """A score takes so long (100 ns or more) that searchers keep it for the case that they reach the position again.

    Functions in plain Python are always costly.
    """

    def __attrs_post_init__(self) -> None:
        """Raise GameforgeError if the gradient cannot reach the vector, or if functions are offered without others."""
        vector = self.vector
        incremental = self.refresh, self.update, self.accumulated
        if any(incremental) != all(incremental) or any(incremental) != (self.accumulator > 0):
            raise GameforgeError(
                "EvaluatorFunctions: refresh, update, accumulated and the size of an accumulator are offered together, "
                "or none of them"
            )
        if self.slope is not None and self.policy is None:
            raise GameforgeError("EvaluatorFunctions: slope is offered, but no policy")
        if self.gradient is not None and vector is not None and vector.unpack and not vector.unpack_backward:
            raise GameforgeError(
                "EvaluatorFunctions: gradient is offered, but its weight vector has unpack without unpack_backward"
            )


@runtime_checkable
class Evaluator(Protocol):
    """An evaluator component. `features` is None if the pipeline names no feature map."""

    def functions(self, rules: "Rules", features: "FeatureFunctions | None") -> NetFunctions | EvaluatorFunctions:
        """Return the functions and the data of this evaluator for a game, and for a feature map if it needs one."""
        ...


@runtime_checkable
class Trainable(Protocol):
    """An evaluator component whose weights learners can set."""

    def initial_weights(
        self, net: NetFunctions | EvaluatorFunctions, rng: "np.random.Generator"
    ) -> "NDArray[np.float32]":
        """Return initial weights, float32[net.vector.length]; `net` is what functions() returned."""
        ...


@runtime_checkable
class ChecksWeights(Protocol):
    """An evaluator component that can check more than the number of weights, for instance of a net that grows."""

    def check_weights(self, net: NetFunctions | EvaluatorFunctions, weights: "NDArray[np.float32]") -> None:
        """Raise GameforgeError if weights of the right number do not fit `net`, which functions() returned."""
        ...


@runtime_checkable
class NamedWeights(Protocol):
    """An evaluator component some of whose weights have names, so that the file of a player can correct them."""

    def with_added(
        self, rules: "Rules", weights: "NDArray[np.float32]", added: "Mapping[str, Sequence[float]]"
    ) -> "NDArray[np.float32]":
        """Return weights[length] with the numbers of `added` added to those of each name, one for each phase.

        Raises GameforgeError for a name that the evaluator does not know, and for a wrong number of values.
        """
        ...


@runtime_checkable
class BatchEvaluator(Protocol):
    """Any Python object that scores many states at once."""

    def values(self, states: "NDArray[np.uint64]") -> "NDArray[np.float64]":
        """Score states[N, words]: return scores[N] for the side to move, inside (-1, 1)."""
        ...


def _positive(instance: "PieceOdds | Unit", attribute: "attrs.Attribute[float]", value: float) -> None:
    if not 0 < value < math.inf:
        who = f"{type(instance).__name__} {instance.one!r}"
        raise GameforgeError(f"{who}: {attribute.name} = {value!r}: must be a number greater than 0")


@attrs.frozen(kw_only=True)
class PieceOdds:
    """How many pieces an expected result is worth in a position, by the log-odds of winning.

    The pieces are a lead in the position itself or, in a game that is won by a count at the end, the final lead that a
    side can expect.
    """

    one: str
    """The name of the piece, such as `man`."""
    many: str
    """Its plural."""
    log_odds: float = attrs.field(validator=_positive)
    """Log-odds of winning, ln(p / (1 - p)) with the expected share p of the points, for each piece of the lead."""
    most: float = math.inf
    """The greatest lead in pieces; larger amounts are shown as this one."""
    decimals: int = 2
    """Number of decimals of an amount."""

    def amount(self, score: float) -> float:
        """Return the lead in pieces for an expected result from -1 to 1, both exclusive."""
        return max(-self.most, min(self.most, 2 * math.atanh(score) / self.log_odds))


PieceOddsOf = Callable[[State], PieceOdds | None]
"""Returns the odds of a piece in a position; None if they are not known under the rules that are played."""


@attrs.frozen(kw_only=True)
class Unit:
    """A unit in which heuristic scores are proportional: amount = even + score / worth."""

    one: str
    """The name of the unit, such as `man`; "" for plain scores."""
    many: str
    """Its plural."""
    worth: float = attrs.field(validator=_positive)
    """Difference of score for one of it."""
    even: float = 0.0
    """The amount for the score 0. Amounts are shown with a sign if it is 0."""
    decimals: int = 2
    """Number of decimals of an amount."""
    piece_odds: PieceOddsOf | None = None
    """A second way to show scores that are expected results."""
    EXPECTED_RESULT: ClassVar["Unit"]
    """For scores that are expected results: the expected share of the points, in percent."""

    def amount(self, score: float) -> float:
        """Return the amount for a heuristic score."""
        return self.even + score / self.worth


PLAIN = Unit(one="", many="", worth=1.0, decimals=3)
"""Scores as they are, from -1 to 1."""
UNSCORED = Unit(one="", many="", worth=1.0, decimals=0)
"""In place of the unit of a searcher that scores no positions (SearcherFunctions.scored)."""
Unit.EXPECTED_RESULT = Unit(one="%", many="%", worth=0.02, even=50.0, decimals=1)


@runtime_checkable
class NamesUnit(Protocol):
    """An evaluator or searcher component that knows what its scores count."""

    def unit(self, rules: Rules) -> Unit | None:
        """Return the unit; None if the scores have none, or, for a searcher, if they are those of its evaluator."""
        ...
