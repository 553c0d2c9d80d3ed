"""Matches that are played in any order, written into a folder in the order of their numbers."""

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import each_in_order
from gameforge.interfaces import Work
from gameforge.storage import files
from gameforge_examples.folder import SHARD_ROWS, ExampleFolder, Rows, joined, row_type

FLUSH_SECONDS = 5.0
"""Maximum time between two writes. A kill loses the matches finished since the last one, and unfinished matches."""

Progress = Callable[[int, int, ExampleFolder], None]
"""Called with the number of finished matches, the number of all matches, and the current folder."""


@attrs.frozen(eq=False)
class Recorded:
    """The result of a piece of work: the examples of whole matches."""

    rows: Rows
    counts: Mapping[str, int]
    """Figures to be summed up over all matches, as their plies."""
    matches: int = 1


def weights_digest(weights: "NDArray[np.float32] | None") -> str | None:
    """Checksum of a player's weights, for a manifest."""
    return None if weights is None else hashlib.sha256(weights.tobytes()).hexdigest()


class InOrder:
    """Writes the last batch of a folder."""

    def __init__(self, folder: ExampleFolder, work: Work, total: int, progress: Progress) -> None:
        self.folder = folder
        self._work, self._total, self._progress = work, total, progress
        self._waiting: list[Recorded] = []
        self._began = self._flushed = time.perf_counter()

    def play(self, function: Callable[..., Recorded], jobs: Sequence[tuple[object, ...]]) -> None:
        """Run pieces of work; the matches of each follow those of the piece before it.

        Raises GameforgeError if the disk has no room for the rest of the batch; what is finished is kept.
        """
        results = each_in_order(self._work, function, jobs)
        try:
            for recorded in results:
                self._waiting.append(recorded)
                rows = sum(len(one.rows) for one in self._waiting)
                if rows >= SHARD_ROWS or time.perf_counter() - self._flushed > FLUSH_SECONDS:
                    self._require_room(rows)
                    self._flush()
        finally:
            results.close()
            self._flush()

    def finish(self) -> ExampleFolder:
        """Mark the batch as finished."""
        return self.folder.finish(self.folder.batches[-1].numbers)

    def note(self, numbers: Mapping[str, float]) -> None:
        """Add figures to the batch."""
        known = {**self.folder.batches[-1].numbers, **numbers}
        self.folder = self.folder.append(joined((), self.folder.words, exact=self.folder.exact), 0, known)

    def _require_room(self, rows: int) -> None:
        """Raise GameforgeError unless the disk has room for these rows and for as many a match in the matches left."""
        batch = self.folder.batches[-1]
        done = batch.matches + sum(one.matches for one in self._waiting)
        if done:
            mean = (rows + sum(shard.examples for shard in batch.shards)) / done
            left = rows + mean * (self._total - done)
            size = row_type(self.folder.words, exact=self.folder.exact).itemsize
            files.require_disk(self.folder.path, round(left * size), f"the rest of {self._total:,} matches")

    def _flush(self) -> None:
        """Write the waiting matches; all earlier ones have been written."""
        if not self._waiting:
            return
        known = dict(self.folder.batches[-1].numbers)
        now = time.perf_counter()
        for recorded in self._waiting:
            for name, n in recorded.counts.items():
                known[name] = known.get(name, 0) + n
        known["seconds"] = round(known.pop("seconds", 0.0) + now - self._began, 3)
        rows = joined((one.rows for one in self._waiting), self.folder.words, exact=self.folder.exact)
        self.folder = self.folder.append(rows, sum(one.matches for one in self._waiting), known)
        self._waiting = []
        self._began = self._flushed = now
        self._progress(self.folder.batches[-1].matches, self._total, self.folder)
