"""Room is checked before the first byte; sizes are told in the unit that fits."""

import shutil
from pathlib import Path

import pytest

from gameforge.errors import GameforgeError
from gameforge.storage import files


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"), (820, "820 bytes"), (999, "999 bytes"), (1000, "1.00 kB"), (1_234_567, "1.23 MB"),
        (12_345_678, "12.3 MB"), (999_400_000, "999 MB"), (999_600_000, "1.00 GB"), (9_996_000_000, "10.0 GB"),
        (110_200_000_000, "110 GB"), (3_000_000_000_000, "3.00 TB"), (10**19, "10000 PB"),
    ],
)  # fmt: skip
def test_sizes(size: int, text: str) -> None:
    assert files.size_text(size) == text


def test_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**12, 0, 5 * 10**9))
    folder = tmp_path / "a" / "b"
    files.require_disk(folder, 5 * 10**9, "the work")
    with pytest.raises(GameforgeError) as error:
        files.require_disk(folder, 110 * 10**9, "the work")
    assert str(error.value) == f"the work needs 110 GB of disk in {folder}, where 5.00 GB are free"


def test_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (files.available_memory() or 10**9) > 10**6
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  2000000 kB\n")
    monkeypatch.setattr(files, "_MEMORY", tmp_path / "meminfo")
    files.require_memory(2_048_000_000, "the work")
    with pytest.raises(GameforgeError) as error:
        files.require_memory(10**12, "the work")
    assert str(error.value) == "the work needs 1.00 TB of memory, of which 2.05 GB are available"
