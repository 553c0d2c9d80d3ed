"""What code and documents refer to can be found by every reader: papers, readings, pages and their headings."""

import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BIBLIOGRAPHY = ROOT / "docs" / "bibliography.md"
READINGS = ROOT / "docs" / "readings.md"

PARTS = ("gameforge", "plugins", "tests", "examples", "benchmarks", "docs")
SUFFIXES = (".py", ".md", ".toml", ".txt", ".cff")

PRIVATE = re.compile(r"\b(seeds?\s+00\d|(sheets?\s+0\d)|contradictions?\s+\d+)\b|\bthe sheets?\b", re.IGNORECASE)
"""Names of the working papers that the project began with. Nobody else has them."""
CITATION = re.compile(r"\[([A-Z][A-Za-z]+(?:19|20)\d\d)\b")
READING = re.compile(r'readings(?:\.md)?,\s+"([^"]+)"')
LINK = re.compile(r"\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")


def shipped() -> Iterator[Path]:
    """Text files of the source distribution, this one excepted."""
    yield from (path for path in sorted(ROOT.glob("*")) if path.suffix in SUFFIXES)
    for part in PARTS:
        found = sorted((ROOT / part).rglob("*"))
        yield from (path for path in found if path.suffix in SUFFIXES and path != Path(__file__))


def pages() -> list[Path]:
    return [path for path in shipped() if path.suffix == ".md"]


def places(pattern: re.Pattern[str], path: Path) -> list[str]:
    """Each match as FILE:LINE: MATCH."""
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT)
    return [f"{name}:{text.count(chr(10), 0, found.start()) + 1}: {found[0]}" for found in pattern.finditer(text)]


def keys() -> list[str]:
    return re.findall(r"^\* \*\*\[(\w+)\]\*\*", BIBLIOGRAPHY.read_text(encoding="utf-8"), re.MULTILINE)


def prose(page: Path) -> str:
    return BLOCK.sub("", page.read_text(encoding="utf-8"))


def headings(page: Path) -> list[str]:
    return re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings(page)}


def test_no_private_names() -> None:
    assert [place for path in shipped() for place in places(PRIVATE, path)] == []


@pytest.mark.parametrize(
    "text",
    ["seed 002", "Seeds 000 and 003", "(sheet 04,", "sheets 01 and 02", "contradiction 23", "as the sheet has it"],
)
def test_private_names_are_recognised(text: str) -> None:
    assert PRIVATE.search(text)


@pytest.mark.parametrize("text", ["seed 7", "seeds 0 to 5", "a style sheet", "a contradiction"])
def test_other_words_are_left_alone(text: str) -> None:
    assert not PRIVATE.search(text)


def test_each_key_stands_once_in_the_bibliography() -> None:
    assert len(keys()) == len(set(keys())) > 0


def test_cited_works_are_in_the_bibliography() -> None:
    known = set(keys())
    unknown = [place for path in shipped() for place in places(CITATION, path) if place.rsplit("[", 1)[1] not in known]
    assert unknown == []


def test_cited_readings_exist() -> None:
    known = set(headings(READINGS))
    for path in shipped():
        for name in READING.findall(path.read_text(encoding="utf-8")):
            heading = " ".join(name.replace("#", " ").split())  # a citation may be wrapped, in a comment too
            assert heading in known, f"{path.relative_to(ROOT)} cites {heading!r}: no such heading"


NAMED = re.compile(r"`((?:gf|gameforge|gameforge_[a-z_]+)(?:\.[A-Za-z_]\w*)+)[`(]")
MODULE = re.compile(r"`(\w+\.py)`")


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_named_objects_can_be_imported(page: Path) -> None:
    """The changelog may name what has gone."""
    names = set() if page.name == "CHANGELOG.md" else set(NAMED.findall(prose(page)))
    for name in sorted(names - {"gameforge_connect_four.py"}):
        pkgutil.resolve_name(re.sub(r"^gf\b", "gameforge", name))


@pytest.mark.parametrize("page", sorted(ROOT.glob("plugins/*/README.md")), ids=lambda page: page.parent.name)
def test_tables_of_modules_name_files_that_exist(page: Path) -> None:
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    for name in sorted({name for row in rows for name in MODULE.findall(row)}):
        assert any(page.parent.rglob(name)), f"there is no {name}"


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(CODE.sub("", prose(page))):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        other = (page.parent / name).resolve() if name else page
        assert other.exists(), f"{target}: no such file"
        if anchor:
            assert anchor in anchors(other), f"{target}: no such heading"
