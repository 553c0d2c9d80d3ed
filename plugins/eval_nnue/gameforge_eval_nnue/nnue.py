"""The evaluator `nnue`: its parameters, and the score as a function of the state or of an accumulator.

An input is a code on a cell. The first layer is computed twice, with the same weights: for the board as the side to
move sees it, and as the other side does. After a move these halves change places, and only the inputs of the cells that
the move changed are added or subtracted. Units of both layers are limited to the range from 0 to 127 / 128.

    half  = limited( b1 + sum of the rows of the active inputs )        int16, exact whatever the order
    h_j   = limited( b2_j + sum over both halves of W2_ji half_i )      int8 times bytes, added up in int32
    v     = c + sum_j W3_j h_j + sum_k n_k number_k / 16
    score = tanh(v / 2)

The second layer and all after it exist once for each phase, which is the number of pieces. Up to the tanh all is
computed in integers. Learners get the gradient of the net with the weights that the kernel reads.
"""

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import (
    Cells,
    EvaluatorFunctions,
    FeatureFunctions,
    NetFunctions,
    Rules,
    Unit,
    WeightVector,
    capability,
    kinds,
)
from gameforge.kernel import (
    U0,
    U1,
    U2,
    FloatArray,
    Floats,
    Places,
    Real,
    Score,
    Whole,
    Word,
    Words,
    at,
    bits,
    ctz,
    inline,
    popcount,
    simd,
    specialised,
)
from gameforge_eval_nnue import layout, shorts
from gameforge_eval_nnue.layout import STEP, Layout, views_of

(
    UNITS, SECOND, CODES, CELLS, NUMBERS, BIAS, TAILS, TAIL, NARROW, OWN, OTHER, WORDS, INPUTS, DATA, PHASE_OF, ONES,
) = (np.uint64(place) for place in range(layout.ONES + 1))  # fmt: skip
TURNED = np.uint64(layout.TURNED)
_4, _8, _16, _32, _48, _64 = (np.uint64(n) for n in (4, 8, 16, 32, 48, 64))
_FULL = np.int64(layout.MOST) << np.int64(7)
"""A unit of the second layer that is fully active, in units of STEP squared."""
_7, _10, _14 = np.int64(7), np.int64(10), np.int64(14)
_HALF_STEPS = np.float64(STEP**3 / 2)
_ZERO, _ONE, _HALF, _STEP = (np.float32(x) for x in (0, 1, 0.5, STEP))
_STEPS = np.float64(1 / STEP)
_NUMBER = np.float32(1 / 16)


@inline
def cells(data: Words, s: Words, planes: Words) -> None:
    """Stands for the game's own function (gameforge.kernel.compile.functions)."""
    planes[0] = U0


@inline
def _row(ed: Words, code: Whole, cell: Word, turned: bool) -> Word:
    """Where the weights of an input begin; turned: as the other side sees the input."""
    place = code * ed[CELLS] + cell
    return (ed[TURNED + place] if turned else place) * ed[UNITS]


@inline
def _sum_half(ed: Words, rows: Places, base: Places, half: Places, before: Words, now: Words, turned: bool) -> None:
    """Write half = base + the rows of the inputs that are new in the planes `now` - the rows of those that are gone.

    The planes are those of the side to move; turned: the half is the other side's.
    """
    i = U0
    while i < ed[UNITS]:  # 32 or 64 sums at once
        wide = i + _64 <= ed[UNITS]
        a, b = shorts.load(base, i), shorts.load(base, i + _16)
        c, d = a, b
        if wide:
            c, d = shorts.load(base, i + _32), shorts.load(base, i + _48)
        for code in range(ed[CODES]):
            new, gone = now[code] & ~before[code], before[code] & ~now[code]
            while new != U0:
                row = _row(ed, code, ctz(new), turned) + i
                new &= new - U1
                a = shorts.add(a, shorts.load(rows, row))
                b = shorts.add(b, shorts.load(rows, row + _16))
                if wide:
                    c = shorts.add(c, shorts.load(rows, row + _32))
                    d = shorts.add(d, shorts.load(rows, row + _48))
            while gone != U0:
                row = _row(ed, code, ctz(gone), turned) + i
                gone &= gone - U1
                a = shorts.sub(a, shorts.load(rows, row))
                b = shorts.sub(b, shorts.load(rows, row + _16))
                if wide:
                    c = shorts.sub(c, shorts.load(rows, row + _32))
                    d = shorts.sub(d, shorts.load(rows, row + _48))
        shorts.store(half, i, a)
        shorts.store(half, i + _16, b)
        i += _32
        if wide:
            shorts.store(half, i, c)
            shorts.store(half, i + _16, d)
            i += _32


@inline
def _turn_changes(ed: Words, before: Words, now: Words, other: Words) -> None:
    """Exchange in the planes `other` what is new or gone in the planes of the side to move."""
    for code in range(ed[CODES]):
        changed = before[code] ^ now[code]
        while changed != U0:
            place = ed[TURNED + code * ed[CELLS] + ctz(changed)]
            changed &= changed - U1
            other[place // ed[CELLS]] ^= U1 << place % ed[CELLS]


def refresh(ed: Words, w: Floats, s: Words, acc: Words) -> None:
    rows, halves, now, other = bits.as_int16(w), bits.as_int16(acc), at(acc, ed[OWN]), at(acc, ed[OTHER])
    cells(at(ed, ed[DATA]), s, now)
    for code in range(ed[CODES]):
        other[code] = U0
    # The planes of the other side are still empty, and so are those of the board before.
    bias = at(rows, ed[BIAS])
    _sum_half(ed, rows, bias, halves, other, now, False)
    _sum_half(ed, rows, bias, at(halves, ed[UNITS]), other, now, True)
    for code in range(ed[CODES]):
        left = now[code]
        while left != U0:
            place = ed[TURNED + code * ed[CELLS] + ctz(left)]
            left &= left - U1
            other[place // ed[CELLS]] |= U1 << place % ed[CELLS]


def update(ed: Words, w: Floats, acc: Words, s: Words, m: Word, child_acc: Words) -> None:
    rows, halves, after = bits.as_int16(w), bits.as_int16(acc), bits.as_int16(child_acc)
    own, before = at(acc, ed[OWN]), at(acc, ed[OTHER])
    now, other = at(child_acc, ed[OWN]), at(child_acc, ed[OTHER])
    cells(at(ed, ed[DATA]), s, now)
    for code in range(ed[CODES]):
        other[code] = own[code]
    _turn_changes(ed, before, now, other)
    _sum_half(ed, rows, at(halves, ed[UNITS]), after, before, now, False)
    _sum_half(ed, rows, halves, at(after, ed[UNITS]), before, now, True)


@inline
def _phase(ed: Words, acc: Words) -> Word:
    pieces = U0
    for code in range(ed[CODES]):
        pieces += popcount(acc[ed[OWN] + code])
    return ed[ed[PHASE_OF] + pieces]


@inline
def _limited(total: np.int64) -> np.int64:
    return min(max(total, np.int64(0)), _FULL)


def accumulated(ed: Words, w: Floats, acc: Words, x: Floats) -> Score:
    wide, halves, active = bits.as_int16(w), bits.as_int16(acc), bits.as_int16(x)
    rest = at(x, ed[UNITS] >> U1)
    sums = bits.as_int32(rest)
    # Step 1. The active units of both halves, as bytes.
    size = U2 * ed[UNITS]
    for i in range(U0, size, _32):
        a, b = shorts.load(halves, i), shorts.load(halves, i + _16)
        shorts.store_bytes(active, i, shorts.clamp(a, layout.MOST), shorts.clamp(b, layout.MOST))
    # Step 2. The second layer, four units at once, and its outputs.
    phase, second, ones = _phase(ed, acc), ed[SECOND], shorts.load(bits.as_int16(at(ed, ONES)), U0)
    tail = at(wide, ed[TAILS] + phase * ed[TAIL])
    row, total = ed[NARROW] + phase * second * size, np.int64(0)
    for j in range(U0, second, _4):
        p, q, r, t = shorts.no_sums(), shorts.no_sums(), shorts.no_sums(), shorts.no_sums()
        for i in range(U0, size, _32):
            units, place = shorts.load_bytes(active, i), row + i
            p = shorts.add_products(units, shorts.load_bytes(wide, place), ones, p)
            q = shorts.add_products(units, shorts.load_bytes(wide, place + size), ones, q)
            r = shorts.add_products(units, shorts.load_bytes(wide, place + U2 * size), ones, r)
            t = shorts.add_products(units, shorts.load_bytes(wide, place + (U2 + U1) * size), ones, t)
        row += _4 * size
        shorts.store_totals(sums, j, p, q, r, t)
    for j in range(second):
        sums[j] += np.int64(tail[j]) << _7  # kept for the gradient
        total += _limited(np.int64(sums[j])) * np.int64(tail[second + j])
    # Step 3. The numbers and the constant.
    place = U2 * second
    for k in range(ed[NUMBERS]):
        total += (np.int64(acc[ed[OWN] + ed[CODES] + k]) * np.int64(tail[place + k])) << _10
    total += np.int64(tail[place + ed[NUMBERS]]) << _14
    rest[second] = simd.tanh(np.float32(np.float64(total) * _HALF_STEPS))
    return np.float64(rest[second])


def evaluate(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    refresh(ed, w, s, bits.as_words(x))
    return accumulated(ed, w, bits.as_words(x), at(x, U2 * ed[WORDS]))


@inline
def _add(to: Floats, factor: Real, of: Floats, n: Word) -> None:
    """to[i] += factor * of[i]; n is a multiple of 8."""
    factors = simd.splat(factor)
    for i in range(U0, n, _8):
        simd.store(to, i, simd.fma(factors, simd.load(of, i), simd.load(to, i)))


def gradient(ed: Words, w: Floats, s: Words, x: Floats, trace: Floats) -> None:
    """The trace has the order of the vector. Limits count as in the score; rounding counts as if there were none."""
    acc, active = bits.as_words(x), bits.as_int16(at(x, U2 * ed[WORDS]))
    units, second, size = ed[UNITS], ed[SECOND], U2 * ed[UNITS]
    rest = at(x, U2 * ed[WORDS] + (units >> U1))
    wide, sums, strength = bits.as_int16(w), bits.as_int32(rest), at(rest, second + _8)
    slope = at(strength, size)
    # Step 1. Strengths of the active units of the first layer; slopes of all of them, with respect to the score.
    for i in range(U0, size, _8):
        simd.store(strength, i, simd.mul(simd.from_bytes(active, i), simd.splat(_STEP)))
        simd.store(slope, i, simd.splat(_ZERO))
    # Step 2. The outputs, and the rows of the second layer whose units are within their limits.
    score, phase = rest[second], _phase(ed, acc)
    outer, tail = (_ONE - score * score) * _HALF, ed[TAILS] + phase * ed[TAIL]
    for j in range(second):
        reached, row = np.int64(sums[j]), phase * second * size + j * size
        trace[tail + second + j] += outer * np.float32(_limited(reached)) * _STEP * _STEP
        if np.int64(0) <= reached <= _FULL:
            inner = outer * np.float32(wide[tail + second + j]) * _STEP
            trace[tail + j] += inner
            _add(at(trace, (ed[NARROW] >> U1) + row), inner, strength, size)
            factor = simd.splat(inner * _STEP)
            for i in range(U0, size, _8):
                weights = simd.from_bytes(wide, ed[NARROW] + row + i)
                simd.store(slope, i, simd.fma(factor, weights, simd.load(slope, i)))
    place = tail + U2 * second
    for k in range(ed[NUMBERS]):
        trace[place + k] += outer * _NUMBER * np.float32(np.int64(acc[ed[OWN] + ed[CODES] + k]))
    trace[place + ed[NUMBERS]] += outer
    # Step 3. The rows of the active inputs, for the units within their limits, of both halves.
    sums_of_units = bits.as_int16(acc)
    for i in range(size):
        if not np.int64(0) <= np.int64(sums_of_units[i]) <= np.int64(layout.MOST):
            slope[i] = _ZERO
    for half in range(U2):
        of_half = at(slope, half * units)
        _add(at(trace, ed[BIAS]), _ONE, of_half, units)
        for code in range(ed[CODES]):
            left = acc[ed[OWN] + code]
            while left != U0:
                _add(at(trace, _row(ed, code, ctz(left), half == U1)), _ONE, of_half, units)
                left &= left - U1


_FIRST, _WIDE, _LIMITS = U0, U1, U2
_BYTE, _HIGH = np.int64(255), np.int64(8)


def unpack_one(ud: Words, w: Floats, vector: Floats, place: Word) -> None:
    """Write a weight of the vector into the block."""
    part = _LIMITS + (U0 if place < ud[_FIRST] else U1 if place < ud[_WIDE] else U2)
    most = np.float64(ud[part])
    steps = np.int64(np.rint(min(max(np.float64(vector[place]) * _STEPS, -most), most)))
    integers = bits.as_int16(w)
    if place < ud[_WIDE]:
        integers[place] = steps
        return
    byte = place - ud[_WIDE]  # of two that are one int16
    here = ud[_WIDE] + (byte >> U1)
    both = np.int64(integers[here])
    if byte & U1 == U0:
        integers[here] = ((both >> _HIGH) << _HIGH) | (steps & _BYTE)
    else:
        integers[here] = (steps << _HIGH) | (both & _BYTE)


def _multiple_of(size: int) -> kinds.Validator:
    def check(instance: object, attribute: "attrs.Attribute[int]", value: int) -> None:
        if value % size:
            raise ValueError(f"must be a multiple of {size}")

    return check


@attrs.frozen(kw_only=True)
class Nnue:
    """The component: a net for any game that offers its cells."""

    units: int = attrs.field(default=64, validator=[kinds.count(32, 512), _multiple_of(32)])
    """Units of the first layer for each of the two halves, a multiple of 32."""
    second: int = attrs.field(default=16, validator=[kinds.count(4, 64), _multiple_of(4)])
    """Units of the second layer, a multiple of 4."""
    phases: int = attrs.field(default=8, validator=kinds.count(1, 32))
    """Number of phases, by the number of pieces, that have a second layer of their own."""

    def unit(self, rules: Rules) -> Unit:
        """The expected result, to which learners fit the weights."""
        return Unit.EXPECTED_RESULT

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """The compiled functions and the layout of the weights; GameforgeError if the game offers no cells."""
        of_game: Cells | None = capability(rules, "cells")
        if of_game is None:
            raise GameforgeError(f"evaluator nnue needs the cells of the board; {rules.name} does not offer any")
        net = Layout(
            cells=of_game, views=views_of(rules, of_game), units=self.units, second=self.second, phases=self.phases
        )
        first_layer = {function: specialised(function, cells.__name__, of_game.cells) for function in (refresh, update)}
        from_state = specialised(evaluate, refresh.__name__, first_layer[refresh])
        return EvaluatorFunctions(
            evaluate=specialised(from_state, accumulated.__name__, accumulated),
            refresh=first_layer[refresh],
            update=first_layer[update],
            accumulated=accumulated,
            accumulator=net.words,
            gradient=gradient,
            data=net.data(),
            vector=WeightVector(
                net.length,
                net.unpack,
                step=STEP,
                layout=net.identity,
                unpack_backward=lambda weights, gradient: gradient,
                unpack_one=unpack_one,
                unpack_data=net.unpack_data,
            ),
            scratch=net.scratch,
        )

    def initial_weights(self, net: NetFunctions | EvaluatorFunctions, rng: np.random.Generator) -> FloatArray:
        """Draw weights with which about half of the units are active; all phases begin alike."""
        assert net.data is not None
        return layout.initial(net.data, rng)

    def check_weights(self, net: NetFunctions | EvaluatorFunctions, weights: FloatArray) -> None:
        """Raise GameforgeError if a weight is not a finite number."""
        if not np.isfinite(weights).all():
            raise GameforgeError(f"{int((~np.isfinite(weights)).sum()):,} of its weights are not finite numbers")
