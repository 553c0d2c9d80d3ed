"""Each page of the documentation fits on a phone: nothing is wider than the window, unless it scrolls by itself.

The pages are those in `gameforge/documentation`, which `mkdocs build` writes. `website/page_pictures.py` makes pictures
of them to look at.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from web_browser import NARROW

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
SITE = Path(__file__).resolve().parents[1] / "gameforge" / "documentation"
TOO_WIDE = """() => {
  const width = document.documentElement.clientWidth;
  const scrolls = (element) => {
    for (let box = element; box && box !== document.body; box = box.parentElement)
      if (getComputedStyle(box).overflowX !== "visible") return true;
    return false;
  };
  const found = [...document.querySelectorAll(".md-content *")].filter(
    (element) => element.getBoundingClientRect().right > width + 1 && !scrolls(element));
  const page = document.scrollingElement.scrollWidth > width ? ["the whole page"] : [];
  return [...page, ...found.map((element) => element.tagName + " " + element.textContent.trim().slice(0, 40))];
}"""


@pytest.fixture(scope="module")
def pages() -> list[Path]:
    if not (SITE / "index.html").exists():
        message = "the site is not built; `mkdocs build --strict` builds it"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return sorted(SITE.rglob("*.html"))


def phone(browser: "Browser") -> "Page":
    """A new tab as wide as a phone's screen."""
    return browser.new_page(viewport={"width": NARROW[0], "height": NARROW[1]})


def too_wide(page: "Page", file: Path) -> list[str]:
    page.goto(file.as_uri(), wait_until="load")
    found: list[str] = page.evaluate(TOO_WIDE)
    return found


def test_no_page_is_wider_than_a_phone(browser: "Browser", pages: list[Path]) -> None:
    page = phone(browser)
    wide = {file.relative_to(SITE).as_posix(): too_wide(page, file) for file in pages}
    page.close()
    assert len(wide) > 80
    assert {name: found[:3] for name, found in wide.items() if found} == {}


def test_what_is_too_wide_is_named(browser: "Browser", tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    inside = "<p>fits</p><div style='overflow-x: auto'><p style='width: 900px'>scrolls</p></div>"
    text = f"<div class='md-content'>{inside}<p style='width: 500px'>does not</p></div>"
    file.write_text(f"<!doctype html><body style='margin: 0'>{text}")
    page = phone(browser)
    assert too_wide(page, file) == ["the whole page", "P does not"]
    page.close()
