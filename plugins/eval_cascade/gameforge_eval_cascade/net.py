"""A cascade of hidden units over a feature map, with one tanh output ([Fahlman1990]; [Rezende2017], section 2.2).

    h_i = f_i(b_i + sum_j V_ji x_j + sum_{k < i} V_ki h_k)        P = tanh(b + sum_j W_j x_j + sum_k W_k h_k)

One vector holds the structure and the weights, for up to `room` units. First the number n of units and their
activation functions (activations.py), `room` places. Then a matrix with a row for each source - the inputs, the
bias, the units - and a column for each target: the output, then the units; rows are padded to `stride`. Weights
from a unit to itself or to an earlier one are 0, and so are the rows and columns of absent units.

Scratch memory after the inputs: the sums of the targets, then their values, P first; each padded to `stride`.
"""

from typing import Any

import numpy as np

from gameforge.kernel import simd
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.simd import tanh
from gameforge_eval_cascade.activations import activate_one, slope_of_one

_0, _1, _7, _8, _16, _24, _32 = (np.uint64(n) for n in (0, 1, 7, 8, 16, 24, 32))
_INPUTS, _STRIDE, _MATRIX = np.uint64(0), np.uint64(1), np.uint64(2)
"""Indices in the block nd: inputs, stride, start of the matrix in the vector."""
_ONE = np.float32(1)


@inline
def _four_blocks(w: Any, row: Any, stride: Any, x: Any, inputs: Any, i: Any) -> None:
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
def _one_block(w: Any, row: Any, stride: Any, x: Any, inputs: Any, i: Any) -> None:
    """Sums of 8 targets, starting at i, over inputs and bias."""
    a = simd.load(w, row + inputs * stride)
    for j in range(inputs):
        a = simd.fma(simd.splat(x[j]), simd.load(w, row), a)
        row += stride
    simd.store(x, inputs + i, a)


def forward(nd: Any, w: Any, x: Any) -> Any:
    inputs, stride, matrix = nd[_INPUTS], nd[_STRIDE], nd[_MATRIX]
    n = np.uint64(w[_0])
    end = (n + _8) & ~_7  # of the output's column and those of n units, in whole blocks
    sums, given = inputs, inputs + stride
    i = _0
    while i + _32 <= end:
        _four_blocks(w, matrix + i, stride, x, inputs, i)
        i += _32
    while i < end:
        _one_block(w, matrix + i, stride, x, inputs, i)
        i += _8
    row, total = matrix + (inputs + _1) * stride, x[sums]
    for unit in range(_1, n + _1):
        y = activate_one(np.int64(w[unit]), x[sums + unit])
        x[given + unit] = y
        total += y * w[row]
        v = simd.splat(y)
        for later in range((unit + _1) & ~_7, end, _8):
            simd.store(x, sums + later, simd.fma(v, simd.load(w, row + later), simd.load(x, sums + later)))
        row += stride
    score = tanh(total)
    x[given] = score
    return np.float64(score)


def backward(nd: Any, w: Any, x: Any, trace: Any) -> None:
    inputs, stride, matrix = nd[_INPUTS], nd[_STRIDE], nd[_MATRIX]
    n = np.uint64(w[_0])
    end = (n + _8) & ~_7
    sums, given = inputs, inputs + stride
    # d P / d sum of a target replaces its sum, from the last unit to the first; until then it is 0.
    for unit in range(_1, n + _1):
        x[given + stride + unit] = x[sums + unit]
    for i in range(_0, end, _8):
        simd.store(x, sums + i, simd.splat(np.float32(0)))
    x[sums] = _ONE - x[given] * x[given]
    for back in range(n):
        here = n - back
        row = matrix + (inputs + here) * stride
        y = x[given + here]
        _add_row(trace, row, y, x, sums, end)
        through = simd.splat(np.float32(0))
        for i in range(_0, end, _8):
            through = simd.fma(simd.load(w, row + i), simd.load(x, sums + i), through)
        x[sums + here] = simd.total(through) * slope_of_one(np.int64(w[here]), x[given + stride + here], y)
    _add_row(trace, matrix + inputs * stride, _ONE, x, sums, end)
    for j in range(inputs):
        if x[j] != np.float32(0):
            _add_row(trace, matrix + j * stride, x[j], x, sums, end)


@inline
def _add_row(trace: Any, row: Any, value: Any, x: Any, sums: Any, end: Any) -> None:
    """Add a source's contribution to the slopes of its weights."""
    v = simd.splat(value)
    for i in range(_0, end, _8):
        simd.store(trace, row + i, simd.fma(v, simd.load(x, sums + i), simd.load(trace, row + i)))
