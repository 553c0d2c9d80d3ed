"""Solving the units of an indexer, level by level, each in one thread."""

import threading
from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np

from gameforge.interfaces import DRAW
from gameforge.kernel import Whole, WordArray, compiled_function
from gameforge_retrograde import kernels
from gameforge_retrograde.indexer import EXPAND, PREDECESSORS, ByteArray, Indexer, Unit

CHUNK = 1 << 19
"""Positions per kernel call, which takes a fraction of a second; after each call, Ctrl-C and errors are noticed."""
ALIGNMENT = 64
"""In a packed store, slices begin at multiples of this, so that no two threads write the same byte."""


class SolverStopped(Exception):
    """Another unit has failed, or the user has interrupted."""


def packed_places(sizes: Sequence[int]) -> list[int]:
    """Return the place of the first position of each slice in a packed store, and finally the number of places."""
    places = [0]
    for size in sizes:
        places.append(places[-1] + -(-size // ALIGNMENT) * ALIGNMENT)
    return places


class Solver:
    """Solves the units of an indexer.

    `store` holds the results of earlier units: values, four per byte (`kernels.pack`), or one distance byte per
    position. Slice n begins at places[n].
    """

    def __init__(self, indexer: Indexer, store: ByteArray, places: Sequence[int]) -> None:
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
        """Call `solve` for every unit that is not in `done`, with `workers` threads; its exceptions end the solution.

        announce: called with the number of positions of each finished unit. capacity: maximum number of positions
        that are solved at the same time; a larger unit runs alone.
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
                    # The largest units first, so that at the end of a level no thread works long while the others wait.
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

    def outcomes(self, unit: Unit, given: ByteArray | None = None) -> ByteArray:
        """Compute the values of a unit's positions from a packed store of earlier units.

        given: values that are known beforehand, and UNKNOWN; the array is overwritten.
        """
        block = self.indexer.unit_block(unit)
        state = np.zeros(self.size(unit), np.uint8) if given is None else given
        for first, end in self._chunks(len(state)):
            kernels.begin_values(self._expand, self._game, block, self.store, state, first, end)
        stack = np.empty(kernels.STACK, np.uint32)
        left_over = 1
        while left_over:
            left_over = 0
            for first, end in self._chunks(len(state)):
                left_over += kernels.propagate_values(self._predecessors, self._game, block, state, first, end, stack)
        np.minimum(state, DRAW, out=state)  # a position that still has a count is a draw, and DRAW is the last value
        return state

    def keep(self, unit: Unit, values: ByteArray) -> None:
        """Write a unit's values to the packed store."""
        first = 0
        for number in unit:
            end = first + self.indexer.sizes[number]
            kernels.pack(values[first:end], self.store, self.places[number])
            first = end

    def dtw(self, unit: Unit) -> ByteArray:
        """Compute the distance bytes (0: draw) of a unit's positions to the end of the game.

        The store holds such bytes for earlier units.
        """
        block = self.indexer.unit_block(unit)
        near, count, due = np.zeros((3, self.size(unit)), np.uint8)
        last: Whole = 0
        for first, end in self._chunks(len(near)):
            ply = kernels.begin_dtw(self._expand, self._game, block, self.store, near, count, due, first, end)
            last = max(last, ply)
        return self._settled(block, near, count, due, np.zeros(0, np.uint8), last)

    def mtc(self, unit: Unit, values: ByteArray) -> ByteArray:
        """Compute the distance bytes (0: draw) of a unit's positions to the next irreversible move.

        values: values of the unit. The store holds packed values.
        """
        block = self.indexer.unit_block(unit, conversions=True)
        near, count, due = np.zeros((3, len(values)), np.uint8)
        last: Whole = 0
        for first, end in self._chunks(len(near)):
            ply = kernels.begin_mtc(self._expand, self._game, block, self.store, values, near, count, due, first, end)
            last = max(last, ply)
        return self._settled(block, near, count, due, values, last)

    def _settled(
        self, block: WordArray, near: ByteArray, count: ByteArray, due: ByteArray, values: ByteArray, last: Whole
    ) -> ByteArray:
        """Settle the distances ply by ply until no position is left whose distance is due; return their bytes.

        The arrays are those of kernels.py. last: the largest distance that is due. Raises
        OverflowError for a distance that does not fit in a byte.
        """
        ply, before = 0, 1
        while True:
            self._check()
            found = kernels.settle(self._predecessors, self._game, block, near, count, due, values, ply)
            # Nothing was settled in two plies, and no move out of the unit is due later.
            if not found and not before and ply >= last:
                break
            ply, before = ply + 1, found
            if ply > kernels.MOST:
                raise OverflowError(f"a distance of more than {kernels.MOST} plies does not fit in a byte")
        near[near == kernels.DRAWN] = 0
        return near

    def _chunks(self, size: int) -> Iterator[tuple[int, int]]:
        """Yield the first and the end of each chunk of `size` positions; SolverStopped once the solution has ended."""
        for first in range(0, size, CHUNK):
            self._check()
            yield first, min(first + CHUNK, size)

    def _check(self) -> None:
        if self._stop.is_set():
            raise SolverStopped
