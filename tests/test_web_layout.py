"""What must be visible without scrolling, at six sizes of the window."""

from typing import TYPE_CHECKING

import pytest
from web_browser import Table, screenshot, table_of
from web_server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

pytestmark = pytest.mark.browser
SERVED = ("--game=draughts", "--player=alphabeta:depth=2 + material")
SIZES = {(1920, 1080): 850, (1280, 800): 600, (1024, 768): 560, (768, 1024): 680, (844, 390): 330, (390, 844): 370}
"""Width and height of the window, and the least width of a square board there, in pixels."""


def box(locator: "Locator") -> dict[str, float]:
    found = locator.bounding_box()
    assert found is not None
    return dict(found)


def assert_visible(table: Table, *selectors: str) -> None:
    """Each first element lies in the window as a whole, and none is wider than the window."""
    size = table.page.viewport_size
    assert size is not None
    for selector in selectors:
        found = box(table.page.locator(selector).first)
        assert found["x"] >= 0, selector
        assert found["x"] + found["width"] <= size["width"], selector
        assert found["y"] >= 0, selector
        assert found["y"] + found["height"] <= size["height"], selector
    assert table.page.evaluate("document.documentElement.scrollWidth") <= size["width"]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
def test_board_and_controls_are_visible_without_scrolling(
    browser: "Browser", server: WebServer, size: tuple[int, int]
) -> None:
    table = table_of(browser, server, size)
    page = table.page
    table.open(f"http://{server.host}/")
    assert box(page.locator(".board"))["width"] >= SIZES[size]
    assert_visible(table, ".board", ".steps", ".message", "text=Resign", "text=New game", ".entry input")
    if size[0] >= 1024:
        assert_visible(table, ".panel > .moves")
    page.get_by_role("navigation").get_by_role("button", name="Analyse").click()
    page.locator(".line .value:has-text('men')").first.wait_for()
    page.locator(".line .moves-of-line:has-text('  ')").first.wait_for()
    assert_visible(table, ".board", ".steps", ".head", ".line")
    if size[0] >= 1024:
        assert_visible(table, ".panel > .moves", "text=Analyse the game", "text=Load", ".note-row")
        assert box(page.locator(".panel > .moves"))["height"] >= 100
    line = page.locator(".moves-of-line").first
    assert line.evaluate("element => element.scrollWidth <= element.clientWidth")  # no line is cut
    screenshot(page, f"layout-analyse-{size[0]}")
    page.get_by_label("Game of this page").select_option("connect-four")  # wider than high
    page.locator("[aria-label='Board of connect-four']").wait_for()
    assert_visible(table, ".board", ".steps")
    assert table.errors == []
    page.context.close()
