"""Threads whose work can be interrupted."""

import threading

import pytest

from gameforge.kernel.compile.launch import interruptible
from gameforge.kernel.parallel import Stopped, Threads


def compile_for_ever(began: threading.Event) -> None:
    """Work like that of a compiler: it runs Python code and does not check for cancellation."""
    began.set()
    while True:
        sum(range(100))


def test_work_that_does_not_check_for_cancellation() -> None:
    """It would go on for ever, and what waits for its thread would never begin."""
    pool, began = Threads(1, "test"), threading.Event()
    working = pool.submit(compile_for_ever, began)
    waiting = [pool.submit(sum, ()) for _ in range(3)]
    began.wait()
    pool.abandon(0.1)
    assert isinstance(working.exception(), Stopped)
    assert all(future.cancelled() for future in waiting)


def test_work_that_ends_by_itself() -> None:
    pool, wanted, began = Threads(1, "test"), threading.Event(), threading.Event()

    def work() -> str:
        began.set()
        wanted.wait()
        return "whole"

    working = pool.submit(work)
    began.wait()
    wanted.set()
    pool.abandon()
    assert working.result() == "whole"


def test_a_kernel_that_is_still_being_compiled() -> None:
    """It would be compiled for ever."""
    import numpy as np

    began = threading.Event()
    control = np.zeros(4, np.int64)

    def check() -> None:
        if began.is_set():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interruptible(control, compile_for_ever, began, check=check)
