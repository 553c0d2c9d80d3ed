"""Activation functions of hidden units and their slopes, for eight lanes at once ([Nissen2007]).

FANN's steepness s means f(s x); here it is a factor of the weights. All functions use gameforge.kernel's tanh and plain
arithmetic in a fixed order, so they give the same bits on every machine. Errors are below 1e-6; for the periodic
functions they are below the rounding error of the argument, which is clamped to +-10,000.
"""

import numpy as np

from gameforge.kernel import Real, Whole, inline, simd

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
