"""Whether something fits into memory is known before work begins."""

from pathlib import Path

import numpy as np
import pytest

from gameforge import memory
from gameforge.errors import GameforgeError


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"), (820, "820 bytes"), (999, "999 bytes"), (1000, "1.00 kB"), (1_234_567, "1.23 MB"),
        (12_345_678, "12.3 MB"), (999_400_000, "999 MB"), (999_600_000, "1.00 GB"), (9_996_000_000, "10.0 GB"),
        (110_200_000_000, "110 GB"), (3_000_000_000_000, "3.00 TB"), (10**19, "10000 PB"),
    ],
)  # fmt: skip
def test_sizes(size: int, text: str) -> None:
    assert memory.size_text(size) == text


def test_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (memory.available_memory() or 10**9) > 10**6
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  2000000 kB\n")
    monkeypatch.setattr(memory, "_MACHINE", tmp_path / "meminfo")
    memory.require_memory(2_048_000_000, "the work")
    with pytest.raises(GameforgeError) as error:
        memory.require_memory(10**12, "the work")
    assert str(error.value) == "the work needs 1.00 TB of memory, of which 2.05 GB are available"


def test_the_peak_of_a_piece_of_work_is_its_own() -> None:
    np.ones(32 << 20)  # an earlier peak, of 256 MB
    size = memory.memory_of(lambda: np.ones(4 << 20))
    assert size is None or 30e6 < size < 100e6


def test_where_no_one_counts_memory_the_work_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_PROCESS", "_RESET"):
        monkeypatch.setattr(memory, name, tmp_path / "nothing" / "here")
    done: list[int] = []
    assert memory.memory_of(lambda: done.append(1)) is None
    assert done == [1]


@pytest.mark.parametrize(
    ("limit", "available"), [("1000000000\n", 10**9), ("9000000000\n", 2_048_000_000), ("max\n", 2_048_000_000)]
)
def test_a_container_may_have_less_than_the_machine(
    limit: str, available: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "meminfo").write_text("MemAvailable:  2000000 kB\n")
    (tmp_path / "memory.max").write_text(limit)
    monkeypatch.setattr(memory, "_MACHINE", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_CONTAINER", tmp_path / "memory.max")
    assert memory.available_memory() == available
