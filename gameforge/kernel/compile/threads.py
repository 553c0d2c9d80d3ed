"""Threads whose work can be abandoned, even while they compile kernels, which may take many seconds."""

import ctypes
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")
PATIENCE = 1.0
"""Seconds in which work can end by itself, if it checks regularly whether it should."""
_LOOK = 0.02


class Stopped(KeyboardInterrupt):
    """Raised in a thread whose work is abandoned, as KeyboardInterrupt is in the main thread."""


def stop_thread(ident: int | None) -> None:
    """Raise Stopped in a thread as soon as it runs Python code, such as the compiler."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident or 0), ctypes.py_object(Stopped))


class Threads(ThreadPoolExecutor):
    """A pool of threads whose work can be abandoned."""

    def __init__(self, workers: int, name: str) -> None:
        super().__init__(workers, thread_name_prefix=f"gameforge-{name}")
        self._at_work: set[int] = set()
        self._counting = threading.Lock()

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> "Future[Result]":
        """Hand a call to a thread; unlike other pools, this one can abandon it."""
        return super().submit(self._work, fn, *args, **kwargs)

    def _work(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Result:
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
