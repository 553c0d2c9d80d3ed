"""The lines of the analysis, the threat, and the verdicts of oracles on every move: in the browser, and as requests."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from web_browser import NARROW, WIDE, Table, open_table, screenshot, serious_barriers, table_of
from web_npm import npm_package
from web_server import TabClient, WebServer

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.play.analysis import known_moves, threat_position

if TYPE_CHECKING:
    from playwright.sync_api import Browser

QUICK = "alphabeta:depth=2 + material"
ENDING = "W:WK3,K7:BK12,24"
"""White draws with the king on 7; 3-8 loses to 12-16, which shuts a king in."""
GIFT = "B:W22,32:B1,11,14"
"""14-17 gives a man away."""
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
    table.page.get_by_role("dialog").wait_for(state="detached")
    pieces = "[data-cell][aria-label*='Black'], [data-cell][aria-label*='White']"
    table.page.wait_for_function(
        "([cells, n]) => document.querySelectorAll(cells).length === n", arg=[pieces, len(re.findall(r"\d+", position))]
    )


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


def test_a_game_is_reviewed_move_by_move(tab: TabClient) -> None:
    asked = {"game": "draughts", "player": QUICK, "start": GIFT}
    number = tab.send("judge", **asked, moves=["14-17", "22x13", "11-15"])
    answers = [tab.receive()]
    while not answers[-1]["done"]:
        answers.append(tab.receive())
    assert {answer["id"] for answer in answers} == {number}
    assert [(one["judged"], one["mark"]) for one in answers if "judged" in one] == [(1, "?"), (2, ""), (3, "")]
    final = answers[-1]
    assert [one["lesson"] for one in final["moves"]] == [True, False, False]
    assert final["moves"][0]["loss"] == "loses 1.00 man"
    assert final["phases"] == ["ending"] * 3
    black, white = final["accuracy"]
    assert black[0] == black[3] < 90
    assert white == [None] * 4
    wrong, right = (tab.ask("attempt", **asked, move=move) for move in ("14-17", "11-15"))
    assert (wrong["good"], wrong["loss"], right["good"]) == (False, "loses 1.00 man", True)
    assert "is not legal" in tab.ask("attempt", **asked, move="1-32")["error"]


def test_a_game_is_saved_as_a_page(tab: TabClient) -> None:
    found = tab.ask("save", game="draughts", moves=["11-15"], notes={"comments": {"1": "<b>"}}, page=True)
    assert found["name"] == "game.html"
    assert found["text"].count("<svg") == 2
    assert "&lt;b&gt;" in found["text"]


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


@pytest.mark.browser
def test_a_review_shows_accuracy_and_moments_and_teaches_the_better_move(table: Table) -> None:
    page = table.page
    analyse_with(table, QUICK)
    set_up(table, GIFT)
    for move in ("14-17", "22x13", "11-15"):
        page.get_by_label("Type a move").fill(move)
        page.get_by_label("Type a move").press("Enter")
        page.locator(f".move[aria-current]:has-text('{move}')").wait_for()
    page.get_by_role("button", name="Analyse the game").click()
    page.locator(".accuracy").wait_for()
    assert page.locator(".accuracy tbody tr").first.inner_text().startswith("Black")
    assert page.locator(".phases").inner_text() == "ending"
    page.locator(".moment", has_text="14-17?").click()
    page.locator(".moment[aria-current]").wait_for()
    screenshot(page, "review-1280-light")
    assert page.get_by_role("button", name="Learn from the mistakes of White").count() == 0
    page.get_by_role("button", name="Learn from the mistakes of Black").click()
    page.locator(".learn", has_text="Mistake 1 of 1").wait_for()
    assert page.locator(".line:visible, .moves:visible").count() == 0  # they would give the answer away
    page.get_by_role("button", name="Hint").click()
    page.locator(".board .hint").wait_for()
    table.cell("14")
    table.cell("17")
    page.locator(".learn", has_text="14-17 is not it: loses 1.00 man").wait_for()
    table.cell("11")
    table.cell("15")
    page.locator(".learn", has_text="11-15 is right").wait_for()
    page.get_by_role("button", name="Finish").click()
    page.locator(".learn", has_text="You found 1 of 1").wait_for()
    page.locator(".line-move").first.wait_for()
    assert table.moves[:3] == ["14-17?", "22x13", "11-15"]  # nothing that was tried stays in the game


@pytest.mark.browser
def test_the_teacher_offers_to_take_a_mistake_back(table: Table) -> None:
    page = table.page
    page.get_by_role("navigation").get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Teacher").click()
    table.new_game("draughts", QUICK, start=GIFT)
    table.cell("14")
    table.cell("17")
    page.locator(".message", has_text="14-17 is a mistake").wait_for()
    page.get_by_role("button", name="Take it back").click()
    page.locator("[data-cell='14'][aria-label='14, Black, can move']").wait_for()
    table.cell("14")
    table.cell("17")
    page.get_by_role("button", name="Play on").click()
    table.wait_for_moves(2)
    assert table.moves[:2] == ["14-17", "22x13"]


@pytest.mark.browser
def test_moves_are_pasted(table: Table) -> None:
    page = table.page
    page.get_by_role("button", name="Paste").click()
    text = page.get_by_role("textbox", name="Position, moves or file")
    text.fill("nonsense")
    page.get_by_role("button", name="Open", exact=True).click()
    page.locator(".toast", has_text="neither a position nor moves").wait_for()
    text.fill("1. 11-15 22-18 2. 15x22 *")
    page.get_by_role("button", name="Open", exact=True).click()
    table.wait_for_moves(3)
    assert table.moves == ["11-15", "22-18", "15x22"]
    with page.expect_download() as saved:
        page.get_by_role("button", name="Page", exact=True).click()
    assert saved.value.path().read_text().count("<svg") == 4


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, (844, 390), NARROW], ids=lambda size: "x".join(map(str, size)))
def test_all_of_it_fits_every_size_without_serious_barriers(
    browser: "Browser", server: WebServer, size: tuple[int, int], scheme: str
) -> None:
    table = table_of(browser, server, size, scheme)
    page = table.page
    table.open(f"http://{server.host}/")
    page.get_by_role("navigation").get_by_role("button", name="Analyse").click()
    analyse_with(table, f"{QUICK} + chinook:pieces=4")
    set_up(table, "B:W22,32:B11,14")
    for name in ("Threat", "Verdicts", "Openings"):
        page.get_by_role("button", name=name, exact=True).click()
    page.locator(".verdict").first.wait_for()
    page.locator(".explorer p").first.wait_for()
    page.locator(".verdicts .line-move", has_text="14-17").click()
    page.locator(".move[aria-current]", has_text="14-17").wait_for()
    page.get_by_role("button", name="Analyse the game").click()
    page.locator(".accuracy").wait_for()
    page.locator(".verdict").first.wait_for()
    screenshot(page, f"study-{size[0]}-{scheme}", whole=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert page.locator(".panel").evaluate("panel => panel.scrollWidth <= panel.clientWidth")
    source = (npm_package("axe-core") / "axe.min.js").read_text(encoding="utf-8")
    assert serious_barriers(page, source) == []
    assert table.errors == []
    page.context.close()
