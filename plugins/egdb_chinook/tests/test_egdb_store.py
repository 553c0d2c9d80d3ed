"""The cache file: it is kept and recognised, and built again if it is damaged or foreign."""

import threading
from pathlib import Path

import numpy as np
import pytest
from gameforge_egdb_chinook import oracle
from gameforge_egdb_chinook.oracle import Chinook
from gameforge_retrograde.kernels import unpack
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

import gameforge as gf
from gameforge.kernel import WordArray

VALUES = (np.arange(100) * 7 % 4).astype(np.uint8)


class Builder:
    """A build function that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> NDArray[np.uint8]:
        self.calls += 1
        return VALUES


def unpacked(words: WordArray, count: int = len(VALUES)) -> NDArray[np.uint8]:
    values = np.empty(count, np.uint8)
    unpack(words.view(np.uint8), 0, values)
    return values


def loaded(path: Path, build: Builder, pieces: int = 3) -> NDArray[np.uint8]:
    return unpacked(oracle.load_or_build(path, pieces, len(VALUES), build))


@given(arrays(np.uint8, st.integers(1, 200), elements=st.integers(0, 3)))
def test_packing_keeps_values(values: NDArray[np.uint8]) -> None:
    words = oracle.pack(values)
    assert words.dtype == np.uint64
    assert len(words) == -(-len(values) // 32)
    assert np.array_equal(unpacked(words, len(values)), values)
    n = len(values) - 1
    assert int(words[n >> 5]) >> 2 * (n & 31) & 3 == values[n]


def test_built_once_and_kept(tmp_path: Path) -> None:
    build, path = Builder(), tmp_path / "new" / "x.egdb"
    for _ in range(3):
        assert np.array_equal(loaded(path, build), VALUES)
    assert build.calls == 1
    assert [file.name for file in path.parent.iterdir()] == ["x.egdb"]
    assert path.stat().st_size == 88 + 4 * 8


def damage(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    if how == "altered":
        content[-5] ^= 1
    elif how == "altered header":
        content[60] ^= 1
    elif how == "torn":
        del content[-9:]
    elif how == "longer":
        content += b"more"
    elif how == "empty":
        content.clear()
    elif how == "foreign":
        content[:] = b"GIF89a" + bytes(200)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("altered", "checksum"),
        ("altered header", "checksum"),
        ("torn", "111 bytes instead of 120"),
        ("longer", "124 bytes instead of 120"),
        ("empty", "not a cache file of solved values"),
        ("foreign", "not a cache file of solved values"),
    ],
)
def test_a_damaged_file_is_named_and_built_again(tmp_path: Path, how: str, reason: str) -> None:
    build, path = Builder(), tmp_path / "x.egdb"
    loaded(path, build)
    damage(path, how)
    with pytest.warns(oracle.CacheWarning, match=f"x.egdb: .*{reason}"):
        assert np.array_equal(loaded(path, build), VALUES)
    assert build.calls == 2
    assert np.array_equal(loaded(path, build), VALUES)
    assert build.calls == 2


def test_a_file_made_from_other_files_is_not_used(tmp_path: Path) -> None:
    build, path = Builder(), tmp_path / "x.egdb"
    loaded(path, build)
    with pytest.warns(oracle.CacheWarning, match="other files"):
        loaded(path, build, pieces=2)
    assert build.calls == 2


def test_values_are_built_although_the_folder_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    build = Builder()
    with pytest.warns(oracle.CacheWarning, match=r"x\.egdb: cannot be (read|written)"):
        assert np.array_equal(loaded(tmp_path / "file" / "x.egdb", build), VALUES)


def test_a_failed_build_leaves_no_files(tmp_path: Path) -> None:
    def fail() -> NDArray[np.uint8]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        oracle.load_or_build(tmp_path / "x.egdb", 3, 100, fail)
    assert list(tmp_path.iterdir()) == []


def test_what_killed_processes_left_is_removed(tmp_path: Path) -> None:
    left, other = tmp_path / ".x.egdb.123-456.tmp", tmp_path / ".y.egdb.123-456.tmp"
    left.touch()
    other.touch()
    loaded(tmp_path / "x.egdb", Builder())
    assert sorted(tmp_path.iterdir()) == [other, tmp_path / "x.egdb"]


@pytest.mark.filterwarnings("error")
def test_several_threads_that_start_at_once_all_get_the_values(tmp_path: Path) -> None:
    all_started = threading.Barrier(4)
    results = []

    def build() -> NDArray[np.uint8]:
        all_started.wait()  # no thread writes before all have found the file missing
        return VALUES

    def start() -> None:
        results.append(oracle.load_or_build(tmp_path / "x.egdb", 3, len(VALUES), build))

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.array_equal(unpacked(words), VALUES) for words in results)
    assert [file.name for file in tmp_path.iterdir()] == ["x.egdb"]
    assert np.array_equal(loaded(tmp_path / "x.egdb", Builder()), VALUES)


def test_what_the_oracle_has_to_build_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of up to 4 pieces take a second or two, and files are there already."""
    monkeypatch.setattr(oracle, "cache_folder", lambda: tmp_path)
    rules = gf.game("draughts").rules
    missing = Chinook(format="dtw").missing(rules)
    assert missing.startswith("all positions with up to 5 pieces, with distances (dtw), once: about ")
    assert missing.endswith(f"of disk in {tmp_path}")
    assert "up to 5 pieces, once" in Chinook(pieces=5).missing(rules)
    assert [one.missing(rules) for one in (Chinook(), Chinook(path=str(tmp_path)))] == ["", ""]
    (tmp_path / "dtw5.json").touch()
    assert Chinook(format="dtw").missing(rules) == ""
