"""An evaluator of any kind in training, and the rules that train it: TD(lambda), TDLeaf(lambda) and TreeStrap.

A net has `backward`, other evaluators have `gradient`, or `terms` if they are linear before a squash. Of the many
weights of an evaluator with terms a position uses a few, so the trace lists the places where it is not 0, and a
correction costs nothing for the others. Weights that kernels read in another form are written there one by one
(WeightVector.unpack_one), because the next search needs them.

The three functions that do most of the work are kernels of their own. Inlined wherever they are called, they would make
the kernel that plays the games take a minute to compile.

Step sizes may adapt to each weight, by temporal coherence [Beal1999]. Let r be the changes that corrections recommend
for a weight: error times trace. Its step is rate * g(|sum of r| / sum of |r|) * r with the sums over all corrections so
far, and the full rate before the first. While the changes agree the step stays large; where they cancel it becomes
small. g is the identity, or exp(2.7 * (x - 1)) as in the algorithm TCL-EXP of [Bagheri2016].

What is learned from after a move depends on the rule. All values are for the learner, who has just moved. P(s) is the
evaluator's score of a position s.

* TD(lambda) ([Sutton1988], equation 4): the position after the move, with its static score. With patterns it is what
  [Thill2014] does with n-tuples.
* TDLeaf(lambda) [Baxter2000]: the leaf of the principal variation, with the value of the search. That is the static
  score of the leaf, so the gradient of the value is that of the leaf.
* TreeStrap [Veness2009]: every inner node of the search is corrected towards its own value in that search. `minimax`
  hands out exact values, TreeStrap(minimax). `alphabeta` hands out bounds as well, which correct only scores that
  violate them, TreeStrap(alpha-beta).

The first two correct d = gamma * value of the next position - P(last position) as soon as it is known, with an
eligibility trace; [Baxter2000] adds up the same corrections and applies them at the end of the game, which is the same
for small steps (docs/readings.md, "TDLeaf during the game").
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gameforge import GameforgeError, Parts
from gameforge.interfaces import EvaluatorFunctions, NetFunctions, WeightGroup, WeightVector
from gameforge.kernel import (
    U0,
    U1,
    U2,
    CompiledEvaluator,
    CompiledPlayer,
    FloatArray,
    Floats,
    GameWorkspace,
    IntegerArray,
    Places,
    Score,
    Word,
    WordArray,
    Words,
    answer,
    assembly,
    at,
    bare_kernel,
    compiled_function,
    inline,
    slots,
    static_score,
)
from gameforge_learn_td.settings import TDSettings

TD, TDLEAF, TREESTRAP = (np.uint64(i) for i in range(3))
RULES = {"td": TD, "tdleaf": TDLEAF, "treestrap": TREESTRAP}
MOST_NODES = 1 << 18
"""The most inner nodes of one search that TreeStrap learns from."""
_LINE = np.uint64(slots.OUT_LINE)
UNKNOWN_VALUE = 9.0
"""No value of a position."""
_ZERO, _HALF, _ONE = np.float32(0), np.float32(0.5), np.float32(1)
_LEAST = np.float32(2.0**-24)
"""Smaller entries of a trace are dropped."""
_STEEPNESS = np.float32(2.7)
_NET, _TERMS, _GRADIENT = (np.uint64(i) for i in range(3))
_LISTED, _PENDING = 0, 1
"""Indices of Trainee.counts: number of listed places; 1 if there is a prediction to correct, else 0."""
_FIXED, _LINEAR, _EXPONENTIAL = (np.uint64(i) for i in range(3))
_COHERENCE = {"none": _FIXED, "linear": _LINEAR, "exponential": _EXPONENTIAL}


def _no_gradient(ed: Words, w: Floats, s: Words, x: Floats, trace: Floats) -> None:
    """Stands for EvaluatorFunctions.gradient where there is none."""
    return


def _no_terms(ed: Words, s: Words, places: Places, factors: Floats) -> Word:
    """Stands for EvaluatorFunctions.terms where there are none."""
    return U0


def _as_it_is(ud: Words, w: Floats, vector: Floats, place: Word) -> None:
    """Stands for WeightVector.unpack_one where kernels read the vector itself."""
    return


class Trainee(NamedTuple):
    """The weights of a player's evaluator in training. The player shares its block of weights."""

    kind: np.uint64
    """Whether it is a net, or has terms or a gradient."""
    terms: Callable[[Words, Words, Places, Floats], Word]
    gradient: Callable[[Words, Floats, Words, Floats, Floats], None]
    unpack_one: Callable[[Words, Floats, Floats, Word], None]
    unpack_data: WordArray
    unpacks: np.uint64
    """1 if the block of weights is not the vector itself."""
    gamma: np.float64
    lambda_: np.float32
    coherence: np.uint64
    """How step sizes adapt, if they do."""
    vector: FloatArray
    """The weights, which steps change in place."""
    rates: FloatArray
    """Learning rate of each weight."""
    net_changes: FloatArray
    """Sum of the recommended changes of each weight; not used without coherence."""
    all_changes: FloatArray
    """Sum of their absolute values."""
    trace: FloatArray
    """Sum of lambda^age * gradient over the positions so far."""
    listed: NDArray[np.int32]
    """Places where the trace is not 0: counts[_LISTED] of them, or all."""
    seats: NDArray[np.int32]
    """1 + index in `listed` of each place; 0 if it is not listed."""
    counts: IntegerArray
    """[_LISTED] and [_PENDING]."""
    prediction: NDArray[np.float64]
    """prediction[0]: what the last position is worth for the learner, under the present weights."""
    slopes: FloatArray
    """Workspace: the gradient of one position, if it is not written as terms."""
    places: NDArray[np.int32]
    """Workspace: the places of a position's terms."""
    factors: FloatArray
    """Workspace: their factors."""
    states: WordArray
    """Workspace: two states on the way to a leaf."""

    @classmethod
    def of(
        cls, settings: TDSettings, parts: Parts, vector: FloatArray, changes: tuple[FloatArray, FloatArray]
    ) -> "Trainee":
        """The trainee of one player; GameforgeError if its evaluator has no slopes that training can follow."""
        functions, layout = slopes_of(parts)
        n = layout.length
        terms = gradient = None
        if isinstance(functions, EvaluatorFunctions):
            terms, gradient = functions.terms, functions.gradient
        kind = _TERMS if terms else _GRADIENT if gradient else _NET
        room = functions.max_terms if isinstance(functions, EvaluatorFunctions) and terms else 1
        every = np.arange(n, dtype=np.int32)
        return cls(
            kind=kind,
            terms=compiled_function("terms", terms or _no_terms, compiled=functions.compiled),
            gradient=compiled_function("gradient", gradient or _no_gradient, compiled=functions.compiled),
            unpack_one=compiled_function("unpack_one", layout.unpack_one or _as_it_is, compiled=functions.compiled),
            unpack_data=assembly.block(layout.unpack_data() if layout.unpack_data else None),
            unpacks=np.uint64(layout.unpack is not None),
            gamma=np.float64(settings.gamma),
            lambda_=np.float32(settings.lambda_),
            coherence=_COHERENCE[settings.coherence],
            vector=vector,
            rates=_rates(settings, functions, layout),
            net_changes=changes[0],
            all_changes=changes[1],
            trace=np.zeros(n, np.float32),
            listed=every.copy(),
            seats=np.zeros(n, np.int32) if kind == _TERMS else every + np.int32(1),
            counts=np.array([0 if kind == _TERMS else n, 0], np.int64),
            prediction=np.zeros(1, np.float64),
            slopes=np.zeros(1 if kind == _TERMS else n, np.float32),
            places=np.zeros(room, np.int32),
            factors=np.zeros(room, np.float32),
            states=np.zeros(2 * parts.game.functions.words, np.uint64),
        )


def slopes_of(parts: Parts) -> tuple[NetFunctions | EvaluatorFunctions, WeightVector]:
    """Return the functions of the evaluator, and the layout of its weights.

    Raises GameforgeError if it has no weights, no slopes, or weights that cannot be changed one by one.
    """
    layout, component = parts.tunable()
    functions, name = parts.net, type(component).__name__
    assert functions is not None, "an evaluator with weights has functions"
    if isinstance(functions, EvaluatorFunctions):
        if functions.terms is None and functions.gradient is None:
            raise GameforgeError(
                f"learner td: {name} has weights, but neither terms nor a gradient to train them by; choose a net, or "
                "an evaluator with one of these"
            )
        if layout.unpack is not None and layout.unpack_one is None:
            raise GameforgeError(
                f"learner td: the weights of {name} cannot be changed one by one during a game; choose a net, or "
                "patterns"
            )
    return functions, layout


def _rates(settings: TDSettings, functions: NetFunctions | EvaluatorFunctions, layout: WeightVector) -> FloatArray:
    """The learning rate of each weight; 0 for stepped weights, which training leaves as they are."""
    groups = functions.groups if isinstance(functions, NetFunctions) else layout.groups
    rates = np.zeros(layout.length, np.float32)
    for group in groups or (WeightGroup(0, layout.length, "inputs", layout.length),):
        rates[group.start : group.stop] = settings.rate_of(group)
    rates[[weight.place for weight in layout.stepped]] = 0
    return rates


@inline
def _add(t: Trainee, place: Word, amount: np.float32) -> None:
    """Add an amount to the trace at a place."""
    if t.seats[place] == 0:
        n = t.counts[_LISTED]
        t.listed[n], t.counts[_LISTED] = place, n + 1
        t.seats[place] = n + 1
    t.trace[place] += amount


@bare_kernel
def add_gradient(evaluator: CompiledEvaluator, t: Trainee, s: Words, factor: Score) -> Score:
    """Add a multiple of the gradient of a position's score, for the side to move, to the trace; return the score."""
    score = static_score(evaluator, s)
    times, data = np.float32(factor), at(evaluator.data, U0)
    if t.kind == _TERMS:
        n = np.uint64(t.terms(data, s, at(t.places, U0), at(t.factors, U0)))
        slope = times * _HALF * (_ONE - np.float32(score) * np.float32(score))
        for k in range(n):
            _add(t, np.uint64(t.places[k]), slope * t.factors[k])
        return score
    for j in range(len(t.slopes)):
        t.slopes[j] = _ZERO
    w, x = at(evaluator.weights, U0), at(evaluator.inputs, U0)
    if t.kind == _NET:
        times *= np.float32(evaluator.sign)
        evaluator.backward(data, w, x, at(t.slopes, U0))
    else:
        t.gradient(data, w, s, x, at(t.slopes, U0))
    for j in range(len(t.slopes)):
        t.trace[j] += times * t.slopes[j]
    return score


@bare_kernel
def decay(t: Trainee, share: np.float32) -> None:
    """Multiply the trace by a share; 0 clears it."""
    n, kept = t.counts[_LISTED], 0
    for k in range(n):
        place = t.listed[k]
        rest = share * t.trace[place]
        if t.kind == _TERMS and abs(rest) < _LEAST:
            t.trace[place], t.seats[place] = _ZERO, 0
        else:
            t.trace[place] = rest
            t.listed[kept], t.seats[place] = place, kept + 1
            kept += 1
    t.counts[_LISTED] = kept


@inline
def _coherent(t: Trainee, place: Word) -> np.float32:
    """The share of its rate by which a weight moves."""
    total = t.all_changes[place]
    if total == _ZERO:
        return _ONE
    share = abs(t.net_changes[place]) / total
    return share if t.coherence == _LINEAR else np.exp(_STEEPNESS * (share - _ONE))


@bare_kernel
def correct(evaluator: CompiledEvaluator, t: Trainee, error: Score) -> None:
    """w += rate * share * error * trace, with share 1 for fixed step sizes."""
    single = np.float32(error)
    for k in range(t.counts[_LISTED]):
        place = np.uint64(t.listed[k])
        change = single * t.trace[place]
        step = t.rates[place] * change
        if t.coherence != _FIXED:
            step *= _coherent(t, place)
            t.net_changes[place] += change
            t.all_changes[place] += abs(change)
        t.vector[place] += step
        if t.unpacks:
            t.unpack_one(at(t.unpack_data, U0), at(evaluator.weights, U0), at(t.vector, U0), place)


@inline
def forget(t: Trainee) -> None:
    """End a sequence of positions: nothing is to be corrected, and the trace is 0."""
    decay(t, _ZERO)
    t.counts[_PENDING] = 0


@inline
def approach(evaluator: CompiledEvaluator, t: Trainee, value: Score) -> None:
    """Correct the last prediction, if there is one, towards gamma * the value of the next position."""
    if t.counts[_PENDING] != 0:
        correct(evaluator, t, t.gamma * value - t.prediction[0])


@inline
def predict(evaluator: CompiledEvaluator, t: Trainee, s: Words, side: Score) -> None:
    """Predict the worth of a position for the learner, under the present weights, and add its gradient to the trace.

    side: 1 if the learner is to move there, -1 if its opponent is.
    """
    decay(t, t.lambda_)
    t.prediction[0] = side * add_gradient(evaluator, t, s, side)
    t.counts[_PENDING] = 1


@inline
def predict_known(t: Trainee, value: Score) -> None:
    """Take a value as the prediction that no weights can change."""
    decay(t, t.lambda_)
    t.prediction[0] = value
    t.counts[_PENDING] = 1


@inline
def reach_outcome(evaluator: CompiledEvaluator, t: Trainee, reward: Score) -> None:
    """Correct the last prediction towards the reward of the game, and end the sequence."""
    if t.counts[_PENDING] != 0:
        correct(evaluator, t, reward - t.prediction[0])
    forget(t)


@inline
def learn_board(game: GameWorkspace, evaluator: CompiledEvaluator, t: Trainee, known: Score) -> None:
    """TD(lambda): train on the position after the learner's move; known: its value, or UNKNOWN_VALUE."""
    s = at(game.states, U0)
    approach(evaluator, t, -static_score(evaluator, s) if known == UNKNOWN_VALUE else known)
    predict(evaluator, t, s, -1.0)


@inline
def learn_leaf(game: GameWorkspace, player: CompiledPlayer, t: Trainee, score: Score) -> None:
    """TDLeaf(lambda): train on the leaf of the search that found the last move, which had this score.

    If the line ends in a position that has another score, it was cut short, by the end of the game, an oracle or a
    table: then the value is corrected towards, but has no gradient.
    """
    rules, evaluator, words = game.rules, player.context.evaluator, game.rules.words
    data, here, other = at(rules.data, U0), U0, words
    for i in range(words):
        t.states[i] = game.states[i]
    side = -1.0
    for i in range(U1, player.out[slots.OUT_LINE_LENGTH]):
        rules.play(data, at(t.states, here), player.out[_LINE + i], at(t.states, other))
        here, other, side = other, here, -side
    leaf = at(t.states, here)
    is_leaf = np.float32(side * static_score(evaluator, leaf)) == np.float32(score)
    value = min(max(score, -1.0), 1.0)
    approach(evaluator, t, value)
    if is_leaf:
        predict(evaluator, t, leaf, side)
    else:
        predict_known(t, value)


@inline
def _difference(score: Score, value: Score, bound: Word) -> Score:
    """How far a score is from what a search found: a value, or a bound that the score violates."""
    missing = min(max(value, -1.0), 1.0) - score
    if bound == answer.AT_LEAST:
        return max(missing, 0.0)
    return min(missing, 0.0) if bound == answer.AT_MOST else missing


@inline
def learn_tree(player: CompiledPlayer, t: Trainee, used: Word) -> None:
    """TreeStrap: correct the scores of all nodes that the last search handed out, behind `used` words of the stack.

    [Veness2009] adds the corrections up. We take their mean, so that the learning rate need not be smaller for larger
    trees (docs/readings.md, "Sum or mean in TreeStrap").
    """
    stack, evaluator, words = player.context.stack, player.context.evaluator, player.context.rules.words
    n = min(stack[np.uint64(len(stack)) - U1], np.uint64(MOST_NODES))
    for i in range(n):
        node = used + i * (words + U2)
        s = at(stack, node)
        value, bound = answer.handed_out(stack[node + words]), stack[node + words + U1]
        error = _difference(static_score(evaluator, s), value, bound)
        if error != 0.0:
            add_gradient(evaluator, t, s, error)
    if n != U0:
        correct(evaluator, t, 1.0 / np.float64(n))
    decay(t, _ZERO)
