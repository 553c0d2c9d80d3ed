"""Kill copies of this process, at each file that they rename or at any moment, and resume their work."""

import itertools
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

KILLED = 137
_TIMES = {"seconds", "seconds_per_move", "began", "games_per_second"}


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
    child = os.fork()
    if child == 0:
        _work_and_exit(work, folder)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)  # also of a copy that has ended, but was not waited for
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


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
    child = os.fork()
    if child == 0:
        left = itertools.count(call, -1)
        _profile(lambda: next(left) or os.kill(os.getpid(), signal.SIGKILL))
        _work_and_exit(work, folder)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _profile(counted: Callable[[], object]) -> None:
    """Call the function at each call and return of a function of gameforge.storage, and of what it calls."""

    def event(frame: FrameType, *kind: Any) -> None:
        if frame.f_globals.get("__name__", "").startswith("gameforge.storage"):
            counted()

    sys.setprofile(event)


def _work_and_exit(work: Callable[[Path], object], folder: Path) -> NoReturn:
    try:
        work(folder)
        os._exit(0)
    except BaseException as error:
        print(repr(error), file=sys.stderr)
        os._exit(1)


def _killed(rename: int, after: bool, work: Callable[[Path], object], folder: Path) -> bool:
    """Do the work in a copy of this process; False if it ended before it came to that rename."""
    child = os.fork()
    if child == 0:
        _die_at(rename, after)
        _work_and_exit(work, folder)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, KILLED)
    return status == KILLED


def _die_at(rename: int, after: bool) -> None:
    """End this process at a call of os.replace as kill -9 would: nothing is flushed, nothing is cleaned up."""
    replace, left = os.replace, itertools.count(rename - 1, -1)

    def deadly(*arguments: Any, **options: Any) -> None:
        last = next(left) == 0
        if last and not after:
            os._exit(KILLED)
        replace(*arguments, **options)
        if last:
            os._exit(KILLED)

    os.replace = deadly
