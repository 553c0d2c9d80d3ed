"""The evaluator `subboard`: Anaconda's net ([Chellapilla2001]), and that of [Chellapilla1999].

32 squares (+1 an own man, +K an own king, the opponent's pieces negative) -> 91 windows -> 40 -> 10 -> 1, all tanh,
seen from the side to move. K is an entry of the weights that learners change in steps of 0.1 between 1 and 3.

The net is a function of the state, in float32 and in a fixed order: the same bits on every machine. The first layer
adds a row of weights for each piece and skips empty squares. The net is not updated incrementally. The gradient goes
back from the output, layer by layer. The slope of a unit is d score / d (its sum before the tanh).

The vector that learners set holds the weights that [Chellapilla2001] counts, then K; the README has a table:

    the windows: 854 weights, window by window, the dark squares of each in the order of their numbers; 91 biases
    the next 40 units: 91 weights for each, then 40 biases
    the next 10 units: 40 weights for each, then 10 biases
    the output: 10 weights, a bias
    K

The net of 1999 has no windows: its vector begins with 32 weights for each of the 40 units, then 40 biases; the weight
of the link from the piece difference, if there is one, comes before K.

The block that kernels read is laid out for eight lanes: for each input a row of the next layer's units, padded with
zeros, and then a row of biases. The first layer has a row for each bit of the board, so the kernel needs no square
numbers.
"""

import functools
from typing import Literal

import attrs
import numpy as np
from gameforge_draughts.movegen import BIT_OF, LAST_BIT, SQUARES, WHITE_TO_MOVE

from gameforge import GameforgeError
from gameforge.interfaces import EvaluatorFunctions, FeatureFunctions, Rules, SteppedWeight, WeightVector, kinds
from gameforge.kernel import U0, U1, FloatArray, Floats, IntegerArray, Real, Score, Word, Words, bits, ctz, inline, simd

_8, _16, _24, _32, _40, _63 = (np.uint64(n) for n in (8, 16, 24, 32, 40, 63))
LEAST_KING, MOST_KING, KING_STEP = 1.0, 3.0, 0.1
SECOND, THIRD = 40, 10
"""Units after the windows."""
KING, LINK, BIAS = range(3)
"""Head of the block: K, the link's weight, the output's bias."""
OUTPUT, THIRD_LANES = 8, 16
THIRD_ROWS = OUTPUT + THIRD_LANES
REST = THIRD_ROWS + (SECOND + 1) * THIRD_LANES
"""Start of the rows of the 40 units; without windows these are the first layer."""
BITS = LAST_BIT + 1
GROUP = 6 * simd.LANES
"""Number of units of the first layer that the kernel sums at once."""
SPREAD = {"uniform": 0.2, "normal": 0.05}
"""Defaults of `spread`."""


@attrs.frozen(kw_only=True)
class Subboard:
    """The kind of net, and how its weights are drawn."""

    windows: bool = True
    """False: the net of 1999, 32-40-10-1."""
    piece_diff: bool = True
    """A link from the sum of the inputs to the output, with weight 1 in the net with windows, learned in that of
    1999."""
    initial: Literal["uniform", "normal"] = "uniform"
    """Distribution of the initial weights, around 0."""
    spread: float | None = attrs.field(default=None, validator=attrs.validators.optional(kinds.within(0, 100)))
    """Half the width of the uniform distribution (None: 0.2), or the standard deviation of the normal one (None:
    0.05)."""
    king: float = attrs.field(default=2.0, validator=kinds.within(LEAST_KING, MOST_KING))
    """Initial value of K."""

    @property
    def _layout(self) -> "Layout":
        return of_net(self.windows, self.piece_diff)

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """The compiled functions and weights of the net; raises GameforgeError if the game is not draughts."""
        if rules.name != "draughts":
            raise GameforgeError(f"evaluator subboard reads draughts positions; the game is {rules.name!r}")
        places = self._layout
        king = SteppedWeight(place=places.free, low=LEAST_KING, high=MOST_KING, step=KING_STEP)
        return EvaluatorFunctions(
            evaluate=evaluate,
            gradient=gradient,
            data=np.array([places.lanes, len(windows()) if self.windows else 0], np.uint64),
            vector=WeightVector(places.length, places.unpack, (king,), unpack_backward=places.unpack_backward),
            scratch=UNITS + places.lanes + SECOND + THIRD_LANES,
            costly=True,
        )

    def initial_weights(self, net: EvaluatorFunctions, rng: np.random.Generator) -> FloatArray:
        """Weights drawn from the same distribution, in the order of the vector; then K."""
        spread, free = SPREAD[self.initial] if self.spread is None else self.spread, self._layout.free
        drawn = rng.uniform(-spread, spread, free) if self.initial == "uniform" else rng.normal(0.0, spread, free)
        return np.append(drawn, self.king).astype(np.float32)


_LAST_BIT, _BITS, _GROUP = np.uint64(LAST_BIT), np.uint64(BITS), np.uint64(GROUP)
_SECOND, _THIRD_LANES, _THIRD_ROWS = (np.uint64(n) for n in (SECOND, THIRD_LANES, THIRD_ROWS))
_KING, _LINK, _BIAS, _OUTPUT = (np.uint64(n) for n in (KING, LINK, BIAS, OUTPUT))
_REST = np.uint64(REST)
_ZERO, _ONE = np.float32(0), np.float32(1)
PADDED, WINDOWS = range(2)
"""Indices in the block ed: padded number of units of the first layer; number of windows, 0 in the net of 1999."""

UNITS = 40
"""Index of the first layer's units in x, after the inputs by bits; in the net with windows, the 40 units follow
them."""
_UNITS = np.uint64(UNITS)


@inline
def _look(s: Words, king: Real, x: Floats) -> tuple[Word, Real]:
    """Write the pieces to x by their bits, seen from the side to move; returns the occupied bits and the sum of the
    inputs."""
    own, kings = s[0], s[2]
    rest = own | s[1]
    white = (kings & WHITE_TO_MOVE) != U0
    seen, total = U0, _ZERO
    while rest != U0:
        if white:  # the board is rotated, so that pieces come in the same order for both sides
            bit = _63 - bits.clz(rest)
            place = _LAST_BIT - bit
        else:
            bit = place = ctz(rest)
        rest ^= U1 << bit
        value = king if (kings >> bit) & U1 else _ONE
        if (own >> bit) & U1 == U0:
            value = -value
        x[place] = value
        total += value
        seen |= U1 << place
    return seen, total


@inline
def _first(w: Floats, rows: Word, lanes: Word, seen: Word, x: Floats) -> None:
    """Compute the first layer, a group of units at a time."""
    i = U0
    while i < lanes:
        row = rows + _BITS * lanes + i
        a, b = simd.load(w, row), simd.load(w, row + _8)
        c, d = simd.load(w, row + _16), simd.load(w, row + _24)
        e, f = simd.load(w, row + _32), simd.load(w, row + _40)
        rest = seen
        while rest != U0:
            bit = ctz(rest)
            rest &= rest - U1
            v, row = simd.splat(x[bit]), rows + bit * lanes + i
            a = simd.fma(v, simd.load(w, row), a)
            b = simd.fma(v, simd.load(w, row + _8), b)
            c = simd.fma(v, simd.load(w, row + _16), c)
            d = simd.fma(v, simd.load(w, row + _24), d)
            e = simd.fma(v, simd.load(w, row + _32), e)
            f = simd.fma(v, simd.load(w, row + _40), f)
        unit = _UNITS + i
        simd.store(x, unit, simd.tanh_lanes(a))
        simd.store(x, unit + _8, simd.tanh_lanes(b))
        simd.store(x, unit + _16, simd.tanh_lanes(c))
        simd.store(x, unit + _24, simd.tanh_lanes(d))
        simd.store(x, unit + _32, simd.tanh_lanes(e))
        simd.store(x, unit + _40, simd.tanh_lanes(f))
        i += _GROUP


@inline
def _forty(w: Floats, rows: Word, inputs: Word, x: Floats, first: Word, out: Word) -> None:
    """Compute 40 units over the inputs at x[first], into x[out]; separate sums of even and odd inputs are faster."""
    row = rows + inputs * _SECOND
    a, b, c = simd.load(w, row), simd.load(w, row + _8), simd.load(w, row + _16)
    d, e = simd.load(w, row + _24), simd.load(w, row + _32)
    f = g = h = i = j = simd.splat(_ZERO)
    row = rows
    for k in range(first, first + inputs - U1, np.uint64(2)):
        v = simd.splat(x[k])
        a = simd.fma(v, simd.load(w, row), a)
        b = simd.fma(v, simd.load(w, row + _8), b)
        c = simd.fma(v, simd.load(w, row + _16), c)
        d = simd.fma(v, simd.load(w, row + _24), d)
        e = simd.fma(v, simd.load(w, row + _32), e)
        row += _SECOND
        v = simd.splat(x[k + U1])
        f = simd.fma(v, simd.load(w, row), f)
        g = simd.fma(v, simd.load(w, row + _8), g)
        h = simd.fma(v, simd.load(w, row + _16), h)
        i = simd.fma(v, simd.load(w, row + _24), i)
        j = simd.fma(v, simd.load(w, row + _32), j)
        row += _SECOND
    if inputs & U1:
        v = simd.splat(x[first + inputs - U1])
        a = simd.fma(v, simd.load(w, row), a)
        b = simd.fma(v, simd.load(w, row + _8), b)
        c = simd.fma(v, simd.load(w, row + _16), c)
        d = simd.fma(v, simd.load(w, row + _24), d)
        e = simd.fma(v, simd.load(w, row + _32), e)
    simd.store(x, out, simd.tanh_lanes(simd.add(a, f)))
    simd.store(x, out + _8, simd.tanh_lanes(simd.add(b, g)))
    simd.store(x, out + _16, simd.tanh_lanes(simd.add(c, h)))
    simd.store(x, out + _24, simd.tanh_lanes(simd.add(d, i)))
    simd.store(x, out + _32, simd.tanh_lanes(simd.add(e, j)))


@inline
def _ten(w: Floats, x: Floats, first: Word) -> tuple[simd.Lanes, simd.Lanes]:
    """Compute the 10 units over the 40 units at x[first], as two vectors."""
    row = _THIRD_ROWS + _SECOND * _THIRD_LANES
    a, b = simd.load(w, row), simd.load(w, row + _8)
    c = d = simd.splat(_ZERO)
    row = _THIRD_ROWS
    for k in range(first, first + _SECOND, np.uint64(2)):
        v = simd.splat(x[k])
        a = simd.fma(v, simd.load(w, row), a)
        b = simd.fma(v, simd.load(w, row + _8), b)
        row += _THIRD_LANES
        v = simd.splat(x[k + U1])
        c = simd.fma(v, simd.load(w, row), c)
        d = simd.fma(v, simd.load(w, row + _8), d)
        row += _THIRD_LANES
    return simd.tanh_lanes(simd.add(a, c)), simd.tanh_lanes(simd.add(b, d))


@inline
def _output(w: Floats, a: simd.Lanes, b: simd.Lanes, difference: Real) -> Real:
    """Compute the score from the 10 units and the piece difference."""
    products = simd.mul(a, simd.load(w, _OUTPUT))
    total = simd.total(simd.fma(b, simd.load(w, _OUTPUT + _8), products))
    return simd.tanh(total + w[_BIAS] + w[_LINK] * difference)


def evaluate(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    lanes, n_windows = ed[PADDED], ed[WINDOWS]
    seen, difference = _look(s, w[_KING], x)
    rows, units = _REST, _UNITS
    if n_windows != U0:
        rows += (n_windows + U1) * _SECOND
    _first(w, rows, lanes, seen, x)
    if n_windows != U0:
        units += lanes
        _forty(w, _REST, n_windows, x, _UNITS, units)
    a, b = _ten(w, x, units)
    return np.float64(_output(w, a, b, difference))


@inline
def _add(trace: Floats, place: Word, a: simd.Lanes, b: simd.Lanes) -> None:
    """Add the products of two vectors to the trace."""
    simd.store(trace, place, simd.fma(a, b, simd.load(trace, place)))


@inline
def _back_from_output(
    w: Floats, slope: Real, units: simd.Lanes, place: Word, x: Floats, out: Word, trace: Floats
) -> None:
    """Add the gradient of eight weights of the output; write the slopes of their units to x[out]."""
    slopes, weights = simd.splat(slope), simd.load(w, _OUTPUT + place)
    _add(trace, _OUTPUT + place, slopes, units)
    through = simd.sub(simd.splat(_ONE), simd.mul(units, units))
    simd.store(x, out + place, simd.mul(simd.mul(slopes, weights), through))


@inline
def _back(
    w: Floats, rows: Word, inputs: Word, lanes: Word, x: Floats, first: Word, slopes: Word, trace: Floats
) -> None:
    """Add the gradient of a layer whose units have the slopes x[slopes], and whose inputs are the units x[first].

    The slopes of the inputs replace the inputs.
    """
    row = rows
    for k in range(first, first + inputs):
        value, total = simd.splat(x[k]), simd.splat(_ZERO)
        for i in range(U0, lanes, _8):
            slope = simd.load(x, slopes + i)
            _add(trace, row + i, value, slope)
            total = simd.fma(simd.load(w, row + i), slope, total)
        x[k] = simd.total(total) * (_ONE - x[k] * x[k])
        row += lanes
    _back_to_row(row, lanes, _ONE, x, slopes, trace)


@inline
def _back_to_row(row: Word, lanes: Word, value: Real, x: Floats, slopes: Word, trace: Floats) -> None:
    """Add the gradient of the weights that lead from one input, which has this value, to the units of a layer."""
    values = simd.splat(value)
    for i in range(U0, lanes, _8):
        _add(trace, row + i, values, simd.load(x, slopes + i))


def gradient(ed: Words, w: Floats, s: Words, x: Floats, trace: Floats) -> None:
    lanes, n_windows = ed[PADDED], ed[WINDOWS]
    seen, difference = _look(s, w[_KING], x)
    rows, units, ten = _REST, _UNITS, _UNITS + lanes + _SECOND
    if n_windows != U0:
        rows += (n_windows + U1) * _SECOND
        units += lanes
    # Step 1. The output. `evaluate` has left the units in x, except for the last ten, which were never stored.
    a, b = _ten(w, x, units)
    score = _output(w, a, b, difference)
    slope = _ONE - score * score
    trace[_BIAS] += slope
    trace[_LINK] += slope * difference
    # Step 2. Back through the layers; the slopes of each replace its units.
    _back_from_output(w, slope, a, U0, x, ten, trace)
    _back_from_output(w, slope, b, _8, x, ten, trace)
    _back(w, _THIRD_ROWS, _SECOND, _THIRD_LANES, x, units, ten, trace)
    if n_windows != U0:
        _back(w, _REST, n_windows, _SECOND, x, _UNITS, units, trace)
    # Step 3. The first layer: only occupied squares have inputs, and so slopes.
    while seen != U0:
        bit = ctz(seen)
        seen &= seen - U1
        _back_to_row(rows + bit * lanes, lanes, x[bit], x, _UNITS, trace)
    _back_to_row(rows + _BITS * lanes, lanes, _ONE, x, _UNITS, trace)


def windows() -> tuple[tuple[int, ...], ...]:
    """The dark squares, 1..32, of the 91 windows: 3x3 to 8x8, each size row by row, starting at the corner of square
    1."""
    found = []
    for size in range(3, 9):
        for top in range(9 - size):
            for left in range(9 - size):
                cells = ((row, column) for row in range(top, top + size) for column in range(left, left + size))
                found.append(tuple(4 * row + column // 2 + 1 for row, column in cells if (row + column) % 2))
    return tuple(found)


@attrs.frozen(eq=False)
class Layout:
    """Positions of the weights of one kind of net."""

    free: int
    """Number of weights without K, which is the last entry of the vector."""
    places: IntegerArray
    """For each entry of the block, the index of its weight in the vector; -2 for a constant 0, -1 for a constant 1."""
    lanes: int
    """Units of the first layer, padded to whole groups."""

    @property
    def length(self) -> int:
        return self.free + 1

    def unpack(self, weights: FloatArray) -> FloatArray:
        """The block that holds these weights."""
        return np.append(weights, np.array([0, 1], np.float32))[self.places]

    def unpack_backward(self, weights: FloatArray, gradient: FloatArray) -> FloatArray:
        """The gradient with respect to the vector, in which each weight stands in one place of the block."""
        found = np.zeros(self.length + 2, np.float32)
        found[self.places] = gradient
        return found[:-2]


def _rows(first: int, inputs: int, units: int, lanes: int) -> IntegerArray:
    """Rows of a dense layer whose weights begin at `first`: unit by unit, then the biases."""
    rows = np.full((inputs + 1, lanes), -2)
    rows[:inputs, :units] = first + np.arange(units * inputs).reshape(units, inputs).T
    rows[inputs, :units] = first + units * inputs + np.arange(units)
    return rows


@functools.cache
def of_net(has_windows: bool, link: bool) -> Layout:
    """The layout of the net with the 91 windows, or of the net of 1999."""
    seen = windows() if has_windows else (tuple(range(1, SQUARES + 1)),) * SECOND
    units, connections = len(seen), sum(map(len, seen))
    lanes = -(-units // GROUP) * GROUP
    first = np.full((BITS + 1, lanes), -2)
    place = 0
    for unit, squares in enumerate(seen):
        for square in squares:
            first[BIT_OF[square - 1], unit] = place
            place += 1
    first[BITS, :units] = connections + np.arange(units)
    end = connections + units
    parts = [first]
    if has_windows:
        parts.insert(0, _rows(end, units, SECOND, SECOND))
        end += (units + 1) * SECOND
    parts.insert(0, _rows(end, SECOND, THIRD, THIRD_LANES))
    end += (SECOND + 1) * THIRD
    head = np.full(THIRD_ROWS, -2)
    head[OUTPUT : OUTPUT + THIRD] = end + np.arange(THIRD)
    head[BIAS] = end + THIRD
    free = end + THIRD + 1
    if link:
        head[LINK] = -1 if has_windows else free
        free += not has_windows
    head[KING] = free
    return Layout(free, np.concatenate([head, *(part.reshape(-1) for part in parts)]), lanes)
