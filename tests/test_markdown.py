"""Cells and tables of reports."""

import pytest

from gameforge.markdown import interval, number, probability, table


def test_table() -> None:
    assert table(("a", "b"), [(1, "x|y"), ("z", "")]) == "| a | b |\n| --- | ---: |\n| 1 | x\\|y |\n| z |  |\n"


@pytest.mark.parametrize(
    ("value", "digits", "text"), [(1045, 0, "1,045"), (-0.2, 0, "0"), (2.345, 1, "2.3"), (-12345.6, 0, "-12,346")]
)
def test_number(value: float, digits: int, text: str) -> None:
    assert number(value, digits) == text


def test_interval() -> None:
    assert interval(-1.25, 1000, 1) == "-1.2 to 1,000.0"


@pytest.mark.parametrize(("p", "text"), [(0.0002, "< 0.001"), (0.0123, "0.012"), (0.5, "0.50"), (1.0, "1.00")])
def test_probability(p: float, text: str) -> None:
    assert probability(p) == text
