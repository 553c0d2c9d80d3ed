"""Practice on the page: endings from a database and puzzles from games, as requests and in the browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from web_browser import NARROW, WIDE, screenshot, serious_barriers, table_of
from web_npm import npm_package
from web_server import TabClient, WebServer

import gameforge as gf

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PLAYER = "alphabeta:depth=5 + material"
SHOT = "W:W22,25,30:B13,17,19"
"""25-21 gives a man, and 30x16 takes two; no other move wins."""
GAME = f"""\
[Event "Cup"]
[Black "Ann"]
[White "<b>Bob</b>"]
[Result "*"]
[GameType "21"]
[SetUp "1"]
[FEN "{SHOT}"]
1. 22-18 *

[Event "Cup"]
[Black "Cid"]
[White "Ann"]
[Result "*"]
[GameType "21"]
1. 11-15 *
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    folder = tmp_path_factory.mktemp("games")
    (folder / "cup.pdn").write_text(GAME)
    with gf.games_db(folder / "cup.db", "draughts") as made:
        made.add_file(folder / "cup.pdn")
    options = ("--game=draughts", f"--player={PLAYER}", f"--games={folder / 'cup.db'}")
    server = WebServer(*options, state=tmp_path_factory.mktemp("state"))
    yield server
    server.close()


@pytest.fixture
def tab(server: WebServer) -> Iterator[TabClient]:
    with server.tab() as made:
        yield made


def kept_in(server: WebServer) -> Path:
    return server.state / "gameforge" / "practice.json"


def test_puzzles_are_found_practised_and_kept(server: WebServer, tab: TabClient) -> None:
    asked = {"game": "draughts", "player": PLAYER}
    found = tab.ask("puzzles", **asked)
    assert (found["found"], found["searched"], found["due"]) == (1, 2, 1)
    puzzle = found["next"]
    assert (puzzle["start"], puzzle["goal"], puzzle["plies"]) == (SHOT, "win", 3)
    assert puzzle["source"] == "Ann - <b>Bob</b>, Cup, move 1"
    assert "line" not in puzzle  # the page cannot give the solution away
    assert tab.ask("puzzles", **asked, skip=2)["searched"] == 0
    here = {**asked, "start": SHOT, "goal": "win"}
    assert tab.ask("solution", **here)["move"] == "25-21"
    assert not tab.ask("tried", **here, move="22-18")["good"]
    assert tab.ask("tried", **here, move="25-21")["reply"] == "17x26"
    assert tab.ask("tried", **here, moves=["25-21", "17x26"], move="30x16")["solved"]
    kept = tab.ask("practised", **here, success=True)
    assert (kept["box"], kept["days"], kept["due"], kept["boxes"]) == (1, 1, 0, [0, 1, 0, 0, 0, 0])
    assert SHOT in kept_in(server).read_text()


def test_endings_are_drawn_and_defended(tab: TabClient) -> None:
    asked = {"game": "draughts", "player": f"{PLAYER} + chinook:pieces=3"}
    listed = tab.ask("endings", **asked)
    assert {"own": ["king", "king"], "other": ["king"], "text": "2 kings against 1 king"} in listed["endings"]
    ending = tab.ask("new-ending", **asked, own=["king", "king"], other=["king"])["exercise"]
    here = {**asked, "start": ending["start"], "goal": "win"}
    move = tab.ask("solution", **here)["move"]
    answered = tab.ask("tried", **here, move=move)
    assert answered["good"]
    assert answered["reply"] or answered["solved"]


def test_what_is_wrong_is_refused(tab: TabClient) -> None:
    asked = {"game": "draughts", "player": PLAYER}
    for name, fields, why in (
        ("new-ending", {"own": ["queen"], "other": ["king"]}, "not a kind of piece"),
        ("tried", {"start": SHOT, "goal": "lose", "move": "22-18"}, "goal"),
        ("tried", {"start": SHOT, "goal": "win", "move": "1-32"}, "is not legal"),
        ("practised", {"start": "nonsense", "goal": "win", "success": True}, "nonsense"),
        ("puzzles", {"path": ".."}, "no folder of runs"),
        ("practice", {"game": "ludo"}, "ludo"),
    ):
        assert why in tab.ask(name, **{**asked, **fields})["error"], name
    assert tab.ask("endings", game="othello", player="greedy + material")["error"]
    assert (
        "cannot be set up"
        in tab.ask("new-ending", game="connect-four", player="random", own=["x"], other=["x"])["error"]
    )


@pytest.mark.browser
def test_a_person_solves_a_puzzle_and_draws_an_ending(browser: "Browser", server: WebServer) -> None:
    kept_in(server).unlink(missing_ok=True)
    table = table_of(browser, server)
    page, panel = table.page, table.page.locator(".panel")
    table.open(f"http://{server.host}/")
    page.get_by_role("navigation").get_by_role("button", name="Practice").click()
    panel.get_by_text("There are no exercises yet").wait_for()
    page.get_by_role("button", name="Find puzzles").click()
    panel.get_by_text("1 new puzzle in 2 games").wait_for()
    page.get_by_role("button", name="Practise: 1 due").click()
    page.get_by_role("heading", name="White to move and win").wait_for()
    table.cell("22")
    table.cell("18")
    panel.get_by_text("22-18 is not it. Try again.").wait_for()
    page.locator("[data-cell='25'].playable").wait_for()
    table.cell("25")
    table.cell("21")
    panel.get_by_text("25-21 is right. 17x26 was the answer.").wait_for()
    screenshot(page, "practice-1280-light")
    page.locator("[data-cell='30'].playable").wait_for()
    page.get_by_label("Type a move").fill("30x16")
    page.get_by_label("Type a move").press("Enter")
    panel.get_by_text("30x16 is right: solved.").wait_for()
    panel.get_by_text("1 in box 1").wait_for()  # the mistake counts
    page.get_by_label("Player and database").fill(f"{PLAYER} + chinook:pieces=3")
    page.get_by_label("Player and database").press("Enter")
    page.get_by_label("Pieces").select_option("2 kings against 1 king")
    page.get_by_role("button", name="New ending").click()
    page.get_by_role("heading", name="to move and win").wait_for()
    page.get_by_role("button", name="Show the move").click()
    page.locator(".message", has_text="is right").wait_for()
    page.get_by_role("navigation").get_by_role("button", name="Play").click()
    page.locator(".playable").first.wait_for()
    assert table.moves == []  # the game on the board is as it was
    assert table.errors == []
    page.context.close()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, (844, 390), NARROW], ids=lambda size: "x".join(map(str, size)))
def test_practice_fits_every_size_without_serious_barriers(
    browser: "Browser", server: WebServer, size: tuple[int, int], scheme: str
) -> None:
    table = table_of(browser, server, size, scheme)
    page = table.page
    table.open(f"http://{server.host}/")
    page.get_by_role("navigation").get_by_role("button", name="Practice").click()
    page.get_by_label("Player and database").fill(f"{PLAYER} + chinook:pieces=3")
    page.get_by_label("Player and database").press("Enter")
    page.locator("button:has-text('New ending'):enabled").click()
    page.get_by_role("heading", name="to move").wait_for()
    screenshot(page, f"practice-{size[0]}-{scheme}")
    assert page.locator(".board").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert page.locator(".panel").evaluate("panel => panel.scrollWidth <= panel.clientWidth")
    source = (npm_package("axe-core") / "axe.min.js").read_text(encoding="utf-8")
    assert serious_barriers(page, source) == []
    assert table.errors == []
    page.context.close()
