"""Entries of docs/decisions.md: one decision each, with a number, a date and a status."""

import re
from pathlib import Path

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "decisions.md").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^### (\S+) .+\n(.*)$", TEXT, re.MULTILINE)
NUMBERS = [number.rstrip(".") for number, _ in ENTRIES]
STATUS = re.compile(r"20\d\d-\d\d-\d\d, (accepted|superseded|amended)\b")


def order(number: str) -> tuple[int, str]:
    found = re.fullmatch(r"(\d+)([a-z]?)", number)
    assert found, number
    return int(found[1]), found[2]


def test_numbers_ascend() -> None:
    """With gaps: choices of plugins and settings once had numbers, too."""
    assert NUMBERS == sorted(set(NUMBERS), key=order)


def test_the_page_is_about_architecture() -> None:
    """Choices of a plugin stand in its README, those of the core's settings in docs/choices.md."""
    assert len(NUMBERS) <= 60


def test_each_entry_begins_with_date_and_status() -> None:
    assert [number for number, line in ENTRIES if not STATUS.match(line)] == []


def test_entries_that_are_referred_to_exist() -> None:
    named = re.findall(r"(?:superseded(?: in part)?|amended|extended to all folders) by (\d+[a-z]?)", TEXT)
    named += re.findall(r"(?:supersedes|amends) (\d+[a-z]?)", TEXT)
    assert named
    assert set(named) <= set(NUMBERS)
