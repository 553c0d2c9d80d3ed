"""Activation functions of nets in float32, with the same bits on every machine and in every loop.

tanh is x P(x^2) / Q(x^2) on |x| <= 8.5, with coefficients fitted to np.tanh by reweighted least squares (Lawson's
method); the error is below 4e-7. Unlike a C library's tanh it is plain arithmetic in a fixed order, so that loops over
it are vectorised and nothing depends on the machine.
"""

from typing import Any

import numpy as np

from gameforge.kernel.compile import simd
from gameforge.kernel.compile.jit import inline

_LIMIT = np.float32(8.5)
_ONE = np.float32(1)
_P = tuple(
    np.float32(p)
    for p in (
        0.9999999403953552,
        0.13406206667423248,
        0.003525820327922702,
        2.1121591998962685e-05,
        1.4099283518476113e-08,
    )
)
_Q = tuple(
    np.float32(q) for q in (0.46739518642425537, 0.02599113993346691, 0.0003335692163091153, 8.073633352978504e-07)
)
_P0, _P1, _P2, _P3, _P4 = _P
_Q1, _Q2, _Q3, _Q4 = _Q


@inline
def tanh(x: Any) -> Any:
    """Hyperbolic tangent of a float32, in [-1, 1]."""
    x = min(max(x, -_LIMIT), _LIMIT)
    u = x * x
    p = (((_P4 * u + _P3) * u + _P2) * u + _P1) * u + _P0
    q = (((_Q4 * u + _Q3) * u + _Q2) * u + _Q1) * u + _ONE
    return min(max(x * p / q, -_ONE), _ONE)


@inline
def tanh_lanes(x: Any) -> Any:
    """tanh of eight lanes (simd.py)."""
    one = simd.splat(_ONE)
    x = simd.clamp(x, simd.splat(-_LIMIT), simd.splat(_LIMIT))
    u = simd.mul(x, x)
    p = simd.fma(simd.splat(_P4), u, simd.splat(_P3))
    p = simd.fma(p, u, simd.splat(_P2))
    p = simd.fma(p, u, simd.splat(_P1))
    p = simd.fma(p, u, simd.splat(_P0))
    q = simd.fma(simd.splat(_Q4), u, simd.splat(_Q3))
    q = simd.fma(q, u, simd.splat(_Q2))
    q = simd.fma(q, u, simd.splat(_Q1))
    q = simd.fma(q, u, one)
    return simd.clamp(simd.div(simd.mul(x, p), q), simd.splat(-_ONE), one)
