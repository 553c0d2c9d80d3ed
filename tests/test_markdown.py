"""Cells and tables of reports."""

from typing import Any

import pytest

from gameforge.experiments.report import (
    Compared,
    Mark,
    Verdict,
    comparison,
    interval,
    judged,
    number,
    probability,
    table,
    verdict,
)


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


def test_comparison() -> None:
    rows = [
        Compared(what="games a match", published="14", ours="14", mark=Mark.EXACT),
        Compared(what="loops", published="1,045 > 172", ours="900 > 310", mark=Mark.ORDERING, verdict=Verdict.HOLDS),
        Compared(what="wins", published="6 > 5", ours="3 < 4", mark=Mark.ORDERING, verdict=Verdict.NOT_SHOWN),
        Compared(what="oracle hits", ours="12,345", mark=Mark.UNAVAILABLE),
    ]
    assert comparison(rows) == (
        "|  | published | ours | mark |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| games a match | 14 | 14 | exact |\n"
        "| loops | 1,045 > 172 | 900 > 310 | qualitative ordering: holds |\n"
        "| wins | 6 > 5 | 3 < 4 | qualitative ordering: not shown |\n"
        "| oracle hits | - | 12,345 | unavailable in the source |\n"
    )


def test_claims_about_methods_are_judged_from_five_seeds_on() -> None:
    """By the interval of the mean over seeds (Student's t)."""
    assert [verdict([5.0] * n) for n in (1, 4, 5)] == [None, None, Verdict.HOLDS]
    assert verdict([9, -1, 2, 1, 2]) is Verdict.NOT_SHOWN  # 2.6 +- 4.7
    assert verdict([3, 2, 4, 3, 3]) is Verdict.HOLDS
    assert verdict([-3, -2, -4, -3, -3]) is Verdict.FAILS
    assert judged("claim", "yes", "+12", None).mark_text() == "descriptive: fewer than 5 seeds"
    assert judged("claim", "yes", "+12", Verdict.HOLDS).mark_text() == "qualitative ordering: holds"


def test_a_verdict_of_short_trials_says_their_scale() -> None:
    """Ten generations out of fifty show nothing about fifty."""
    one = judged("claim", "yes", "+12", Verdict.FAILS)
    assert one.mark_text(0.2) == "qualitative ordering at scale 0.2: does not hold"
    assert judged("claim", "yes", "+12", None).mark_text(0.2) == "descriptive: fewer than 5 seeds"
    assert "| qualitative ordering at scale 0.2: does not hold |" in comparison([one], 0.2)


@pytest.mark.parametrize("about", [{"mark": Mark.EXACT}, {"mark": Mark.ORDERING, "published": "2 > 1"}])
def test_a_row_that_says_too_little(about: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="row 'wins'"):
        Compared(what="wins", ours="3", **about)
