"""Entry into kernels from Python: without overhead, and interruptible by Ctrl-C."""

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from gameforge.kernel import slots
from gameforge.kernel.compile.failures import raise_failure, stopped_by_failures
from gameforge.kernel.compile.functions import failures_of
from gameforge.kernel.parallel import PATIENCE, stop_thread
from gameforge.kernel.types import IntegerArray

Result = TypeVar("Result")
_LOOK_SECONDS = 0.5
"""Interval of checks in `interruptible`; a thread that waits without a timeout may never notice Ctrl-C."""


@functools.cache
def entry(kernel: Callable[..., object]) -> Callable[..., Any]:
    """Return a faster entry into a kernel for callers that always pass arguments of the same types.

    numba determines the types of all arguments at each call. For players, which are dozens of blocks and functions,
    that takes a millisecond with the GIL held, as long as a short game. This entry does it only once.
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


def load(kernel: Callable[..., object], *args: object) -> None:
    """Compile a kernel for arguments of these types, or read it from the cache, without running it.

    Only the first call for a kernel does anything. A search whose time is limited needs its kernels before its clock
    starts.
    """
    if not getattr(kernel, "overloads", True):  # under NUMBA_DISABLE_JIT there is nothing to load
        kernel.compile(tuple(kernel.typeof_pyval(arg) for arg in args))  # type: ignore[attr-defined]


def interruptible(
    control: IntegerArray, kernel: Callable[..., Result], *args: object, check: Callable[[], None] | None = None
) -> Result:
    """Call `kernel(*args)` in its own thread, so that KeyboardInterrupt can stop it (by control[STOP]) and is raised.

    Python handles signals between the bytecodes of the main thread: a kernel called there would run to its end first.
    A kernel is entered by `entry`, that is, always with arguments of the same types.
    check: called regularly; what it raises stops the kernel, too. A function among `args` (nested tuples) that raises
    stops it as well. Raises what that function raised.
    """
    run = entry(kernel) if hasattr(kernel, "overloads") else kernel  # entry would keep other callables for ever
    result: list[Result] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            with stopped_by_failures(control):
                result.append(run(*args))
            raise_failure(failures_of(args))  # those of this thread
        except BaseException as error:  # raised again in the caller's thread
            failure.append(error)

    control[slots.STOP] = 0
    thread = threading.Thread(target=work, name="gameforge-kernel")
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_LOOK_SECONDS)
            if check is not None:
                check()
    except BaseException:
        control[slots.STOP] = 1
        thread.join(PATIENCE)
        if thread.is_alive():  # it is still compiling
            stop_thread(thread.ident)
            thread.join()
        raise
    if failure:
        raise failure[0]
    return result[0]
