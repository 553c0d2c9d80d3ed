"""What parallel work needs: seeds that do not depend on the order of work, and threads that can be abandoned.

Seeds are derived by purpose, so that random numbers depend neither on the order of work nor on interruptions. A thread
can be abandoned even while it compiles kernels, which may take many seconds. This module does not load numba.
"""

import ctypes
import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from numpy.random import SeedSequence


APART = 0xD1342543DE82EF95
"""Step between the first random words of players in kernels; it is odd, so that 2^64 of them differ."""


def derived(seed: "SeedSequence", *purpose: int) -> "SeedSequence":
    """Derive the seed for one purpose, which is given as numbers: (kind of purpose, generation, ...)."""
    import numpy as np

    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *purpose))


def stream(seed: "SeedSequence") -> int:
    """Return the first random word of a series of games."""
    return int(seed.generate_state(1, "uint64")[0])


def words_of_game(stream: int, number: int) -> tuple[int, int]:
    """Return the first random words of both players in a game of the series; games are numbered from 0."""
    first = (stream + 2 * number * APART) % (1 << 64)
    return first, (first + APART) % (1 << 64)


Result = TypeVar("Result")
PATIENCE = 1.0
"""Seconds in which work can end by itself, if it checks regularly whether it should."""
_LOOK = 0.02
_WATCH_SECONDS = 0.2
"""Seconds between two checks of whether the results are still wanted, and the timeout of each wait in between: without
one, a thread may miss a Ctrl-C that the system delivers to another thread."""


class Stopped(KeyboardInterrupt):
    """Raised in a thread whose work is abandoned, as KeyboardInterrupt is in the main thread."""


def stop_thread(ident: int | None) -> None:
    """Raise Stopped in a thread as soon as it runs Python code, such as the compiler."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident or 0), ctypes.py_object(Stopped))


def wait_for_one(futures: "Collection[Future[Result]]", seconds: float = _WATCH_SECONDS) -> "set[Future[Result]]":
    """Wait until at least one future is done, or until the time is over; return the futures that are done.

    Ctrl-C always raises KeyboardInterrupt here. Python's own `wait` may raise RuntimeError instead, if Ctrl-C arrives
    while it handles its locks; callers would not recognise that as Ctrl-C.
    """
    try:
        return wait(futures, seconds, FIRST_COMPLETED).done
    except RuntimeError as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None
        raise


def results_of(futures: "Sequence[Future[Result]]", check: Callable[[], None]) -> list[Result]:
    """Wait for all futures and return their results in order; raise what they raise.

    check: called regularly while work is unfinished; what it raises ends the wait.
    """
    for future in futures:
        while not future.done():
            check()
            wait_for_one([future])
    return [future.result() for future in futures]


class Threads(ThreadPoolExecutor):
    """A pool of threads whose work can be abandoned."""

    def __init__(self, workers: int, name: str) -> None:
        super().__init__(workers, thread_name_prefix=f"gameforge-{name}")
        self._at_work: set[int] = set()
        self._counting = threading.Lock()

    def submit(self, fn: Callable[..., Result], /, *args: object, **kwargs: object) -> "Future[Result]":
        """Hand a call to a thread; unlike other pools, this one can abandon it."""
        return super().submit(self._work, fn, *args, **kwargs)

    def _work(self, fn: Callable[..., Result], /, *args: object, **kwargs: object) -> Result:
        ident = threading.get_ident()
        with self._counting:
            self._at_work.add(ident)
        try:
            return fn(*args, **kwargs)
        finally:
            with self._counting:
                self._at_work.discard(ident)

    def abandon(self, patience: float = PATIENCE) -> None:
        """Start nothing more, give running work `patience` seconds, then raise Stopped in it and wait for its end."""
        self.shutdown(wait=False, cancel_futures=True)
        until = time.monotonic() + patience
        while self._at_work and time.monotonic() < until:
            time.sleep(_LOOK)
        with self._counting:
            for ident in self._at_work:
                stop_thread(ident)
        self.shutdown(wait=True)
