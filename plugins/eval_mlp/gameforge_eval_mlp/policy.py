"""The evaluator `policy-mlp`: a net with two heads, the value of a position and a policy over its moves.

Inputs: a bit for each code of each cell, and the numbers that a game adds to its cells; of a game without cells, the
bits of its state. Then one or two layers of rectified units, h, the last of which feeds both heads:

    value  = tanh( b + sum_i V_i h_i )
    logit  = sum of ( c_r + sum_i P_ri h_i ) over the rows r of the move

A move has one row, that of its index (MoveIndices). If the game numbers no moves, its rows are the cells that it
empties and those that it fills, so a move from one cell to another has two. Moves with the same rows have the same
logit.

Weights in one vector, float32: the first layer, a row of units for each input and one for the bias; the second layer in
the same way, if there is one; V and b; P by rows, and c. All sums have a fixed order, so scores and logits do not
depend on the processor.
"""

import itertools
import math
from collections.abc import Callable

import attrs
import numpy as np

from gameforge import Game, GameforgeError
from gameforge.interfaces import (
    Cells,
    EvaluatorFunctions,
    FeatureFunctions,
    MoveIndices,
    NetFunctions,
    Rules,
    State,
    Unit,
    WeightVector,
    capability,
    kinds,
)
from gameforge.kernel import (
    U0,
    U1,
    FloatArray,
    Floats,
    Real,
    Score,
    Scores,
    Word,
    Words,
    assembly,
    at,
    bits,
    bound,
    compiled_function,
    ctz,
    inline,
    simd,
    specialised,
)

(
    _MASKS,
    _BITS,
    _NUMBERS,
    _FIRST,
    _SECOND,
    _VALUE,
    _POLICY,
    _ROWS,
    _WORDS,
    _READ,
    _MOVES,
    _CHILD,
    _AFTER,
    _FOUND,
    _ACTIVE,
    _STRENGTH,
    _UNITS,
    _TURN,
) = (np.uint64(i) for i in range(18))
"""The block `ed`. Sizes: words of bits, bits of each of them, numbers after them, units of both layers. Places in the
vector: V, P; the number of its rows; words of a state. Places in `ed`: the data of `read_inputs`, those of `index` or
`play`. Places in the workspace, in words: a child's state, its bits, the rows of a move, the active inputs; then in
float32: the strengths of these inputs, the units. From _TURN on: where each cell lies after a move, if cells are rows.
"""
_8, _32 = np.uint64(8), np.uint64(32)
_ZERO, _ONE, _MOST, _STEEP = (np.float32(x) for x in (0.0, 1.0, 3e38, 1e30))
_STEP = np.float32(1 / 16)
"""Factor of the numbers beside the cells, which are small integers."""
_MOST_ROWS = 1 << 14
"""Maximum number of rows of the policy, that is, of move indices."""


@inline
def read_inputs(data: Words, s: Words, planes: Words) -> None:
    """Replaced by the function `cells` of the game, or by `state_bits`."""
    planes[0] = U0


def state_bits(data: Words, s: Words, planes: Words) -> None:
    """The inputs of a game without cells; data[0] is the number of words of a state."""
    for i in range(data[0]):
        planes[i] = s[i]


@inline
def index(data: Words, s: Words, m: Word) -> Word:
    """Replaced by the game's own function."""
    return U0


@inline
def play(rules: Words, s: Words, m: Word, child: Words) -> None:
    """Replaced by the game's own function."""
    child[0] = U0


def index_row(ed: Words, s: Words, m: Word, words: Words) -> Word:
    """Write the row of a move, its index; returns 1."""
    words[ed[_FOUND]] = index(at(ed, ed[_MOVES]), s, m)
    return U1


def changed_rows(ed: Words, s: Words, m: Word, words: Words) -> Word:
    """Write the rows of a move, the cells that it empties and fills; returns their number.

    The words hold the bits of the state, as `evaluate` left them. After the move the board is seen by the other side.
    """
    child, after, found = at(words, ed[_CHILD]), at(words, ed[_AFTER]), U0
    play(at(ed, ed[_MOVES]), s, m, child)
    read_inputs(at(ed, ed[_READ]), child, after)
    here, there = U0, U0
    for i in range(ed[_MASKS]):
        here |= words[i]
        there |= after[i]
    for cell in range(ed[_BITS]):
        was, is_ = here >> cell & U1, there >> ed[_TURN + cell] & U1
        if was != is_:
            words[ed[_FOUND] + found] = cell if was != U0 else ed[_BITS] + cell
            found += U1
    return found


@inline
def rows_of(ed: Words, s: Words, m: Word, words: Words) -> Word:
    """Replaced by `index_row` or `changed_rows`."""
    return U0


@inline
def _rectified(sums: simd.Lanes) -> simd.Lanes:
    return simd.clamp(sums, simd.splat(_ZERO), simd.splat(_MOST))


@inline
def _active(units: simd.Lanes) -> simd.Lanes:
    """1 for units above 0, else 0."""
    return simd.clamp(simd.mul(units, simd.splat(_STEEP)), simd.splat(_ZERO), simd.splat(_ONE))


@inline
def _dot(a: Floats, b: Floats, n: Word) -> Real:
    """The sum of a[i] * b[i]; n is a multiple of 8."""
    total = simd.splat(_ZERO)
    for i in range(U0, n, _8):
        total = simd.fma(simd.load(a, i), simd.load(b, i), total)
    return simd.total(total)


@inline
def _add(to: Floats, factor: Real, of: Floats, n: Word) -> None:
    """to[i] += factor * of[i]; n is a multiple of 8."""
    factors = simd.splat(factor)
    for i in range(U0, n, _8):
        simd.store(to, i, simd.fma(factors, simd.load(of, i), simd.load(to, i)))


@inline
def _list_inputs(ed: Words, words: Words, x: Floats) -> Word:
    """Write the inputs that are not 0, by their weights, and their strengths; returns their number."""
    n, stride = U0, ed[_FIRST]
    for i in range(ed[_MASKS]):
        bits = words[i]
        while bits != U0:
            words[ed[_ACTIVE] + n] = (ed[_BITS] * i + ctz(bits)) * stride
            x[ed[_STRENGTH] + n] = _ONE
            bits &= bits - U1
            n += U1
    for i in range(ed[_NUMBERS]):
        number = np.int64(words[ed[_MASKS] + i])
        if number != 0:
            words[ed[_ACTIVE] + n] = (ed[_BITS] * ed[_MASKS] + i) * stride
            x[ed[_STRENGTH] + n] = np.float32(number) * _STEP
            n += U1
    return n


@inline
def _sum_layer(
    w: Floats, x: Floats, active: Words, strength: Floats, n: Word, bias: Word, size: Word, to: Word
) -> None:
    """Write rectified units to x[to]: the sum of n rows of weights, which begin at active[i], and of the bias."""
    i = U0
    while i + _32 <= size:  # four sums at once, which do not wait for each other
        a, b = simd.load(w, bias + i), simd.load(w, bias + i + _8)
        c, d = simd.load(w, bias + i + np.uint64(16)), simd.load(w, bias + i + np.uint64(24))
        for k in range(n):
            v, row = simd.splat(strength[k]), active[k] + i
            a = simd.fma(v, simd.load(w, row), a)
            b = simd.fma(v, simd.load(w, row + _8), b)
            c = simd.fma(v, simd.load(w, row + np.uint64(16)), c)
            d = simd.fma(v, simd.load(w, row + np.uint64(24)), d)
        simd.store(x, to + i, _rectified(a))
        simd.store(x, to + i + _8, _rectified(b))
        simd.store(x, to + i + np.uint64(16), _rectified(c))
        simd.store(x, to + i + np.uint64(24), _rectified(d))
        i += _32
    while i < size:
        a = simd.load(w, bias + i)
        for k in range(n):
            a = simd.fma(simd.splat(strength[k]), simd.load(w, active[k] + i), a)
        simd.store(x, to + i, _rectified(a))
        i += _8


def evaluate(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    words, first, second, units = bits.as_words(x), ed[_FIRST], ed[_SECOND], ed[_UNITS]
    read_inputs(at(ed, ed[_READ]), s, words)
    n, active = _list_inputs(ed, words, x), at(words, ed[_ACTIVE])
    inputs = ed[_MASKS] * ed[_BITS] + ed[_NUMBERS]
    _sum_layer(w, x, active, at(x, ed[_STRENGTH]), n, inputs * first, first, units)
    last, size = units, first
    if second != U0:
        rows = at(words, ed[_FOUND])  # of the dense layer, only those of the units above 0
        behind, above = (inputs + U1) * first, U0
        for j in range(first):
            if x[units + j] > _ZERO:
                rows[above] = behind + j * second
                x[units + first + second + above] = x[units + j]
                above += U1
        last, size = units + first, second
        _sum_layer(w, x, rows, at(x, units + first + second), above, behind + first * second, second, last)
    score = simd.tanh(w[ed[_VALUE] + size] + _dot(at(x, last), at(w, ed[_VALUE]), size))
    end = units + first + second + first + second
    x[end], x[end + U1] = score, np.float32(n)
    return np.float64(score)


def policy(ed: Words, w: Floats, s: Words, moves: Words, n: Word, x: Floats, logits: Scores) -> None:
    words, first, second = bits.as_words(x), ed[_FIRST], ed[_SECOND]
    last, size = (ed[_UNITS], first) if second == U0 else (ed[_UNITS] + first, second)
    constants = ed[_POLICY] + ed[_ROWS] * size
    for i in range(n):
        logit = _ZERO
        for k in range(rows_of(ed, s, moves[i], words)):
            row = words[ed[_FOUND] + k]
            logit += w[constants + row] + _dot(at(x, last), at(w, ed[_POLICY] + row * size), size)
        logits[i] = np.float64(logit)


def slope(ed: Words, w: Floats, s: Words, moves: Words, n: Word, x: Floats, slopes: Floats, trace: Floats) -> None:
    words, first, second, units = bits.as_words(x), ed[_FIRST], ed[_SECOND], ed[_UNITS]
    last, size = (units, first) if second == U0 else (units + first, second)
    end = units + first + second + first + second
    # Step 1. The heads: their weights, and the slopes of the last layer's units.
    behind = at(x, units + first + second)  # slopes of the units of the last layer, then those of the first
    through, value, constants = slopes[0] * (_ONE - x[end] * x[end]), ed[_VALUE], ed[_POLICY] + ed[_ROWS] * size
    for i in range(size):
        behind[i] = through * w[value + i]
    _add(at(trace, value), through, at(x, last), size)
    trace[value + size] += through
    for i in range(n):
        factor = slopes[U1 + i]
        for k in range(rows_of(ed, s, moves[i], words)):
            row = words[ed[_FOUND] + k]
            place = ed[_POLICY] + row * size
            _add(at(trace, place), factor, at(x, last), size)
            _add(behind, factor, at(w, place), size)
            trace[constants + row] += factor
    for i in range(U0, size, _8):
        simd.store(behind, i, simd.mul(simd.load(behind, i), _active(simd.load(x, last + i))))
    # Step 2. The second layer.
    inputs = ed[_MASKS] * ed[_BITS] + ed[_NUMBERS]
    if second != U0:
        layer, before = (inputs + U1) * first, at(behind, second)
        for j in range(first):
            before[j] = _ZERO
            if x[units + j] > _ZERO:
                _add(at(trace, layer + j * second), x[units + j], behind, second)
                before[j] = _dot(at(w, layer + j * second), behind, second)
        _add(at(trace, layer + first * second), _ONE, behind, second)
        behind = before
    # Step 3. The first layer.
    for k in range(np.uint64(x[end + U1])):
        _add(at(trace, words[ed[_ACTIVE] + k]), x[ed[_STRENGTH] + k], behind, first)
    _add(at(trace, inputs * first), _ONE, behind, first)


def gradient(ed: Words, w: Floats, s: Words, x: Floats, trace: Floats) -> None:
    one = at(x, ed[_UNITS] + np.uint64(2) * (ed[_FIRST] + ed[_SECOND]) + np.uint64(2))
    one[0] = _ONE
    slope(ed, w, s, s, U0, x, one, trace)


def _whole_vectors(instance: "PolicyMlp", attribute: "attrs.Attribute[int]", value: int) -> None:
    if value % simd.LANES:
        raise ValueError(f"must be a multiple of {simd.LANES}")


@attrs.frozen(kw_only=True)
class PolicyMlp:
    """The component. The same net for any game: inputs and moves come from its rules."""

    hidden: int = attrs.field(default=64, validator=[kinds.count(8, 1024), _whole_vectors])
    """Units of the first layer, a multiple of 8."""
    second: int = attrs.field(default=32, validator=[kinds.count(0, 1024), _whole_vectors])
    """Units of the second layer, a multiple of 8; 0: there is no second layer."""

    def unit(self, rules: Rules) -> Unit:
        """The expected result, to which learners fit the weights."""
        return Unit.EXPECTED_RESULT

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """The compiled functions and the layout of the weights; a feature map is not used.

        Raises GameforgeError for a game whose moves cannot be numbered.
        """
        of_rules = rules.functions()
        turn: tuple[int, ...] = ()
        of_game: Cells | None = capability(rules, "cells")
        moves: MoveIndices | None = capability(rules, "moves")
        if of_game is None:
            read: Callable[..., object] = state_bits
            masks, bits, numbers, read_data = of_rules.words, 64, 0, np.array([of_rules.words], np.uint64)
        else:
            read, read_data = of_game.cells, assembly.block(of_game.data)
            masks, bits, numbers = len(of_game.codes), len(of_game.places), len(of_game.numbers)
        if moves is not None:
            rows, move_data = moves.size, assembly.block(moves.data)
            rows_function = specialised(index_row, index.__name__, moves.index)
        elif of_game is None or of_rules.calls or not of_rules.compiles("play"):
            raise GameforgeError(
                f"evaluator policy-mlp: the moves of {rules.name} cannot be numbered: the game offers neither `moves` "
                "nor `cells` with rules that compile"
            )
        else:
            rows, move_data, turn = 2 * bits, assembly.block(of_rules.data), turn_of(rules, of_game)
            rows_function = specialised(changed_rows, play.__name__, of_rules.play)
            rows_function = specialised(rows_function, read_inputs.__name__, read)
        if rows > _MOST_ROWS:
            raise GameforgeError(
                f"evaluator policy-mlp: {rules.name} numbers its moves from 0 to {rows - 1:,}; at most {_MOST_ROWS:,} "
                "numbers are allowed"
            )
        inputs, size = masks * bits + numbers, self.second or self.hidden
        value = (inputs + 1) * self.hidden + ((self.hidden + 1) * self.second if self.second else 0)
        policy_place = value + size + 1
        child = masks + numbers
        after = child + of_rules.words
        found = after + masks + numbers
        active = found + max(2 * bits, self.hidden)
        strength = 2 * (active + inputs)
        units = strength + inputs
        first_data = int(_TURN) + len(turn)
        sizes = [masks, bits, numbers, self.hidden, self.second, value, policy_place, rows, of_rules.words]
        places = [first_data, first_data + len(read_data), child, after, found, active, strength, units]
        with_rows = {function: specialised(function, rows_of.__name__, rows_function) for function in (policy, slope)}
        return EvaluatorFunctions(
            evaluate=specialised(evaluate, read_inputs.__name__, read),
            policy=with_rows[policy],
            slope=with_rows[slope],
            gradient=specialised(gradient, slope.__name__, slope),
            data=np.concatenate([np.array([*sizes, *places, *turn], np.uint64), read_data, move_data]),
            vector=WeightVector(
                policy_place + rows * (size + 1),
                layout=f"policy-mlp, inputs {inputs}, hidden {self.hidden}, second {self.second}, rows {rows}",
            ),
            scratch=units + 2 * (self.hidden + self.second) + 4,
            costly=True,
        )

    def initial_weights(self, net: NetFunctions | EvaluatorFunctions, rng: np.random.Generator) -> FloatArray:
        """Uniform weights of the layers and of the value, so that units vary as their inputs do; else zeros.

        Without logits of its own, the policy begins with all moves equally likely.
        """
        assert net.data is not None
        assert net.vector is not None
        masks, bits, numbers, *_ = (int(word) for word in net.data[: int(_FIRST)])
        weights, inputs, place = np.zeros(net.vector.length, np.float32), masks * bits + numbers, 0
        for fan_in, active, units in ((inputs, bits, self.hidden), (self.hidden, self.hidden, self.second)):
            limit, size = math.sqrt(6 / active), fan_in * units
            weights[place : place + size] = rng.uniform(-limit, limit, size)
            place += size + units  # the bias stays 0
        size = self.second or self.hidden
        weights[place : place + size] = rng.uniform(-1, 1, size) / math.sqrt(size)
        return weights


_GAMES, _PLIES = 4, 64
"""Random games, and their moves at most, from which `turn_of` sees how the board turns."""


def turn_of(rules: Rules, of_game: Cells) -> tuple[int, ...]:
    """Return where each cell of a position lies after a move, when the other side sees the board.

    It is the same place if the board never turns, or one of a flip, a mirror image and half a turn: that with which the
    moves of random games change the fewest cells.
    """
    turns = of_game.turns
    read = bound(compiled_function("cells", of_game.cells), assembly.block(of_game.data))

    def occupied(state: State) -> int:
        planes = np.zeros(len(of_game.codes) + len(of_game.numbers), np.uint64)
        read(np.array(state, np.uint64), planes)
        return int(np.bitwise_or.reduce(planes[: len(of_game.codes)]))

    rng, game, changes = np.random.default_rng(0), Game(rules), [0] * len(turns)
    for _ in range(_GAMES):
        *_, (moves, _) = itertools.islice(game.random_game(rng), _PLIES)
        states = itertools.accumulate(moves, game.play, initial=rules.initial())
        for before, now in itertools.pairwise(map(occupied, states)):
            for i, turn in enumerate(turns):
                changes[i] += sum((before >> cell & 1) != (now >> turn[cell] & 1) for cell in range(len(turn)))
    return turns[changes.index(min(changes))]
