"""Threads whose work can be interrupted."""

import os
import threading
from concurrent.futures import Future

import numpy as np
import pytest

from gameforge.kernel import parallel, slots
from gameforge.kernel.compile.launch import interruptible
from gameforge.kernel.parallel import Stopped, Threads, wait_for_one


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


@pytest.mark.parametrize("of_interrupt", [True, False])
def test_a_wait_interrupted_among_its_locks(of_interrupt: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """About once in a thousand times, Ctrl-C makes Python's `wait` release a lock that it does not hold."""

    def wait(*arguments: object) -> None:
        try:
            raise KeyboardInterrupt if of_interrupt else KeyError
        finally:
            threading.Lock().release()

    monkeypatch.setattr(parallel, "wait", wait)
    with pytest.raises(KeyboardInterrupt if of_interrupt else RuntimeError):
        wait_for_one([Future[None]()], 0)


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
    began = threading.Event()
    control = np.zeros(4, np.int64)

    def check() -> None:
        if began.is_set():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interruptible(control, compile_for_ever, began, check=check)


def running() -> int:
    return sum(thread.name == "gameforge-kernel" for thread in threading.enumerate())


def test_a_thread_runs_one_kernel_after_the_other() -> None:
    control = np.zeros(slots.CONTROLS, np.int64)
    threads = {interruptible(control, threading.get_ident) for _ in range(20)}
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_a_kernel_can_call_another() -> None:
    control = np.zeros(slots.CONTROLS, np.int64)
    inner, outer = interruptible(control, lambda: (interruptible(control, threading.get_ident), threading.get_ident()))
    assert inner != outer


def test_no_thread_remains_of_failed_or_interrupted_kernels() -> None:
    control = np.zeros(slots.CONTROLS, np.int64)
    interruptible(control, len, ())
    before = running()

    def fail() -> None:
        raise LookupError("the kernel failed")

    def until_stopped() -> None:
        while not control[slots.STOP]:
            pass

    def interrupt() -> None:
        raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(LookupError, match="the kernel failed"):
            interruptible(control, fail)
        with pytest.raises(KeyboardInterrupt):
            interruptible(control, until_stopped, check=interrupt)
    assert interruptible(control, len, (1, 2)) == 2
    assert running() <= before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks as on Unix")
def test_a_forked_process_starts_threads_of_its_own() -> None:
    control = np.zeros(slots.CONTROLS, np.int64)
    interruptible(control, len, ())
    child = os.fork()
    if child == 0:
        os._exit(interruptible(control, len, (1, 2, 3)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
