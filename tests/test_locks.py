"""Locks name their holder; waiting for one is announced, can be interrupted, and ends when the holder dies."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gameforge import locks
from gameforge.storage.folder import Folder, FolderInUse, ManifestFormat, is_busy, locked

pytestmark = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system does not name holders of locks")


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[int]:
    """A process that locks the folder and sleeps."""
    ready, done = os.pipe()
    pid = os.fork()
    if not pid:
        with locked(tmp_path):
            os.write(done, b"!")
            time.sleep(60)
        os._exit(0)
    os.read(ready, 1)
    yield pid
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(ready)
    os.close(done)


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
    locks.wait_for_lock(descriptor, "writes to a folder", announce)
    assert len(heard) == 1
    assert heard[0].startswith(f"waiting for process {holder} (")
    assert heard[0].endswith("), which writes to a folder")
    assert is_busy(tmp_path)
    os.close(descriptor)
    assert not is_busy(tmp_path)


def test_a_wait_can_be_interrupted(tmp_path: Path, holder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_PATIENCE", 0.0)

    def interrupt(text: str) -> None:
        raise KeyboardInterrupt

    descriptor = os.open(tmp_path, os.O_RDONLY)
    with pytest.raises(KeyboardInterrupt):
        locks.wait_for_lock(descriptor, "writes", interrupt)
    os.close(descriptor)
    assert is_busy(tmp_path)


def test_commands_are_shown_as_they_are_typed_and_shortened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(*arguments: str) -> str:
        content = "".join(f"{argument}\0" for argument in arguments).encode()
        monkeypatch.setattr(Path, "read_bytes", lambda path: content)
        return locks._command(1)

    assert shown("/usr/bin/python", "-m", "gameforge", "match", "a b") == "gameforge match 'a b'"
    assert shown("/usr/bin/python", "/opt/bin/gameforge", "web") == "gameforge web"
    assert shown("sh", "-c", "\x1b[31m") == "sh -c '?[31m'"
    assert len(shown("x" * 1000)) == 80
