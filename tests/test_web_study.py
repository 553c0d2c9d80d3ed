"""The lines of the analysis, the threat, and the verdicts of oracles on every move: in the browser, and as requests."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from web_browser import Table, open_table, screenshot
from web_server import TabClient, WebServer

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.play.analysis import known_moves, threat_position

if TYPE_CHECKING:
    from playwright.sync_api import Browser

QUICK = "alphabeta:depth=2 + material"
ENDING = "W:WK3,K7:BK12,24"
"""White draws with the king on 7; 3-8 loses to 12-16, which shuts a king in."""
SERVED = ("--game=draughts", f"--player={QUICK}")


@pytest.fixture
def tab(server: WebServer) -> Iterator[TabClient]:
    with server.tab() as made:
        yield made


@pytest.fixture
def table(browser: "Browser", server: WebServer) -> Iterator[Table]:
    with open_table(browser, server, "Analyse") as made:
        yield made


def analyse_with(table: Table, player: str) -> None:
    field = table.page.get_by_label("Player that analyses")
    field.fill(player)
    field.press("Enter")


def set_up(table: Table, position: str) -> None:
    table.page.get_by_role("button", name="Position", exact=True).click()
    table.page.get_by_role("textbox", name="Position").fill(position)
    table.page.get_by_role("button", name="Set up").click()


def test_known_moves_put_near_wins_first_and_far_losses_last() -> None:
    oracle = gf.oracle("chinook:pieces=4")
    position = gf.game("draughts").position(ENDING)
    found = [(str(one.move), one.known and one.known.verdict.value) for one in known_moves(position, [oracle])]
    assert found[-1] == ("3-8", "loss")
    assert {value for _, value in found[:-1]} == {"draw"}
    [last] = known_moves(gf.game("draughts").position("B:W18:BK15"), [])
    assert str(last.known and last.known.verdict) == "win in 1 ply"  # the rules end the game: no white man is left


def test_moves_that_no_oracle_knows_have_no_verdict() -> None:
    assert {one.known for one in known_moves(gf.game("draughts").position(), [])} == {None}


def test_a_threat_is_what_the_other_side_would_do_with_the_same_pieces() -> None:
    game = gf.game("draughts")
    assert threat_position(game.position("W:W30:B18")).fen == game.position("B:W30:B18").fen
    with pytest.raises(GameforgeError, match="the game is over"):
        threat_position(game.position("W:W5,32:B28"))


def test_requests_for_threat_and_verdicts(tab: TabClient) -> None:
    asked = {"game": "draughts", "player": QUICK}
    threat = tab.ask("threat", **asked, start="B:W22:B18,2")
    assert (threat["move"], threat["path"], threat["start"]) == ("22x15", [21, 14], "W:W22:B2,18")
    found = tab.ask("verdicts", **{**asked, "player": f"{QUICK} + chinook:pieces=4"}, start=ENDING)
    assert [one["text"] for one in found["moves"]] == ["draw"] * 3 + ["loss"]
    assert found["oracles"] == [found["moves"][0]["oracle"]]
    assert "cannot be changed" in tab.ask("threat", game="connect-four", player="random")["error"]
    assert "the game is over" in tab.ask("verdicts", **asked, start="W:W5:B1")["error"]


@pytest.mark.browser
def test_lines_are_whole_and_each_move_shows_a_board(table: Table) -> None:
    page = table.page
    analyse_with(table, QUICK)
    page.get_by_label("Number of lines").select_option("2")
    page.locator(".head", has_text=re.compile(r"depth ([7-9]|\d\d)")).wait_for()
    assert page.locator(".line").count() == 2
    assert page.locator(".line").first.locator(".line-move").count() >= 6
    page.locator("g.arrow.best").wait_for(state="attached")
    page.get_by_role("button", name="Arrows").click()
    page.locator("g.arrow").first.wait_for(state="detached")
    page.locator("button.other").first.click()  # why not this move?
    page.locator(".line").nth(2).wait_for()
    moves = page.locator(".line").first.locator(".line-move")
    moves.nth(2).hover()
    page.locator(".preview img").wait_for()
    screenshot(page, "lines-1280-light")
    page.get_by_role("button", name="Stop").click()
    line = moves.all_inner_texts()[:3]
    moves.nth(2).click()
    table.wait_for_moves(3)
    assert table.moves == line
    page.locator(".preview").wait_for(state="hidden")


@pytest.mark.browser
def test_the_threat_and_the_verdicts_are_on_the_board(table: Table) -> None:
    page = table.page
    analyse_with(table, f"{QUICK} + chinook:pieces=4")
    set_up(table, ENDING)
    page.get_by_role("button", name="Threat").click()
    page.locator("g.arrow.threat").wait_for(state="attached")
    page.locator(".threat-move", has_text="12-16").wait_for()
    page.get_by_role("button", name="Verdicts").click()
    page.locator(".verdict.loss").wait_for()
    assert page.locator(".badge").count() == 2
    screenshot(page, "verdicts-1280-light")
    table.cell("3")
    page.locator(".badge.loss").wait_for(state="attached")
    assert page.locator(".badge").count() == 1
    page.locator(".verdicts .line-move", has_text="3-8").click()
    table.wait_for_moves(1)
    page.locator(".badge.win").first.wait_for(state="attached")
    page.get_by_role("button", name="Verdicts").click()
    page.locator(".badge").first.wait_for(state="detached")
