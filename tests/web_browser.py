"""A browser for tests of the browser board: Chromium, driven by Playwright."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from web_server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
WIDE, NARROW = (1280, 800), (390, 844)
"""Sizes of the window, in pixels: a computer and a phone."""
PATIENCE = 300_000
"""Milliseconds; kernels may have to be compiled first."""


def chromium() -> Iterator["Browser"]:
    """Yield a browser; skip where there is none, and fail there if CI=true."""
    path = shutil.which("chromium")
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Chromium is not installed; .ci/run installs it")
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@contextlib.contextmanager
def open_table(browser: "Browser", server: WebServer, view: str = "") -> Iterator["Table"]:
    """Open the page, and one of its views, in a new tab; afterwards it must have reported no error."""
    made = table_of(browser, server)
    made.open(f"http://{server.host}/")
    if view:
        made.page.get_by_role("navigation").get_by_role("button", name=view).click()
    yield made
    assert made.errors == []
    made.page.context.close()


def screenshot(page: "Page", name: str, *, whole: bool = False) -> None:
    """Keep a screenshot if the environment variable GAMEFORGE_SCREENSHOTS names a folder.

    whole: of the whole page, not of the window only.
    """
    folder = os.environ.get("GAMEFORGE_SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=whole)


def serious_barriers(page: "Page", axe: str) -> list[tuple[str, str]]:
    """What axe-core, of which this is the source, finds serious or critical: its rule, and the first element."""
    page.evaluate(f"{axe}; undefined")
    found = page.evaluate("axe.run().then(result => result.violations)")
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]


class Table:
    """The page as a person uses it."""

    def __init__(self, page: "Page") -> None:
        self.page = page
        self.errors: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)

    def open(self, url: str) -> None:
        self.page.goto(url)
        self.page.wait_for_selector(".playable, .choice")

    def new_game(self, game: str, player: str, *, side: str = "0", start: str = "", clock: str = "No clock") -> None:
        """Begin a game through the dialog. side: 0, 1 or both."""
        page = self.page
        page.get_by_role("button", name="New game").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Game", exact=True).select_option(game)
        dialog.get_by_label("Opponent").fill(player)
        dialog.get_by_label("You play").select_option(side)
        dialog.get_by_label("Clock").select_option(label=clock)
        dialog.get_by_label("Position").fill(start)
        dialog.get_by_role("button", name="Play", exact=True).click()
        dialog.wait_for(state="detached")
        page.locator(".stage:not([aria-busy])").wait_for()  # until then, the board shows the game before
        page.locator(f"[aria-label='Board of {game}'], .diagram, .picture img").first.wait_for()

    def cell(self, name: str) -> None:
        """Click a cell."""
        self.page.locator(f"[data-cell='{name}']").click()

    @property
    def message(self) -> str:
        return self.page.locator(".message").inner_text()

    @property
    def moves(self) -> list[str]:
        """The moves in the list."""
        return self.page.locator(".moves .move").all_inner_texts()

    def wait_for_moves(self, n: int) -> None:
        self.page.locator(".moves .move").nth(n - 1).wait_for()

    def is_over(self) -> bool:
        """Wait until the person is to move or the game is over; return whether it is over."""
        self.page.locator(".message.over, .message:has-text('Your turn')").first.wait_for()
        return self.page.locator(".message.over").count() > 0

    def play_any(self, *, keyboard: bool) -> None:
        """Make any legal move, by clicks or with the keyboard alone, unless the opponent's last move ends the game."""
        before, over = len(self.moves), self.page.locator(".message.over")
        while len(self.moves) == before and over.count() == 0:
            targets = self.page.locator(".choice, .playable")
            if targets.count() == 0:
                self.page.wait_for_timeout(5)
            elif keyboard:
                targets.last.focus()
                self.page.keyboard.press("Enter")
            else:
                targets.last.click()

    def play_to_the_end(self, game: str, *, side: str, keyboard: bool, opponent: str = "random") -> None:
        """Play a whole game; the page says how it ended and offers no more moves."""
        self.new_game(game, opponent, side=side)
        while not self.is_over():
            self.play_any(keyboard=keyboard)
        assert "wins:" in self.message or "Draw:" in self.message
        assert self.page.locator(".playable").count() == 0


def table_of(browser: "Browser", server: WebServer, size: tuple[int, int] = WIDE, scheme: str = "light") -> Table:
    """A new tab in a browser of its own, with the cookie of the server."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion="reduce",
    )
    name, _, value = server.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": f"http://{server.host}"}])
    return Table(context.new_page())
