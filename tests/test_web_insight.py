"""Setting up a position by hand, and what an evaluator thinks of it: in the browser, and as requests."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from web_browser import Table, open_table, screenshot
from web_server import TabClient, WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NET = "alphabeta:depth=2 + mlp + binarymap"
SERVED = ("--game=draughts",)


@pytest.fixture
def tab(server: WebServer) -> Iterator[TabClient]:
    with server.tab() as made:
        yield made


@pytest.fixture
def table(browser: "Browser", server: WebServer) -> Iterator[Table]:
    with open_table(browser, server, "Analyse") as made:
        yield made


def test_pieces_become_a_position(tab: TabClient) -> None:
    made = tab.ask("arrange", game="draughts", pieces=[[0, 0, ""], [31, 1, "king"]], turn=1)
    assert made["text"] == "W:WK32:B1"


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"pieces": [[0, 0, ""], [0, 1, ""]]}, "a cell of its own"),
        ({"pieces": [[32, 0, ""]]}, "a cell of its own"),
        ({"pieces": [[0, 2, ""]]}, "side 0 or 1"),
        ({"pieces": [[0, 0, "queen"]]}, "kinds"),
        ({"pieces": [[i, 0, ""] for i in range(13)]}, "13"),
        ({"pieces": "x"}, "pieces"),
        ({"game": "connect-four", "pieces": []}, "cannot be set up"),
    ],
)
def test_pieces_that_make_no_position_are_refused(tab: TabClient, fields: dict[str, object], error: str) -> None:
    assert error in tab.ask("arrange", **{"game": "draughts", "turn": 0, **fields})["error"]


def test_an_evaluator_is_explained_piece_by_piece(tab: TabClient) -> None:
    found = tab.ask("explain", game="draughts", player="alphabeta + material", start="B:W21:B1,K2")
    worths = dict(found["cells"])
    assert worths == pytest.approx({0: 1.0, 1: 1.5, 20: -1.0})  # a king counts more; White's man counts for White
    assert (found["unit"], found["text"]) == ("men", "+1.50 men")
    assert found["inputs"] == []


def test_a_net_is_explained_input_by_input(tab: TabClient) -> None:
    here, other = (tab.ask("explain", game="draughts", player=NET, moves=moves) for moves in ([], ["11-15"]))
    assert 10 <= len(here["inputs"]) <= 24
    shares = [abs(share) for _, _, share in here["inputs"]]
    assert shares == sorted(shares, reverse=True)
    assert len(other["cells"]) == 24


@pytest.mark.browser
def test_a_position_is_set_up_by_hand(table: Table) -> None:
    page = table.page
    page.get_by_role("button", name="Position", exact=True).click()
    page.get_by_role("button", name="By hand").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Clear").click()
    for piece, cell in (("White king", "32"), ("Black", "5"), ("Black", "9"), ("Remove", "9")):
        dialog.get_by_label(piece, exact=True).check(force=True)
        dialog.locator(f"[data-cell='{cell}']").click()
    dialog.get_by_label("Black king", exact=True).check(force=True)
    dialog.locator("[data-cell='1']").focus()
    page.keyboard.press("Enter")
    dialog.get_by_label("To move").select_option("White")
    screenshot(page, "set-up-1280-light")
    dialog.get_by_role("button", name="Done").click()
    dialog.wait_for(state="detached")
    page.locator("#board [data-cell='32'][aria-label='32, White king, can move']").wait_for()
    page.get_by_role("button", name="Position", exact=True).click()
    assert page.get_by_role("textbox", name="Position").input_value() == "W:WK32:BK1,5"


@pytest.mark.browser
def test_the_heat_map_follows_the_position(table: Table) -> None:
    page = table.page
    page.get_by_label("Player that analyses").fill(NET)
    page.get_by_label("Player that analyses").press("Enter")
    page.get_by_role("button", name="Heat map").click()
    page.locator(".warm").nth(23).wait_for()
    page.locator(".inputs tbody tr").nth(9).wait_for()
    assert "worth" in (page.locator("#board [data-cell='11']").get_attribute("aria-label") or "")
    page.locator(".line .moves-of-line:not(:empty)").first.wait_for()
    screenshot(page, "heat-map-1280-light")
    page.get_by_role("button", name="Heat map").click()
    page.locator(".warm").first.wait_for(state="detached")


@pytest.mark.browser
def test_othello_is_analysed_in_discs_which_stand_on_the_squares(table: Table) -> None:
    """FFO 17, in which f8 leads by 8 discs, and the next best move by less."""
    page = table.page
    page.get_by_role("navigation").get_by_role("button", name="Play").click()
    position = "-OOOOO----OXXO-XXXOOOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOO----XXXX--- X"
    table.new_game("othello", "random", start=position, side="both")
    page.get_by_role("navigation").get_by_role("button", name="Analyse").click()
    page.get_by_label("Player that analyses").fill("alphabeta:depth=1 + wpc + solver:empty=15")
    page.get_by_label("Player that analyses").press("Enter")
    page.locator(".head strong", has_text="+8 discs").wait_for()
    assert page.locator(".rate.best").all_text_contents() == ["+8"]
    assert page.locator(".rate").count() == page.locator(".line, .other").count() > 5
    assert page.locator(".line .known").first.inner_text() == "+8 discs"
