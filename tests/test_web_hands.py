"""Clicks that make no move, keys and the wheel: the page says why, and steps through the game."""

import pytest
from web_browser import Table

pytestmark = pytest.mark.browser
QUICK = "alphabeta:depth=2 + material"
SERVED = ("--game=draughts", f"--player={QUICK}")


def advice(table: Table) -> str:
    return table.page.locator(".advice").inner_text()


def test_a_click_on_a_piece_that_may_not_move_says_why(table: Table) -> None:
    table.cell("1")
    assert advice(table) == "This piece cannot move."
    table.cell("32")
    assert advice(table) == "It is Black's turn."
    table.cell("11")
    assert advice(table) == ""
    table.new_game("draughts", QUICK, start="B:W14,32:B9,12", side="both")
    table.cell("12")
    assert advice(table) == "You must capture, and this piece cannot."
    table.cell("9")
    table.cell("18")
    table.wait_for_moves(1)
    assert advice(table) == ""


def test_a_mill_draws_the_placed_man_and_asks_for_the_man_to_take(table: Table) -> None:
    table.new_game("morris", QUICK, side="both")
    for number, cell in enumerate(("d6", "a1", "d7", "a4"), 1):
        table.cell(cell)
        table.wait_for_moves(number)
        table.page.locator(f"[data-cell='{cell}']:not([aria-label$='empty'])").wait_for()
    pieces = table.page.locator("#board > g:not(.cell) > g[transform]")
    before = pieces.count()
    table.cell("d5")
    assert advice(table) == "Choose the piece of Black to take."
    assert pieces.count() == before + 1
    assert len(table.moves) == 4
    table.cell("a1")
    table.wait_for_moves(5)
    assert advice(table) == ""


@pytest.mark.parametrize("view", ["Play", "Analyse"])
def test_arrow_keys_and_the_wheel_step_through_the_game(table: Table, view: str) -> None:
    page = table.page
    for cell in ("11", "15"):
        table.cell(cell)
    table.wait_for_moves(2)
    page.get_by_role("navigation").get_by_role("button", name=view).click()
    table.cell("20")  # an empty cell has the focus, but the keys belong to the game
    current = page.locator(".move[aria-current]")
    page.keyboard.press("ArrowLeft")
    page.locator(".move[aria-current]:has-text('11-15')").wait_for()
    page.keyboard.press("Home")
    page.locator(".moves:not(:has([aria-current]))").wait_for()
    page.keyboard.press("End")
    page.locator(f".move[aria-current]:has-text('{table.moves[1]}')").wait_for()
    page.locator(".board").hover()
    page.mouse.wheel(0, -100)
    page.locator(".move[aria-current]:has-text('11-15')").wait_for()
    page.mouse.wheel(0, 100)
    page.locator(f".move[aria-current]:has-text('{table.moves[1]}')").wait_for()
    assert current.count() == 1


def test_the_routes_of_a_capture_stay_in_sight(table: Table) -> None:
    table.new_game("draughts", QUICK, start="B:W6,7,14,15,32:B2", side="both")
    table.cell("2")
    table.cell("18")
    dialog, board = (table.page.locator(one).bounding_box() for one in ("dialog.routes", ".board"))
    assert dialog is not None
    assert board is not None
    assert dialog["x"] >= board["x"] + board["width"]


def test_the_skip_link_leads_to_the_board_or_to_the_content(table: Table) -> None:
    page = table.page
    for view, focused in (("Analyse", "cell"), ("Watch", ""), ("Play", "cell")):
        page.get_by_role("navigation").get_by_role("button", name=view).click()
        page.locator("#skip").focus()
        page.keyboard.press("Enter")
        assert focused in str(page.evaluate("document.activeElement.getAttribute('class') || ''"))
        assert page.locator("[aria-current=page]").inner_text() == view
