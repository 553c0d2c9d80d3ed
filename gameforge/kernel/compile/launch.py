"""Entry into kernels from Python: without overhead, and interruptible by Ctrl-C."""

import contextlib
import contextvars
import functools
import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, TypeVar

from gameforge.kernel import slots
from gameforge.kernel.compile.functions import Failures, failures_of, stopped_by_failures, taken
from gameforge.kernel.parallel import PATIENCE, Stopped, stop_thread
from gameforge.kernel.types import IntegerArray

Result = TypeVar("Result")
_LOOK_SECONDS = 0.5
"""Interval of checks in `run_apart`; a thread that waits without a timeout may never notice Ctrl-C."""


@functools.cache
def entry(kernel: Callable[..., object]) -> Callable[..., Any]:
    """Return a faster entry into a kernel for callers that always pass arguments of the same types.

    numba determines the types of all arguments at each call, with the GIL held. For named tuples of many blocks, such
    as those of learners, that takes as long as a short game. This entry does it only once.
    """
    machine_code: list[Callable[..., object]] = []

    def call(*args: object) -> object:
        if machine_code:
            return machine_code[0](*args)
        result = kernel(*args)
        compiled = list(getattr(kernel, "overloads", {}).values())  # none under NUMBA_DISABLE_JIT
        if len(compiled) == 1:
            machine_code.append(compiled[0].entry_point)
        return result

    return call


def interruptible(
    control: IntegerArray, kernel: Callable[..., Result], *args: object, check: Callable[[], None] | None = None
) -> Result:
    """Call `kernel(*args)` in another thread, so that KeyboardInterrupt can stop it (by control[STOP]) and is raised.

    A kernel is entered by `entry`, that is, always with arguments of the same types.
    check: called regularly; what it raises stops the kernel, too. A function among `args` (nested tuples) that raises
    stops it as well. Raises what that function raised.
    """
    run = entry(kernel) if hasattr(kernel, "overloads") else kernel  # entry would keep other callables for ever
    return run_apart(control, functools.partial(run, *args), failures_of(args), check)


def run_apart(
    control: IntegerArray,
    run: Callable[[], Result],
    failures: Iterable[Failures],
    check: Callable[[], None] | None = None,
) -> Result:
    """Run a kernel as `interruptible` does; `failures` are the records of the functions that it calls.

    Python handles signals between the bytecodes of the main thread: a kernel called there would run to its end first.
    """

    def work() -> Result:
        try:
            with stopped_by_failures(control):
                result = run()
        finally:
            failure = taken(failures)  # those of this thread, which must not remain for its next work
        if failure is not None:
            raise failure
        return result

    control[slots.STOP] = 0
    helper = _Helper.free()
    try:
        helper.begin(functools.partial(contextvars.copy_context().run, work))
        while not helper.has_ended(_LOOK_SECONDS):
            if check is not None:
                check()
        if check is not None:
            check()
    except BaseException:
        control[slots.STOP] = 1
        helper.abandon()
        raise
    answer: Result = helper.answer()
    return answer


class _Desk:
    """What a helper thread shares with the threads that give it work. Locks hand it over: they are the fastest way."""

    def __init__(self) -> None:
        self.given, self.done = threading.Lock(), threading.Lock()
        self.given.acquire()
        self.done.acquire()
        self.work: Callable[[], Any] | None = None
        self.result: Any = None
        self.failure: BaseException | None = None


class _Helper:
    """A thread that runs one kernel after the other. To start a thread for each takes longer than a shallow search."""

    _idle: "ClassVar[deque[_Helper]]" = deque()
    """Those without work: as many as kernels ever ran at once."""

    def __init__(self) -> None:
        self._desk = _Desk()
        self._thread = threading.Thread(target=_serve, args=(self._desk,), name="gameforge-kernel", daemon=True)
        self._thread.start()

    @classmethod
    def free(cls) -> "_Helper":
        """Return a helper without work; a new one if all have some."""
        while True:
            try:
                helper = cls._idle.pop()
            except IndexError:
                return cls()
            if helper._thread.is_alive():  # a forked process has the helpers of its parent without their threads
                return helper

    def begin(self, work: Callable[[], Any]) -> None:
        """Run this in the thread."""
        self._desk.work = work
        self._desk.given.release()

    def has_ended(self, seconds: float) -> bool:
        """Wait at most so long for the end of the work; return whether it has ended."""
        return self._desk.done.acquire(timeout=seconds)

    def answer(self) -> Any:
        """Return what the work returned, or raise what it raised; the helper is free again."""
        desk = self._desk
        result, failure = desk.result, desk.failure
        desk.result = desk.failure = None
        self._idle.append(self)
        if failure is not None:
            raise failure
        return result

    def abandon(self) -> None:
        """End the thread, by an exception if it does not end by itself: it may still be compiling."""
        self._dismiss()
        self._thread.join(PATIENCE)
        if self._thread.is_alive():
            stop_thread(self._thread.ident)
            self._thread.join()

    def _dismiss(self) -> None:
        """Let the thread end after its work."""
        self._desk.work = None
        if self._desk.given.locked():  # else it has not begun yet, and finds that there is no work
            self._desk.given.release()

    def __del__(self) -> None:
        self._dismiss()


def _serve(desk: _Desk) -> None:
    with contextlib.suppress(Stopped):
        while True:
            desk.given.acquire()
            work = desk.work
            if work is None:
                return
            try:
                desk.result = work()
            except BaseException as error:  # raised again in the caller's thread
                desk.failure = error
            del work  # with the blocks that it holds
            desk.done.release()
