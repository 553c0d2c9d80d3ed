"""Solve an indexer's units, level by level, each by one thread."""

import threading
from collections.abc import Callable, Container, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.compile.functions import compiled_function
from gameforge.retrograde import distances, outcomes
from gameforge.retrograde.indexer import EXPAND, PREDECESSORS, Indexer, Unit, Words

Bytes = NDArray[np.uint8]

CHUNK = 1 << 19
"""Positions of one kernel call: a fraction of a second, after which Ctrl-C and errors are noticed."""
ALIGNMENT = 64
"""Slices begin at multiples of this in a packed store: no two threads write the same byte."""


class Stopped(Exception):
    """Another unit has failed, or the user has interrupted."""


def packed_places(sizes: Sequence[int]) -> list[int]:
    """Place of the first position of each slice in a packed store; the last entry is the number of places."""
    places = [0]
    for size in sizes:
        places.append(places[-1] + -(-size // ALIGNMENT) * ALIGNMENT)
    return places


class Solver:
    """An indexer's functions, compiled, and the tables that its units share.

    `store` holds what is known of earlier units: values, four a byte (`outcomes.pack`), or one distance byte
    a position. Slice n begins at places[n].
    """

    def __init__(self, indexer: Indexer, store: Bytes, places: Sequence[int]) -> None:
        self.indexer, self.store, self.places = indexer, store, places
        self._expand = compiled_function("expand", indexer.expand, signature=EXPAND)
        self._predecessors = compiled_function("predecessors", indexer.predecessors, signature=PREDECESSORS)
        self._game = indexer.game_block(places)
        self._stop = threading.Event()

    def size(self, unit: Unit) -> int:
        """Number of positions of a unit."""
        return sum(self.indexer.sizes[number] for number in unit)

    def run(
        self,
        solve: Callable[[Unit], None],
        workers: int,
        announce: Callable[[int], None],
        done: Container[Unit] = (),
        capacity: int | None = None,
    ) -> None:
        """Call `solve` for every unit that is not done yet, with `workers` threads; raises what it raises.

        `announce` is told the number of positions of each unit behind us. capacity: positions that may be worked
        on at the same time; a unit that is larger runs alone.
        """
        self._stop.clear()
        with ThreadPoolExecutor(workers) as pool:
            running: dict[Future[None], int] = {}

            def wait_for_one() -> None:
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    future.result()
                    announce(running.pop(future))

            try:
                for level in self.indexer.levels:
                    for unit in sorted(level, key=self.size, reverse=True):
                        size = self.size(unit)
                        if unit in done:
                            announce(size)
                            continue
                        while running and (
                            len(running) >= workers
                            or (capacity is not None and sum(running.values()) + size > capacity)
                        ):
                            wait_for_one()
                        running[pool.submit(solve, unit)] = size
                    while running:
                        wait_for_one()
            except BaseException:
                self._stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def outcomes(self, unit: Unit, given: Bytes | None = None) -> Bytes:
        """Values of a unit's positions, from a packed store; `given`: those that are known, else UNKNOWN."""
        block = self.indexer.unit_block(unit)
        state = np.zeros(self.size(unit), np.uint8) if given is None else given
        for first, end in self._chunks(len(state)):
            outcomes.begin(self._expand, self._game, block, self.store, state, first, end)
        stack = np.empty(outcomes.STACK, np.uint32)
        left_over = 1
        while left_over:
            left_over = 0
            for first, end in self._chunks(len(state)):
                left_over += outcomes.propagate(self._predecessors, self._game, block, state, first, end, stack)
        outcomes.finish(state)
        return state

    def keep(self, unit: Unit, values: Bytes) -> None:
        """Write a unit's values to the packed store."""
        first = 0
        for number in unit:
            end = first + self.indexer.sizes[number]
            outcomes.pack(values[first:end], self.store, self.places[number])
            first = end

    def dtw(self, unit: Unit) -> Bytes:
        """Distance bytes (0: draw) of a unit's positions to the end of the game, from a store of such bytes."""
        block = self.indexer.unit_block(unit)
        near, count, due = np.zeros((3, self.size(unit)), np.uint8)
        last = 0
        for first, end in self._chunks(len(near)):
            ply = distances.begin_dtw(self._expand, self._game, block, self.store, near, count, due, first, end)
            last = max(last, ply)
        return self._settled(block, near, count, due, np.zeros(0, np.uint8), last)

    def mtc(self, unit: Unit, values: Bytes) -> Bytes:
        """Distance bytes to the next move that cannot be taken back; `values` are the unit's, packed in the store."""
        block = self.indexer.unit_block(unit, conversions=True)
        near, count, due = np.zeros((3, len(values)), np.uint8)
        last = 0
        for first, end in self._chunks(len(near)):
            ply = distances.begin_mtc(self._expand, self._game, block, self.store, values, near, count, due, first, end)
            last = max(last, ply)
        return self._settled(block, near, count, due, values, last)

    def _settled(self, block: Words, near: Bytes, count: Bytes, due: Bytes, values: Bytes, last: int) -> Bytes:
        ply, before = 0, 1
        while True:
            self._check()
            found = distances.settle(self._predecessors, self._game, block, near, count, due, values, ply)
            if not found and not before and ply >= last:
                break
            ply, before = ply + 1, found
            if ply > distances.MOST:
                raise OverflowError(f"a distance of more than {distances.MOST} plies does not fit in a byte")
        near[near == distances.DRAWN] = 0
        return near

    def _chunks(self, size: int) -> Any:
        for first in range(0, size, CHUNK):
            self._check()
            yield first, min(first + CHUNK, size)

    def _check(self) -> None:
        if self._stop.is_set():
            raise Stopped
