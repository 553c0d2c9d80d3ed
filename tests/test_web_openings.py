"""Openings: their names, how lines and the games of a database go on, in Python, as requests and in the browser."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from called import gameforge
from web_browser import Table, open_table, screenshot
from web_server import TabClient, WebServer

import gameforge as gf
from gameforge.play.game import Position
from gameforge.records.openings import OpeningLines

if TYPE_CHECKING:
    from playwright.sync_api import Browser

GAMES = """\
[Event "Spring Cup"]
[Date "1998.03.14"]
[Black "Ann"]
[White "<b>Bob</b>"]
[Result "1-0"]
[GameType "21"]
1. 11-15 22-18 2. 15x22 25x18 3. 8-11 29-25 1-0

[Event "Spring Cup"]
[Black "Cid"]
[White "Ann"]
[Result "1/2-1/2"]
[GameType "21"]
1. 11-15 23-19 2. 8-11 22-17 1/2-1/2
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    (folder / "cup.pdn").write_text(GAMES)
    with gf.games_db(folder / "cup.db", "draughts") as made:
        made.add_file(folder / "cup.pdn")
    return folder / "cup.db"


@pytest.fixture(scope="module")
def server(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    options = ("--game=draughts", "--player=alphabeta:depth=2 + material", f"--games={database}")
    made = WebServer(*options, state=tmp_path_factory.mktemp("state"))
    yield made
    made.close()


@pytest.fixture
def tab(server: WebServer) -> Iterator[TabClient]:
    with server.tab() as made:
        yield made


@pytest.fixture
def table(browser: "Browser", server: WebServer) -> Iterator[Table]:
    with open_table(browser, server, "Analyse") as made:
        yield made


@pytest.fixture(scope="module")
def lines() -> OpeningLines:
    return OpeningLines(gf.game("draughts"))


def after(*moves: str) -> Position:
    here = gf.game("draughts").position()
    for move in moves:
        here = here.play(move)
    return here


def test_an_opening_keeps_its_name_after_its_last_move(lines: OpeningLines) -> None:
    assert lines.names(after("11-15")) == ("Old Faithful", "Single Corner group")
    assert lines.reached(after("11-15", "22-18", "15x22", "26x17")) == lines.names(after("11-15", "22-18"))
    assert lines.reached(after()) == ()


def test_names_in_words_come_before_later_ones_in_moves(lines: OpeningLines) -> None:
    assert lines.names(after("11-15", "23-19")) == ("33 11-15 23-19",)
    assert lines.reached(after("11-15", "23-19")) == ("Old Faithful", "Single Corner group")


def test_lines_that_transpose_meet(lines: OpeningLines) -> None:
    found, other = (lines.moves(after(*moves)) for moves in (("11-15", "23-19", "9-14"), ("9-14", "23-19", "11-15")))
    assert found
    assert [(str(one.move), one.lines) for one in found] == [(str(one.move), one.lines) for one in other]
    assert [one.lines for one in found] == sorted((one.lines for one in found), reverse=True)


def test_a_game_without_sets_has_no_lines() -> None:
    game = gf.game("morris")
    lines = OpeningLines(game)
    assert (lines.moves(game.position()), lines.reached(game.position())) == ([], ())


def test_openings_count_lines_and_games(tab: TabClient) -> None:
    found = tab.ask("openings", game="draughts", moves=["11-15"])
    first, second, *others = found["moves"]
    assert [first["move"], second["move"]] == ["23-19", "22-18"]
    assert (second["games"], second["wins"], second["draws"], second["score"]) == (1, [1, 0], 0, 0.0)
    assert {one["games"] for one in others} == {0}
    assert (found["database"], found["games"], found["names"][0]) == ("cup.db", 2, "Old Faithful")
    assert found["found"][0] == {
        "number": 1, "ply": 1, "players": ["Ann", "<b>Bob</b>"], "result": "Black won",
        "event": "Spring Cup 1998.03.14", "plies": 6,
    }  # fmt: skip
    game = tab.ask("database-game", game="draughts", number=2)["game"]
    assert game["moves"] == ["11-15", "23-19", "8-11", "22-17"]
    assert "no game 3" in tab.ask("database-game", game="draughts", number=3)["error"]


def test_other_games_have_no_database(tab: TabClient) -> None:
    found = tab.ask("openings", game="othello", moves=["f5"])
    assert {one["move"] for one in found["moves"]} == {"d6", "f6", "f4"}  # symmetric first moves have the same lines
    assert (found["database"], found["found"]) == (None, [])
    assert "no database of othello" in tab.ask("database-game", game="othello", number=1)["error"]


def test_a_database_that_cannot_be_read_is_refused_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "wrong.db").write_text("no database")
    for name in ("missing.db", "wrong.db"):
        code, printed = gameforge(["web", "--no-open", "--games", str(tmp_path / name)])
        assert (code, name in printed, "Traceback" in printed) == (2, True, False)


def test_a_ballot_is_drawn_from_a_set(tab: TabClient) -> None:
    openings = gf.game("draughts").openings
    assert openings is not None
    assert tab.ask("game", game="draughts")["game"]["openings"] == list(openings.names)
    drawn = tab.ask("ballot", game="draughts", set="3move")
    assert drawn["name"] in {opening.name for opening in openings.get("3move")}
    assert drawn["start"].startswith("W:")
    assert tab.ask("show", game="draughts", start=drawn["start"])["position"]["turn"] == 1
    assert "no openings" in tab.ask("ballot", game="morris", set="3move")["error"]
    assert "4move" in tab.ask("ballot", game="draughts", set="4move")["error"]


@pytest.mark.browser
def test_the_openings_lead_through_lines_and_games(table: Table) -> None:
    page = table.page
    page.get_by_role("button", name="Openings").click()
    page.locator(".explorer .line-move", has_text="11-15").click()
    page.locator(".opening-name", has_text="Old Faithful").wait_for()
    assert page.locator(".result-bar").count() == 2
    screenshot(page, "openings-1280-light")
    page.locator(".found-games button", has_text="<b>Bob</b>").click()
    table.wait_for_moves(6)
    assert table.moves[:2] == ["11-15", "22-18"]


@pytest.mark.browser
def test_a_new_game_begins_with_a_ballot(browser: "Browser", server: WebServer) -> None:
    with open_table(browser, server, "Play") as table:
        page = table.page
        page.get_by_role("button", name="New game").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Ballot").select_option("3move")
        page.locator("#new-position[title]").wait_for()  # the name of the opening
        dialog.get_by_label("You play").select_option("both")
        dialog.get_by_role("button", name="Play", exact=True).click()
        dialog.wait_for(state="detached")
        page.locator(".strip.turn", has_text="White").wait_for()


def many_games() -> str:
    """501 games of morris, which differ in their first two moves."""
    game, texts = gf.game("morris"), []
    for i in range(501):
        here, moves = game.position(), []
        for digit in (i % 24, i // 24 % 24, 0, 0):
            moves.append(str(here.legal_moves[digit % len(here.legal_moves)]))
            here = here.play(moves[-1])
        winner = ("1-0", "0-1", "1/2-1/2")[i % 3]
        texts.append(f'[White "Ann {i}"]\n[Black "Bob"]\n{" ".join(moves)} {winner}\n')
    return "\n".join(texts)


def send(server: WebServer, name: str, content: bytes) -> dict[str, object]:
    """Send a file of morris to the server."""
    about = {"method": "POST", "body": content, "Cookie": server.cookie, "Origin": f"http://{server.host}"}
    answer: dict[str, object] = json.loads(server.get(f"/games?game=morris&name={name}", **about).read())
    return answer


def test_a_file_with_many_games_is_read_into_a_database(server: WebServer, tab: TabClient) -> None:
    """It can be filtered and turned page by page; what cannot be read is counted."""
    sent = send(server, "many.mor", f'{many_games()}\n[White "Eve"]\nz9 *\n'.encode())
    asked = {"game": "morris", "database": sent["database"]}
    while (found := tab.ask("database-games", **asked))["reading"]:
        pass
    assert (found["total"], len(found["games"]), found["databases"]) == (501, 50, [[sent["database"], "many.mor"]])
    assert (found["left_out"], "many.mor" in found["notices"][0]) == (1, True)
    first, *_, last = found["games"]
    assert (first["number"], first["players"], first["plies"]) == (1, ["Ann 0", "Bob"], 4)
    assert tab.ask("database-games", **asked, after=last["number"])["games"][0]["number"] == 51
    assert tab.ask("database-games", **asked, after=500)["total"] == 501
    drawn = tab.ask("database-games", **asked, player="ann 12", result="draw")
    assert [one["players"][0] for one in drawn["games"]] == ["Ann 122", "Ann 125", "Ann 128"]
    game = tab.ask("database-game", **asked, number=27)["game"]
    here = tab.ask("database-games", **asked, moves=game["moves"][:2], position=True)
    assert 27 in [one["number"] for one in here["games"]]
    assert {one["ply"] for one in here["games"]} == {2}
    assert here["total"] == len(here["games"]) < 50
    assert "must be one of" in tab.ask("database-games", **asked, result="lost")["error"]
    assert tab.ask("database-games", game="othello")["databases"] == []
