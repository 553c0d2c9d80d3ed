"""Journals of solved units: damaged lines end them, and what they lose is solved again."""

import json
from pathlib import Path

import attrs
import pytest
from gameforge_retrograde.database_files import Journal

HEAD = {"version": 1}


@attrs.frozen
class Entry:
    unit: tuple[int, ...]
    name: str = ""


def journal(path: Path, head: dict[str, int] = HEAD) -> Journal[Entry]:
    return Journal(path, head, Entry)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal"
    found = journal(path)
    for unit in range(3):
        found.append(Entry((unit, unit)))
    return path


def test_entries_are_read_again(path: Path) -> None:
    assert journal(path).entries == [Entry((0, 0)), Entry((1, 1)), Entry((2, 2))]
    assert journal(path, {"version": 2}).entries == []


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"name"', b'"nome"'), (b"[1, 1]", b"[1, 7]"), (b'"unit": [1', b'"unit": {1'), (b"[1, 1]", b"[1\xff1]")],
)
def test_a_damaged_line_ends_the_journal(old: bytes, new: bytes, path: Path) -> None:
    head, first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(head + first + second.replace(old, new) + third)
    assert journal(path).entries == [Entry((0, 0))]
    assert path.read_bytes() == head + first


def test_an_entry_of_other_types_is_not_read(path: Path) -> None:
    forged = path.with_name("forged")

    @attrs.frozen
    class Other:
        unit: str

    other = Journal(forged, HEAD, Other)
    other.append(Other(json.dumps([1])))
    assert journal(forged).entries == []


def test_temporary_files_of_a_killed_process_are_removed(path: Path) -> None:
    left = path.with_name(".journal.1-1.tmp")
    left.touch()
    journal(path)
    assert not left.exists()
