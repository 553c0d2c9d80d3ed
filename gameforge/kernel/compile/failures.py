"""Exceptions of components' functions, which cannot pass through kernels: they are recorded, and raised later."""

import contextlib
import functools
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from gameforge.discovery.registry import crash
from gameforge.kernel import slots
from gameforge.kernel.compile.cache import files_of, place
from gameforge.kernel.types import IntegerArray


class Failures:
    """What a function raised inside kernels, through which exceptions cannot pass, by thread."""

    def __init__(self, who: str) -> None:
        """who: how messages name the function."""
        self._who = who
        self.by_thread: dict[int, BaseException] = {}

    def failed(self) -> bool:
        """Return whether the function has raised in this thread."""
        return threading.get_ident() in self.by_thread

    def fail(self, error: BaseException) -> None:
        """Record what the function raised in this thread; inside `stopped_by_failures` also stop the thread's game.

        An exception that is not a GameforgeError becomes the cause of a ComponentError, which names the function.
        """
        named = crash(self._who, error) if isinstance(error, Exception) else error
        if named is not error:
            named.__cause__ = error
        self.by_thread.setdefault(threading.get_ident(), named)
        for control in getattr(_stopped, "controls", ()):
            control[slots.STOP] = 1

    def take(self) -> BaseException | None:
        """Pop the exception that the function recorded in this thread; None without one."""
        return self.by_thread.pop(threading.get_ident(), None)


def taken(records: Iterable[Failures]) -> BaseException | None:
    """Pop the exception that functions recorded in this thread; None without one."""
    failures = [record.take() for record in records if record.by_thread]
    return next((failure for failure in failures if failure is not None), None)


def raise_failure(records: Iterable[Failures]) -> None:
    """Pop and raise the exception that functions, called by machine code, recorded in this thread."""
    for record in records:
        if record.by_thread:  # hardly ever
            failure = taken(records)
            if failure is not None:
                raise failure
            return


_raised: dict[str, Failures] = {}
"""What compiled functions raise, by the `place` of the file whose line raises it."""


@functools.lru_cache(maxsize=1024)  # for as many functions as c_function keeps
def failures_in(function: Callable[..., object]) -> tuple[Failures, ...]:
    """Return the records of what a compiled function raises, and the helpers that are inlined into it."""
    modules = files_of(function)
    return tuple(
        _raised.setdefault(place(file, module), Failures(f"compiled code of {module}"))
        for file, module in modules.items()
    )


def _record_of(file: str) -> Failures | None:
    """Return the record of what the lines of a file raise, which may be that of another checkout."""
    parts = Path(file).parts
    places = [file, *("/".join(parts[start:]) for start in range(len(parts) - 1))]
    return next((_raised[here] for here in places if here in _raised), None)


def install_hook() -> None:
    """Install the hook that records what compiled functions raise, again if another library has replaced it."""
    if not isinstance(sys.unraisablehook, _Hook):
        sys.unraisablehook = _Hook(sys.unraisablehook)


class _Hook:
    """Records what compiled functions raise; the hook that was installed before reports anything else.

    numba hands their exceptions to sys.unraisablehook, and they return 0, because machine code calls them.
    """

    def __init__(self, otherwise: Callable[["sys.UnraisableHookArgs"], object]) -> None:
        self._otherwise = otherwise

    def __call__(self, unraisable: "sys.UnraisableHookArgs") -> None:
        frames = [frame for frame, _ in traceback.walk_tb(unraisable.exc_traceback)]
        # numba names itself by a string; Python passes the object whose method raised
        record = _record_of(frames[-1].f_code.co_filename) if frames and isinstance(unraisable.object, str) else None
        if record is None or unraisable.exc_value is None:
            self._otherwise(unraisable)
        else:
            record.fail(unraisable.exc_value)


_stopped = threading.local()


@contextlib.contextmanager
def stopped_by_failures(*controls: IntegerArray) -> Iterator[None]:
    """Set these STOP flags if a function of a component raises in this thread while the block runs.

    The kernel then stops at once, so that the side to move is the one that failed.
    """
    _stopped.controls = controls
    try:
        yield
    finally:
        _stopped.controls = ()
