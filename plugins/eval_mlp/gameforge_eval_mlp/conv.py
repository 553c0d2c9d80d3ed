"""The evaluator `conv`: a residual convolutional net with two heads, over the cells of any game.

The board is the rectangle that holds all cells. Each of its places has `channels` rectified units a layer:

    h_0 = relu( E * bits + N numbers + e )              E: 3 x 3 places of each code; N, e: the same at all places
    a   = relu( C_1 * h_k + c_1 )                       a residual block: two convolutions of 3 x 3
    h_k+1 = relu( C_2 * a + c_2 + h_k )
    p, v = relu( H h + g )                              eight units a place for each head, from the last layer
    value = tanh( b + sum_i V_i u_i ),  u = relu( D v + d )
    logit = sum of ( c_r + sum_i P_ri p_i ) over the rows r of the move

This is the net of AlphaZero [Silver2018] without normalisation: initial weights are so small that units keep their size
from layer to layer. Places beyond the edge of the board count as 0. Places of the board that are not cells have units,
too, but no bits.

Weights in one vector, float32: E by codes, rows and columns; N; e; the convolutions in the order of convolution.py; H
by channels, and g; D by inputs, and d; V and b; P by rows, and c. All sums have a fixed order, so scores and logits do
not depend on the processor.
"""

import math

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import EvaluatorFunctions, FeatureFunctions, NetFunctions, Rules, Unit, WeightVector, kinds
from gameforge.kernel import (
    U0,
    U1,
    U2,
    U3,
    U4,
    FloatArray,
    Floats,
    Score,
    Scores,
    Word,
    Words,
    at,
    bits,
    ctz,
    inline,
    simd,
    specialised,
)
from gameforge_eval_mlp.convolution import (
    SIX,
    Shape,
    add_vectors,
    clear,
    convolve,
    rectified,
    slopes_before,
    slopes_of_weights,
    sums_of_six,
)
from gameforge_eval_mlp.policy import add, dot
from gameforge_eval_mlp.reading import FOUND, MASKS, NUMBERS, OWN, READ, STEP, Reading, read_inputs, rows_of

(
    _BLOCKS, _CHANNELS, _ROW, _SIZE, _PLACES, _CELLS, _TOWER, _HEADS, _DENSE, _VALUE, _POLICY, _ROWS,
    _FIRST, _LAST, _P, _V, _U, _BEHIND, _CORNERS,
) = (OWN + np.uint64(i) for i in range(19))  # fmt: skip
"""Entries of the block `ed`, after those of reading.py. Sizes: residual blocks, channels, numbers in a row with its
margin and in a layer, places; where in `ed` the corners of the cells are. Places in the vector: the first convolution,
H, D, V, P; the number of its rows. Places in the workspace: the first layer and the last, p, v and u; and how far
behind p, v and u their slopes are. From _CORNERS on: the corners of the places (Shape)."""
_PLANES, _HIDDEN = 8, 32
"""Units of each head at each place, and those of D."""
_8, _9, _16, _32 = (np.uint64(n) for n in (8, 9, 16, 32))
_ZERO, _ONE = np.float32(0), np.float32(1)
_MOST_PLACES = 256
"""Maximum number of places of the board."""
_MOST_WEIGHTS = 1 << 26
"""Maximum length of the vector."""


@inline
def _shape(ed: Words) -> Shape:
    return Shape(at(ed, _CORNERS), ed[_PLACES], ed[_CHANNELS], ed[_ROW], ed[_SIZE])


@inline
def _write_first_layer(ed: Words, w: Floats, words: Words, x: Floats, sums: Word, to: Word) -> None:
    """Write h_0 to the layer `to`, and its sums to the layer `sums`."""
    channels, size, row, corners = ed[_CHANNELS], ed[_SIZE], ed[_ROW], at(ed, _CORNERS)
    numbers = _9 * ed[MASKS] * channels
    bias, centre, last = numbers + ed[NUMBERS] * channels, row + channels, (row + channels) * U2
    for i in range(U0, channels, _8):
        begin = simd.load(w, bias + i)
        for k in range(ed[NUMBERS]):
            number = np.float32(np.int64(words[ed[MASKS] + k])) * STEP
            begin = simd.fma(simd.splat(number), simd.load(w, numbers + k * channels + i), begin)
        for place in range(sums + i, sums + size, channels):
            simd.store(x, place, begin)
    weights = U0
    for mask in range(ed[MASKS]):
        cells = words[mask]
        while cells != U0:
            corner = ed[ed[_CELLS] + ctz(cells)]
            cells &= cells - U1
            seen = weights
            for i in range(U3):
                for j in range(U3):
                    add(at(x, sums + corner + last - i * row - j * channels), _ONE, at(w, seen), channels)
                    seen += channels
        weights += _9 * channels
    clear(x, to, size)
    for place in range(ed[_PLACES]):
        here = centre + corners[place]
        for i in range(here, here + channels, _8):
            simd.store(x, to + i, rectified(simd.load(x, sums + i)))


@inline
def _keep(x: Floats, policy: Word, value: Word, place: Word | int, low: simd.Lanes, high: simd.Lanes) -> None:
    """Store the units of both heads at a place."""
    simd.store(x, policy + place * _8, rectified(low))
    simd.store(x, value + place * _8, rectified(high))


@inline
def _write_heads(ed: Words, w: Floats, x: Floats) -> None:
    """Write p and v, from the last layer, and u."""
    shape, channels, p, v, u = _shape(ed), ed[_CHANNELS], ed[_P], ed[_V], ed[_U]
    weights, before = ed[_HEADS], ed[_LAST] + ed[_ROW] + channels
    for i in range(U0, ed[_PLACES], SIX):
        a0, b0, a1, b1, a2, b2, a3, b3, a4, b4, a5, b5 = sums_of_six(
            shape, w, x, i, before, weights, U1, channels, weights + _16 * channels
        )
        _keep(x, p, v, i, a0, b0)
        _keep(x, p, v, i + U1, a1, b1)
        _keep(x, p, v, i + U2, a2, b2)
        _keep(x, p, v, i + U3, a3, b3)
        _keep(x, p, v, i + U4, a4, b4)
        _keep(x, p, v, i + U4 + U1, a5, b5)
    dense, inputs = ed[_DENSE], ed[_PLACES] * _8
    bias = dense + inputs * _32
    a, b = simd.load(w, bias), simd.load(w, bias + _8)
    c, d = simd.load(w, bias + _16), simd.load(w, bias + _16 + _8)
    for j in range(inputs):
        one, row = simd.splat(x[v + j]), dense + j * _32
        a, b = simd.fma(one, simd.load(w, row), a), simd.fma(one, simd.load(w, row + _8), b)
        c = simd.fma(one, simd.load(w, row + _16), c)
        d = simd.fma(one, simd.load(w, row + _16 + _8), d)
    simd.store(x, u, rectified(a))
    simd.store(x, u + _8, rectified(b))
    simd.store(x, u + _16, rectified(c))
    simd.store(x, u + _16 + _8, rectified(d))


def evaluate(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    words, shape, layer, size = bits.as_words(x), _shape(ed), ed[_FIRST], ed[_SIZE]
    read_inputs(at(ed, ed[READ]), s, words)
    _write_first_layer(ed, w, words, x, ed[_LAST] + size, layer)
    weights = ed[_TOWER]
    for i in range(U2 * ed[_BLOCKS]):
        convolve(shape, w, x, weights, layer, layer - size if i & U1 != U0 else U0, layer + size)
        weights += _length(ed)
        layer += size
    _write_heads(ed, w, x)
    score = simd.tanh(w[ed[_VALUE] + _32] + dot(at(x, ed[_U]), at(w, ed[_VALUE]), _32))
    x[ed[_U] + _32] = score
    return np.float64(score)


@inline
def _length(ed: Words) -> Word:
    """Number of weights of a convolution."""
    return (_9 * ed[_CHANNELS] + U1) * ed[_CHANNELS]


def policy(ed: Words, w: Floats, s: Words, moves: Words, n: Word, x: Floats, logits: Scores) -> None:
    words, size, planes = bits.as_words(x), ed[_PLACES] * _8, at(x, ed[_P])
    constants = ed[_POLICY] + ed[_ROWS] * size
    for i in range(n):
        logit = _ZERO
        for k in range(rows_of(ed, s, moves[i], words)):
            row = words[ed[FOUND] + k]
            logit += w[constants + row] + dot(planes, at(w, ed[_POLICY] + row * size), size)
        logits[i] = np.float64(logit)


@inline
def _mask(x: Floats, units: Word, slopes: Word, n: Word) -> None:
    """Write 0 for the slopes of units that are not above 0."""
    for i in range(n):
        if not x[units + i] > _ZERO:
            x[slopes + i] = _ZERO


@inline
def _slopes_of_heads(ed: Words, w: Floats, x: Floats, trace: Floats, slopes: Word) -> None:
    """From the slopes of p and v: those of H and g, and of the sums of the last layer, in the layer `slopes`."""
    shape, channels, corners = _shape(ed), ed[_CHANNELS], at(ed, _CORNERS)
    weights, centre, layer = ed[_HEADS], ed[_ROW] + channels, ed[_LAST]
    biases, p, v = weights + _16 * channels, ed[_P] + ed[_BEHIND], ed[_V] + ed[_BEHIND]
    clear(x, slopes, ed[_SIZE])
    for i in range(shape.places):
        low, high, place = simd.load(x, p + i * _8), simd.load(x, v + i * _8), centre + corners[i]
        add_vectors(trace, biases, low, high)
        for j in range(channels):
            unit, k = x[layer + place + j], weights + j * _16
            if unit > _ZERO:
                one = simd.splat(unit)
                add_vectors(trace, k, simd.mul(one, low), simd.mul(one, high))
                sums = simd.fma(high, simd.load(w, k + _8), simd.mul(low, simd.load(w, k)))
                x[slopes + place + j] = simd.total(sums)


@inline
def _slopes_of_first_layer(ed: Words, words: Words, x: Floats, slopes: Word, trace: Floats) -> None:
    """Add to the trace the slopes of E, N and e, from those of the sums of the first layer, the layer `slopes`."""
    channels, row, numbers = ed[_CHANNELS], ed[_ROW], ed[MASKS] * _9 * ed[_CHANNELS]
    bias, last, weights = numbers + ed[NUMBERS] * channels, (row + channels) * U2, U0
    for mask in range(ed[MASKS]):
        cells = words[mask]
        while cells != U0:
            corner = ed[ed[_CELLS] + ctz(cells)]
            cells &= cells - U1
            seen = weights
            for i in range(U3):
                for j in range(U3):
                    add(at(trace, seen), _ONE, at(x, slopes + corner + last - i * row - j * channels), channels)
                    seen += channels
        weights += _9 * channels
    corners, centre = at(ed, _CORNERS), row + channels
    for i in range(U0, channels, _8):
        sums = simd.splat(_ZERO)
        for place in range(ed[_PLACES]):
            sums = simd.add(sums, simd.load(x, slopes + centre + corners[place] + i))
        simd.store(trace, bias + i, simd.add(sums, simd.load(trace, bias + i)))
        for k in range(ed[NUMBERS]):
            number, here = np.float32(np.int64(words[ed[MASKS] + k])) * STEP, numbers + k * channels + i
            simd.store(trace, here, simd.fma(simd.splat(number), sums, simd.load(trace, here)))


def slope(ed: Words, w: Floats, s: Words, moves: Words, n: Word, x: Floats, slopes: Floats, trace: Floats) -> None:
    words, size, value, dense, inputs = bits.as_words(x), ed[_SIZE], ed[_VALUE], ed[_DENSE], ed[_PLACES] * _8
    p, v, u, behind = ed[_P], ed[_V], ed[_U], ed[_BEHIND]
    # Step 1. The value: V, D, and the slopes of v.
    through = slopes[0] * (_ONE - x[u + _32] * x[u + _32])
    add(at(trace, value), through, at(x, u), _32)
    trace[value + _32] += through
    for i in range(_32):
        x[u + behind + i] = through * w[value + i]
    _mask(x, u, u + behind, _32)
    before = at(x, u + behind)
    for j in range(inputs):
        x[v + behind + j] = _ZERO
        if x[v + j] > _ZERO:
            add(at(trace, dense + j * _32), x[v + j], before, _32)
            x[v + behind + j] = dot(at(w, dense + j * _32), before, _32)
    add(at(trace, dense + inputs * _32), _ONE, before, _32)
    # Step 2. The policy: P, and the slopes of p.
    clear(x, p + behind, inputs)
    for i in range(n):
        factor = slopes[U1 + i]
        for k in range(rows_of(ed, s, moves[i], words)):
            row = words[ed[FOUND] + k]
            place = ed[_POLICY] + row * inputs
            add(at(trace, place), factor, at(x, p), inputs)
            add(at(x, p + behind), factor, at(w, place), inputs)
            trace[ed[_POLICY] + ed[_ROWS] * inputs + row] += factor
    _mask(x, p, p + behind, inputs)
    # Step 3. The convolutions, from the last one to the first. `after` has the slopes of the sums of one, `other` takes
    # those of the one before it; below the first convolution of a residual block, it has those of the shortcut already.
    shape, layer, weights = _shape(ed), ed[_LAST], ed[_HEADS]
    after, other = layer + size, layer + size + size
    _slopes_of_heads(ed, w, x, trace, after)
    for i in range(U2 * ed[_BLOCKS]):
        layer -= size
        weights -= _length(ed)
        slopes_of_weights(shape, x, weights, layer, after, trace)
        if i & U1 == U0:
            clear(x, other, size)
        slopes_before(shape, w, x, weights, after, other, layer)
        after, other = other, after
    # Step 4. The first layer.
    _slopes_of_first_layer(ed, words, x, after, trace)


def gradient(ed: Words, w: Floats, s: Words, x: Floats, trace: Floats) -> None:
    one = at(x, ed[_U] + ed[_BEHIND] + _32)
    one[0] = _ONE
    slope(ed, w, s, s, U0, x, one, trace)


def _whole_vectors(instance: "Conv", attribute: "attrs.Attribute[int]", value: int) -> None:
    if value % 16:
        raise ValueError("must be a multiple of 16")


@attrs.frozen(kw_only=True)
class Conv:
    """The component. The same net for any game with cells: board, inputs and moves come from its rules."""

    blocks: int = attrs.field(default=3, validator=kinds.count(0, 64))
    """Residual blocks of two convolutions each."""
    channels: int = attrs.field(default=32, validator=[kinds.count(16, 256), _whole_vectors])
    """Units of a layer at each place of the board, a multiple of 16."""

    def unit(self, rules: Rules) -> Unit:
        """The expected result, to which learners fit the weights."""
        return Unit.EXPECTED_RESULT

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """The compiled functions and the layout of the weights; a feature map is not used.

        Raises GameforgeError for a game without cells, whose board is too large, or whose moves cannot be numbered.
        """
        game = Reading.of(rules, "conv")
        if game.cells is None:
            raise GameforgeError(f"evaluator conv: {rules.name} offers no cells; policy-mlp needs none")
        channels, (rows, columns) = self.channels, game.cells.shape[1:]
        places = rows * columns
        if places > _MOST_PLACES:
            raise GameforgeError(
                f"evaluator conv: the board of {rules.name} has {rows} x {columns} places; at most {_MOST_PLACES} are "
                "allowed"
            )
        # The vector.
        tower = (9 * game.masks + game.numbers + 1) * channels
        heads = tower + 2 * self.blocks * (9 * channels + 1) * channels
        dense = heads + 2 * _PLANES * (channels + 1)
        value = dense + (_PLANES * places + 1) * _HIDDEN
        policy_place = value + _HIDDEN + 1
        length = policy_place + game.rows * (_PLANES * places + 1)
        if length > _MOST_WEIGHTS:
            raise GameforgeError(
                f"evaluator conv: the net for {rules.name} would have {length:,} weights; at most {_MOST_WEIGHTS:,} "
                "are allowed; choose fewer blocks or channels"
            )
        # The workspace.
        row = (columns + 2) * channels
        layer = (rows + 2) * row
        first = 2 * game.workspace
        last = first + 2 * self.blocks * layer
        planes = -(-places // int(SIX)) * int(SIX) * _PLANES
        p = last + 3 * layer
        v, u = p + planes, p + 2 * planes
        behind = u + _HIDDEN + 1 - p
        corners = [r * row + c * channels for r in range(rows) for c in range(columns)]
        corners += [corners[-1]] * (planes // _PLANES - places)
        own = [self.blocks, channels, row, layer, places, int(_CORNERS) + len(corners)]
        own += [tower, heads, dense, value, policy_place, game.rows, first, last, p, v, u, behind]
        own += corners + [r * row + c * channels for r, c in game.cells.places]
        return EvaluatorFunctions(
            evaluate=game.with_inputs(evaluate),
            policy=game.with_rows(policy),
            slope=game.with_rows(slope),
            gradient=specialised(gradient, slope.__name__, slope),
            data=game.block(own),
            vector=WeightVector(
                length,
                layout=f"conv, board {rows} x {columns}, codes {game.masks}, numbers {game.numbers}, "
                f"blocks {self.blocks}, channels {channels}, rows {game.rows}",
            ),
            scratch=p + 2 * behind + 1,
            costly=True,
        )

    def initial_weights(self, net: NetFunctions | EvaluatorFunctions, rng: np.random.Generator) -> FloatArray:
        """Uniform weights, so that units vary as their inputs do; biases and P are 0.

        The policy begins with all moves equally likely. What a residual block adds varies 1 / `blocks` as much as what
        it gets, so that all of them together about double the variance.
        """
        assert net.data is not None
        assert net.vector is not None
        masks, places, channels = (int(net.data[int(entry)]) for entry in (MASKS, _PLACES, _CHANNELS))
        weights = np.zeros(net.vector.length, np.float32)

        def draw(place: int, fan_in: int, units: int, active: int) -> None:
            limit = math.sqrt(6 / active)
            weights[place : place + fan_in * units] = rng.uniform(-limit, limit, fan_in * units)

        draw(0, 9 * masks, channels, 9)  # a place has one code at most
        for i in range(2 * self.blocks):
            place = int(net.data[int(_TOWER)]) + i * (9 * channels + 1) * channels
            draw(place, 9 * channels, channels, 9 * channels * (self.blocks if i % 2 else 1))
        heads, dense, value = (int(net.data[int(entry)]) for entry in (_HEADS, _DENSE, _VALUE))
        draw(heads, channels, 2 * _PLANES, channels)
        draw(dense, _PLANES * places, _HIDDEN, _PLANES * places)
        weights[value : value + _HIDDEN] = rng.uniform(-1, 1, _HIDDEN) / math.sqrt(_HIDDEN)
        return weights
