"""Convolutions of 3 x 3 places, and their gradients, in float32.

A layer holds the units of each place of the board, its channels, side by side, and has a margin of one place on each
side, where they are 0. So the three places of a row that a convolution sees are one stretch of numbers, and so are
their weights:

    weights  [channels / 16][3 rows][3 columns][channels before][16 channels after], then a bias for each channel after

Six places and sixteen channels are summed at once: twelve vectors, none of which waits for another, stay in the
sixteen registers of a processor with AVX2. Each sum adds row by row, from left to right, and channel by channel, each
product by a fused multiply-add, so the bits do not depend on the processor.
"""

from typing import NamedTuple

import numpy as np

from gameforge.kernel import U0, U1, U2, U3, U4, Floats, Real, Word, Words, inline, simd

SIX = np.uint64(6)
"""Number of places that are summed at once."""
_8, _9, _16 = (np.uint64(n) for n in (8, 9, 16))
_ZERO, _MOST = np.float32(0), np.float32(3e38)


class Shape(NamedTuple):
    """The shape of layers, which are all alike, and lie in the same workspace."""

    corners: Words
    """For each place, where its upper left neighbour begins; the last one is repeated up to a multiple of six."""
    places: Word
    """Number of places, without the margin and without repetitions."""
    channels: Word
    """Number of channels, a multiple of 16."""
    row: Word
    """Length of a row with its margin, in numbers."""
    size: Word
    """Length of a layer."""


@inline
def rectified(sums: simd.Lanes) -> simd.Lanes:
    """The sums that are above 0, and 0 for the others."""
    return simd.clamp(sums, simd.splat(_ZERO), simd.splat(_MOST))


@inline
def clear(x: Floats, place: Word, size: Word) -> None:
    """Write zeros; size is a multiple of 8."""
    for i in range(U0, size, _8):
        simd.store(x, place + i, simd.splat(_ZERO))


@inline
def sums_of_six(
    shape: Shape,
    w: Floats,
    x: Floats,
    first: Word | int,
    before: Word,
    weights: Word,
    rows: Word,
    length: Word,
    bias: Word,
) -> tuple[simd.Lanes, ...]:
    """Return 16 weighted sums for each of six places from the place `first` on, two vectors a place.

    A place is summed over `rows` stretches of this length, the first of which begins at its corner plus `before`.
    """
    corners, step = shape.corners, shape.row
    at_0, at_1, at_2 = before + corners[first], before + corners[first + U1], before + corners[first + U2]
    at_3, at_4, at_5 = before + corners[first + U3], before + corners[first + U4], before + corners[first + U4 + U1]
    a0 = a1 = a2 = a3 = a4 = a5 = simd.load(w, bias)
    b0 = b1 = b2 = b3 = b4 = b5 = simd.load(w, bias + _8)
    for row in range(rows):
        along = row * step
        for i in range(along, along + length):
            u, v = simd.load(w, weights), simd.load(w, weights + _8)
            weights += _16
            one = simd.splat(x[at_0 + i])
            a0, b0 = simd.fma(one, u, a0), simd.fma(one, v, b0)
            one = simd.splat(x[at_1 + i])
            a1, b1 = simd.fma(one, u, a1), simd.fma(one, v, b1)
            one = simd.splat(x[at_2 + i])
            a2, b2 = simd.fma(one, u, a2), simd.fma(one, v, b2)
            one = simd.splat(x[at_3 + i])
            a3, b3 = simd.fma(one, u, a3), simd.fma(one, v, b3)
            one = simd.splat(x[at_4 + i])
            a4, b4 = simd.fma(one, u, a4), simd.fma(one, v, b4)
            one = simd.splat(x[at_5 + i])
            a5, b5 = simd.fma(one, u, a5), simd.fma(one, v, b5)
    return a0, b0, a1, b1, a2, b2, a3, b3, a4, b4, a5, b5


@inline
def _finish(x: Floats, place: Word, shortcut: Word, to: Word, low: simd.Lanes, high: simd.Lanes) -> None:
    """Store two vectors of a place, with those of the shortcut added, if it is not 0."""
    if shortcut != U0:
        low = simd.add(low, simd.load(x, shortcut + place))
        high = simd.add(high, simd.load(x, shortcut + place + _8))
    simd.store(x, to + place, rectified(low))
    simd.store(x, to + place + _8, rectified(high))


@inline
def convolve(shape: Shape, w: Floats, x: Floats, weights: Word, before: Word, shortcut: Word, to: Word) -> None:
    """Write the layer `to`: rectified sums over the 3 x 3 places of the layer `before` around each place.

    The units of the layer `shortcut` are added to the sums; 0: there is none.
    """
    channels, corners = shape.channels, shape.corners
    clear(x, to, shape.size)
    centre, bias = shape.row + channels, weights + _9 * channels * channels
    for channel in range(U0, channels, _16):
        block, place = weights + _9 * channels * channel, centre + channel
        for i in range(U0, shape.places, SIX):
            a0, b0, a1, b1, a2, b2, a3, b3, a4, b4, a5, b5 = sums_of_six(
                shape, w, x, i, before, block, U3, U3 * channels, bias + channel
            )
            _finish(x, place + corners[i], shortcut, to, a0, b0)
            _finish(x, place + corners[i + U1], shortcut, to, a1, b1)
            _finish(x, place + corners[i + U2], shortcut, to, a2, b2)
            _finish(x, place + corners[i + U3], shortcut, to, a3, b3)
            _finish(x, place + corners[i + U4], shortcut, to, a4, b4)
            _finish(x, place + corners[i + U4 + U1], shortcut, to, a5, b5)


@inline
def _put_back(x: Floats, place: Word, slope: Real, to: Word, before: Word) -> None:
    """Add a slope to a number of the layer `to`; it is 0 where the unit of the layer `before` is not above 0."""
    x[to + place] = x[to + place] + slope if x[before + place] > _ZERO else _ZERO


@inline
def slopes_before(shape: Shape, w: Floats, x: Floats, weights: Word, after: Word, to: Word, before: Word) -> None:
    """Add to the layer `to` the slopes of the units before a convolution, from those of its sums, the layer `after`.

    Units of the layer `before`, which the convolution reads, have the slope 0 where they are not above 0.
    """
    channels, corners, step = shape.channels, shape.corners, shape.row
    centre, last = step + channels, (step + channels) * U2
    block = _9 * channels * _16
    for i in range(U0, shape.places, SIX):
        at_0, at_1, at_2 = after + corners[i], after + corners[i + U1], after + corners[i + U2]
        at_3, at_4, at_5 = after + corners[i + U3], after + corners[i + U4], after + corners[i + U4 + U1]
        for channel in range(U0, channels, U2):
            zero = simd.splat(_ZERO)
            a0 = a1 = a2 = a3 = a4 = a5 = zero
            b0 = b1 = b2 = b3 = b4 = b5 = zero
            for row in range(U3):
                for column in range(U3):
                    # A unit counts for the place on the other side of it: its lower right neighbour saw it in the upper
                    # left corner.
                    there = last - row * step - column * channels
                    here = weights + ((row * U3 + column) * channels + channel) * _16
                    for j in range(U0, channels, _8):
                        k = here + (j >> U4) * block + (j & _8)
                        u, v = simd.load(w, k), simd.load(w, k + _16)
                        one = simd.load(x, at_0 + there + j)
                        a0, b0 = simd.fma(one, u, a0), simd.fma(one, v, b0)
                        one = simd.load(x, at_1 + there + j)
                        a1, b1 = simd.fma(one, u, a1), simd.fma(one, v, b1)
                        one = simd.load(x, at_2 + there + j)
                        a2, b2 = simd.fma(one, u, a2), simd.fma(one, v, b2)
                        one = simd.load(x, at_3 + there + j)
                        a3, b3 = simd.fma(one, u, a3), simd.fma(one, v, b3)
                        one = simd.load(x, at_4 + there + j)
                        a4, b4 = simd.fma(one, u, a4), simd.fma(one, v, b4)
                        one = simd.load(x, at_5 + there + j)
                        a5, b5 = simd.fma(one, u, a5), simd.fma(one, v, b5)
            place, n = centre + channel, shape.places - i  # the last group repeats a place, which must count once
            _put_back(x, place + corners[i], simd.total(a0), to, before)
            _put_back(x, place + U1 + corners[i], simd.total(b0), to, before)
            if n > U1:
                _put_back(x, place + corners[i + U1], simd.total(a1), to, before)
                _put_back(x, place + U1 + corners[i + U1], simd.total(b1), to, before)
            if n > U2:
                _put_back(x, place + corners[i + U2], simd.total(a2), to, before)
                _put_back(x, place + U1 + corners[i + U2], simd.total(b2), to, before)
            if n > U3:
                _put_back(x, place + corners[i + U3], simd.total(a3), to, before)
                _put_back(x, place + U1 + corners[i + U3], simd.total(b3), to, before)
            if n > U4:
                _put_back(x, place + corners[i + U4], simd.total(a4), to, before)
                _put_back(x, place + U1 + corners[i + U4], simd.total(b4), to, before)
            if n > U4 + U1:
                _put_back(x, place + corners[i + U4 + U1], simd.total(a5), to, before)
                _put_back(x, place + U1 + corners[i + U4 + U1], simd.total(b5), to, before)


@inline
def add_vectors(trace: Floats, place: Word, low: simd.Lanes, high: simd.Lanes) -> None:
    """Add two vectors to sixteen numbers."""
    simd.store(trace, place, simd.add(simd.load(trace, place), low))
    simd.store(trace, place + _8, simd.add(simd.load(trace, place + _8), high))


@inline
def slopes_of_weights(shape: Shape, x: Floats, weights: Word, before: Word, after: Word, trace: Floats) -> None:
    """Add to the trace the slopes of the weights of a convolution, from the layer `before` and the slopes of its
    sums, the layer `after`."""
    channels, corners, zero = shape.channels, shape.corners, simd.splat(_ZERO)
    centre, place = shape.row + channels, weights
    for channel in range(U0, channels, _16):
        from_ = after + centre + channel
        for row in range(U3):
            first = before + row * shape.row
            for j in range(first, first + U3 * channels, U4):
                a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = zero
                for i in range(shape.places):
                    corner = corners[i]
                    u, v = simd.load(x, from_ + corner), simd.load(x, from_ + corner + _8)
                    one = simd.splat(x[corner + j])
                    a0, b0 = simd.fma(one, u, a0), simd.fma(one, v, b0)
                    one = simd.splat(x[corner + j + U1])
                    a1, b1 = simd.fma(one, u, a1), simd.fma(one, v, b1)
                    one = simd.splat(x[corner + j + U2])
                    a2, b2 = simd.fma(one, u, a2), simd.fma(one, v, b2)
                    one = simd.splat(x[corner + j + U3])
                    a3, b3 = simd.fma(one, u, a3), simd.fma(one, v, b3)
                add_vectors(trace, place, a0, b0)
                add_vectors(trace, place + _16, a1, b1)
                add_vectors(trace, place + U2 * _16, a2, b2)
                add_vectors(trace, place + U3 * _16, a3, b3)
                place += U4 * _16
    for channel in range(U0, channels, _8):
        sums, from_ = simd.load(trace, place + channel), after + centre + channel
        for i in range(shape.places):
            sums = simd.add(sums, simd.load(x, from_ + corners[i]))
        simd.store(trace, place + channel, sums)
