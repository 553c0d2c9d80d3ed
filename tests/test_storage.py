"""Resumable folders, their logs, and the files that killed processes leave."""

import contextlib
import json
import os
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gameforge.errors import GameforgeError
from gameforge.storage.files import remove_temporaries_of, write_atomically
from gameforge.storage.folder import Folder, ManifestFormat, is_busy, locked
from gameforge.storage.stored import JsonLog, TextLog, length_of_lines, packed_arrays, read_log

FORMAT = ManifestFormat("toy", "toy.json", "gameforge-toy", 3)


def folder(path: Path, **identity: Any) -> Folder:
    return Folder(path=path, format=FORMAT, identity={"seed": 1} | identity, about={"began": "today"})


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


class TestFolder:
    def test_a_new_one_has_a_manifest(self, tmp_path: Path) -> None:
        with folder(tmp_path / "a" / "b", pair=(1, 2)).create():
            assert is_busy(tmp_path / "a" / "b")
        manifest = json.loads((tmp_path / "a" / "b" / "toy.json").read_text())
        assert len(manifest.pop("digest")) == 64
        assert manifest == {
            "format": "gameforge-toy", "schema": 3, "began": "today", "seed": 1, "pair": [1, 2],
        }  # fmt: skip
        with folder(tmp_path / "a" / "b", pair=(1, 2)).open_or_resume():
            pass

    def test_nothing_is_left_of_work_that_failed_at_once(self, tmp_path: Path) -> None:
        (tmp_path / "mine").mkdir()
        for path in (tmp_path / "a" / "b", tmp_path / "mine"):
            with contextlib.suppress(KeyboardInterrupt), folder(path).open_or_resume():
                (path / "empty.jsonl").touch()
                (path / "inner" / "deeper").mkdir(parents=True)
                raise KeyboardInterrupt
        assert [path.name for path in tmp_path.rglob("*")] == ["mine"]

    def test_work_that_was_done_stays(self, tmp_path: Path) -> None:
        with contextlib.suppress(ArithmeticError), folder(tmp_path / "a").open_or_resume():
            (tmp_path / "a" / "inner").mkdir()
            (tmp_path / "a" / "inner" / "file").write_text("work")
            raise ArithmeticError
        assert names(tmp_path / "a") == ["inner", "toy.json"]
        with contextlib.suppress(ArithmeticError), folder(tmp_path / "a").open_or_resume():
            (tmp_path / "a" / "inner" / "file").write_text("")
            raise ArithmeticError
        assert names(tmp_path / "a") == ["inner", "toy.json"]

    def test_temporary_files_go_but_not_those_of_others(self, tmp_path: Path) -> None:
        for name in (".toy.json.12-345.tmp", ".a b.1-1.tmp"):
            (tmp_path / name).touch()
        with folder(tmp_path).create():
            assert names(tmp_path) == ["toy.json"]
        kept = [".thesis.tmp", ".toy.json.12.tmp", "toy.json.1-1.tmp", ".toy.json.1-1.tmp.bak"]
        for place in (tmp_path, tmp_path / "done", tmp_path / "busy" / "inner"):
            place.mkdir(parents=True, exist_ok=True)
            for name in (".x.1-1.tmp", *kept):
                (place / name).touch()
        with locked(tmp_path / "busy"), folder(tmp_path).resume():
            pass
        assert names(tmp_path / "done") == sorted(kept)
        assert names(tmp_path / "busy" / "inner") == sorted([".x.1-1.tmp", *kept])
        assert ".x.1-1.tmp" not in names(tmp_path)

    def test_other_files_beside_a_temporary_one(self, tmp_path: Path) -> None:
        for name in (".toy.json.1-1.tmp", "notes.txt"):
            (tmp_path / name).touch()
        with pytest.raises(GameforgeError, match="already holds other files; choose another folder"):
            folder(tmp_path).open_or_resume().__enter__()
        assert names(tmp_path) == [".toy.json.1-1.tmp", "notes.txt"]

    @pytest.mark.parametrize(
        ("identity", "difference"),
        [
            ({"seed": 2}, "seed is 1 there and 2 here"),
            ({"name": "x"}, 'name is not set there and "x" here'),
            ({"players": [{"name": "a", "depth": 2}]}, 'players.0.name is not set there and "a" here'),
            ({"text": "x" * 100}, f'text is not set there and "{"x" * 59}... here'),
        ],
    )
    def test_another_identity(self, identity: dict[str, Any], difference: str, tmp_path: Path) -> None:
        with folder(tmp_path).create():
            pass
        with pytest.raises(GameforgeError) as error, folder(tmp_path, **identity).open_or_resume():
            raise AssertionError
        assert str(error.value) == f"the folder {tmp_path} holds another toy: {difference}; choose another folder"

    def test_one_process_at_a_time(self, tmp_path: Path) -> None:
        pytest.importorskip("fcntl")
        with (
            folder(tmp_path / "a").create(),
            pytest.raises(GameforgeError, match=r"process .*is writing there"),
        ):
            folder(tmp_path / "a").resume().__enter__()
        assert not is_busy(tmp_path / "a")

    @pytest.mark.skipif(sys.platform == "win32", reason="nothing is locked outside Unix")
    def test_a_folder_that_does_not_exist_is_not_in_use(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError), locked(tmp_path / "gone"):
            pass

    def test_two_processes_that_look_do_not_see_each_other(self, tmp_path: Path) -> None:
        import fcntl

        other = os.open(tmp_path, os.O_RDONLY)  # a lock belongs to an open file, so this one stands for a process
        try:
            fcntl.flock(other, fcntl.LOCK_SH)
            assert not is_busy(tmp_path)
            fcntl.flock(other, fcntl.LOCK_EX)
            assert is_busy(tmp_path)
        finally:
            os.close(other)


class TestLog:
    def test_a_torn_line_is_left_out_and_cut(self, tmp_path: Path) -> None:
        path = tmp_path / "log.jsonl"
        assert read_log(path, int) == []
        path.write_bytes(b"1\n2\n33")
        assert read_log(path, int) == [1, 2]
        with JsonLog(path, length_of_lines(path, 2)) as log:
            assert path.read_bytes() == b"1\n2\n33"
            log.append(4)
        assert read_log(path, int) == [1, 2, 4]
        with TextLog(path, 2) as text:
            text.flush()
            assert text.length() == 2
        assert path.read_bytes() == b"1\n"

    @pytest.mark.parametrize(
        ("line", "reason"),
        [("x", "Expecting value"), ("{}", "it lacks 'a'"), ("3", "'int' object is not subscriptable")],
    )
    def test_a_damaged_line_is_named(self, line: str, reason: str, tmp_path: Path) -> None:
        (tmp_path / "log.jsonl").write_text(f'{{"a": 1}}\n{line}\n')
        with pytest.raises(GameforgeError, match=rf"log\.jsonl, line 2 is damaged: {reason}"):
            read_log(tmp_path / "log.jsonl", lambda value: value["a"])


def test_temporary_files_of_a_file(tmp_path: Path) -> None:
    for name in (".a.1-1.tmp", ".a.b.1-1.tmp", ".a.tmp"):
        (tmp_path / name).touch()
    write_atomically(tmp_path / "a", b"")
    remove_temporaries_of([tmp_path / "a"])
    assert names(tmp_path) == [".a.b.1-1.tmp", ".a.tmp", "a"]


def test_ctrl_c_in_an_archive_stays_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """zipfile raises a ValueError in its place if it came between opening a member and entering its block."""
    members = []
    open_member = zipfile.ZipFile.open

    def open_and_interrupt(self: zipfile.ZipFile, *args: Any, **options: Any) -> None:
        members.append(open_member(self, *args, **options))
        raise KeyboardInterrupt

    monkeypatch.setattr(zipfile.ZipFile, "open", open_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        packed_arrays({"weights": np.zeros(3, np.float32)})
    members[0].close()
