"""Which cells form patterns, which patterns share their weights, and where each weight stands.

Patterns are written by hand, generated from the places of the cells, or a set of the game's (`groups`). Those that are
images of each other under the symmetries of the board are a `Family`.

An *entry* is something that has weights of its own, one for each phase: a configuration of a family of patterns, a cell
with a code that patterns do not tell apart, a code (times its number of cells), a number of the game's, the constant.
Entries are numbered in this order. Configurations that are images of each other are entries that share their weights.

Each weight stands in two places (`Layout`). The vector, which learners set, holds float32, the weights of an entry for
all phases side by side. The kernel's block holds int16, in STEPs: for each pair of adjacent phases, for each entry, its
two weights. Sums of integers are exact in any order, so scores are the same on every machine.
"""

import functools
import hashlib
import itertools
import json
import re
from collections.abc import Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import GameforgeError
from gameforge.interfaces import Cells, PatternSet, WeightGroup, near
from gameforge.kernel import FloatArray, WordArray, assembly
from gameforge.storage import files

Pattern = tuple[int, ...]
Place = tuple[int, int]

GENERATORS = ("lines", "rectangles", "cells")
_STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
_RECTANGLE = re.compile(r"([1-9][0-9]?)x([1-9][0-9]?)")
_LENGTH = re.compile(r"[1-9][0-9]?")


def lines(places: Sequence[Place], length: int) -> Iterator[Pattern]:
    """Return all straight lines of `length` adjacent cells: along rows, along columns, and both diagonals."""
    cell_at = {place: cell for cell, place in enumerate(places)}
    for down, right in _STEPS if length > 1 else _STEPS[:1]:
        for row, column in places:
            line = [(row + i * down, column + i * right) for i in range(length)]
            if all(place in cell_at for place in line):
                yield tuple(cell_at[place] for place in line)


def rectangles(places: Sequence[Place], height: int, width: int) -> Iterator[Pattern]:
    """Return the cells of all rectangles of `height` rows and `width` columns that fit between the outermost cells.

    A rectangle may hold places that are not cells; one without any cell is left out.
    """
    rows, columns = zip(*places, strict=True)
    for top in range(min(rows), max(rows) - height + 2):
        for left in range(min(columns), max(columns) - width + 2):
            inside = (
                cell
                for cell, (row, column) in enumerate(places)
                if 0 <= row - top < height and 0 <= column - left < width
            )
            if pattern := tuple(inside):
                yield pattern


def generated(places: Sequence[Place]) -> tuple[Pattern, ...]:
    """Return patterns for any board: rectangles of 2x4 and 4x2, lines of 4; single cells where none of these fits."""
    found = [*rectangles(places, 2, 4), *rectangles(places, 4, 2), *lines(places, 4)]
    return tuple(dict.fromkeys(found or lines(places, 1)))


def groups(text: str, cells: Cells) -> tuple[Pattern, ...]:
    """Return the patterns that a text names, without repetitions; raise GameforgeError if it means none.

    The text is a list of entries, separated by semicolons: `lines 4`, `rectangles 2x4 4x2`, `cells a1 b1 a2`, or the
    name of a set of the game's.
    """
    found = [pattern for entry in text.split(";") for pattern in _entry(entry, cells)]
    return tuple(dict.fromkeys(found))


def _entry(text: str, cells: Cells) -> Iterator[Pattern]:
    what, *rest = text.split() or [""]
    if what in cells.sets and not rest:
        yield from cells.sets[what].patterns
    elif what == "cells":
        yield _cells(rest, cells)
    elif what == "lines" and rest:
        for size in rest:
            if _LENGTH.fullmatch(size) is None:
                raise GameforgeError(f"patterns: {size!r} is not the length of a line, as in 'lines 4'")
            yield from _some(lines(cells.places, int(size)), f"line of {size} cells")
    elif what == "rectangles" and rest:
        for size in rest:
            match = _RECTANGLE.fullmatch(size)
            if match is None:
                raise GameforgeError(f"patterns: {size!r} is not rows x columns, as in 'rectangles 2x4'")
            yield from _some(rectangles(cells.places, int(match[1]), int(match[2])), f"rectangle of {size}")
    else:
        known = (*cells.sets, *GENERATORS)
        raise GameforgeError(
            f"patterns: {text.strip()!r} is not a set of the game's, 'lines 4', 'rectangles 2x4' or 'cells a1 b1'"
            f"{'' if what in GENERATORS else near(what, known)}; sets: {', '.join(cells.sets) or 'none'}"
        )


def _cells(names: Sequence[str], cells: Cells) -> Pattern:
    labels = cells.labels
    if not names:
        raise GameforgeError(
            f"patterns: 'cells' must be followed by the cells of a pattern, {labels[0]} to {labels[-1]}, "
            f"as in 'cells {' '.join(labels[:2])}'"
        )
    for name in names:
        if name not in labels:
            raise GameforgeError(
                f"patterns: {name!r} is not a cell of the board{near(name, labels)}; "
                f"its cells are {labels[0]} to {labels[-1]}"
            )
        if names.count(name) > 1:
            raise GameforgeError(f"patterns: the pattern {' '.join(names)} names the cell {name!r} twice")
    return tuple(labels.index(name) for name in names)


def _some(patterns: Iterator[Pattern], what: str) -> list[Pattern]:
    found = list(patterns)
    if not found:
        raise GameforgeError(f"patterns: the board has no {what}")
    return found


@attrs.frozen(eq=False)
class Family:
    """A pattern and its images, each with the cells in the order of the first."""

    members: tuple[Pattern, ...]
    turns: tuple[tuple[int, ...], ...]
    """Symmetries that map the first member onto itself: turns[k][i] is the position of the image of its i-th cell."""

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self.members[0])

    def fold(self, states: int) -> NDArray[np.int32]:
        """Return the number of the weight of each configuration, for cells of `states` states each.

        A configuration is a number with a digit for each cell, the first cell's the lowest; images share a weight.
        """
        configurations = np.arange(states**self.size, dtype=np.int32)
        first = configurations
        for turn in self.turns:
            image, rest = np.zeros_like(configurations), configurations
            for position in turn:
                rest, digit = np.divmod(rest, states)
                image += (digit * states**position).astype(np.int32)
            first = np.minimum(first, image)
        return np.unique(first, return_inverse=True)[1].astype(np.int32) if self.turns else configurations


def families(patterns: Sequence[Pattern], images: Sequence[Sequence[int]]) -> tuple[Family, ...]:
    """Return the families of patterns. A pattern that has the cells of an earlier one, or of its image, is left out."""
    found: list[Family] = []
    seen: set[frozenset[int]] = set()
    for first in patterns:
        if frozenset(first) in seen:
            continue
        members: dict[frozenset[int], Pattern] = {}
        turns: set[tuple[int, ...]] = set()
        for image in itertools.chain([range(max(first) + 1)], images):
            turned = tuple(image[cell] for cell in first)
            if members.setdefault(frozenset(turned), turned) == first != turned:
                turns.add(tuple(first.index(cell) for cell in turned))
        seen.update(members)
        found.append(Family(tuple(members.values()), tuple(sorted(turns))))
    return tuple(found)


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
        data, (_, *parts) = aligned([np.zeros(HEADER, np.uint64), *map(_as_words, words)])
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


def aligned(parts: Sequence[WordArray]) -> tuple[WordArray, list[int]]:
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
    """Raise GameforgeError if the weights need more than `memory` megabytes, more than the machine has, or more entries
    than the kernel reads."""
    if found.bytes <= memory * 10**6 and found.entries < _MOST_ENTRIES:
        files.require_memory(found.bytes, f"patterns: a player with {found.entries:,} entries")
        return
    largest = max(found.families, key=lambda family: family.size)
    allowed = f"memory={memory} allows {memory} MB"
    if found.entries >= _MOST_ENTRIES:
        allowed = f"and the kernel reads fewer than {_MOST_ENTRIES:,} entries, not {found.entries:,}"
    raise GameforgeError(
        f"patterns: the weights need {-(-found.bytes // 10**6):,} MB, {allowed}; the largest pattern has "
        f"{largest.size} cells of {found.states} states each"
    )
