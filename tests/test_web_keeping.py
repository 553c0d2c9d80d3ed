"""What the page keeps: games from files, games after a reload or a restart, and the game that was opened last."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from web_browser import Table, table_of
from web_server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
QUICK = "alphabeta:depth=2 + material"
SERVED = ("--game=draughts", f"--player={QUICK}")
ANNOTATED = (
    '[Event "Club"]\n[Site "Bath"]\n[Date "2024.05.01"]\n[Round "3"]\n[Black "Andr\xe9"]\n[White "Bob"]\n'
    '[BlackRating "2105"]\n[Result "0-1"]\n\n'
    "1. 11-15! $14 {[%clk 0:09:57] sharp} 1... 23-19 ({or} 1... 22-18 $6) 2. 8-11 22-17 0-1\n"
)


@pytest.fixture
def plain(browser: "Browser", tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """A server started without a game."""
    made = WebServer(state=tmp_path_factory.mktemp("state"))
    yield made
    made.close()


def load(table: Table, name: str, content: bytes) -> None:
    table.page.get_by_role("navigation").get_by_role("button", name="Analyse").click()
    table.page.get_by_label("File of games").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": content}
    )
    table.page.locator(".moves .move").first.wait_for()


def test_a_game_from_a_file_is_saved_as_it_was(table: Table) -> None:
    """Tags, result, glyphs, clock and variations; the page shows the clock beside the move, and not as a comment."""
    load(table, "old.pdn", ANNOTATED.encode("latin-1"))
    page = table.page
    assert page.locator(".spent").all_inner_texts() == ["0:09:57"]
    assert page.locator(".moves > .comment").all_inner_texts() == ["sharp", "White wins"]
    assert page.locator(".strip .name").all_inner_texts() == ["Bob", "Andr\xe9"]
    page.locator(".aside .move").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save").click()
    text = " ".join(saved.value.path().read_text().split())
    for part in ANNOTATED.split("\n\n")[0].splitlines():
        assert part in text
    assert "1. 11-15! $14 {[%clk 0:09:57] sharp} 1... 23-19 ({or} 1... 22-18 $6) 2. 8-11 22-17 0-1" in text


def test_a_file_and_the_chooser_open_its_game_in_every_view(table: Table) -> None:
    page = table.page
    table.play_any(keyboard=False)
    table.wait_for_moves(2)
    played = table.moves
    chooser = page.get_by_label("Game of this page")
    assert chooser.input_value() == "draughts"
    load(table, "game.oth", b"f5d6c3 *\n")
    page.locator("[aria-label='Board of othello']").wait_for()
    assert chooser.input_value() == "othello"
    assert "othello" in page.title()
    for view in ("Watch", "Runs", "Play"):
        page.get_by_role("navigation").get_by_role("button", name=view).click()
        assert chooser.is_visible()
    chooser.select_option("draughts")
    page.locator("[aria-label='Board of draughts']").wait_for()
    assert table.moves == played  # as it was left


def test_a_server_without_a_game_opens_draughts_and_then_the_last_one(browser: "Browser", plain: WebServer) -> None:
    table = table_of(browser, plain)
    table.open(f"http://{plain.host}/")
    chooser = table.page.get_by_label("Game of this page")
    assert chooser.input_value() == "draughts"
    chooser.select_option("morris")
    table.page.locator("[aria-label='Board of morris']").wait_for()
    table.page.get_by_role("navigation").get_by_role("button", name="Watch").click()
    assert table.page.get_by_role("combobox", name="Game", exact=True).input_value() == "morris"
    assert not table.page.locator(".toast").count()
    table.page.get_by_role("navigation").get_by_role("button", name="Play").click()
    table.page.get_by_role("button", name="New game").click()
    table.page.get_by_role("button", name="Cancel").click()
    table.play_any(keyboard=False)
    context = table.page.context
    table.page.close()
    again = Table(context.new_page())
    again.open(f"http://{plain.host}/")
    assert again.page.get_by_label("Game of this page").input_value() == "morris"
    assert len(again.moves) > 0  # the last game, too
    context.close()


def test_a_reload_keeps_clock_resignation_names_and_variations(table: Table) -> None:
    page = table.page
    table.new_game("draughts", QUICK, clock="5 min + 3 s")
    for cell in ("11", "15"):
        table.cell(cell)
    table.wait_for_moves(2)
    page.get_by_role("button", name="Take back").click()
    page.locator("[data-cell='11'][aria-label='11, Black, can move']").wait_for()
    for cell in ("12", "16"):
        table.cell(cell)
    page.locator(".moves .aside").wait_for()
    page.locator(".message:has-text('Your turn')").wait_for()
    assert table.moves[0].startswith("12-16")  # what was played last is the game
    page.get_by_role("button", name="Resign").click()
    page.locator(".message.over").wait_for()
    before = table.moves, page.locator(".clock").all_inner_texts(), table.message
    page.reload()
    page.locator(".message.over").wait_for()
    page.locator(".clock").first.wait_for()
    assert (table.moves, page.locator(".clock").all_inner_texts(), table.message) == before
    assert before[2] == "White wins: resignation"
    page.get_by_role("navigation").get_by_role("button", name="Analyse").click()
    page.go_back()
    page.locator(".message.over").wait_for()
    assert table.message == before[2]


def test_an_opponent_that_does_not_fit_is_refused_before_the_game_begins(table: Table) -> None:
    page = table.page
    page.get_by_role("button", name="New game").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Opponent").fill("wpc")
    dialog.get_by_role("button", name="Play").click()
    assert "exists for othello" in dialog.get_by_role("alert").inner_text()  # above the dialog
    dialog.get_by_label("Opponent").fill("random")
    dialog.get_by_role("button", name="Play").click()
    dialog.wait_for(state="detached")
    page.locator(".strip .name", has_text="random").wait_for()


def test_a_match_without_a_folder_goes_on_in_other_views_and_after_a_reload(table: Table) -> None:
    page = table.page
    views = page.get_by_role("navigation")
    views.get_by_role("button", name="Watch").click()
    page.get_by_label("First", exact=True).fill("alphabeta:time=0.05 + material")
    page.get_by_label("Second", exact=True).fill(QUICK)
    page.get_by_label("Games", exact=True).fill("4")
    page.get_by_role("button", name="Start").click()
    page.locator(".watch-state:has-text('Game 1 is being played')").wait_for()
    views.get_by_role("button", name="Play").click()
    views.get_by_role("button", name="Watch").click()
    page.locator(".watch-state:has-text('is being played')").wait_for()
    page.locator(".watch-state:has-text('Game 3 is being played')").wait_for()  # a pair is kept
    page.reload()
    page.locator(".watch-state:has-text('Finished')").wait_for()
    table_text = page.locator(".cross tbody").inner_text()
    page.reload()
    page.locator(".watch-state:has-text('Finished')").wait_for()
    assert page.locator(".cross tbody").inner_text() == table_text
