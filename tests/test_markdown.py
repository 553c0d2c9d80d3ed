"""Cells and tables of reports."""

import re
from pathlib import Path

import pytest

from gameforge.experiments.report import Claim, Report, Verdict, table
from gameforge.experiments.statistics import Sample, number, probability


def test_table() -> None:
    assert table([{"a": 1, "b": "x|y"}, {"a": "z", "b": ""}]) == "| a | b |\n| --- | ---: |\n| 1 | x\\|y |\n| z |  |\n"


@pytest.mark.parametrize(
    ("value", "digits", "text"), [(1045, 0, "1,045"), (-0.2, 0, "0"), (2.345, 1, "2.3"), (-12345.6, 0, "-12,346")]
)
def test_number(value: float, digits: int, text: str) -> None:
    assert number(value, digits) == text


def test_texts_of_a_sample() -> None:
    one = Sample([-1.25, 1000], digits=1)
    assert (one.range_text, one.mean_text, one.between(0, -0.01)) == ("-1.2 to 1,000.0", "499.4", "0.0 to 0.0")
    assert str(Sample([0.4, 0.6], (0, 1), 2)) == "0.50 (0.00 to 1.00)"
    assert str(Sample([3.0], (0, 5))) == "3"
    assert (Sample([2.0] * 5) - Sample([1.0] * 5)).signed == "+1 (all 5 seeds equal)"


@pytest.mark.parametrize(("p", "text"), [(0.0002, "< 0.001"), (0.0123, "0.012"), (0.5, "0.50"), (1.0, "1.00")])
def test_probability(p: float, text: str) -> None:
    assert probability(p) == text


def test_comparison() -> None:
    claims = [
        Claim("loops", "1,045 > 172", "900 > 310", Verdict.HOLDS),
        Claim("wins", "6 > 5", "3 < 4", Verdict.NOT_SHOWN),
        Claim("oracle hits", "", Sample([12345])),
    ]
    assert Report.of(claims, numbers={}).text == (
        "|  | published | ours | mark |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| loops | 1,045 > 172 | 900 > 310 | qualitative ordering: holds |\n"
        "| wins | 6 > 5 | 3 < 4 | qualitative ordering: not shown |\n"
        "| oracle hits | - | 12,345 | unavailable in the source |\n"
    )


def test_a_report_has_its_claims_in_the_text_and_for_programs() -> None:
    """Parts that are empty leave no trace."""
    report = Report.of("One.\n", "", [Claim("a", "2 > 1", "3", Verdict.HOLDS)], [], numbers={"n": 1}, scale=0.5)
    assert report.text.startswith("One.\n\n|  | published |")
    assert report.text.endswith("| a | 2 > 1 | 3 | qualitative ordering at scale 0.5: holds |\n")
    row = {"what": "a", "published": "2 > 1", "ours": "3", "mark": "qualitative ordering", "verdict": "holds"}
    assert report.numbers == {"rows": [row], "n": 1}
    assert Report.of("One.\n", numbers={}).numbers == {}


def test_a_reports_tables_are_written_in_latex_too(tmp_path: Path) -> None:
    """Captions are the heading and the paragraph above a table; no sign of TeX remains one."""
    rows = [{"": "a_b", "p": "< 5 %"}, {"": "c|d", "p": "$1 & {2} \\ ~^#"}]
    Report.of(rows, "## Part\n", rows, "One.\n\nTwo\nlines:\n", rows).write(tmp_path, "# Title\n", [".svg"])
    text = (tmp_path / "tables.tex").read_text()
    assert re.findall(r"\\caption\{(.*)\}", text) == ["Results", "Part", "Part: Two lines"]
    assert " & p \\\\\n\\hline\na\\_b & $<$ 5 \\% \\\\\n" in text
    last = r"c$|$d & \$1 \& \{2\} \textbackslash{} \textasciitilde{}\textasciicircum{}\#" + " \\\\\n\\hline\n"
    assert text.count(last) == 3


def test_a_report_without_tables_has_no_file_of_them(tmp_path: Path) -> None:
    Report.of("One.\n").write(tmp_path, "# Title\n", [".svg"])
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]


def test_claims_about_methods_are_judged_from_five_seeds_on() -> None:
    """By the interval of the mean over seeds (Student's t)."""
    few, enough = Verdict.DESCRIPTIVE, Verdict.HOLDS
    assert [Sample([5.0] * n).above() for n in (1, 4, 5)] == [few, few, enough]
    assert Sample([9, -1, 2, 1, 2]).above() is Verdict.NOT_SHOWN  # 2.6 +- 4.7
    assert Sample([3, 2, 4, 3, 3]).above() is Verdict.HOLDS
    assert Sample([3, 2, 4, 3, 3]).above(4) is Verdict.FAILS
    assert Claim("claim", "yes", "+12", few).row(1)["mark"] == "descriptive: fewer than 5 seeds"
    assert Claim("claim", "yes", "+12", enough).row(1)["mark"] == "qualitative ordering: holds"


def test_claims_that_nothing_differs_need_a_narrow_interval() -> None:
    assert Sample([3, 2, 4, 3, 3]).near(3, 1) is Verdict.HOLDS
    assert Sample([3, 2, 4, 3, 3]).near(0, 1) is Verdict.FAILS
    assert Sample([9, -1, 2, 1, 2]).near(2, 1) is Verdict.NOT_INFORMATIVE
    assert Sample([3, 2, 4]).near(3, 1) is Verdict.DESCRIPTIVE


def test_claims_about_every_seed() -> None:
    found = [Sample(values).every() for values in ([1] * 5, [1, 0, 0, 0, 0], [0] * 5, [1] * 4)]
    assert found == [Verdict.HOLDS, Verdict.NOT_SHOWN, Verdict.FAILS, Verdict.DESCRIPTIVE]


def test_a_verdict_of_short_trials_says_their_scale() -> None:
    """Ten generations out of fifty show nothing about fifty."""
    one = Claim("claim", "yes", "+12", Verdict.FAILS)
    assert one.row(0.2)["mark"] == "qualitative ordering at scale 0.2: does not hold"
    assert Claim("claim", "yes", "+12", Verdict.DESCRIPTIVE).row(0.2)["mark"] == "descriptive: fewer than 5 seeds"


@pytest.mark.parametrize("verdict", [Verdict.HOLDS, Verdict.NOT_INFORMATIVE])
def test_nothing_published_cannot_be_compared(verdict: Verdict) -> None:
    with pytest.raises(ValueError, match="claim 'wins': nothing was published"):
        Claim("wins", "", "3", verdict)
