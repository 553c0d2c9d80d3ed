"""Tutorials are easy to read: short sentences, and only commands that are run or marked with a reason."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
TUTORIALS = [DOCS / "your-first-game.md", *sorted((DOCS / "tutorials").glob("*.md"))]
NO_PROSE = re.compile(r"^ *```[\s\S]*?^ *```$|^(?:<!--|\||#|!\[).*$", re.MULTILINE)


def sentences(markdown: str) -> list[int]:
    """The lengths of the sentences of a page, in words; code and tables have none."""
    text = NO_PROSE.sub("\n", markdown)
    text = re.sub(r"`[^`\n]*`", "code", re.sub(r"\]\([^)]*\)", "]", text))
    paragraphs = re.split(r"\n\s*\n|^(?:\* |\d+\. )", text, flags=re.MULTILINE)
    found = [len(re.findall(r"[\w'-]+", part)) for whole in paragraphs for part in re.split(r"[.!?](?:\s|$)", whole)]
    return [words for words in found if words]


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_sentences_are_short(page: Path) -> None:
    lengths = sentences(page.read_text(encoding="utf-8"))
    assert len(lengths) > 10
    assert sum(lengths) / len(lengths) <= 18, f"{page.name}: {sum(lengths) / len(lengths):.1f} words a sentence"


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_step_fits_on_two_screens(page: Path) -> None:
    """A step is a section; a screen of 800 pixels shows about 40 lines of its source."""
    for step in re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        assert step.count("\n") <= 80, f"{page.name}, {step.partition(chr(10))[0]!r}: {step.count(chr(10))} lines"


def test_sentences_are_counted() -> None:
    page = "# Title\n\nTwo words. Three `more code` words:\n\n* an item\n* another [link](x.md) here\n\n"
    page += "```sh\na b c\n```\n| a | b |\n"
    assert sentences(page) == [2, 3, 2, 3]
