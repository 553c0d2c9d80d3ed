"""Figures of docs/results: tables come from published trials, and the index has the figures of the papers' pages."""

import re
from pathlib import Path

import pytest
import recompute

INDEX = (recompute.PAGES / "index.md").read_text(encoding="utf-8")
VERDICTS = ("reproduced", "depends", "not shown", "contradicted", "open")
_ROW = re.compile(r"^\| (?P<claim>.*?) \| (?P<section>.*?) \| (?P<verdict>.*\[.*?) \| (?P<figure>.*?) \| .*\|$", re.M)
_LINK = re.compile(r"\[(?P<word>[^\]]+)\]\((?P<page>[\w-]+\.md)(?:#[\w-]+)?\)")
_NUMBER = re.compile(r"(?<![\w.])[+-]?\d[\d.,]*\d|(?<![\w.])\d")
ROWS = [row.groupdict() for row in _ROW.finditer(INDEX)]


@pytest.mark.parametrize("archive", recompute.archives(), ids=lambda path: path.name)
def test_tables_are_those_of_the_published_trials(archive: Path) -> None:
    assert recompute.differences(archive) == []


def test_every_archive_that_is_named_is_published() -> None:
    published = {path.name for path in recompute.archives()}
    assert {table.archive for table in recompute.tables()} == published
    assert set(re.findall(r"^\| `(.*\.xz)`", INDEX, re.MULTILINE)) == published


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["claim"])
def test_a_claim_has_one_of_five_verdicts_and_the_figures_of_its_page(row: dict[str, str]) -> None:
    link = _LINK.match(row["verdict"])
    assert link, "the verdict is the link"
    assert link["word"] in VERDICTS
    page = (recompute.PAGES / link["page"]).read_text(encoding="utf-8")
    there = {number.lstrip("+-") for number in _NUMBER.findall(page)}
    shown = re.sub(r"even: [\d.]+", "", row["figure"])
    missing = [number for number in _NUMBER.findall(shown) if number.lstrip("+-") not in there]
    assert missing == [], f"{link['page']} does not have these figures of the index"


def test_there_are_claims_of_every_paper() -> None:
    assert len(ROWS) > 40


def test_p_values_of_the_index_are_corrected_for_the_claims_of_their_paper() -> None:
    found = recompute.corrected(INDEX)
    assert len(found) > 25
    assert [(claim, p) for claim, p, _ in found] == [(claim, own) for claim, _, own in found]


def test_each_of_the_ten_findings_leads_to_pages_that_have_its_figures() -> None:
    lessons = (recompute.PAGES / "lessons.md").read_text(encoding="utf-8")
    findings = re.findall(r"^\d+\. .*?(?=^\d+\. |\Z)", lessons, re.MULTILINE | re.DOTALL)
    assert len(findings) == 10
    for finding in findings:
        links = list(_LINK.finditer(finding))
        assert links, f"no table is linked: {finding}"
        for link in links:
            page = (recompute.PAGES / link["page"]).read_text(encoding="utf-8")
            there = {number.lstrip("+-") for number in _NUMBER.findall(page)}
            assert set(_NUMBER.findall(link["word"])) <= there, f"{link['page']} does not have the figures of {link[0]}"


def test_a_changed_figure_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = recompute.tables()[0]
    mark = f"from {table.archive} -->\n"
    wrong = table.page.read_text(encoding="utf-8").replace(mark, f"{mark}| another figure |\n", 1)
    (tmp_path / table.page.name).write_text(wrong, encoding="utf-8")
    archive = recompute.TRIALS / table.archive
    monkeypatch.setattr(recompute, "PAGES", tmp_path)
    monkeypatch.setattr(recompute, "ROOT", tmp_path)
    (found,) = recompute.differences(archive)
    assert found == f"{table.page.name}: the trials in {table.archive} do not make the row | another figure |"
