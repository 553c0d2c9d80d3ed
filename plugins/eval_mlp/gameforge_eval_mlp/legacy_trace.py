"""The gradient that the two surviving descendants of NeuroDraughts add to the trace.

Where the chain rule has W2_i, the weight that leaves hidden unit i, they have W1_ji, the weight that is
itself corrected: e1_ji += (1 - P^2) W1_ji (1 - H_i^2) x_j. The formula in the thesis is the chain rule's, but its
results may have been obtained with this one (docs/readings.md, "Gradient in the eligibility trace").
"""

from typing import Any

import numpy as np

from gameforge.kernel import simd

_0, _1, _2, _8 = (np.uint64(n) for n in (0, 1, 2, 8))
_ONE = np.float32(1)


def backward(nd: Any, w: Any, x: Any, trace: Any) -> None:
    """Add the legacy gradient to the trace; replaces mlp.backward and uses the same vectors."""
    inputs, stride = nd[_0], nd[_1]
    bias = inputs * stride
    second = bias + stride
    output = second + stride
    score = x[inputs + stride]
    slope = _ONE - score * score
    slopes, one = simd.splat(slope), simd.splat(_ONE)
    for i in range(_0, stride, _8):
        h = simd.load(x, inputs + i)
        simd.store(trace, second + i, simd.fma(slopes, h, simd.load(trace, second + i)))
        through = simd.mul(slopes, simd.sub(one, simd.mul(h, h)))
        simd.store(x, inputs + i, through)
        simd.store(trace, bias + i, simd.fma(through, simd.load(w, bias + i), simd.load(trace, bias + i)))
    trace[output] += slope
    for j in range(inputs):
        row, value = j * stride, simd.splat(x[j])
        for i in range(_0, stride, _8):
            through = simd.mul(simd.load(x, inputs + i), simd.load(w, row + i))
            simd.store(trace, row + i, simd.fma(value, through, simd.load(trace, row + i)))
    if nd[_2]:
        for j in range(inputs):
            trace[output + _1 + j] += slope * x[j]
