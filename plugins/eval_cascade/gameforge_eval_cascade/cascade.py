"""The evaluator `cascade`: hidden units in a cascade over a feature map, which the learner `cascade` builds one by one.

    h_i = f_i(b_i + sum_j V_ji x_j + sum_{k < i} V_ki h_k)        P = tanh(b + sum_j W_j x_j + sum_k W_k h_k)

([Fahlman1990]; [Rezende2017], section 2.2). One vector holds the structure and the weights, for up to `room` units.
First the number n of units and their activation functions (activations.py), `room` places. Then a matrix with a row for
each source - the inputs, the bias, the units - and a column for each target: the output, then the units; rows are
padded to `stride`. Weights from a unit to itself or to an earlier one are 0, and so are the rows and columns of absent
units.

Scratch memory after the inputs: the sums of the targets, then their values, P first; each padded to `stride`.
"""

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import EXPECTED_RESULT, FeatureFunctions, NetFunctions, Rules, Spec, Unit, WeightGroup, kinds
from gameforge.kernel import U0, U1, FloatArray, Floats, Real, Score, Word, Words, inline, simd
from gameforge_eval_cascade.activations import ACTIVATIONS, activate_one, slope_of_one

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
_ONE = np.float32(1)


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
        return EXPECTED_RESULT

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
