"""Long work under a system that misbehaves: full disks, clocks that jump, processes that are suspended, caches that
cannot be written or belong to somebody else.

All of it is slow: `pytest -m slow tests/test_hardships.py`. Small file systems in memory are mounted for a process of
its own, which needs the right to do that; without it these tests are skipped.
"""

import ctypes
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import test_folder_kills
import test_random_kills
from copies import exit_code, in_a_copy
from kills import essence

from gameforge.errors import GameforgeError
from gameforge.training import checkpoint

pytestmark = [pytest.mark.slow, *test_folder_kills.pytestmark]
KINDS = {kind: work for kind, work in test_random_kills.KINDS.items() if kind not in test_random_kills.SLOW}
TIMES = 5
"""How often each kind of work is disturbed."""
_NEW_MOUNTS, _READ_ONLY, _REMOUNT, _RECURSIVE, _PRIVATE = 0x20000, 1, 32, 1 << 14, 1 << 18
"""Flags of the system calls `unshare` and `mount`."""
Work = Callable[[Path], object]


def mount(folder: Path, flags: int = 0, size: str = "64m") -> None:
    """Mount a file system in memory, which only this process sees; OSError if this is not allowed."""
    libc = ctypes.CDLL(None, use_errno=True)

    def require(result: int) -> None:
        if result:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    if not flags & _REMOUNT:
        require(libc.unshare(_NEW_MOUNTS))
        require(libc.mount(b"none", b"/", None, _RECURSIVE | _PRIVATE, None))
    require(libc.mount(b"tmpfs", bytes(folder), b"tmpfs", flags, f"size={size}".encode()))


@pytest.fixture
def own_disk(tmp_path: Path) -> Path:
    """A folder on which a copy of this process can mount a file system."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if sys.platform != "linux" or exit_code(in_a_copy(lambda: mount(folder))):
        pytest.skip("no file system can be mounted here")
    return folder


@pytest.fixture(params=KINDS)
def work(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    """The work of each kind of folder, with its kernels compiled and a checkpoint wherever one can be written."""
    monkeypatch.setattr(checkpoint, "SHARE", 1e9)
    KINDS[request.param](tmp_path / "first")
    return KINDS[request.param]


def test_a_full_disk_ends_in_a_sentence_and_the_work_resumes(work: Work, own_disk: Path) -> None:
    def on_a_small_disk() -> None:
        mount(own_disk)
        before = shutil.disk_usage(own_disk).free
        work(own_disk / "whole")
        expected, needed = essence(own_disk / "whole"), before - shutil.disk_usage(own_disk).free
        shutil.rmtree(own_disk / "whole")
        rng, folder, filler = random.Random(3), own_disk / "work", own_disk / "filler"
        refusals: list[str] = []
        unfinished = 0
        for _ in range(TIMES):
            left = rng.randrange(needed)
            with filler.open("wb") as file:
                file.write(bytes(shutil.disk_usage(own_disk).free - left))
            try:
                work(folder)
            except GameforgeError as error:
                refusals.append(str(error))
            except AssertionError:  # a command that ended with exit code 2 and has printed why
                refusals.append("No space left on device")
            else:  # a study goes on without the trials that failed
                unfinished += essence(folder) != expected
            filler.unlink()
            work(folder)
            assert essence(folder) == expected
            shutil.rmtree(folder)
        assert refusals or unfinished
        assert all(any(word in text for word in ("No space left on device", "free", "full")) for text in refusals)

    assert exit_code(in_a_copy(on_a_small_disk)) == 0


def test_work_that_is_suspended(work: Work, tmp_path: Path) -> None:
    began = time.perf_counter()
    work(tmp_path / "whole")
    seconds = time.perf_counter() - began
    rng = random.Random(4)
    for number in range(TIMES):
        folder = tmp_path / f"suspended-{number}"
        child = in_a_copy(lambda folder=folder: work(folder))  # type: ignore[misc]
        time.sleep(rng.uniform(0, seconds))
        os.kill(child, signal.SIGSTOP)
        time.sleep(1.5)  # longer than the patience of anything that waits
        os.kill(child, signal.SIGCONT)
        assert exit_code(child) == 0
        assert essence(folder) == essence(tmp_path / "whole")


def test_clocks_that_jump(work: Work, tmp_path: Path) -> None:
    """The clock of the day goes back and forth by hours; the others skip hours, as after a sleep of the machine."""
    work(tmp_path / "whole")
    rng = random.Random(5)

    def jumping(clock: Callable[[], float], back: float) -> Callable[[], float]:
        skipped = 0.0

        def now() -> float:
            nonlocal skipped
            if rng.random() < 0.1:
                skipped += rng.uniform(back, 3600)
            return clock() + skipped

        return now

    def with_such_clocks() -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(time, "time", jumping(time.time, -3600))
            patch.setattr(time, "monotonic", jumping(time.monotonic, 0))
            patch.setattr(time, "perf_counter", jumping(time.perf_counter, 0))
            work(tmp_path / "jumping")

    assert exit_code(in_a_copy(with_such_clocks)) == 0
    assert essence(tmp_path / "jumping") == essence(tmp_path / "whole")


class TestCache:
    COMMAND = (sys.executable, "-m", "gameforge", "perft", "--game", "othello", "--depth", "4")

    def perft(self, cache: Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self.COMMAND, env={**os.environ, "GAMEFORGE_CACHE": str(cache)}, capture_output=True, text=True, check=False
        )

    def test_one_that_can_only_be_read(self, own_disk: Path) -> None:
        def read_only() -> None:
            mount(own_disk)
            mount(own_disk, _READ_ONLY | _REMOUNT)
            found = self.perft(own_disk)
            assert found.returncode == 0, found.stderr
            assert "244" in found.stdout
            assert "Traceback" not in found.stderr
            assert str(own_disk) in found.stderr

        assert exit_code(in_a_copy(read_only)) == 0

    @pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
    def test_two_users_with_one(self, tmp_path: Path) -> None:
        """What another user has compiled is not run, and what this user compiles is not left where that one writes."""
        cache = tmp_path / "cache"
        assert self.perft(cache).returncode == 0
        for path in (cache, *cache.rglob("*")):
            os.chown(path, 65534, 65534)
        before = {path: path.stat().st_mtime_ns for path in cache.rglob("*") if path.is_file()}
        found = self.perft(cache)
        assert found.returncode == 0, found.stderr
        assert "244" in found.stdout
        assert "another user owns them or can write to them" in found.stderr.replace("\n", " ")
        assert {path: path.stat().st_mtime_ns for path in cache.rglob("*") if path.is_file()} == before

    def test_two_processes_with_a_new_one(self, tmp_path: Path) -> None:
        environment = {**os.environ, "GAMEFORGE_CACHE": str(tmp_path)}
        both = [
            subprocess.Popen(self.COMMAND, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        for process in both:
            out, err = process.communicate()
            assert process.returncode == 0, err
            assert "244" in out
