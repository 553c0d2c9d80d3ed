"""Run a kernel so that Ctrl-C reaches it."""

import threading
from collections.abc import Callable
from typing import Any

from gameforge.kernel.context import STOP, Integers


def interruptible(control: Integers, kernel: Callable[..., Any], *args: Any) -> Any:
    """Call `kernel(*args)` in a thread of its own; KeyboardInterrupt sets control[STOP] and is raised.

    Python handles signals in the main thread only between bytecodes: a kernel called there would
    not be interrupted before it returns.
    """
    result: list[Any] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            result.append(kernel(*args))
        except BaseException as error:  # raised again in the caller's thread
            failure.append(error)

    control[STOP] = 0
    thread = threading.Thread(target=work, name="gameforge-kernel")
    thread.start()
    try:
        thread.join()
    except BaseException:
        control[STOP] = 1
        thread.join()
        raise
    if failure:
        raise failure[0]
    return result[0]
