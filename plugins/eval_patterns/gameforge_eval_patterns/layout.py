"""Where each weight stands: in the vector that learners set, and in the blocks that the kernel reads.

An *entry* is something that has weights of its own, one for each phase: a configuration of a family of patterns, a cell
with a code that patterns do not tell apart, a code (times its number of cells), a number of the game's, the constant.
Entries are numbered in this order. Configurations that are images of each other are entries that share their weights.

The vector holds float32, the weights of an entry for all phases side by side. The kernel's block holds int16, in STEPs:
for each pair of adjacent phases, for each entry, its two weights. Sums of integers are exact in any order, so scores
are the same on every machine.
"""

import functools
import hashlib
import json
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import GameforgeError
from gameforge.interfaces import Cells, PatternSet, WeightGroup
from gameforge.kernel import FloatArray, WordArray, assembly
from gameforge_eval_patterns.groups import Family, families

STEP = 2.0**-10
"""The kernel's weights are multiples of this, in log-odds, so that 16 bits reach from -32 to 32."""
PARTS = 256
"""Number of steps of the interpolation between two phases."""
_MOST_ENTRIES = 2**30
CHUNK = 4
"""Number of cells that the kernel looks up at once."""
CACHE_LINE = 8
"""Length of a cache line, in words."""
GROUP = 24
"""Number of patterns whose indices the kernel adds up at once."""
(
    PLANES, NUMBERS, CHUNKS, SLOTS, LANES, PATTERNS, TABLES, CELLS, COUNTER, MOST, ENTRIES, LINEAR, PHASES,
    PHASE_OF, LISTS, DATA, ROWS, FOLD, TERMS, HEADER,
) = range(20)  # fmt: skip
"""The head of the block `ed`. ROWS and FOLD are places of int32, the others that are places are of words."""
PIECES = 2**32
"""The counter that is not a number of the game's."""
_MOST_COUNT = 255
"""The largest value of the counter that the kernel tells apart; boards have fewer cells."""


@attrs.frozen(eq=False)
class Layout:
    """The entries of a pattern set on the cells of a game, and their blocks."""

    cells: Cells
    families: tuple[Family, ...]
    codes: tuple[int, ...]
    """The codes that patterns tell apart, from 0 on."""
    counter: str
    phases: tuple[int, ...]

    @property
    def states(self) -> int:
        """Number of states of a cell that patterns tell apart: empty, or one of `codes`."""
        return len(self.codes) + 1

    @property
    def tables(self) -> tuple[int, ...]:
        """The codes that patterns do not tell apart."""
        return tuple(code for code in range(len(self.cells.codes)) if code not in self.codes)

    @property
    def patterns(self) -> int:
        """Number of patterns, the images included."""
        return sum(len(family.members) for family in self.families)

    @property
    def configurations(self) -> int:
        """Number of entries of patterns."""
        return sum(int(self.states**family.size) for family in self.families)

    @property
    def linear(self) -> int:
        """Number of the other entries."""
        return len(self.tables) * len(self.cells.places) + len(self.cells.codes) + len(self.cells.numbers) + 1

    @property
    def entries(self) -> int:
        """Number of all entries."""
        return self.configurations + self.linear

    @property
    def intervals(self) -> int:
        """Number of pairs of adjacent phases; 1 if there is only one phase."""
        return max(1, len(self.phases) - 1)

    @property
    def bytes(self) -> int:
        """Memory of a player's weights, in bytes: the vector, the kernel's block, and `fold`."""
        return self.entries * 4 * (len(self.phases) + self.intervals + 1)

    @property
    def scratch(self) -> int:
        """Length of the kernel's workspace, in float32: planes and numbers, then the indices of the patterns."""
        return 2 * (len(self.cells.codes) + len(self.cells.numbers)) + self._lanes

    @property
    def most_terms(self) -> int:
        """Maximum number of terms of a state: two for each entry that it uses, so that whole words can follow them."""
        return 2 * (self.patterns + len(self.cells.places) + self.linear - len(self.tables) * len(self.cells.places))

    @property
    def _lanes(self) -> int:
        """Number of patterns, rounded up to whole groups."""
        return -(-self.patterns // GROUP) * GROUP

    @functools.cached_property
    def fold(self) -> NDArray[np.int32]:
        """[entries]: the number of each entry's weights in the vector; images have the same."""
        folded: list[NDArray[np.int32]] = []
        used = 0
        for family in self.families:
            fold = family.fold(self.states)
            folded.append(fold + np.int32(used))
            used += int(fold.max()) + 1
        return np.concatenate([*folded, np.arange(used, used + self.linear, dtype=np.int32)])

    @property
    def length(self) -> int:
        """Length of the vector."""
        return (int(self.fold[-1]) + 1) * len(self.phases)

    @property
    def identity(self) -> str:
        """The pattern set in words, with a digest of all that gives its weights their meaning."""
        cells = self.cells
        members = [family.members for family in self.families]
        meaning = [members, self.codes, cells.codes, cells.places, cells.numbers, self.counter, self.phases]
        digest = hashlib.sha256(json.dumps(meaning).encode()).hexdigest()[:8]
        phases = " ".join(map(str, self.phases))
        return (
            f"pattern set {digest} (patterns: {self.patterns}, kinds: {len(members)}, phases: {phases} {self.counter})"
        )

    def unpack(self, weights: FloatArray) -> FloatArray:
        """Return the block `w` of the kernel, which holds int16, as an array of float32."""
        steps = np.rint(weights.astype(np.float64) / STEP).clip(-(2**15), 2**15 - 1).astype(np.int16)
        by_entry = steps.reshape(-1, len(self.phases))[self.fold]
        if len(self.phases) == 1:
            by_entry = np.concatenate([by_entry, np.zeros_like(by_entry)], axis=1)
        pairs = [by_entry[:, i : i + 2] for i in range(self.intervals)]
        return np.ascontiguousarray(np.stack(pairs)).reshape(-1).view(np.float32)

    @property
    def groups(self) -> tuple[WeightGroup, ...]:
        """The weights that count for one cell or pattern, and those that count as often as a number says.

        A step of a weight moves the score by the square of its number, which may be that of all cells. Learning rates
        allow for this, or the counts alone would overshoot.
        """
        cells = self.cells
        each = self.patterns + len(cells.places) * bool(self.tables)
        end = self.length - len(self.phases)  # the constant comes last
        counts = end - (len(cells.codes) + len(cells.numbers)) * len(self.phases)
        return (
            WeightGroup(0, counts, "inputs", each),
            WeightGroup(counts, end, "inputs", len(cells.places) ** 2),
            WeightGroup(end, self.length, "inputs", each),
        )

    def unpack_data(self) -> WordArray:
        """Return the block `ud` of `unpack_one`: phases, entries, where the entries begin, then two lists of int32.

        The first list says where the entries that share the weights of each place begin in the second.
        """
        entries = np.argsort(self.fold, kind="stable").astype(np.int32)
        firsts = np.concatenate([[0], np.cumsum(np.bincount(self.fold))]).astype(np.int32)
        words = _as_words(firsts)
        head = np.array([len(self.phases), self.entries, 2 * (3 + len(words))], np.uint64)
        return np.concatenate([head, words, _as_words(entries)])

    def data(self) -> WordArray:
        """Return the block `ed`: the head, lists of codes, the game's own data, phases, rows of indices, the fold."""
        cells = self.cells
        chunks = -(-len(cells.places) // CHUNK)
        lists = np.array([*self.codes, *self.tables], np.uint64)
        words = [lists, assembly.block(cells.data), self._phase_of(), self._rows(chunks), self.fold]
        data, (_, *parts) = _aligned([np.zeros(HEADER, np.uint64), *map(_as_words, words)])
        head = data[:HEADER]
        head[[PLANES, NUMBERS, CHUNKS, SLOTS]] = len(cells.codes), len(cells.numbers), chunks, len(self.codes)
        head[[LANES, PATTERNS]] = self._lanes, self.patterns
        head[[TABLES, CELLS, MOST]] = len(self.tables), len(cells.places), _MOST_COUNT
        head[COUNTER] = PIECES if self.counter == "pieces" else len(cells.codes) + cells.numbers.index(self.counter)
        head[[ENTRIES, LINEAR, PHASES, TERMS]] = self.entries, self.configurations, len(self.phases), self.most_terms
        head[[LISTS, DATA, PHASE_OF]] = parts[:3]
        head[[ROWS, FOLD]] = 2 * parts[3], 2 * parts[4]
        return data

    def _phase_of(self) -> WordArray:
        """Return for each value of the counter the interval, in the upper half, and the parts of its later phase."""
        counts = np.arange(_MOST_COUNT + 1).clip(self.phases[0], self.phases[-1])
        interval = np.searchsorted(self.phases, counts, side="right") - 1
        interval = interval.clip(0, self.intervals - 1)
        if len(self.phases) == 1:
            return np.zeros(len(counts), np.uint64)
        low, high = np.array(self.phases)[interval], np.array(self.phases)[interval + 1]
        parts = np.rint((counts - low) * PARTS / (high - low))
        words: WordArray = (interval.astype(np.uint64) << np.uint64(32)) | parts.astype(np.uint64)
        return words

    def _rows(self, chunks: int) -> NDArray[np.int32]:
        """Return what cells add to the index of each pattern: [lanes] of the empty board, [codes, chunks, bits, lanes].

        chunks: the number of chunks of CHUNK cells; bits: which of these cells have the code.
        """
        first, base = np.zeros(self._lanes, np.int64), 0
        worth = np.zeros((len(self.codes), CHUNK * chunks, self._lanes), np.int64)
        members = iter(range(self._lanes))
        for family in self.families:
            for pattern in family.members:
                lane = next(members)
                first[lane] = base
                for position, cell in enumerate(pattern):
                    worth[:, cell, lane] = (np.arange(len(self.codes)) + 1) * self.states**position
            base += self.states**family.size
        bits = (np.arange(2**CHUNK)[:, None] >> np.arange(CHUNK)) & 1
        rows = np.einsum("bi,scil->scbl", bits, worth.reshape(len(self.codes), chunks, CHUNK, -1))
        return np.concatenate([first, rows.reshape(-1)]).astype(np.int32)


def _as_words(values: NDArray[np.generic]) -> WordArray:
    if values.dtype == np.int32:
        values = np.append(values, np.zeros(len(values) % 2, np.int32))
    return values.view(np.uint64)


def _aligned(parts: Sequence[WordArray]) -> tuple[WordArray, list[int]]:
    """Return the parts as one block, and where they begin: each in a new cache line, so that vectors straddle none."""
    starts, end = [], 0
    for part in parts:
        starts.append(end)
        end += -(-len(part) // CACHE_LINE) * CACHE_LINE
    room = np.zeros(end + CACHE_LINE, np.uint64)
    first = -(room.ctypes.data // 8) % CACHE_LINE
    words = room[first : first + end]
    for start, part in zip(starts, parts, strict=True):
        words[start : start + len(part)] = part
    return words, starts


def layout_of(cells: Cells, chosen: PatternSet, memory: int) -> Layout:
    """Return the layout of a pattern set; raise GameforgeError if it is wrong or needs more than `memory` megabytes."""
    _require_valid(cells, chosen)
    codes = tuple(code for code, name in enumerate(cells.codes) if name in (chosen.codes or cells.codes))
    found = Layout(cells, families(chosen.patterns, cells.images), codes, chosen.counter, chosen.phases)
    _require_room(found, memory)
    return found


def _require_valid(cells: Cells, chosen: PatternSet) -> None:
    """Raise GameforgeError for codes, a counter, cells or phases that the game does not have."""
    for what, names, known in (
        ("codes", chosen.codes, cells.codes),
        ("counter", (chosen.counter,), ("pieces", *cells.numbers)),
    ):
        for name in names:
            if name not in known:
                raise GameforgeError(f"patterns: {what}: {name!r} is not one of {', '.join(known)}")
    for pattern in chosen.patterns:
        if not pattern or any(not 0 <= cell < len(cells.places) for cell in pattern):
            raise GameforgeError(
                f"patterns: the pattern {pattern} has a cell outside the board, whose cells are 0 to "
                f"{len(cells.places) - 1}"
            )
    phases = chosen.phases
    if not phases or list(phases) != sorted(set(phases)) or not 0 <= phases[0] <= phases[-1] <= _MOST_COUNT:
        raise GameforgeError(f"patterns: phases must be ascending numbers from 0 to {_MOST_COUNT}: {list(phases)}")


def _require_room(found: Layout, memory: int) -> None:
    """Raise GameforgeError if the weights need more than `memory` megabytes, or more entries than the kernel reads."""
    if found.bytes <= memory * 10**6 and found.entries < _MOST_ENTRIES:
        return
    largest = max(found.families, key=lambda family: family.size)
    allowed = f"memory={memory} allows {memory} MB"
    if found.entries >= _MOST_ENTRIES:
        allowed = f"and the kernel reads fewer than {_MOST_ENTRIES:,} entries, not {found.entries:,}"
    raise GameforgeError(
        f"patterns: the weights need {-(-found.bytes // 10**6):,} MB, {allowed}; the largest pattern has "
        f"{largest.size} cells of {found.states} states each"
    )
