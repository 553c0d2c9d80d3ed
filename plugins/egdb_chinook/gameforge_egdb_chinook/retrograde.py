"""Retrograde analysis: win, loss and draw of every position of a finite game. Knows no game.

Positions are numbered. Slices of them form levels, such that a move leads to the same level or
to an earlier one. Within a level, positions are valued from the values of their successors
until nothing changes; what then has no value is a draw (Lake, Schaeffer and Lu, 1994).
After the first pass over a level only positions are looked at again that a newly valued
successor has marked.

Threads share the values of a level without locks. A thread may read that a successor has no value yet
while another is about to write it; the mark that comes with the value repairs that in the next
pass. The values that remain unchanged at the end are the least fixed point, whatever the order.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.abi import DRAW, UNKNOWN
from gameforge.oracle import Announce

Bytes = NDArray[np.uint8]

CHUNK = 1 << 15
"""Positions of one call of a sweep: a few milliseconds."""


@attrs.frozen
class Span:
    """Positions first..end-1 of slice `number`, which lie behind each other."""

    number: int
    first: int
    end: int


class Sweep(Protocol):
    """Values what can be valued of a span; a compiled kernel that releases the GIL."""

    def __call__(self, span: Span, values: Bytes, marks: Bytes, later: Bytes, level_first: int) -> int:
        """How many positions got a value.

        Looks at the positions without a value whose mark is set, and clears the marks of the
        span. Sets a mark in `later` for each predecessor in the level of a position that got a value.
        Marks are numbered from `level_first`.
        """
        ...


def chunks(level: Sequence[Span], size: int = CHUNK) -> list[Span]:
    """The same positions in spans of at most `size`."""
    return [
        Span(span.number, first, min(first + size, span.end))
        for span in level
        for first in range(span.first, span.end, size)
    ]


def _settle(level: Sequence[Span], sweep: Sweep, values: Bytes, pool: ThreadPoolExecutor) -> None:
    """Value the positions of one level."""
    first, end = level[0].first, level[-1].end
    marks = [np.ones(end - first, np.uint8), np.zeros(end - first, np.uint8)]

    def count(part: Span) -> int:
        return sweep(part, values, marks[0], marks[1], first)

    parts = chunks(level)
    while sum(pool.map(count, parts)):
        marks.reverse()
    rest = values[first:end]
    rest[rest == UNKNOWN] = DRAW


def solve(
    levels: Sequence[Sequence[Span]], sweep: Sweep, values: Bytes, workers: int, what: str, announce: Announce
) -> None:
    """Replace every UNKNOWN among the values; the spans of a level lie behind each other.

    Values given beforehand must be right and stay as they are. The result does not depend on `workers`.
    """
    with ThreadPoolExecutor(workers) as pool:
        for level in levels:
            _settle(level, sweep, values, pool)
            announce(what, level[-1].end, levels[-1][-1].end)
