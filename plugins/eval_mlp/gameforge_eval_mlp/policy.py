"""The evaluator `policy-mlp`: a net with two heads, the value of a position and a policy over its moves.

Inputs: a bit for each code of each cell, and the numbers that a game adds to its cells; of a game without cells, the
bits of its state. Then one or two layers of rectified units, h, the last of which feeds both heads:

    value  = tanh( b + sum_i V_i h_i )
    logit  = sum of ( c_r + sum_i P_ri h_i ) over the rows r of the move

A move has one row, that of its index (MoveIndices). If the game numbers no moves, its rows are the cells that it
empties and those that it fills, so a move from one cell to another has two. Moves with the same rows have the same
logit.

Weights in one vector, float32: the first layer, a row of units for each input and one for the bias; the second layer in
the same way, if there is one; V and b; P by rows, and c. All sums have a fixed order, so scores and logits do not
depend on the processor.
"""

import math

import attrs
import numpy as np

from gameforge.interfaces import EvaluatorFunctions, FeatureFunctions, NetFunctions, Rules, Unit, WeightVector, kinds
from gameforge.kernel import (
    U0,
    U1,
    FloatArray,
    Floats,
    Real,
    Score,
    Scores,
    Word,
    Words,
    at,
    bits,
    ctz,
    inline,
    simd,
    specialised,
)
from gameforge_eval_mlp.convolution import rectified
from gameforge_eval_mlp.reading import BITS, FOUND, MASKS, NUMBERS, OWN, READ, STEP, Reading, read_inputs, rows_of

_FIRST, _SECOND, _VALUE, _POLICY, _ROWS, _ACTIVE, _STRENGTH, _UNITS = (OWN + np.uint64(i) for i in range(8))
"""Entries of the block `ed`, after those of reading.py. Sizes: units of both layers. Places in the vector: V, P; the
number of its rows. Places in the workspace: the active inputs, in words; then in float32: the strengths of these
inputs, the units."""
_8, _32 = np.uint64(8), np.uint64(32)
_ZERO, _ONE, _MOST, _STEEP = (np.float32(x) for x in (0.0, 1.0, 3e38, 1e30))


@inline
def active(units: simd.Lanes) -> simd.Lanes:
    """1 for units above 0, else 0."""
    return simd.clamp(simd.mul(units, simd.splat(_STEEP)), simd.splat(_ZERO), simd.splat(_ONE))


@inline
def dot(a: Floats, b: Floats, n: Word) -> Real:
    """The sum of a[i] * b[i]; n is a multiple of 8."""
    total = simd.splat(_ZERO)
    for i in range(U0, n, _8):
        total = simd.fma(simd.load(a, i), simd.load(b, i), total)
    return simd.total(total)


@inline
def add(to: Floats, factor: Real, of: Floats, n: Word) -> None:
    """to[i] += factor * of[i]; n is a multiple of 8."""
    factors = simd.splat(factor)
    for i in range(U0, n, _8):
        simd.store(to, i, simd.fma(factors, simd.load(of, i), simd.load(to, i)))


@inline
def _list_inputs(ed: Words, words: Words, x: Floats) -> Word:
    """Write the inputs that are not 0, by their weights, and their strengths; returns their number."""
    n, stride = U0, ed[_FIRST]
    for i in range(ed[MASKS]):
        bits = words[i]
        while bits != U0:
            words[ed[_ACTIVE] + n] = (ed[BITS] * i + ctz(bits)) * stride
            x[ed[_STRENGTH] + n] = _ONE
            bits &= bits - U1
            n += U1
    for i in range(ed[NUMBERS]):
        number = np.int64(words[ed[MASKS] + i])
        if number != 0:
            words[ed[_ACTIVE] + n] = (ed[BITS] * ed[MASKS] + i) * stride
            x[ed[_STRENGTH] + n] = np.float32(number) * STEP
            n += U1
    return n


@inline
def _sum_layer(
    w: Floats, x: Floats, active: Words, strength: Floats, n: Word, bias: Word, size: Word, to: Word
) -> None:
    """Write rectified units to x[to]: the sum of n rows of weights, which begin at active[i], and of the bias."""
    i = U0
    while i + _32 <= size:  # four sums at once, which do not wait for each other
        a, b = simd.load(w, bias + i), simd.load(w, bias + i + _8)
        c, d = simd.load(w, bias + i + np.uint64(16)), simd.load(w, bias + i + np.uint64(24))
        for k in range(n):
            v, row = simd.splat(strength[k]), active[k] + i
            a = simd.fma(v, simd.load(w, row), a)
            b = simd.fma(v, simd.load(w, row + _8), b)
            c = simd.fma(v, simd.load(w, row + np.uint64(16)), c)
            d = simd.fma(v, simd.load(w, row + np.uint64(24)), d)
        simd.store(x, to + i, rectified(a))
        simd.store(x, to + i + _8, rectified(b))
        simd.store(x, to + i + np.uint64(16), rectified(c))
        simd.store(x, to + i + np.uint64(24), rectified(d))
        i += _32
    while i < size:
        a = simd.load(w, bias + i)
        for k in range(n):
            a = simd.fma(simd.splat(strength[k]), simd.load(w, active[k] + i), a)
        simd.store(x, to + i, rectified(a))
        i += _8


def evaluate(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    words, first, second, units = bits.as_words(x), ed[_FIRST], ed[_SECOND], ed[_UNITS]
    read_inputs(at(ed, ed[READ]), s, words)
    n, active = _list_inputs(ed, words, x), at(words, ed[_ACTIVE])
    inputs = ed[MASKS] * ed[BITS] + ed[NUMBERS]
    _sum_layer(w, x, active, at(x, ed[_STRENGTH]), n, inputs * first, first, units)
    last, size = units, first
    if second != U0:
        rows = at(words, ed[FOUND])  # of the dense layer, only those of the units above 0
        behind, above = (inputs + U1) * first, U0
        for j in range(first):
            if x[units + j] > _ZERO:
                rows[above] = behind + j * second
                x[units + first + second + above] = x[units + j]
                above += U1
        last, size = units + first, second
        _sum_layer(w, x, rows, at(x, units + first + second), above, behind + first * second, second, last)
    score = simd.tanh(w[ed[_VALUE] + size] + dot(at(x, last), at(w, ed[_VALUE]), size))
    end = units + first + second + first + second
    x[end], x[end + U1] = score, np.float32(n)
    return np.float64(score)


def policy(ed: Words, w: Floats, s: Words, moves: Words, n: Word, x: Floats, logits: Scores) -> None:
    words, first, second = bits.as_words(x), ed[_FIRST], ed[_SECOND]
    last, size = (ed[_UNITS], first) if second == U0 else (ed[_UNITS] + first, second)
    constants = ed[_POLICY] + ed[_ROWS] * size
    for i in range(n):
        logit = _ZERO
        for k in range(rows_of(ed, s, moves[i], words)):
            row = words[ed[FOUND] + k]
            logit += w[constants + row] + dot(at(x, last), at(w, ed[_POLICY] + row * size), size)
        logits[i] = np.float64(logit)


def slope(ed: Words, w: Floats, s: Words, moves: Words, n: Word, x: Floats, slopes: Floats, trace: Floats) -> None:
    words, first, second, units = bits.as_words(x), ed[_FIRST], ed[_SECOND], ed[_UNITS]
    last, size = (units, first) if second == U0 else (units + first, second)
    end = units + first + second + first + second
    # Step 1. The heads: their weights, and the slopes of the last layer's units.
    behind = at(x, units + first + second)  # slopes of the units of the last layer, then those of the first
    through, value, constants = slopes[0] * (_ONE - x[end] * x[end]), ed[_VALUE], ed[_POLICY] + ed[_ROWS] * size
    for i in range(size):
        behind[i] = through * w[value + i]
    add(at(trace, value), through, at(x, last), size)
    trace[value + size] += through
    for i in range(n):
        factor = slopes[U1 + i]
        for k in range(rows_of(ed, s, moves[i], words)):
            row = words[ed[FOUND] + k]
            place = ed[_POLICY] + row * size
            add(at(trace, place), factor, at(x, last), size)
            add(behind, factor, at(w, place), size)
            trace[constants + row] += factor
    for i in range(U0, size, _8):
        simd.store(behind, i, simd.mul(simd.load(behind, i), active(simd.load(x, last + i))))
    # Step 2. The second layer.
    inputs = ed[MASKS] * ed[BITS] + ed[NUMBERS]
    if second != U0:
        layer, before = (inputs + U1) * first, at(behind, second)
        for j in range(first):
            before[j] = _ZERO
            if x[units + j] > _ZERO:
                add(at(trace, layer + j * second), x[units + j], behind, second)
                before[j] = dot(at(w, layer + j * second), behind, second)
        add(at(trace, layer + first * second), _ONE, behind, second)
        behind = before
    # Step 3. The first layer.
    for k in range(np.uint64(x[end + U1])):
        add(at(trace, words[ed[_ACTIVE] + k]), x[ed[_STRENGTH] + k], behind, first)
    add(at(trace, inputs * first), _ONE, behind, first)


def gradient(ed: Words, w: Floats, s: Words, x: Floats, trace: Floats) -> None:
    one = at(x, ed[_UNITS] + np.uint64(2) * (ed[_FIRST] + ed[_SECOND]) + np.uint64(2))
    one[0] = _ONE
    slope(ed, w, s, s, U0, x, one, trace)


def _whole_vectors(instance: "PolicyMlp", attribute: "attrs.Attribute[int]", value: int) -> None:
    if value % simd.LANES:
        raise ValueError(f"must be a multiple of {simd.LANES}")


@attrs.frozen(kw_only=True)
class PolicyMlp:
    """The component. The same net for any game: inputs and moves come from its rules."""

    hidden: int = attrs.field(default=64, validator=[kinds.count(8, 1024), _whole_vectors])
    """Units of the first layer, a multiple of 8."""
    second: int = attrs.field(default=32, validator=[kinds.count(0, 1024), _whole_vectors])
    """Units of the second layer, a multiple of 8; 0: there is no second layer."""

    def unit(self, rules: Rules) -> Unit:
        """The expected result, to which learners fit the weights."""
        return Unit.EXPECTED_RESULT

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """The compiled functions and the layout of the weights; a feature map is not used.

        Raises GameforgeError for a game whose moves cannot be numbered.
        """
        game = Reading.of(rules, "policy-mlp")
        inputs, size = game.masks * game.bits + game.numbers, self.second or self.hidden
        value = (inputs + 1) * self.hidden + ((self.hidden + 1) * self.second if self.second else 0)
        policy_place = value + size + 1
        active = game.workspace + self.hidden
        strength = 2 * (active + inputs)
        units = strength + inputs
        own = [self.hidden, self.second, value, policy_place, game.rows, active, strength, units]
        return EvaluatorFunctions(
            evaluate=game.with_inputs(evaluate),
            policy=game.with_rows(policy),
            slope=game.with_rows(slope),
            gradient=specialised(gradient, slope.__name__, slope),
            data=game.block(own),
            vector=WeightVector(
                policy_place + game.rows * (size + 1),
                layout=f"policy-mlp, inputs {inputs}, hidden {self.hidden}, second {self.second}, rows {game.rows}",
            ),
            scratch=units + 2 * (self.hidden + self.second) + 4,
            costly=True,
        )

    def initial_weights(self, net: NetFunctions | EvaluatorFunctions, rng: np.random.Generator) -> FloatArray:
        """Uniform weights of the layers and of the value, so that units vary as their inputs do; else zeros.

        Without logits of its own, the policy begins with all moves equally likely.
        """
        assert net.data is not None
        assert net.vector is not None
        masks, bits, numbers = (int(word) for word in net.data[:3])
        weights, inputs, place = np.zeros(net.vector.length, np.float32), masks * bits + numbers, 0
        for fan_in, active, units in ((inputs, bits, self.hidden), (self.hidden, self.hidden, self.second)):
            limit, size = math.sqrt(6 / active), fan_in * units
            weights[place : place + size] = rng.uniform(-limit, limit, size)
            place += size + units  # the bias stays 0
        size = self.second or self.hidden
        weights[place : place + size] = rng.uniform(-1, 1, size) / math.sqrt(size)
        return weights
