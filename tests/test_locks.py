"""Locks name their holder; waiting for one is announced, can be interrupted, and ends when the holder dies."""

import contextlib
import logging
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from gameforge import locks
from gameforge.experiments.reproduction import EXPERIMENT_FORMAT
from gameforge.kernel.compile import cache
from gameforge.records import tables
from gameforge.storage.folder import Folder, FolderInUse, ManifestFormat, is_busy, locked
from gameforge.studies.trials import STUDY_FORMAT

pytestmark = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system does not name holders of locks")


@contextlib.contextmanager
def another_process(holding: Callable[[], AbstractContextManager[object]]) -> Iterator[int]:
    """Another process inside of a block, which sleeps until it is killed; yield its number."""
    ready, done = os.pipe()
    pid = os.fork()
    if not pid:
        with holding():
            os.write(done, b"!")
            time.sleep(60)
        os._exit(0)
    os.read(ready, 1)
    yield pid
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(ready)
    os.close(done)


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[int]:
    """A process that locks the folder."""
    with another_process(lambda: locked(tmp_path)) as pid:
        yield pid


class Killing(logging.Handler):
    """Hears of waits, and kills the process that is waited for."""

    def __init__(self, holder: int) -> None:
        super().__init__()
        self.holder, self.heard = holder, list[str]()

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.append(record.getMessage())
        os.kill(self.holder, signal.SIGKILL)


@contextlib.contextmanager
def killed_when_waited_for(holder: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Kill a process as soon as something waits for it; yield what is announced."""
    monkeypatch.setattr(locks, "_PATIENCE", 0.0)
    handler, logger = Killing(holder), logging.getLogger("gameforge.locks")
    logger.addHandler(handler)
    try:
        yield handler.heard
    finally:
        logger.removeHandler(handler)


def test_a_refusal_names_the_process_and_its_command(tmp_path: Path, holder: int) -> None:
    with pytest.raises(FolderInUse) as refused, locked(tmp_path):
        raise AssertionError
    assert f"{tmp_path}: process {holder} (" in str(refused.value)
    assert Path(sys.argv[0]).name in str(refused.value) or "python" in str(refused.value)


def test_a_refusal_says_how_far_the_work_is(tmp_path: Path, holder: int) -> None:
    format = ManifestFormat("toy", "toy.json", "gameforge-toy", 1, log="steps.jsonl", step="step")
    format.write(tmp_path, {})

    def refusal() -> str:
        with pytest.raises(FolderInUse) as refused, Folder(path=tmp_path, format=format).resume():
            raise AssertionError
        return str(refused.value)

    assert ") is writing there; wait" in refusal()
    (tmp_path / "steps.jsonl").write_text("{}\n{}\n")
    assert ") is writing there (2 steps so far); wait" in refusal()


def test_a_wait_is_announced_and_ends_with_the_holder(
    tmp_path: Path, holder: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "_PATIENCE", 0.1)
    heard: list[str] = []

    def announce(text: str) -> None:
        heard.append(text)
        os.kill(holder, signal.SIGKILL)

    descriptor = os.open(tmp_path, os.O_RDONLY)
    locks.wait_for_lock(descriptor, "writes to a folder", lambda: "12 games so far", announce)
    assert len(heard) == 1
    assert heard[0].startswith(f"waiting for process {holder} (")
    assert heard[0].endswith("), which writes to a folder (12 games so far)")
    assert is_busy(tmp_path)
    os.close(descriptor)
    assert not is_busy(tmp_path)


def test_a_wait_can_be_interrupted(tmp_path: Path, holder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_PATIENCE", 0.0)

    def interrupt(text: str) -> None:
        raise KeyboardInterrupt

    descriptor = os.open(tmp_path, os.O_RDONLY)
    with pytest.raises(KeyboardInterrupt):
        locks.wait_for_lock(descriptor, "writes", announce=interrupt)
    os.close(descriptor)
    assert is_busy(tmp_path)


def test_a_wait_for_a_kernel_says_since_when_it_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "kernel.lock"

    @contextlib.contextmanager
    def compiling() -> Iterator[None]:
        with file.open("a") as held:
            cache._lock(held, "kernel")
            os.utime(file, (time.time() - 5, time.time() - 5))
            yield

    with another_process(compiling) as pid, killed_when_waited_for(pid, monkeypatch) as heard, file.open("a") as own:
        cache._lock(own, "kernel")
        assert time.time() - file.stat().st_mtime < 5
    assert len(heard) == 1
    assert re.fullmatch(rf"waiting for process {pid} \(.*\), which compiles kernel \(\d+ s so far\)", heard[0])


def test_a_wait_for_a_database_of_games_says_how_many_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite itself would give up after a time."""
    path = tmp_path / "games.db"
    tables.FORMAT.create(path).close()

    def written() -> AbstractContextManager[None]:
        return tables.writing(tables.FORMAT.open(path))

    with another_process(written) as pid, killed_when_waited_for(pid, monkeypatch) as heard:
        connection = tables.FORMAT.open(path)
        with contextlib.closing(connection), tables.writing(connection):
            assert connection.in_transaction
    assert len(heard) == 1
    assert heard[0].startswith(f"waiting for process {pid} (")
    assert heard[0].endswith(f"), which writes to {path} (0 games so far)")


@pytest.mark.parametrize("format", [STUDY_FORMAT, EXPERIMENT_FORMAT], ids=lambda format: format.what)
def test_a_refusal_says_how_many_trials_are_finished(format: ManifestFormat, tmp_path: Path) -> None:
    (tmp_path / "trials.jsonl").write_text("{}\n{}\n")
    assert format.progress(tmp_path) == "2 trials so far"


def test_commands_are_shown_as_they_are_typed_and_shortened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(*arguments: str) -> str:
        content = "".join(f"{argument}\0" for argument in arguments).encode()
        monkeypatch.setattr(Path, "read_bytes", lambda path: content)
        return locks._command(1)

    assert shown("/usr/bin/python", "-m", "gameforge", "match", "a b") == "gameforge match 'a b'"
    assert shown("/usr/bin/python", "/opt/bin/gameforge", "web") == "gameforge web"
    assert shown("sh", "-c", "\x1b[31m") == "sh -c '?[31m'"
    assert len(shown("x" * 1000)) == 80
