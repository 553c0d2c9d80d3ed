"""The evaluator `cascade`: hidden units in a cascade over a feature map, which the learner `cascade` builds one by one.

    h_i = f_i(b_i + sum_j V_ji x_j + sum_{k < i} V_ki h_k)        P = tanh(b + sum_j W_j x_j + sum_k W_k h_k)

([Fahlman1990]; [Rezende2017], section 2.2). One vector holds the structure and the weights, for up to `room` units.
First the number n of units and their activation functions (indices in ACTIVATIONS), `room` places. Then a matrix with a
row for each source - the inputs, the bias, the units - and a column for each target: the output, then the units; rows
are padded to `stride`. Weights from a unit to itself or to an earlier one are 0, and so are the rows and columns of
absent units.

Scratch memory after the inputs: the sums of the targets, then their values, P first; each padded to `stride`.

The activation functions f and their slopes are FANN's, for eight lanes at once ([Nissen2007]). Its steepness s means
f(s x); here it is a factor of the weights. All functions use gameforge.kernel's tanh and plain arithmetic in a fixed
order, so they give the same bits on every machine. Errors are below 1e-6; for the periodic functions they are below the
rounding error of the argument, which is clamped to +-10,000.
"""

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import FeatureFunctions, NetFunctions, Rules, Spec, Unit, WeightGroup, kinds
from gameforge.kernel import U0, U1, FloatArray, Floats, Real, Score, Whole, Word, Words, inline, simd

_7, _8, _16, _24, _32 = np.uint64(7), np.uint64(8), np.uint64(16), np.uint64(24), np.uint64(32)


@attrs.frozen
class Layout:
    """Layout of nets with `inputs` inputs and room for `room` hidden units."""

    inputs: int
    room: int

    @property
    def stride(self) -> int:
        """Columns of the matrix: the output and `room` units, padded to whole lanes."""
        return -(-(self.room + 1) // simd.LANES) * simd.LANES

    @property
    def matrix(self) -> int:
        """Index of the matrix, after the number of units and their activation functions."""
        return 1 + self.room

    @property
    def rows(self) -> int:
        """Number of sources: inputs, bias, units."""
        return self.inputs + 1 + self.room

    @property
    def length(self) -> int:
        return self.matrix + self.rows * self.stride

    def weights(self, vector: FloatArray) -> FloatArray:
        """The matrix: a view, rows are sources, columns are targets."""
        return vector[self.matrix :].reshape(self.rows, self.stride)

    def check(self, vector: FloatArray) -> None:
        """Raise GameforgeError if the vector is not a valid cascade."""
        n = float(vector[0])
        if not (n.is_integer() and 0 <= n <= self.room):
            raise GameforgeError(
                f"the net has {n:g} hidden units; the number must be a whole number from 0 to {self.room}"
            )
        units = int(n)
        codes = vector[1 : 1 + self.room]
        for unit, code in enumerate(codes[:units].tolist(), start=1):
            if not (code.is_integer() and 0 <= code < len(ACTIVATIONS)):
                raise GameforgeError(
                    f"hidden unit {unit} of the net has the activation function {code:g}, "
                    f"which must be 0 to {len(ACTIVATIONS) - 1}"
                )
        matrix = self.weights(vector)
        if not np.isfinite(matrix).all():
            raise GameforgeError("the net has weights that are not finite")
        hidden = matrix[self.inputs + 1 :, 1 : 1 + self.room]
        wrong = np.argwhere(np.tril(hidden[:units, :units]) != 0)
        if len(wrong):
            source, target = (int(i) + 1 for i in wrong[0])
            raise GameforgeError(
                f"hidden unit {target} of the net has a weight from unit {source}; only earlier units are allowed"
            )
        beyond = hidden[units:].any() or matrix[:, 1 + units :].any() or matrix[self.inputs + 1 + units :].any()
        if beyond or codes[units:].any():
            raise GameforgeError(f"the net has {units} hidden units, but also nonzero weights of absent units")


_INPUTS, _STRIDE, _MATRIX = np.uint64(0), np.uint64(1), np.uint64(2)
"""Indices in the block nd: inputs, stride, start of the matrix in the vector."""


@inline
def _four_blocks(w: Floats, row: Word, stride: Word, x: Floats, inputs: Word, i: Word) -> None:
    """Sums of 32 targets, starting at i, over inputs and bias."""
    bias = row + inputs * stride
    a, b = simd.load(w, bias), simd.load(w, bias + _8)
    c, d = simd.load(w, bias + _16), simd.load(w, bias + _24)
    for j in range(inputs):
        v = simd.splat(x[j])
        a = simd.fma(v, simd.load(w, row), a)
        b = simd.fma(v, simd.load(w, row + _8), b)
        c = simd.fma(v, simd.load(w, row + _16), c)
        d = simd.fma(v, simd.load(w, row + _24), d)
        row += stride
    simd.store(x, inputs + i, a)
    simd.store(x, inputs + i + _8, b)
    simd.store(x, inputs + i + _16, c)
    simd.store(x, inputs + i + _24, d)


@inline
def _one_block(w: Floats, row: Word, stride: Word, x: Floats, inputs: Word, i: Word) -> None:
    """Sums of 8 targets, starting at i, over inputs and bias."""
    a = simd.load(w, row + inputs * stride)
    for j in range(inputs):
        a = simd.fma(simd.splat(x[j]), simd.load(w, row), a)
        row += stride
    simd.store(x, inputs + i, a)


def forward(nd: Words, w: Floats, x: Floats) -> Score:
    inputs, stride, matrix = nd[_INPUTS], nd[_STRIDE], nd[_MATRIX]
    n = np.uint64(w[U0])
    end = (n + _8) & ~_7  # of the output's column and those of n units, in whole blocks
    sums, given = inputs, inputs + stride
    i = U0
    while i + _32 <= end:
        _four_blocks(w, matrix + i, stride, x, inputs, i)
        i += _32
    while i < end:
        _one_block(w, matrix + i, stride, x, inputs, i)
        i += _8
    row = matrix + (inputs + U1) * stride
    total: Real = x[sums]
    for unit in range(U1, n + U1):
        y = activate_one(np.int64(w[unit]), x[sums + unit])
        x[given + unit] = y
        total += y * w[row]
        v = simd.splat(y)
        for later in range((unit + U1) & ~_7, end, _8):
            simd.store(x, sums + later, simd.fma(v, simd.load(w, row + later), simd.load(x, sums + later)))
        row += stride
    score = simd.tanh(total)
    x[given] = score
    return np.float64(score)


def backward(nd: Words, w: Floats, x: Floats, trace: Floats) -> None:
    inputs, stride, matrix = nd[_INPUTS], nd[_STRIDE], nd[_MATRIX]
    n = np.uint64(w[U0])
    end = (n + _8) & ~_7
    sums, given = inputs, inputs + stride
    # d P / d sum of a target replaces its sum, from the last unit to the first; until then it is 0.
    for unit in range(U1, n + U1):
        x[given + stride + unit] = x[sums + unit]
    for i in range(U0, end, _8):
        simd.store(x, sums + i, simd.splat(np.float32(0)))
    x[sums] = _ONE - x[given] * x[given]
    for back in range(n):
        here = n - back
        row = matrix + (inputs + here) * stride
        y = x[given + here]
        _add_row(trace, row, y, x, sums, end)
        through = simd.splat(np.float32(0))
        for i in range(U0, end, _8):
            through = simd.fma(simd.load(w, row + i), simd.load(x, sums + i), through)
        x[sums + here] = simd.total(through) * slope_of_one(np.int64(w[here]), x[given + stride + here], y)
    _add_row(trace, matrix + inputs * stride, _ONE, x, sums, end)
    for j in range(inputs):
        if x[j] != np.float32(0):
            _add_row(trace, matrix + j * stride, x[j], x, sums, end)


@inline
def _add_row(trace: Floats, row: Word, value: Real, x: Floats, sums: Word, end: Word) -> None:
    """Add a source's contribution to the slopes of its weights."""
    v = simd.splat(value)
    for i in range(U0, end, _8):
        simd.store(trace, row + i, simd.fma(v, simd.load(x, sums + i), simd.load(trace, row + i)))


MOST = 1024
"""Hidden units."""
SPREAD = 0.1
"""Weights of a net without hidden units are uniform within +-SPREAD, as in FANN."""


def layout(net: NetFunctions) -> Layout:
    """Layout of a net that a `Cascade` created."""
    assert net.data is not None
    return Layout(net.features.inputs, int(net.data[3]))


@attrs.frozen(kw_only=True)
class Cascade:
    """A net whose weight vector holds its hidden units; the initial net has none, only weights to the output."""

    neurons: int | None = attrs.field(default=None, validator=attrs.validators.optional(kinds.count(1, MOST)))
    """Maximum number of hidden units; None: the number of inputs."""
    features: Spec | None = None
    """The feature map; required."""

    def unit(self, rules: Rules) -> Unit:
        """The expected result, to which learners fit the weights."""
        return Unit.EXPECTED_RESULT

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> NetFunctions:
        """The compiled functions and layout of the net; raises GameforgeError without a feature map."""
        if features is None:
            raise GameforgeError(
                "evaluator cascade needs a feature map for its inputs", advice="name one", parameter="features"
            )
        form = Layout(features.inputs, self.neurons or min(features.inputs, MOST))
        hidden = form.matrix + (form.inputs + 1) * form.stride
        return NetFunctions(
            forward=forward,
            backward=backward,
            features=features,
            groups=(
                WeightGroup(0, hidden, "inputs", form.inputs),  # with the structure, which has no slopes
                WeightGroup(hidden, form.length, "hidden", form.room),
            ),
            scratch=3 * form.stride,
            data=np.array([form.inputs, form.stride, form.matrix, form.room], np.uint64),
        )

    def initial_weights(self, net: NetFunctions, rng: np.random.Generator) -> FloatArray:
        """No hidden units; the output's weights are drawn."""
        form = layout(net)
        vector = np.zeros(form.length, np.float32)
        form.weights(vector)[: form.inputs + 1, 0] = rng.uniform(-SPREAD, SPREAD, form.inputs + 1)
        return vector

    def check_weights(self, net: NetFunctions, weights: FloatArray) -> None:
        """Raise GameforgeError if the vector is not a valid structure with weights of a cascade."""
        layout(net).check(weights)


ACTIVATIONS = (
    "sigmoid",
    "tanh",
    "gaussian",
    "symmetric gaussian",
    "elliot",
    "symmetric elliot",
    "symmetric sin",
    "symmetric cos",
    "sin",
    "cos",
)
"""Names; a net stores the index of the name. The symmetric functions and tanh have the range -1 to 1, the others 0 to
1."""
_SIGMOID, _TANH, _GAUSSIAN, _GAUSSIAN_2, _ELLIOT, _ELLIOT_2, _SIN_2, _COS_2, _SIN, _COS = range(10)

_ZERO, _HALF, _ONE, _TWO = (np.float32(n) for n in (0, 0.5, 1, 2))
_EIGHTH = np.float32(0.125)
_INFINITE = np.float32(np.inf)
_FARTHEST = np.float32(1e4)
_ROUNDING = np.float32(1.5 * 2**23)
"""Added and subtracted, it leaves the nearest whole number."""
_PER_PI, _QUARTER = np.float32(1 / np.pi), np.float32(np.pi / 2)
_PI_HIGH, _PI_LOW = np.float32(3.140625), np.float32(np.pi - 3.140625)
# sin r = r P(r^2) on |r| <= pi/2, by least squares reweighted as in gameforge.kernel.simd
_S1, _S2, _S3, _S4 = (
    np.float32(s) for s in (-0.16666647791862488, 0.00833289697766304, -0.00019800738664343953, 2.5901665594574297e-06)
)


@inline
def _exp_of_minus(u: simd.Lanes) -> simd.Lanes:
    """exp(-u), u >= 0: (1 - t) / (1 + t) with t = tanh(u / 2)."""
    one, t = simd.splat(_ONE), simd.tanh_lanes(simd.mul(u, simd.splat(_HALF)))
    return simd.div(simd.sub(one, t), simd.add(one, t))


@inline
def _sine(x: simd.Lanes) -> simd.Lanes:
    """sin x = (-1)^k sin(x - k pi)."""
    x = simd.clamp(x, simd.splat(-_FARTHEST), simd.splat(_FARTHEST))
    k = _rounded(simd.mul(x, simd.splat(_PER_PI)))
    minus_k = simd.sub(simd.splat(_ZERO), k)
    r = simd.fma(minus_k, simd.splat(_PI_LOW), simd.fma(minus_k, simd.splat(_PI_HIGH), x))
    u = simd.mul(r, r)
    p = simd.fma(simd.splat(_S4), u, simd.splat(_S3))
    p = simd.fma(p, u, simd.splat(_S2))
    p = simd.fma(p, u, simd.splat(_S1))
    p = simd.fma(p, u, simd.splat(_ONE))
    half = simd.mul(k, simd.splat(_HALF))
    odd = simd.sub(half, _rounded(half))  # 0 for an even k, else 1/2 or -1/2
    sign = simd.fma(simd.mul(odd, odd), simd.splat(np.float32(-8)), simd.splat(_ONE))
    return simd.clamp(simd.mul(simd.mul(r, p), sign), simd.splat(-_ONE), simd.splat(_ONE))


@inline
def _rounded(x: simd.Lanes) -> simd.Lanes:
    return simd.sub(simd.add(x, simd.splat(_ROUNDING)), simd.splat(_ROUNDING))


@inline
def _cosine(x: simd.Lanes) -> simd.Lanes:
    return _sine(simd.add(x, simd.splat(_QUARTER)))


@inline
def _softened(x: simd.Lanes) -> simd.Lanes:
    """1 + |x|."""
    return simd.add(simd.splat(_ONE), simd.clamp(x, simd.sub(simd.splat(_ZERO), x), simd.splat(_INFINITE)))


@inline
def activate(code: Whole, x: simd.Lanes) -> simd.Lanes:
    """f(x) for the function with this index in ACTIVATIONS."""
    half, one, two = simd.splat(_HALF), simd.splat(_ONE), simd.splat(_TWO)
    if code == _TANH:
        return simd.tanh_lanes(x)
    if code == _SIGMOID:  # 1 / (1 + exp(-2 x))
        return simd.fma(simd.tanh_lanes(x), half, half)
    if code == _GAUSSIAN:
        return _exp_of_minus(simd.mul(x, x))
    if code == _GAUSSIAN_2:
        return simd.sub(simd.mul(two, _exp_of_minus(simd.mul(x, x))), one)
    if code == _ELLIOT:
        return simd.fma(simd.div(x, _softened(x)), half, half)
    if code == _ELLIOT_2:
        return simd.div(x, _softened(x))
    if code == _SIN_2:
        return _sine(x)
    if code == _COS_2:
        return _cosine(x)
    if code == _SIN:
        return simd.fma(_sine(x), half, half)
    return simd.fma(_cosine(x), half, half)


@inline
def slope(code: Whole, x: simd.Lanes, y: simd.Lanes) -> simd.Lanes:
    """f'(x), where y = f(x)."""
    zero, half, one, two = simd.splat(_ZERO), simd.splat(_HALF), simd.splat(_ONE), simd.splat(_TWO)
    if code == _TANH:
        return simd.sub(one, simd.mul(y, y))
    if code == _SIGMOID:
        return simd.mul(simd.mul(two, y), simd.sub(one, y))
    if code == _GAUSSIAN:
        return simd.mul(simd.sub(zero, simd.mul(two, x)), y)
    if code == _GAUSSIAN_2:
        return simd.mul(simd.sub(zero, simd.mul(two, x)), simd.add(y, one))
    if code in (_ELLIOT, _ELLIOT_2):
        soft = _softened(x)
        steep = simd.div(one, simd.mul(soft, soft))
        return simd.mul(half, steep) if code == _ELLIOT else steep
    if code == _SIN_2:
        return _cosine(x)
    if code == _COS_2:
        return simd.sub(zero, _sine(x))
    if code == _SIN:
        return simd.mul(half, _cosine(x))
    return simd.mul(simd.sub(zero, half), _sine(x))


@inline
def activate_one(code: Whole, x: Real) -> Real:
    """f(x) of one number, with the same bits as `activate`."""
    return simd.total(activate(code, simd.splat(x))) * _EIGHTH


@inline
def slope_of_one(code: Whole, x: Real, y: Real) -> Real:
    return simd.total(slope(code, simd.splat(x), simd.splat(y))) * _EIGHTH
