"""Copies of this process, which start faster than processes that import everything anew."""

import json
import os
import signal
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., None])
COPIES = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="copies this process"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]
"""Marks of tests that copy this process."""


def copies_this_process(test: Test) -> Test:
    """Mark a test that copies this process."""
    for mark in COPIES:
        test = mark(test)
    return test


def in_a_copy(*steps: Callable[[], object]) -> int:
    """Begin these steps, one after the other, in a copy of this process; return the number of that process."""
    child = os.fork()
    if child == 0:
        try:
            for step in steps:
                step()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return child


def exit_code(child: int) -> int:
    """Wait for the end of a copy of this process and return its exit code, -SIGKILL if it was killed."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill_this_process() -> None:
    """End this process as kill -9 does: nothing is flushed, nothing is cleaned up."""
    os.kill(os.getpid(), signal.SIGKILL)


def copied(work: Callable[..., object], *arguments: Any, **environment: str) -> Any:
    """Do the work in a copy of this process, and return its result, which must be JSON.

    What the copy imports or changes is unknown here. The test fails if it raises.
    """
    reader, writer = os.pipe()

    def told() -> None:
        os.environ.update(environment)
        with open(writer, "w") as result:
            json.dump(work(*arguments), result)

    child = in_a_copy(told)
    os.close(writer)
    with open(reader) as result:
        text = result.read()
    assert exit_code(child) == 0, "the copy of this process raised"
    return json.loads(text)
