"""A multilayer perceptron: inputs -> hidden units (tanh) -> one output (tanh), with optional direct links.

P = tanh(sum_i W2_i H_i + sum_j W3_j x_j), H_i = tanh(sum_j W1_ji x_j); a bias unit of value 1 feeds the hidden units
and the output ([Lynch1997], sections 2.2 and 3.2). All in float32.

Weights in one vector: W1, a row per input and one for the bias, each row padded to `stride` hidden units; W2, padded;
the output's bias; W3 if there are direct links. Direct links have no bias of their own, which would only add to the
output's (docs/readings.md, "Bias of the direct links"). Padding is 0 and stays 0. Scratch memory after the inputs: the
hidden units, then P.
"""

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import FeatureFunctions, NetFunctions, Rules, Spec, Unit, WeightGroup, kinds
from gameforge.kernel import (
    U0,
    U1,
    U2,
    FloatArray,
    Floats,
    Real,
    Score,
    Truth,
    Word,
    Words,
    ctz,
    inline,
    popcount,
    simd,
)

_5, _8, _16, _24 = np.uint64(5), np.uint64(8), np.uint64(16), np.uint64(24)
_INPUTS, _STRIDE, _DIRECT = np.uint64(0), np.uint64(1), np.uint64(2)
_64 = np.uint64(64)
_EVEN = np.uint64(0x5555555555555555)
_ZERO, _ONE = np.float32(0), np.float32(1)


@inline
def _sums(w: Floats, x: Floats, inputs: Word, stride: Word, i: Word) -> simd.Lanes:
    """Weighted sums of 8 hidden units, starting at unit i."""
    even, odd = simd.load(w, inputs * stride + i), simd.splat(_ZERO)
    row = i
    for j in range(U0, inputs - U1, U2):
        even = simd.fma(simd.splat(x[j]), simd.load(w, row), even)
        odd = simd.fma(simd.splat(x[j + U1]), simd.load(w, row + stride), odd)
        row += stride + stride
    if inputs & U1:
        even = simd.fma(simd.splat(x[inputs - U1]), simd.load(w, row), even)
    return simd.add(even, odd)


@inline
def _three_sums(w: Floats, x: Floats, inputs: Word, stride: Word, i: Word) -> tuple[simd.Lanes, simd.Lanes, simd.Lanes]:
    """Weighted sums of 24 units: loads each input a third as often, with shorter dependency chains."""
    bias = inputs * stride + i
    a, b, c = simd.load(w, bias), simd.load(w, bias + _8), simd.load(w, bias + _16)
    d = e = f = simd.splat(_ZERO)
    row = i
    for j in range(U0, inputs - U1, U2):
        v = simd.splat(x[j])
        a = simd.fma(v, simd.load(w, row), a)
        b = simd.fma(v, simd.load(w, row + _8), b)
        c = simd.fma(v, simd.load(w, row + _16), c)
        row += stride
        v = simd.splat(x[j + U1])
        d = simd.fma(v, simd.load(w, row), d)
        e = simd.fma(v, simd.load(w, row + _8), e)
        f = simd.fma(v, simd.load(w, row + _16), f)
        row += stride
    if inputs & U1:
        v = simd.splat(x[inputs - U1])
        a = simd.fma(v, simd.load(w, row), a)
        b = simd.fma(v, simd.load(w, row + _8), b)
        c = simd.fma(v, simd.load(w, row + _16), c)
    return simd.add(a, d), simd.add(b, e), simd.add(c, f)


@inline
def _two_sums(w: Floats, x: Floats, inputs: Word, stride: Word, i: Word) -> tuple[simd.Lanes, simd.Lanes]:
    """Weighted sums of 16 units."""
    bias = inputs * stride + i
    a, b = simd.load(w, bias), simd.load(w, bias + _8)
    c = d = simd.splat(_ZERO)
    row = i
    for j in range(U0, inputs - U1, U2):
        v = simd.splat(x[j])
        a = simd.fma(v, simd.load(w, row), a)
        b = simd.fma(v, simd.load(w, row + _8), b)
        row += stride
        v = simd.splat(x[j + U1])
        c = simd.fma(v, simd.load(w, row), c)
        d = simd.fma(v, simd.load(w, row + _8), d)
        row += stride
    if inputs & U1:
        v = simd.splat(x[inputs - U1])
        a = simd.fma(v, simd.load(w, row), a)
        b = simd.fma(v, simd.load(w, row + _8), b)
    return simd.add(a, c), simd.add(b, d)


@inline
def _set_inputs(x: Floats, inputs: Word) -> Word:
    """A word with bit j set if input j is not 0, of 8 to 64 inputs."""
    word, j = U0, U0
    while j + _8 <= inputs:
        word |= simd.nonzero(simd.load(x, j)) << j
        j += _8
    last = inputs - _8
    return word | (simd.nonzero(simd.load(x, last)) << last)


@inline
def _three_sparse_sums(
    w: Floats, x: Floats, inputs: Word, stride: Word, bits: Word, i: Word
) -> tuple[simd.Lanes, simd.Lanes, simd.Lanes]:
    """The same as `_three_sums`, bit for bit, without most of the inputs that are 0.

    Those add 0 times a weight to a sum that is not minus zero, or that another sum is added to which is not, and so
    change nothing, as long as weights are finite. The others are added in the same order.
    """
    bias = inputs * stride + i
    a, b, c = simd.load(w, bias), simd.load(w, bias + _8), simd.load(w, bias + _16)
    d = e = f = simd.splat(_ZERO)
    even, odd, zero = bits & _EVEN, bits & ~_EVEN, ctz(~bits)
    while even | odd:  # in one loop, whose end is predicted wrongly once: an input that is 0 fills up the shorter list
        j = ctz(even) if even else zero
        v, row = simd.splat(x[j]), j * stride + i
        a = simd.fma(v, simd.load(w, row), a)
        b = simd.fma(v, simd.load(w, row + _8), b)
        c = simd.fma(v, simd.load(w, row + _16), c)
        j = ctz(odd) if odd else zero
        v, row = simd.splat(x[j]), j * stride + i
        d = simd.fma(v, simd.load(w, row), d)
        e = simd.fma(v, simd.load(w, row + _8), e)
        f = simd.fma(v, simd.load(w, row + _16), f)
        even &= even - U1
        odd &= odd - U1
    return simd.add(a, d), simd.add(b, e), simd.add(c, f)


@inline
def _activate(x: Floats, hidden: Word, w: Floats, second: Word, sums: simd.Lanes, total: simd.Lanes) -> simd.Lanes:
    """Store eight hidden units and add their contributions to the output's sum."""
    h = simd.tanh_lanes(sums)
    simd.store(x, hidden, h)
    return simd.fma(h, simd.load(w, second), total)


def forward(nd: Words, w: Floats, x: Floats) -> Score:
    inputs, stride = nd[_INPUTS], nd[_STRIDE]
    hidden, second = inputs, (inputs + U1) * stride
    total = simd.splat(_ZERO)
    # Where an input is a bit, most are 0. With more than two fifths of them set it takes longer to find them than
    # to add the others.
    bits = U0
    is_sparse: Truth = False
    if _8 <= inputs <= _64 and stride >= _24:
        bits = _set_inputs(x, inputs)
        is_sparse = popcount(bits) * _5 < inputs * U2
    i = U0
    while i + _24 <= stride:
        if is_sparse:
            a, b, c = _three_sparse_sums(w, x, inputs, stride, bits, i)
        else:
            a, b, c = _three_sums(w, x, inputs, stride, i)
        total = _activate(x, hidden + i, w, second + i, a, total)
        total = _activate(x, hidden + i + _8, w, second + i + _8, b, total)
        total = _activate(x, hidden + i + _16, w, second + i + _16, c, total)
        i += _24
    if i + _16 <= stride:
        a, b = _two_sums(w, x, inputs, stride, i)
        total = _activate(x, hidden + i, w, second + i, a, total)
        total = _activate(x, hidden + i + _8, w, second + i + _8, b, total)
        i += _16
    while i < stride:
        total = _activate(x, hidden + i, w, second + i, _sums(w, x, inputs, stride, i), total)
        i += _8
    sum_: Real = w[second + stride] + simd.total(total)
    if nd[_DIRECT]:
        sum_ += _dot(w, second + stride + U1, x, inputs)
    score = simd.tanh(sum_)
    x[hidden + stride] = score
    return np.float64(score)


@inline
def _dot(w: Floats, first: Word, x: Floats, n: Word) -> Real:
    """sum w[first + j] * x[j], j < n."""
    total = simd.splat(_ZERO)
    j = U0
    while j + _8 <= n:
        total = simd.fma(simd.load(x, j), simd.load(w, first + j), total)
        j += _8
    rest = _ZERO
    while j < n:
        rest += w[first + j] * x[j]
        j += U1
    return rest + simd.total(total)


def backward(nd: Words, w: Floats, x: Floats, trace: Floats) -> None:
    inputs, stride = nd[_INPUTS], nd[_STRIDE]
    hidden, bias = inputs, inputs * stride
    second = bias + stride
    score = x[hidden + stride]
    slope = _ONE - score * score
    slopes, one = simd.splat(slope), simd.splat(_ONE)
    for i in range(U0, stride, _8):
        h = simd.load(x, hidden + i)
        simd.store(trace, second + i, simd.fma(slopes, h, simd.load(trace, second + i)))
        # d P / d (sum of hidden unit): (1 - P^2) W2 (1 - H^2). Every input needs it; it replaces H.
        through = simd.mul(simd.mul(slopes, simd.load(w, second + i)), simd.sub(one, simd.mul(h, h)))
        simd.store(x, hidden + i, through)
        simd.store(trace, bias + i, simd.add(through, simd.load(trace, bias + i)))
    trace[second + stride] += slope
    for j in range(inputs):
        if x[j] != _ZERO:  # most inputs are bits, and most bits are 0
            row, value = j * stride, simd.splat(x[j])
            for i in range(U0, stride, _8):
                through = simd.load(x, hidden + i)
                simd.store(trace, row + i, simd.fma(value, through, simd.load(trace, row + i)))
    if nd[_DIRECT]:
        direct = second + stride + U1
        for j in range(inputs):
            trace[direct + j] += slope * x[j]


def _leads_to_the_output(instance: "OneLayer", attribute: object, value: bool) -> None:
    if instance.hidden == 0 and not value:
        raise ValueError("must be true if hidden = 0: nothing else leads from the inputs to the output")


def _above_low(instance: "OneLayer", attribute: object, value: float) -> None:
    if value < instance.low:
        raise ValueError(f"must be >= low = {instance.low}")


_in_reach = kinds.within(-100, 100)


@attrs.frozen(kw_only=True)
class OneLayer:
    """A net with one hidden layer; initial weights are uniform in [low, high]."""

    hidden: int = attrs.field(default=20, validator=kinds.within(0, 1024))
    """Number of hidden units; 0: the net is linear before its tanh, and needs direct links."""
    direct: bool = attrs.field(default=False, validator=_leads_to_the_output)
    """Links from the inputs straight to the output."""
    low: float = attrs.field(default=-0.2, validator=_in_reach)
    """Lower limit of the initial weights, which are uniform."""
    high: float = attrs.field(default=0.2, validator=[_in_reach, _above_low])
    """Upper limit of the initial weights."""
    legacy_trace: bool = False
    """Learn with the gradient of NeuroDraughts' surviving code, which differs from the chain rule's."""
    features: Spec | None = None
    """The feature map; required."""

    @property
    def _stride(self) -> int:
        return -(-self.hidden // simd.LANES) * simd.LANES

    def unit(self, rules: Rules) -> Unit:
        """The expected result, to which learners fit the weights."""
        return Unit.EXPECTED_RESULT

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> NetFunctions:
        """The compiled functions and weight groups of the net; raises GameforgeError without a feature map."""
        if features is None:
            raise GameforgeError(
                "evaluator mlp needs a feature map for its inputs", advice="name one", parameter="features"
            )
        inputs, stride = features.inputs, self._stride
        second = (inputs + 1) * stride
        direct = second + stride + 1
        if self.hidden:
            groups = [
                WeightGroup(0, second, "inputs", inputs),
                WeightGroup(second, direct, "hidden", self.hidden),
            ]
        else:
            groups = [WeightGroup(0, direct, "inputs", inputs)]  # the output's bias
        if self.direct:
            groups.append(WeightGroup(direct, direct + inputs, "inputs", inputs))
        return NetFunctions(
            forward=forward,
            backward=legacy_backward if self.legacy_trace else backward,
            features=features,
            groups=tuple(groups),
            scratch=stride + 1,
            data=np.array([inputs, stride, self.direct], np.uint64),
            unused=tuple(row * stride + i for row in range(inputs + 2) for i in range(self.hidden, stride)),
        )

    def initial_weights(self, net: NetFunctions, rng: np.random.Generator) -> FloatArray:
        """A float32 vector: W1 by rows with its bias row, W2 with its bias, W3; padding is 0."""
        return self.drawn(net.features.inputs, net.weights, rng)

    def drawn(self, inputs: int, length: int, rng: np.random.Generator) -> FloatArray:
        """Initial weights of a net with these inputs, float32[length]."""
        stride = self._stride
        weights = np.zeros(length, np.float32)
        second = (inputs + 1) * stride
        rows = weights[:second].reshape(inputs + 1, stride)
        rows[:, : self.hidden] = rng.uniform(self.low, self.high, (inputs + 1, self.hidden))
        weights[second : second + self.hidden] = rng.uniform(self.low, self.high, self.hidden)
        weights[second + stride :] = rng.uniform(self.low, self.high, length - second - stride)
        return weights


@attrs.frozen(kw_only=True)
class Mlp(OneLayer):
    """The evaluator `mlp`: one net for the whole game."""


def legacy_backward(nd: Words, w: Floats, x: Floats, trace: Floats) -> None:
    """Add the gradient of the two surviving descendants of NeuroDraughts to the trace; takes the place of `backward`.

    Where the chain rule has W2_i, the weight that leaves hidden unit i, they have W1_ji, the weight that is itself
    corrected: e1_ji += (1 - P^2) W1_ji (1 - H_i^2) x_j. The formula in the thesis is the chain rule's, but its results
    may have been obtained with this one (docs/readings.md, "Gradient in the eligibility trace").
    """
    inputs, stride = nd[U0], nd[U1]
    bias = inputs * stride
    second = bias + stride
    output = second + stride
    score = x[inputs + stride]
    slope = _ONE - score * score
    slopes, one = simd.splat(slope), simd.splat(_ONE)
    for i in range(U0, stride, _8):
        h = simd.load(x, inputs + i)
        simd.store(trace, second + i, simd.fma(slopes, h, simd.load(trace, second + i)))
        through = simd.mul(slopes, simd.sub(one, simd.mul(h, h)))
        simd.store(x, inputs + i, through)
        simd.store(trace, bias + i, simd.fma(through, simd.load(w, bias + i), simd.load(trace, bias + i)))
    trace[output] += slope
    for j in range(inputs):
        row, value = j * stride, simd.splat(x[j])
        for i in range(U0, stride, _8):
            through = simd.mul(simd.load(x, inputs + i), simd.load(w, row + i))
            simd.store(trace, row + i, simd.fma(value, through, simd.load(trace, row + i)))
    if nd[U2]:
        for j in range(inputs):
            trace[output + U1 + j] += slope * x[j]
