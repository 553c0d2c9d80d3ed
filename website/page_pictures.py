"""Pictures of all pages, to look at: `mkdocs build` first, then `python website/page_pictures.py FOLDER`.

Each page is drawn as wide as a phone's screen, in light and dark colours, and its first screen as wide as a computer's.
"""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from elsewhere import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SITE = ROOT / "gameforge" / "documentation"
PHONE, COMPUTER = (390, 844), (1280, 800)
"""Width and height of the window, in pixels."""
HIGHEST = 12_000
"""Pixels of a page that are drawn; Chromium fails at about 16,000."""


def draw(browser: "Browser", folder: Path, colours: Literal["light", "dark"], size: tuple[int, int]) -> None:
    """Draw each page in a window of this size, from top to bottom if the window is a phone's."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=colours)
    for file in sorted(SITE.rglob("*.html")):
        page.goto(file.as_uri(), wait_until="load")
        height = page.evaluate("document.documentElement.scrollHeight") if size == PHONE else size[1]
        page.set_viewport_size({"width": size[0], "height": min(height, HIGHEST)})
        name = file.relative_to(SITE).with_suffix("").as_posix().replace("/", "-")
        page.screenshot(path=folder / f"{name}-{size[0]}-{colours}.png")
        page.set_viewport_size({"width": size[0], "height": size[1]})
    page.close()


def main() -> None:
    """Draw all pages."""
    from playwright.sync_api import sync_playwright

    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        draw(browser, folder, "light", PHONE)
        draw(browser, folder, "dark", PHONE)
        draw(browser, folder, "light", COMPUTER)
        browser.close()


if __name__ == "__main__":
    main()
