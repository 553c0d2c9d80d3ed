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
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.cells import MOST_CELLS, Cells, PatternSet
from gameforge.kernel.assembly import block
from gameforge_eval_patterns.families import Family, families

Words = NDArray[np.uint64]
Floats = NDArray[np.float32]

STEP = 2.0**-10
"""Weights are kept in these, as log-odds: 16 bits reach from -32 to 32."""
PARTS = 256
"""Number of steps of the interpolation between two phases."""
_MOST_ENTRIES = 2**30
CHUNK = 4
"""Cells that the kernel looks up at once."""
CACHE_LINE = 8
"""Words of one."""
GROUP = 24
"""Patterns whose indices it adds up at once."""
(
    PLANES, NUMBERS, CHUNKS, SLOTS, LANES, PATTERNS, TABLES, CELLS, COUNTER, MOST, ENTRIES, LINEAR, PHASES,
    PHASE_OF, LISTS, DATA, ROWS, FOLD, TERMS, HEADER,
) = range(20)  # fmt: skip
"""The head of the block `ed`. ROWS and FOLD are places of int32, the others that are places are of words."""
PIECES = 2**32
"""The counter that is not a number of the game's."""
_MOST_COUNT = 255


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
        """Of a cell, as patterns see it."""
        return len(self.codes) + 1

    @property
    def tables(self) -> tuple[int, ...]:
        """The codes that patterns do not tell apart."""
        return tuple(code for code in range(len(self.cells.codes)) if code not in self.codes)

    @property
    def configurations(self) -> int:
        """Entries of patterns."""
        return sum(int(self.states**family.size) for family in self.families)

    @property
    def linear(self) -> int:
        """Entries that are not of patterns."""
        return len(self.tables) * len(self.cells.places) + len(self.cells.codes) + len(self.cells.numbers) + 1

    @property
    def entries(self) -> int:
        return self.configurations + self.linear

    @property
    def intervals(self) -> int:
        """Pairs of adjacent phases; 1 also where there is only one phase."""
        return max(1, len(self.phases) - 1)

    @property
    def bytes(self) -> int:
        """Memory of a player's weights: the vector, the kernel's block and what maps entries to the vector."""
        return self.entries * 4 * (len(self.phases) + self.intervals + 1)

    @property
    def scratch(self) -> int:
        """float32 places that the kernel needs: planes and numbers, then the indices of the patterns."""
        return 2 * (len(self.cells.codes) + len(self.cells.numbers)) + self._lanes

    @property
    def most_terms(self) -> int:
        """Terms of a state, two for each entry that it uses; even, so that words fit in after them."""
        patterns = sum(len(family.members) for family in self.families)
        return 2 * (patterns + len(self.cells.places) + self.linear - len(self.tables) * len(self.cells.places))

    @property
    def _lanes(self) -> int:
        patterns = sum(len(family.members) for family in self.families)
        return -(-patterns // GROUP) * GROUP

    @functools.cached_property
    def fold(self) -> NDArray[np.int32]:
        """The number of the weights of each entry."""
        folded: list[NDArray[np.int32]] = []
        used = 0
        for family in self.families:
            fold = family.fold(self.states)
            folded.append(fold + np.int32(used))
            used += int(fold.max()) + 1
        return np.concatenate([*folded, np.arange(used, used + self.linear, dtype=np.int32)])

    @property
    def length(self) -> int:
        """Of the vector."""
        return (int(self.fold[-1]) + 1) * len(self.phases)

    @property
    def identity(self) -> str:
        """The pattern set in words, with a digest of all that gives its weights their meaning."""
        cells = self.cells
        members = [family.members for family in self.families]
        meaning = [members, self.codes, cells.codes, cells.places, cells.numbers, self.counter, self.phases]
        digest = hashlib.sha256(json.dumps(meaning).encode()).hexdigest()[:8]
        patterns, phases = sum(map(len, members)), " ".join(map(str, self.phases))
        return f"pattern set {digest} (patterns: {patterns}, kinds: {len(members)}, phases: {phases} {self.counter})"

    def unpack(self, weights: Floats) -> Floats:
        """Return the block `w` of the kernel: int16, under another name."""
        steps = np.rint(weights.astype(np.float64) / STEP).clip(-(2**15), 2**15 - 1).astype(np.int16)
        by_entry = steps.reshape(-1, len(self.phases))[self.fold]
        if len(self.phases) == 1:
            by_entry = np.concatenate([by_entry, np.zeros_like(by_entry)], axis=1)
        pairs = [by_entry[:, i : i + 2] for i in range(self.intervals)]
        return np.ascontiguousarray(np.stack(pairs)).reshape(-1).view(np.float32)

    def data(self) -> Words:
        """Return the block `ed`: the head, lists of codes, the game's own data, phases, rows of indices, the fold."""
        cells = self.cells
        chunks = -(-len(cells.places) // CHUNK)
        lists = np.array([*self.codes, *self.tables], np.uint64)
        words = [lists, block(cells.data), self._phase_of(), self._rows(chunks), self.fold]
        data, (_, *parts) = _aligned([np.zeros(HEADER, np.uint64), *map(_as_words, words)])
        head = data[:HEADER]
        head[[PLANES, NUMBERS, CHUNKS, SLOTS]] = len(cells.codes), len(cells.numbers), chunks, len(self.codes)
        head[[LANES, PATTERNS]] = self._lanes, sum(len(family.members) for family in self.families)
        head[[TABLES, CELLS, MOST]] = len(self.tables), len(cells.places), _MOST_COUNT
        head[COUNTER] = PIECES if self.counter == "pieces" else len(cells.codes) + cells.numbers.index(self.counter)
        head[[ENTRIES, LINEAR, PHASES, TERMS]] = self.entries, self.configurations, len(self.phases), self.most_terms
        head[[LISTS, DATA, PHASE_OF]] = parts[:3]
        head[[ROWS, FOLD]] = 2 * parts[3], 2 * parts[4]
        return data

    def _phase_of(self) -> Words:
        """For each value of the counter, the earlier of the two phases around it and the parts of the later one."""
        counts = np.arange(_MOST_COUNT + 1).clip(self.phases[0], self.phases[-1])
        interval = np.searchsorted(self.phases, counts, side="right") - 1
        interval = interval.clip(0, self.intervals - 1)
        if len(self.phases) == 1:
            return np.zeros(len(counts), np.uint64)
        low, high = np.array(self.phases)[interval], np.array(self.phases)[interval + 1]
        parts = np.rint((counts - low) * PARTS / (high - low))
        words: Words = (interval.astype(np.uint64) << np.uint64(32)) | parts.astype(np.uint64)
        return words

    def _rows(self, chunks: int) -> NDArray[np.int32]:
        """What the cells of a chunk add to the index of each pattern, by code, chunk, bits; first the empty board."""
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


def _as_words(values: NDArray[Any]) -> Words:
    if values.dtype == np.int32:
        values = np.append(values, np.zeros(len(values) % 2, np.int32))
    return values.view(np.uint64)


def _aligned(parts: Sequence[Words]) -> tuple[Words, list[int]]:
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


def layout(cells: Cells, chosen: PatternSet, memory: int) -> Layout:
    """Return the layout of a pattern set; raise GameforgeError if it is wrong or needs more than `memory` megabytes."""
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
    codes = tuple(code for code, name in enumerate(cells.codes) if name in (chosen.codes or cells.codes))
    found = Layout(cells, families(chosen.patterns, cells.images), codes, chosen.counter, phases)
    if found.bytes > memory * 10**6 or found.entries >= _MOST_ENTRIES:
        largest = max(found.families, key=lambda family: family.size)
        allowed = f"memory={memory} allows {memory} MB"
        if found.entries >= _MOST_ENTRIES:
            allowed = f"and the kernel reads fewer than {_MOST_ENTRIES:,} entries, not {found.entries:,}"
        raise GameforgeError(
            f"patterns: the weights need {_megabytes(found.bytes)} MB, {allowed}; the largest pattern has "
            f"{largest.size} cells of {found.states} states each"
        )
    return found


def _megabytes(n: int) -> str:
    return f"{-(-n // 10**6):,}"


assert MOST_CELLS <= _MOST_COUNT
