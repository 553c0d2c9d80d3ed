"""Every picture of the documentation is on a page, which also says how it is made."""

import re
from pathlib import Path

import gallery
import pytest
import screenshots
import strength_curves
from elsewhere import DOCS, ROOT, pages_elsewhere

PICTURES = sorted(path for kind in ("png", "svg") for path in (ROOT / DOCS).rglob(f"*.{kind}"))
PAGES = [*sorted((ROOT / DOCS).rglob("*.md")), *(ROOT / page for page in pages_elsewhere())]
FIGURES = {Path(name).stem for name in gallery.pictures() if "/" in name}
"""What experiments draw: the gallery shows all of it, by a test of its own."""
DRAWS = re.compile(r"gameforge (reproduce|plot|board|analyze|run) ")


def shown_on(picture: Path) -> list[Path]:
    return [
        page
        for page in PAGES
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
        if (page.parent / target).resolve() == picture
    ]


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.name)
def test_each_picture_is_on_a_page(picture: Path) -> None:
    assert shown_on(picture) != [], f"no page shows {picture.relative_to(ROOT)}: remove it"


@pytest.mark.parametrize("picture", sorted((ROOT / DOCS / "results").glob("*.png")), ids=lambda path: path.name)
def test_pages_with_figures_of_results_have_their_commands(picture: Path) -> None:
    for page in shown_on(picture):
        text, place = page.read_text(encoding="utf-8"), page.relative_to(ROOT)
        assert DRAWS.search(text), f"{place}: what makes {picture.name}?"
        drawn = any(picture.stem == figure or picture.stem.endswith(f"-{figure}") for figure in FIGURES)
        assert drawn or f"--out {picture.name}" in text, f"{place}: no experiment draws {picture.name} any more"


def test_a_picture_of_the_browser_that_no_test_makes_is_named_with_its_pages(tmp_path: Path) -> None:
    for picture in screenshots.PICTURES.iterdir():
        (tmp_path / picture.name).touch()
    assert screenshots.left_over(tmp_path) == []
    (tmp_path / "play-draughts-1280-light.png").unlink()
    line = "docs/index.md, docs/web.md: no test makes the picture play-draughts-1280-light.png"
    assert screenshots.left_over(tmp_path) == [line]


def test_the_curves_of_the_trainings_are_those_of_the_tables() -> None:
    found = strength_curves.trainings()
    assert list(found) == ["draughts", "Othello", "morris"]
    assert [(one.games, one.gained) for one in found["draughts"][-2:]] == [(210_000, 12.0), (295_000, -5.0)]
    assert strength_curves.digest() in strength_curves.PICTURE.read_text(), "run `python website/strength_curves.py`"
