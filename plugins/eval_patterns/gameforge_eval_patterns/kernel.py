"""The score as a function of the state: integers until the squash, so that it is the same on every machine.

The index of every pattern is a sum over the cells. Four cells at once add a row of int32, one for each pattern: the
loop has no branches, and its length depends on the board alone.
"""

from typing import Any

import numpy as np

from gameforge.kernel import simd
from gameforge.kernel.bits import as_int16, as_int32, as_words, at, ctz, popcount, read_alone
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.simd import tanh
from gameforge_eval_patterns import layout

_0, _1, _2, _8, _16, _32 = (np.uint64(n) for n in (0, 1, 2, 8, 16, 32))
_CHUNK, _CHUNK_MASK, _ROWS_OF_CHUNK = (
    np.uint64(layout.CHUNK),
    np.uint64(2**layout.CHUNK - 1),
    np.uint64(2**layout.CHUNK),
)
_GROUP, _PIECES, _PARTS = np.uint64(layout.GROUP), np.uint64(layout.PIECES), np.int64(layout.PARTS)
_LOW_WORD = np.uint64(2**32 - 1)
_HALF_STEP = np.float64(layout.STEP / layout.PARTS / 2)
(
    PLANES, NUMBERS, CHUNKS, SLOTS, LANES, PATTERNS, TABLES, CELLS, COUNTER, MOST, ENTRIES, LINEAR, PHASES,
    PHASE_OF, LISTS, DATA, ROWS, FOLD, TERMS, _
) = (np.uint64(place) for place in range(layout.HEADER + 1))  # fmt: skip


@inline
def cells(data: Any, s: Any, planes: Any) -> None:
    """Stands for the game's own function (gameforge.kernel.compile.functions)."""
    planes[0] = _0


@inline
def _indices(ed: Any, planes: Any, indices: Any) -> None:
    """Write the entry of each pattern."""
    rows, lanes = as_int32(at(ed, _0)), ed[LANES]
    step = lanes * _ROWS_OF_CHUNK
    i = _0
    while i < lanes:
        row = ed[ROWS] + i
        a, b, c = simd.load(rows, row), simd.load(rows, row + _8), simd.load(rows, row + _16)
        row += lanes
        for slot in range(ed[SLOTS]):
            word = planes[ed[ed[LISTS] + slot]]
            for _chunk in range(ed[CHUNKS]):
                place = row + (word & _CHUNK_MASK) * lanes
                a = simd.add_integers(a, simd.load(rows, place))
                b = simd.add_integers(b, simd.load(rows, place + _8))
                c = simd.add_integers(c, simd.load(rows, place + _16))
                word >>= _CHUNK
                row += step
        simd.store(indices, i, a)
        simd.store(indices, i + _8, b)
        simd.store(indices, i + _16, c)
        i += _GROUP


@inline
def _phase(ed: Any, planes: Any) -> Any:
    """The interval between two phases in the upper half of a word, the parts of the later phase in the lower one."""
    count = np.int64(0)
    if ed[COUNTER] == _PIECES:
        for i in range(ed[PLANES]):
            count += np.int64(popcount(planes[i]))
    else:
        count = np.int64(planes[ed[COUNTER]])
    return ed[ed[PHASE_OF] + np.uint64(min(max(count, np.int64(0)), np.int64(ed[MOST])))]


def evaluate(ed: Any, w: Any, s: Any, x: Any) -> Any:
    """Score a state for the side to move: tanh of half the log-odds, the sum of the weights of its entries."""
    planes = as_words(x)
    cells(at(ed, ed[DATA]), s, planes)
    n_planes, n_numbers = ed[PLANES], ed[NUMBERS]
    indices = as_int32(at(x, _2 * (n_planes + n_numbers)))
    _indices(ed, planes, indices)
    phase = _phase(ed, planes)
    pairs = as_int16(at(w, (phase >> _32) * ed[ENTRIES]))
    a = b = np.int64(0)  # sums of the earlier and of the later phase
    for i in range(ed[PATTERNS]):
        entry = np.uint64(indices[i]) * _2
        a += np.int64(read_alone(pairs, entry))
        b += np.int64(read_alone(pairs, entry + _1))
    entry = ed[LINEAR] * _2
    tables = ed[LISTS] + ed[SLOTS]
    for i in range(ed[TABLES]):
        rest = planes[ed[tables + i]]
        while rest != _0:
            place = entry + ctz(rest) * _2
            rest &= rest - _1
            a += np.int64(pairs[place])
            b += np.int64(pairs[place + _1])
        entry += ed[CELLS] * _2
    for i in range(n_planes):
        count = np.int64(popcount(planes[i]))
        a += count * np.int64(pairs[entry])
        b += count * np.int64(pairs[entry + _1])
        entry += _2
    for i in range(n_numbers):
        count = np.int64(planes[n_planes + i])
        a += count * np.int64(pairs[entry])
        b += count * np.int64(pairs[entry + _1])
        entry += _2
    a += np.int64(pairs[entry])
    b += np.int64(pairs[entry + _1])
    parts = np.int64(phase & _LOW_WORD)
    total = a * (_PARTS - parts) + b * parts
    return np.float64(tanh(np.float32(np.float64(total) * _HALF_STEP)))


@inline
def _write(ed: Any, phase: Any, entry: Any, factor: Any, places: Any, factors: Any, n: Any) -> Any:
    """Write the one or two terms of an entry after the first n; return how many there are then."""
    if factor == np.int64(0):
        return n
    fold = as_int32(at(ed, _0))
    place = np.int64(fold[ed[FOLD] + entry]) * np.int64(ed[PHASES]) + np.int64(phase >> _32)
    parts = np.int64(phase & _LOW_WORD)
    if parts < _PARTS:
        places[n] = place
        factors[n] = np.float32(np.float64(factor * (_PARTS - parts)) / np.float64(_PARTS))
        n += _1
    if parts > np.int64(0):
        places[n] = place + np.int64(1)
        factors[n] = np.float32(np.float64(factor * parts) / np.float64(_PARTS))
        n += _1
    return n


def terms(ed: Any, s: Any, places: Any, factors: Any) -> Any:
    """Write the terms of a state: places in the vector of weights, and factors; return their number."""
    x = at(factors, ed[TERMS])
    planes = as_words(x)
    cells(at(ed, ed[DATA]), s, planes)
    n_planes, n_numbers = ed[PLANES], ed[NUMBERS]
    indices = as_int32(at(x, _2 * (n_planes + n_numbers)))
    _indices(ed, planes, indices)
    phase = _phase(ed, planes)
    n, one = _0, np.int64(1)
    for i in range(ed[PATTERNS]):
        n = _write(ed, phase, np.uint64(indices[i]), one, places, factors, n)
    entry = ed[LINEAR]
    tables = ed[LISTS] + ed[SLOTS]
    for i in range(ed[TABLES]):
        rest = planes[ed[tables + i]]
        while rest != _0:
            n = _write(ed, phase, entry + ctz(rest), one, places, factors, n)
            rest &= rest - _1
        entry += ed[CELLS]
    for i in range(n_planes):
        n = _write(ed, phase, entry + i, np.int64(popcount(planes[i])), places, factors, n)
    entry += n_planes
    for i in range(n_numbers):
        n = _write(ed, phase, entry + i, np.int64(planes[n_planes + i]), places, factors, n)
    return _write(ed, phase, entry + n_numbers, one, places, factors, n)
