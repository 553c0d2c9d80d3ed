"""What a club player likes, in the browser at three sizes: policies, databases, sound, premoves, themes and GIFs."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from web_browser import NARROW, WIDE, Table, screenshot, serious_barriers, table_of
from web_npm import npm_package
from web_server import WebServer

import gameforge as gf
from gameforge.play.saved_players import save_player

if TYPE_CHECKING:
    from playwright.sync_api import Browser

QUICK = "alphabeta:depth=2 + material"
pytestmark = pytest.mark.browser
WATCH = """
window.heard = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) { window.heard += 1; start.apply(this, when); };
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) {
  if (window.hold && text.includes('"think"')) window.release = () => { window.hold = false; send.call(this, text); };
  else send.call(this, text);
};
"""
"""Counts the tones that the page plays, and can hold back its requests for moves of the opponent."""


def many_games() -> str:
    """539 games of draughts with three moves, by eleven players."""
    game, texts = gf.game("draughts"), []
    for first in game.position().legal_moves:
        after = game.position().play(first)
        for second in after.legal_moves:
            third = after.play(second).legal_moves
            texts += [
                f'[Black "Ann {i}"]\n[White "Bob"]\n{first} {second} {third[i % len(third)]} '
                f"{('1-0', '0-1', '1/2-1/2')[i % 3]}\n"
                for i in range(11)
            ]
    return "\n".join(texts)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """A server with a file of games, and a player with a policy of random weights."""
    folder = tmp_path_factory.mktemp("room")
    (folder / "club.pdn").write_text(many_games())
    pipeline = gf.Pipeline(game="draughts", searcher="alphabeta:depth=1", evaluator="policy-mlp:hidden=8,second=0")
    parts = pipeline.parts()
    vector, _ = parts.tunable()
    weights = np.random.default_rng(1).normal(0, 0.3, vector.length).astype(np.float32)
    save_player(folder / "runs" / "net", gf.Player(parts, weights, "net", pipeline.settings))
    made = WebServer(
        *("--game=draughts", f"--player={QUICK}"),
        *(f"--runs={folder / 'runs'}", f"--games={folder / 'club.pdn'}"),
        state=tmp_path_factory.mktemp("state"),
    )
    yield made
    made.close()


@pytest.fixture(params=[WIDE, (844, 390), NARROW], ids=lambda size: "x".join(map(str, size)))
def table(request: pytest.FixtureRequest, browser: "Browser", server: WebServer) -> Iterator[Table]:
    made = table_of(browser, server, request.param)
    made.page.add_init_script(WATCH)
    made.open(f"http://{server.host}/")
    yield made
    assert made.page.evaluate("document.documentElement.scrollWidth") <= request.param[0]
    assert made.errors == []
    made.page.context.close()


def analyse(table: Table) -> None:
    """Open the analysis, at rest."""
    table.page.get_by_role("navigation").get_by_role("button", name="Analyse").click()
    table.page.get_by_role("button", name="Stop").click()


def assert_no_barriers(table: Table, name: str) -> None:
    width = table.page.viewport_size["width"] if table.page.viewport_size else 0
    screenshot(table.page, f"{name}-{width}")
    source = (npm_package("axe-core") / "axe.min.js").read_text(encoding="utf-8")
    assert serious_barriers(table.page, source) == []


def test_the_policy_stands_on_the_board_and_beside_the_moves(table: Table) -> None:
    page = table.page
    analyse(table)
    assert page.get_by_role("button", name="Policy", exact=True).count() == 0  # the default player has none
    page.get_by_label("Player that analyses").fill("./net")
    page.get_by_role("button", name="Analyse", exact=True).last.click()
    page.get_by_role("button", name="Policy", exact=True).click()
    page.locator(".badge.policy").nth(3).wait_for(state="attached")
    assert sum(int(text.rstrip("%")) for text in page.locator(".badge.policy").all_text_contents()) in range(97, 104)
    assert page.locator(".line-policy").first.inner_text().endswith(" %")
    table.cell("11")  # the board then shows where its moves lead
    page.locator(".badge.policy").nth(2).wait_for(state="detached")
    assert_no_barriers(table, "policy")


def test_games_of_a_file_are_found_and_opened(table: Table) -> None:
    page = table.page
    analyse(table)
    for move in ("11-15", "22-18"):
        page.get_by_label("Type a move").fill(move)
        page.get_by_label("Type a move").press("Enter")
        page.locator(f".move[aria-current]:has-text('{move}')").wait_for()
    page.get_by_role("button", name="Games", exact=True).click()
    dialog, count = page.get_by_role("dialog"), page.locator(".games .figures")
    page.locator(".games .figures:not(:has-text('reading'))", has_text="Games 1 to 50 of").wait_for()
    everything = count.inner_text()
    dialog.get_by_role("button", name="Next", exact=True).click()
    count.filter(has_text="Games 51 to 100").wait_for()
    dialog.get_by_label("with the position on the board").check()
    count.filter(has_text="Games 1 to").wait_for()
    assert count.inner_text() != everything
    dialog.get_by_label("Player").fill("ann 0")
    dialog.get_by_label("Result").select_option("win")
    count.filter(has_text="of 1").wait_for()
    assert_no_barriers(table, "games")
    dialog.get_by_role("button", name="Ann 0 - Bob").click()
    dialog.wait_for(state="detached")
    table.wait_for_moves(3)
    assert page.locator(".move[aria-current]").inner_text() == "22-18"  # where the position occurs


def test_sound_premoves_and_themes_are_off_until_they_are_chosen(table: Table) -> None:
    page = table.page
    table.new_game("draughts", QUICK, start="B:W29,30:B1,2,3")
    page.evaluate("hold = true")
    table.cell("3")
    table.cell("7")
    page.locator(".move", has_text="3-7").wait_for()
    table.cell("1")
    assert page.locator(".mark.planned").count() == 0
    page.evaluate("release()")
    table.wait_for_moves(2)
    assert page.evaluate("heard") == 0
    ground = page.locator(".board > g rect").first.get_attribute("fill")
    page.get_by_role("button", name="Preferences").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Board").select_option("slate")
    dialog.get_by_label("Pieces").select_option("smooth")
    dialog.get_by_label("Sounds of moves").check()
    dialog.get_by_label("Moves in advance").check()
    assert_no_barriers(table, "preferences")
    dialog.get_by_role("button", name="Close").click()
    assert page.locator(".board > g rect").first.get_attribute("fill") != ground
    assert page.locator(".board ellipse").count() == 5
    page.locator("[data-cell='7'][aria-label*='can move']").wait_for()
    page.evaluate("hold = true")
    table.cell("7")
    table.cell("11")
    page.locator(".move", has_text="7-11").wait_for()
    table.cell("1")
    table.cell("6")
    assert page.locator(".mark.planned").count() == 2
    page.evaluate("release()")
    table.wait_for_moves(5)
    assert table.moves[::2] == ["3-7", "7-11", "1-6"]
    assert page.evaluate("heard") >= 3
    page.reload()
    page.wait_for_selector(".board ellipse")


def test_a_game_is_saved_as_a_gif(table: Table) -> None:
    page = table.page
    analyse(table)
    page.get_by_label("Type a move").fill("11-15")
    page.get_by_label("Type a move").press("Enter")
    table.wait_for_moves(1)
    page.get_by_role("button", name="Picture").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Animated GIF of the game").click()
    content = Path(saved.value.path()).read_bytes()
    assert content[:6] == b"GIF89a"
    assert content.count(b"\x21\xf9\x04") == 2
    sizes = page.evaluate(
        "async bytes => { const image = await createImageBitmap(new Blob([new Uint8Array(bytes)])); "
        "return [image.width, image.height]; }",
        list(content),
    )
    assert sizes == [480, 480]
