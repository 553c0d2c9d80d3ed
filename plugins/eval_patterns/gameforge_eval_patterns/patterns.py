"""The evaluator `patterns`: its parameters, and the score as a function of the state.

The score is computed in integers until the squash, so that it is the same on every machine. The index of every pattern
is a sum over the cells. Four cells at once add a row of int32, one for each pattern: the loop has no branches, and its
length depends on the board alone.
"""

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import (
    Cells,
    EvaluatorFunctions,
    FeatureFunctions,
    PatternSet,
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
from gameforge_eval_patterns import layout
from gameforge_eval_patterns.layout import STEP, Layout, generated, groups, layout_of

_8, _16, _32 = np.uint64(8), np.uint64(16), np.uint64(32)


@attrs.frozen(kw_only=True)
class PatternParameters:
    """Which groups of cells have weights for their configurations, and how weights change during a game.

    What is left out is as in the game's default set, its first; a game without sets has generated patterns.
    """

    patterns: str = ""
    """Name of a set of the game's, `lines 4`, `rectangles 2x4 4x2`, `cells a1 b1 a2`, or several with `;` between."""
    codes: tuple[str, ...] | None = None
    """The codes that patterns distinguish; each of the others has a weight for each cell."""
    counter: str | None = None
    """What determines the phase: `pieces`, or a number that the game counts."""
    phases: tuple[int, ...] | None = None
    """Values of the counter, ascending: a set of weights for each."""
    memory: int = attrs.field(default=256, validator=kinds.whole("a whole number of megabytes, 1 or more", 1))
    """Maximum megabytes for the weights of a player; a fit needs several times as much, which does not count."""

    def unit(self, rules: Rules) -> Unit:
        """The expected result, to which learners fit the weights."""
        return Unit.EXPECTED_RESULT

    def initial_weights(self, functions: EvaluatorFunctions, rng: np.random.Generator) -> FloatArray:
        """All 0: every position is even."""
        assert functions.vector is not None
        return np.zeros(functions.vector.length, np.float32)

    def check_weights(self, functions: EvaluatorFunctions, weights: FloatArray) -> None:
        """Raise GameforgeError if a weight is not a finite number."""
        if not np.isfinite(weights).all():
            raise GameforgeError(f"{int((~np.isfinite(weights)).sum()):,} of its weights are not finite numbers")

    def _chosen(self, cells: Cells) -> PatternSet:
        """The set that the parameters describe."""
        default = next(iter(cells.sets.values()), None) or PatternSet(
            patterns=generated(cells.places), phases=(0, len(cells.places))
        )
        if self.codes == ():
            raise GameforgeError(f"patterns: codes: the list is empty; name at least one of {', '.join(cells.codes)}")
        text = self.patterns.strip()
        found = cells.sets.get(text) or (attrs.evolve(default, patterns=groups(text, cells)) if text else default)
        return attrs.evolve(
            found,
            codes=found.codes if self.codes is None else self.codes,
            counter=found.counter if self.counter is None else self.counter,
            phases=found.phases if self.phases is None else self.phases,
        )

    def layout(self, rules: Rules, who: str) -> Layout:
        """The layout for a game; GameforgeError, which names the evaluator `who`, if it does not offer cells."""
        cells = capability(rules, "cells")
        if cells is None:
            raise GameforgeError(f"evaluator {who} needs the cells of the board; {rules.name} does not offer any")
        return layout_of(cells, self._chosen(cells), self.memory)


@attrs.frozen(kw_only=True)
class Patterns(PatternParameters):
    """The component: a value, and no policy."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """Raise GameforgeError if the game offers no cells, or the patterns do not fit on its board or into memory."""
        layout = self.layout(rules, "patterns")
        return EvaluatorFunctions(
            evaluate=specialised(evaluate, "cells", layout.cells.cells),
            terms=specialised(terms, "cells", layout.cells.cells),
            data=layout.data(),
            vector=WeightVector(
                layout.length,
                layout.unpack,
                step=STEP,
                layout=layout.identity,
                unpack_one=unpack_one,
                unpack_data=layout.unpack_data,
                groups=layout.groups,
            ),
            max_terms=layout.most_terms + layout.scratch,
            scratch=layout.scratch,
        )

    def with_added(self, rules: Rules, weights: FloatArray, added: Mapping[str, Sequence[float]]) -> FloatArray:
        """Return the weights, in log-odds, with additions to those of the game's numbers, one for each phase."""
        cells = capability(rules, "cells")
        assert cells is not None, "functions() has refused the game"
        names, phases = cells.numbers, self._chosen(cells).phases
        table = weights.reshape(-1, len(phases)).copy()
        numbers = table[-1 - len(names) : -1]  # the constant comes last
        for name, values in added.items():
            if name not in names:
                raise GameforgeError(f"added: {name!r} is not one of {', '.join(names) or 'none'}")
            if len(values) != len(phases) or not np.isfinite(values).all():
                raise GameforgeError(f"added: {name!r} needs {len(phases)} finite numbers, one for each phase")
            numbers[names.index(name)] += np.rint(np.array(values) / STEP) * STEP  # still saved in two bytes
        return table.reshape(-1)


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
def cells(data: Words, s: Words, planes: Words) -> None:
    """Stands for the game's own function (gameforge.kernel.compile.functions)."""
    planes[0] = U0


@inline
def _indices(ed: Words, planes: Words, indices: Places) -> None:
    """Write the entry of each pattern."""
    rows, lanes = bits.as_int32(at(ed, U0)), ed[LANES]
    step = lanes * _ROWS_OF_CHUNK
    i = U0
    while i < lanes:
        # Begin with the entries of the empty board. Each set of four cells adds one row, also if all four are empty:
        # a row of zeros costs less than a branch that is hard to predict.
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
def _phase(ed: Words, planes: Words) -> Word:
    """The interval between two phases in the upper half of a word, the parts of the later phase in the lower one."""
    count = np.int64(0)
    if ed[COUNTER] == _PIECES:
        for i in range(ed[PLANES]):
            count += np.int64(popcount(planes[i]))
    else:
        count = np.int64(planes[ed[COUNTER]])
    # A game's number may be negative or larger than any phase; the outermost phases stand for these.
    return ed[ed[PHASE_OF] + np.uint64(min(max(count, np.int64(0)), np.int64(ed[MOST])))]


def evaluate(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    """Score a state for the side to move: tanh of half the log-odds, the sum of the weights of its entries."""
    # Step 1. Read the board, and find the entries of the patterns and the phase.
    planes = bits.as_words(x)
    cells(at(ed, ed[DATA]), s, planes)
    n_planes, n_numbers = ed[PLANES], ed[NUMBERS]
    indices = bits.as_int32(at(x, U2 * (n_planes + n_numbers)))
    _indices(ed, planes, indices)
    phase = _phase(ed, planes)
    # Step 2. Add the weights of the patterns. Those of adjacent phases lie side by side, so an entry costs one access
    # to memory; the sums are mixed only at the end.
    pairs = bits.as_int16(at(w, (phase >> _32) * ed[ENTRIES]))
    a = b = np.int64(0)  # sums of the earlier and of the later phase
    for i in range(ed[PATTERNS]):
        entry = np.uint64(indices[i]) * U2
        a += np.int64(bits.read_alone(pairs, entry))
        b += np.int64(bits.read_alone(pairs, entry + U1))
    # Step 3. Single cells with the codes that patterns do not distinguish.
    entry = ed[LINEAR] * U2
    tables = ed[LISTS] + ed[SLOTS]
    for i in range(ed[TABLES]):
        rest = planes[ed[tables + i]]
        while rest != U0:
            place = entry + ctz(rest) * U2
            rest &= rest - U1
            a += np.int64(pairs[place])
            b += np.int64(pairs[place + U1])
        entry += ed[CELLS] * U2
    # Step 4. Numbers: cells of each code, those that the game counts, and the constant.
    for i in range(n_planes):
        count = np.int64(popcount(planes[i]))
        a += count * np.int64(pairs[entry])
        b += count * np.int64(pairs[entry + U1])
        entry += U2
    for i in range(n_numbers):
        count = np.int64(planes[n_planes + i])
        a += count * np.int64(pairs[entry])
        b += count * np.int64(pairs[entry + U1])
        entry += U2
    a += np.int64(pairs[entry])
    b += np.int64(pairs[entry + U1])
    # Step 5. Mix the phases, and squash. Up to here all is integers, so the order of the sums does not matter.
    parts = np.int64(phase & _LOW_WORD)
    total = a * (_PARTS - parts) + b * parts
    return np.float64(simd.tanh(np.float32(np.float64(total) * _HALF_STEP)))


def log_odds(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    """The sum of the weights of a state's entries, `w` being the vector itself: for learners that change all of it."""
    planes = bits.as_words(x)
    cells(at(ed, ed[DATA]), s, planes)
    n_planes, n_numbers, phases = ed[PLANES], ed[NUMBERS], ed[PHASES]
    indices = bits.as_int32(at(x, U2 * (n_planes + n_numbers)))
    _indices(ed, planes, indices)
    phase = _phase(ed, planes)
    fold = bits.as_int32(at(ed, U0))
    earlier = at(w, phase >> np.uint64(32))
    later = at(earlier, U1 if phases > U1 else U0)
    a = b = 0.0  # sums of the earlier and of the later phase
    for i in range(ed[PATTERNS]):
        place = np.uint64(fold[ed[FOLD] + np.uint64(indices[i])]) * phases
        a += np.float64(earlier[place])
        b += np.float64(later[place])
    # Entries that are no configurations have weights of their own, in the same order.
    place = np.uint64(fold[ed[FOLD] + ed[LINEAR]]) * phases
    tables = ed[LISTS] + ed[SLOTS]
    for i in range(ed[TABLES]):
        rest = planes[ed[tables + i]]
        while rest != U0:
            cell = place + ctz(rest) * phases
            rest &= rest - U1
            a += np.float64(earlier[cell])
            b += np.float64(later[cell])
        place += ed[CELLS] * phases
    for i in range(n_planes + n_numbers):
        count = np.float64(popcount(planes[i]) if i < n_planes else np.int64(planes[i]))
        a += count * np.float64(earlier[place])
        b += count * np.float64(later[place])
        place += phases
    a += np.float64(earlier[place])
    b += np.float64(later[place])
    parts = np.float64(phase & _LOW_WORD) / np.float64(_PARTS)
    return a * (1.0 - parts) + b * parts


@inline
def _write(ed: Words, phase: Word, entry: Word, factor: Whole, places: Places, factors: Floats, n: Word) -> Word:
    """Write the one or two terms of an entry after the first n; return how many there are then."""
    if factor == np.int64(0):
        return n
    fold = bits.as_int32(at(ed, U0))
    place = np.int64(fold[ed[FOLD] + entry]) * np.int64(ed[PHASES]) + np.int64(phase >> _32)
    parts = np.int64(phase & _LOW_WORD)
    if parts < _PARTS:
        places[n] = place
        factors[n] = np.float32(np.float64(factor * (_PARTS - parts)) / np.float64(_PARTS))
        n += U1
    if parts > np.int64(0):
        places[n] = place + np.int64(1)
        factors[n] = np.float32(np.float64(factor * parts) / np.float64(_PARTS))
        n += U1
    return n


def terms(ed: Words, s: Words, places: Places, factors: Floats) -> Word:
    """Write the terms of a state: places in the vector of weights, and factors; return their number."""
    x = at(factors, ed[TERMS])
    planes = bits.as_words(x)
    cells(at(ed, ed[DATA]), s, planes)
    n_planes, n_numbers = ed[PLANES], ed[NUMBERS]
    indices = bits.as_int32(at(x, U2 * (n_planes + n_numbers)))
    _indices(ed, planes, indices)
    phase = _phase(ed, planes)
    n, one = U0, np.int64(1)
    for i in range(ed[PATTERNS]):
        n = _write(ed, phase, np.uint64(indices[i]), one, places, factors, n)
    entry = ed[LINEAR]
    tables = ed[LISTS] + ed[SLOTS]
    for i in range(ed[TABLES]):
        rest = planes[ed[tables + i]]
        while rest != U0:
            n = _write(ed, phase, entry + ctz(rest), one, places, factors, n)
            rest &= rest - U1
        entry += ed[CELLS]
    for i in range(n_planes):
        n = _write(ed, phase, entry + i, np.int64(popcount(planes[i])), places, factors, n)
    entry += n_planes
    for i in range(n_numbers):
        n = _write(ed, phase, entry + i, np.int64(planes[n_planes + i]), places, factors, n)
    return _write(ed, phase, entry + n_numbers, one, places, factors, n)


_FIRSTS = np.uint64(6)
"""Where the lists of the block `ud` begin, in int32."""
_PER_STEP, _MOST_STEPS = np.float64(1 / STEP), np.float64(2**15 - 1)


def unpack_one(ud: Words, w: Floats, vector: Floats, place: Word) -> None:
    """Write a weight of the vector into the block: for each entry that has it, in one or two pairs of phases."""
    phases, entries, lists = ud[U0], ud[U1], bits.as_int32(ud)
    phase, shared = place % phases, place // phases
    step = np.int64(np.rint(min(max(np.float64(vector[place]) * _PER_STEP, -_MOST_STEPS - 1.0), _MOST_STEPS)))
    pairs = bits.as_int16(w)
    for i in range(np.uint64(lists[_FIRSTS + shared]), np.uint64(lists[_FIRSTS + shared + U1])):
        entry = np.uint64(lists[ud[U2] + i])
        if phase + U1 < phases or phases == U1:
            pairs[(phase * entries + entry) * U2] = step
        if phase > U0:
            pairs[((phase - U1) * entries + entry) * U2 + U1] = step
