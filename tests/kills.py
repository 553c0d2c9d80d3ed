"""Kill copies of this process, at each file that they rename or at any moment, and resume their work."""

import functools
import itertools
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from copies import exit_code, in_a_copy, kill_this_process

_TIMES = {"seconds", "processor", "seconds_per_move", "processor_per_move", "began", "games_per_second"}
_TIMES |= {"digest", "metrics.jsonl"}  # digests of files with times


def essence(folder: Path) -> dict[str, Any]:
    """What must not depend on kills: all files, without times and without log.txt."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.suffix == ".json":
            found[name] = _timeless(json.loads(path.read_bytes()))
        elif path.suffix == ".jsonl":
            found[name] = [_timeless(json.loads(line)) for line in path.read_bytes().splitlines()]
        elif path.is_file() and path.name != "log.txt":
            found[name] = path.read_bytes()
    return found


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _timeless(entry) for key, entry in value.items() if key not in _TIMES}
    return [_timeless(entry) for entry in value] if isinstance(value, list) else value


def killed_at_every_rename(work: Callable[[Path], object], where: Path) -> Iterator[Path]:
    """Yield folders in which the work was killed, before and after its first rename, its second and so on."""
    for rename in itertools.count(1):
        for after in (False, True):
            folder = where / f"{'after' if after else 'before'}-{rename}"
            if not _killed(rename, after, work, folder):
                return
            yield folder


def killed_after(seconds: float, work: Callable[[Path], object], folder: Path) -> int:
    """Do the work in a copy of this process, which is killed after this time unless it ended before.

    Returns its exit code; -SIGKILL if it was killed.
    """
    child = in_a_copy(lambda: work(folder))
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)  # also of a copy that has ended, but was not waited for
    return exit_code(child)


def storage_calls(work: Callable[[Path], object], folder: Path) -> int:
    """Do the work in this process; the number of calls and returns of what writes files, and of what it calls."""
    calls = itertools.count()
    _profile(lambda: next(calls))
    try:
        work(folder)
    finally:
        sys.setprofile(None)
    return next(calls)


def killed_at_call(call: int, work: Callable[[Path], object], folder: Path) -> int:
    """Do the work in a copy of this process, which is killed at this one of its storage calls.

    These are moments between any two steps of writing files, and the same ones on a busy machine. Returns its exit code
    as `killed_after` does.
    """
    left = itertools.count(call, -1)
    count = functools.partial(_profile, lambda: next(left) or kill_this_process())
    return exit_code(in_a_copy(count, lambda: work(folder)))


class Deadly:
    """Kill this process at the n-th step of writing files, in any thread: before or after a flush or a rename."""

    def __init__(self, last: int = 0) -> None:
        self.last, self.steps = last, list[str]()
        for name in ("fsync", "replace"):
            setattr(os, name, self._counted(name, getattr(os, name)))

    def _counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any) -> None:
            self._step(f"before {name}")
            function(*arguments)
            self._step(f"after {name}")

        return counted

    def _step(self, step: str) -> None:
        self.steps.append(step)
        if len(self.steps) == self.last:
            kill_this_process()


def steps_of(work: Callable[[], object]) -> list[str]:
    """Do the work in this process; its steps of writing files, at which `Deadly` would kill it."""
    with pytest.MonkeyPatch.context() as patch:
        for function in ("fsync", "replace"):
            patch.setattr(os, function, getattr(os, function))  # to be restored
        counted = Deadly()
        work()
        return counted.steps


def _profile(counted: Callable[[], object]) -> None:
    """Call the function at each call and return of a function of gameforge.storage, and of what it calls."""

    def event(frame: FrameType, *kind: Any) -> None:
        if frame.f_globals.get("__name__", "").startswith("gameforge.storage"):
            counted()

    sys.setprofile(event)


def _killed(rename: int, after: bool, work: Callable[[Path], object], folder: Path) -> bool:
    """Do the work in a copy of this process; False if it ended before it came to that rename."""
    code = exit_code(in_a_copy(lambda: _die_at(rename, after), lambda: work(folder)))
    assert code in (0, -signal.SIGKILL)
    return code != 0


def _die_at(rename: int, after: bool) -> None:
    """Kill this process at a call of os.replace."""
    replace, left = os.replace, itertools.count(rename - 1, -1)

    def deadly(*arguments: Any, **options: Any) -> None:
        last = next(left) == 0
        if last and not after:
            kill_this_process()
        replace(*arguments, **options)
        if last:
            kill_this_process()

    os.replace = deadly
