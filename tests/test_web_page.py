"""The browser board in a real browser."""

import re
from typing import TYPE_CHECKING

import pytest
from web_browser import NARROW, WIDE, Table, screenshot, serious_barriers, table_of
from web_npm import npm_package
from web_server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
QUICK = "alphabeta:depth=2 + material"
SERVED = ("--game=draughts", f"--player={QUICK}")


@pytest.mark.parametrize("game", ["draughts", "othello", "morris", "connect-four"])
def test_a_whole_game_can_be_played_with_the_keyboard(table: Table, game: str) -> None:
    """test_browser_games.py plays them with the mouse."""
    table.play_to_the_end(game, side="1", keyboard=True)


def test_a_capture_is_clicked_square_by_square_and_routes_are_offered(table: Table) -> None:
    """Two routes lead from 2 to 18; a click on 18 offers both, one on 9 or 11 chooses."""
    position = "B:W6,7,14,15,32:B2"
    table.new_game("draughts", QUICK, start=position, side="both")
    assert "capture" in table.message
    table.cell("2")
    table.cell("18")
    dialog = table.page.get_by_role("dialog")
    assert sorted(dialog.locator(".choice").all_inner_texts()) == ["2x11x18", "2x9x18"]
    dialog.get_by_role("button", name="Cancel").click()
    table.cell("2")
    table.cell("9")
    table.wait_for_moves(1)
    assert table.moves == ["2x9x18"]


def test_a_game_goes_on_when_the_position_of_a_new_one_is_refused(table: Table) -> None:
    page = table.page
    page.get_by_role("button", name="New game").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Position").fill("nonsense")
    dialog.get_by_role("button", name="Play").click()
    assert "nonsense" in page.get_by_role("alert").inner_text()
    dialog.get_by_role("button", name="Cancel").click()
    table.play_any(keyboard=False)
    table.wait_for_moves(2)  # the opponent has answered


def test_a_man_is_crowned(table: Table) -> None:
    table.new_game("draughts", QUICK, start="B:W21:B26", side="both")
    table.cell("26")
    table.cell("30")
    table.wait_for_moves(1)
    assert table.page.locator("[data-cell='30']").get_attribute("aria-label") == "30, Black king"


def test_moves_can_be_dragged(table: Table) -> None:
    source, target = (table.page.locator(f"[data-cell='{name}']").bounding_box() for name in ("11", "15"))
    assert source is not None
    assert target is not None
    mouse = table.page.mouse
    mouse.move(source["x"] + 20, source["y"] + 20)
    mouse.down()
    mouse.move(target["x"] + 20, target["y"] + 20, steps=5)
    mouse.up()
    table.wait_for_moves(1)
    assert table.moves[0] == "11-15"


def test_moves_can_be_typed(table: Table) -> None:
    entry = table.page.get_by_label("Type a move")
    entry.fill("1-32")
    entry.press("Enter")
    assert "1-32 is not a legal move" in table.page.get_by_role("alert").last.inner_text()
    entry.fill("11 15")
    entry.press("Enter")
    table.wait_for_moves(2)
    assert table.moves[0] == "11-15"


def test_the_arrow_keys_move_over_the_board(table: Table) -> None:
    table.page.locator("[data-cell='11']").focus()
    for key in ("Enter", "Escape", "Enter", "ArrowUp", "ArrowRight", "ArrowLeft", "Enter"):
        table.page.keyboard.press(key)
    table.wait_for_moves(1)
    assert table.moves[0] in ("11-15", "11-16")


def test_undo_and_redo(table: Table) -> None:
    table.cell("11")
    table.cell("15")
    table.wait_for_moves(2)
    played = table.moves
    table.page.get_by_role("button", name="Take back").click()
    table.page.locator("[data-cell='11'][aria-label='11, Black, can move']").wait_for()
    table.page.get_by_role("button", name="Redo").click()
    table.page.locator("[data-cell='11'][aria-label='11, empty']").wait_for()
    assert table.moves == played
    table.page.get_by_role("button", name="Take back").click()
    table.cell("12")
    table.cell("16")
    table.page.locator(".moves .aside").wait_for()
    assert set(played) <= set(table.moves)  # the first line is kept as a variation


def test_a_hint_is_shown_and_resigning_ends_the_game(table: Table) -> None:
    table.page.get_by_role("button", name="Hint").click()
    table.page.locator(".board .hint").first.wait_for()
    table.page.get_by_role("button", name="Resign").click()
    assert table.message == "White wins: resignation"
    assert table.page.locator(".playable").count() == 0


def test_two_tabs_play_at_once(browser: "Browser", server: WebServer, table: Table) -> None:
    other = Table(table.page.context.new_page())
    other.open(f"http://{server.host}/")
    for each, (start, end) in ((table, ("11", "15")), (other, ("9", "13"))):
        each.cell(start)
        each.cell(end)
    for each, move in ((table, "11-15"), (other, "9-13")):
        each.wait_for_moves(2)
        assert each.moves[0] == move
    assert other.errors == []


def test_a_reload_keeps_the_game(table: Table) -> None:
    table.cell("11")
    table.cell("15")
    table.wait_for_moves(2)
    played = table.moves
    table.page.reload()
    table.wait_for_moves(2)
    assert table.moves == played


def test_the_page_reconnects_after_the_server_restarts(
    browser: "Browser", tmp_path_factory: pytest.TempPathFactory
) -> None:
    server = WebServer("--game=draughts", f"--player={QUICK}", state=tmp_path_factory.mktemp("state"))
    try:
        table = table_of(browser, server)
        table.open(f"http://{server.host}/")
        table.cell("11")
        table.cell("15")
        table.wait_for_moves(2)
        server.stop()
        table.page.locator("#offline:visible").wait_for()
        server.start()
        table.page.locator("#offline:not(:visible)").wait_for(state="hidden")
        table.play_any(keyboard=False)
        table.wait_for_moves(4)
        assert table.moves[0] == "11-15"
        table.page.context.close()
    finally:
        server.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_pictures_of_each_game(browser: "Browser", server: WebServer, size: tuple[int, int], scheme: str) -> None:
    """Nothing is wider than the window."""
    table = table_of(browser, server, size, scheme)
    table.open(f"http://{server.host}/")
    for game in ("draughts", "othello", "morris", "connect-four"):
        table.new_game(game, "random")
        for _ in range(4):
            if not table.is_over():
                table.play_any(keyboard=False)
        table.is_over()
        screenshot(table.page, f"play-{game}-{size[0]}-{scheme}")
        wide = table.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= size[0]
    assert table.errors == []
    table.page.context.close()


def test_lines_of_an_earlier_position_are_ignored_while_the_next_one_is_on_its_way(table: Table) -> None:
    page = table.page
    page.get_by_role("button", name="Analyse").click()
    page.locator(".line").first.wait_for()
    page.evaluate(
        """() => {
            const line = document.querySelector(".line-move");
            line.click();  // the server has not yet sent the position after this move
            line.dispatchEvent(new PointerEvent("pointerenter"));
            line.click();
        }"""
    )
    table.wait_for_moves(1)
    page.locator(".line").first.wait_for()
    assert len(table.moves) == 1
    assert page.locator(".toast").count() == 0


def test_an_analysis_deepens_judges_the_game_and_saves_it(table: Table) -> None:
    page = table.page
    page.get_by_role("button", name="Analyse").click()
    page.get_by_label("Player that analyses").fill(QUICK)
    page.get_by_label("Player that analyses").press("Enter")
    for move in ("11-16", "24-19", "8-11", "21-17", "9-13"):
        table.page.get_by_label("Type a move").fill(move)
        table.page.get_by_label("Type a move").press("Enter")
        page.locator(f".move[aria-current]:has-text('{move}')").wait_for()
    page.locator(".head", has_text=re.compile(r"depth ([5-9]|\d\d)")).wait_for()
    page.locator(".line").first.wait_for()
    page.get_by_role("button", name="Previous position").click()
    page.locator(".line-move").first.click()
    page.locator(".move[aria-current]:not(:has-text('21-17'))").wait_for()
    page.get_by_label("Comment on this move").fill("<b>not HTML</b>")
    page.get_by_label("Comment on this move").press("Enter")
    assert page.locator(".comment", has_text="<b>not HTML</b>").count() == 1
    page.get_by_role("button", name="Last position").click()
    page.get_by_role("button", name="Analyse the game").click()
    page.locator(".graph").wait_for()
    assert page.locator(".graph .mistake, .graph .blunder").count() > 0
    page.get_by_role("button", name="Next mistake").click()
    page.locator(".line").first.wait_for()
    assert page.locator(".toast").count() == 0  # no line of another position could be played
    screenshot(page, "analyse-1280-light")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save").click()
    text = saved.value.path().read_text()
    assert "11-16" in text
    assert "{<b>not HTML</b>}" in text
    page.get_by_label("File of games").set_input_files(
        {"name": "mine.pdn", "mimeType": "text/plain", "buffer": text.encode()}
    )
    page.locator(".comment").first.wait_for()
    page.get_by_role("button", name="Picture").click()
    with page.expect_download() as drawn:
        page.get_by_role("button", name="Animated SVG of the game").click()
    assert drawn.value.path().read_text().count("<animate") == 6


def test_verdicts_of_an_oracle_are_shown(table: Table) -> None:
    table.new_game("draughts", QUICK, start="W:WK3:BK12", side="both")
    table.page.get_by_role("button", name="Analyse").click()
    table.page.get_by_label("Player that analyses").fill(f"{QUICK} + chinook:pieces=2")
    table.page.get_by_label("Player that analyses").press("Enter")
    table.page.locator(".line .known").first.wait_for()


def test_a_damaged_file_is_reported(table: Table) -> None:
    table.page.get_by_role("button", name="Analyse").click()
    table.page.get_by_label("File of games").set_input_files(
        {"name": "odd.pdn", "mimeType": "text/plain", "buffer": b"\x00\xff no game"}
    )
    assert "odd.pdn" in table.page.get_by_role("alert").last.inner_text()
    table.errors.clear()  # the console names the status 400


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_view_has_a_serious_barrier(browser: "Browser", server: WebServer, scheme: str) -> None:
    """axe-core finds nothing serious in any view."""
    source = (npm_package("axe-core") / "axe.min.js").read_text(encoding="utf-8")
    table = table_of(browser, server, NARROW, scheme)
    table.open(f"http://{server.host}/")
    for view in ("Play", "Analyse", "Watch", "Runs"):
        table.page.get_by_role("navigation").get_by_role("button", name=view).click()
        table.page.wait_for_timeout(300)
        assert serious_barriers(table.page, source) == [], view
    table.page.context.close()
