"""The pairs of a match, played by several threads."""

import contextlib
import queue
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, wait

import attrs

from gameforge.interfaces.games import GameRecord, Opening
from gameforge.kernel.compile.threads import Threads
from gameforge.play.arena.time_control import TimeControl
from gameforge.play.arena.workspace import Workspace
from gameforge.play.player import Player

Pair = tuple[GameRecord, GameRecord]
"""Two games with the same opening and exchanged sides."""
_WATCH_SECONDS = 0.2
"""Seconds between two calls of `check`."""


def play_pairs(
    first: Player,
    second: Player,
    lines: Sequence[Opening],
    done: int,
    seed: int,
    workers: int,
    clock: TimeControl | None,
    playing: Callable[[GameRecord], None],
    check: Callable[[], None],
) -> Generator[Pair, None, None]:
    """Play the pairs from number `done` on with at most `workers` threads; yield them in order.

    lines: the opening of each pair. The other parameters are those of `match`. Closing the generator ends the games.
    """
    import numpy as np

    seeds = [
        child.spawn(1)[0].generate_state(4, np.uint64).tolist()
        for child in np.random.SeedSequence(seed).spawn(len(lines))
    ]
    names = (first.name, second.name)
    workspaces = [Workspace(first, second, clock=clock) for _ in range(min(workers, max(1, len(lines) - done)))]
    with contextlib.closing(_PairThreads(workspaces)) as threads:
        pairs = {i: threads.submit(i, lines[i], seeds[i]) for i in range(done, len(lines))}
        for i, pair in pairs.items():
            while not pair.done():
                check()
                wait([pair], _WATCH_SECONDS)
                unfinished = threads.unfinished(i)
                if unfinished is not None:
                    playing(_named(unfinished[0], names, i, unfinished[1]))
            one, other = pair.result()
            yield _named(one, names, i, False), _named(other, names, i, True)


class _PairThreads:
    """Threads that play pairs, one for each workspace."""

    def __init__(self, workspaces: Sequence[Workspace]) -> None:
        self._workspaces = workspaces
        self._free: queue.SimpleQueue[Workspace] = queue.SimpleQueue()
        for workspace in workspaces:
            self._free.put(workspace)
        self._at_work: dict[int, Workspace] = {}
        self._pool = Threads(len(workspaces), "match")

    def submit(self, i: int, opening: Opening, seeds: Sequence[int]) -> "Future[list[GameRecord]]":
        """Let a thread play pair i; seeds: of the two searchers in the first game, then in the second."""
        return self._pool.submit(self._play, i, opening, seeds)

    def unfinished(self, i: int) -> tuple[GameRecord, bool] | None:
        """Return the game of pair i that is being played, as `Workspace.unfinished` does."""
        workspace = self._at_work.get(i)
        return None if workspace is None else workspace.unfinished()

    def close(self) -> None:
        """End all games, also those that have not begun."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for workspace in self._workspaces:
            workspace.stop()
        self._pool.abandon()

    def _play(self, i: int, opening: Opening, seeds: Sequence[int]) -> list[GameRecord]:
        workspace = self._at_work[i] = self._free.get()
        try:
            return [workspace.play(opening, swapped, seeds[2 * swapped : 2 * swapped + 2]) for swapped in (False, True)]
        finally:
            del self._at_work[i]
            self._free.put(workspace)


def _named(record: GameRecord, names: tuple[str, str], i: int, swapped: bool) -> GameRecord:
    """Return a game of pair i with its phase, its number in the match and its players."""
    return attrs.evolve(record, phase="match", number=2 * i + 1 + swapped, players=names[::-1] if swapped else names)
