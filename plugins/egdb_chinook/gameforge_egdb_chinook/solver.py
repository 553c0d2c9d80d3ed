"""Values of all positions with up to N pieces: solved, or completed from those of quiet positions."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.abi import UNKNOWN
from gameforge.oracle import Announce
from gameforge_egdb_chinook import retrograde, sweeps
from gameforge_egdb_chinook.retrograde import Bytes, Span
from gameforge_egdb_chinook.slices import Slice, positions, slices, tables

Words = NDArray[np.uint64]


def levels(pieces: int) -> list[list[Span]]:
    """The slices as spans, grouped by level."""
    return [
        [Span(number, s.start, s.start + s.size) for number, s in level]
        for _, level in itertools.groupby(enumerate(slices(pieces)), key=lambda item: item[1].level)
    ]


def solve(pieces: int, workers: int, announce: Announce) -> Bytes:
    """Value of every position, solved from the rules alone."""
    values = np.full(positions(pieces), UNKNOWN, np.uint8)
    _complete(values, pieces, workers, f"solving all positions with up to {pieces} pieces", announce)
    return values


def forget_captures(values: Bytes, pieces: int, workers: int) -> None:
    """Set the value of each position in which either side could capture to UNKNOWN."""
    t = tables(pieces)

    def forget(part: Span) -> None:
        sweeps.forget_captures(t, *_words(part), values)

    with ThreadPoolExecutor(workers) as pool:
        for level in levels(pieces):
            for _ in pool.map(forget, retrograde.chunks(level)):
                pass


def resolve_captures(values: Bytes, pieces: int, workers: int, announce: Announce) -> None:
    """Replace the values of all positions in which either side could capture by the true ones.

    They follow from the other values, which must be right: a line of play that stays among the
    replaced positions for ever is a draw, any other reaches a value that is known.
    """
    forget_captures(values, pieces, workers)
    _complete(values, pieces, workers, f"resolving captures with up to {pieces} pieces", announce)


def first_contradiction(values: Bytes, pieces: int, workers: int, announce: Announce) -> tuple[Slice, int] | None:
    """(slice, index in the slice) of a value that does not follow from those of its successors."""
    t = tables(pieces)

    def check(part: Span) -> int:
        return int(sweeps.contradiction(t, *_words(part), values))

    with ThreadPoolExecutor(workers) as pool:
        for level in levels(pieces):
            parts = retrograde.chunks(level)
            for part, index in zip(parts, pool.map(check, parts), strict=True):
                if index != part.end:
                    found = slices(pieces)[part.number]
                    return found, index - found.start
            announce(f"checking all positions with up to {pieces} pieces", level[-1].end, len(values))
    return None


def _complete(values: Bytes, pieces: int, workers: int, what: str, announce: Announce) -> None:
    t = tables(pieces)

    def sweep(span: Span, values: Bytes, marks: Bytes, later: Bytes, level_first: int) -> int:
        return int(sweeps.sweep(t, *_words(span), values, marks, later, np.uint64(level_first)))

    retrograde.solve(levels(pieces), sweep, values, workers, what, announce)


def _words(span: Span) -> tuple[np.uint64, np.uint64, np.uint64]:
    return np.uint64(span.number), np.uint64(span.first), np.uint64(span.end)
