"""Room on the disk is checked before the first byte."""

import shutil
from pathlib import Path

import pytest

from gameforge.errors import GameforgeError
from gameforge.storage import files


def test_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**12, 0, 5 * 10**9))
    folder = tmp_path / "a" / "b"
    files.require_disk(folder, 5 * 10**9, "the work")
    with pytest.raises(GameforgeError) as error:
        files.require_disk(folder, 110 * 10**9, "the work")
    assert str(error.value) == f"the work needs 110 GB of disk in {folder}, where 5.00 GB are free"
