"""Searches in threads, which end at once when the task that waits for them is cancelled."""

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TypeVar

from gameforge.play.player import Player

T = TypeVar("T")
_ANALYSES = 16
"""Most analyses at a time; further ones wait."""
_REPEAT = 0.005
"""Seconds between requests to stop: a search that has just begun misses the first."""
_IDLE = 8
"""Most players that are kept for later searches."""


class Stopper:
    """Lets another thread end what a thread does with players."""

    def __init__(self) -> None:
        self.stopped = False
        self._player: Player | None = None

    @contextlib.contextmanager
    def stopping(self, player: Player) -> Iterator[None]:
        """Let `stop` end this player's searches within the block."""
        self._player = player
        try:
            yield
        finally:
            self._player = None

    def stop(self) -> None:
        self.stopped = True
        player = self._player
        if player is not None:
            player.stop()


class Searches:
    """The threads of all searches. Moves of players have threads of their own and are served in order."""

    def __init__(self) -> None:
        self._moves = ThreadPoolExecutor(os.cpu_count() or 1, "gameforge-move")
        self._analyses = ThreadPoolExecutor(_ANALYSES, "gameforge-analysis")
        self._ending: set[asyncio.Task[None]] = set()
        self._running: set[Stopper] = set()

    async def move(self, work: Callable[[Stopper], T]) -> T:
        """Run the search for a move of a player; cancelling this ends the search."""
        return await self._run(self._moves, work)

    async def analysis(self, work: Callable[[Stopper], T]) -> T:
        """Run anything longer, such as an analysis; cancelling this ends it."""
        return await self._run(self._analyses, work)

    def close(self) -> None:
        for stopper in list(self._running):
            stopper.stop()
        for threads in (self._moves, self._analyses):
            threads.shutdown(wait=False, cancel_futures=True)

    async def _run(self, threads: Executor, work: Callable[[Stopper], T]) -> T:
        stopper = Stopper()
        self._running.add(stopper)
        future = threads.submit(work, stopper)
        future.add_done_callback(lambda _: self._running.discard(stopper))
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            task = asyncio.create_task(_end(stopper, future))
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)
            raise


async def _end(stopper: Stopper, future: "Future[T]") -> None:
    while not future.done():
        stopper.stop()
        await asyncio.sleep(_REPEAT)


class PlayerPool:
    """Players that searches borrow. Each is used by one search at a time; a few are kept when they come back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[tuple[object, Player]] = []
        """The one used last comes last."""

    @contextlib.contextmanager
    def borrow(self, key: object, make: Callable[[], Player]) -> Iterator[Player]:
        """Lend an idle player with this key, or a new one; after an exception it is not kept."""
        with self._lock:
            places = [i for i, (other, _) in enumerate(self._idle) if other == key]
            found = self._idle.pop(places[-1])[1] if places else None
        player = found or make()
        yield player
        with self._lock:
            self._idle.append((key, player))
            del self._idle[:-_IDLE]
