"""One game on each kind of board, played in a real browser with the mouse; the group `browser` tests all else of it."""

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest
import toy_walls
from web_browser import Table, open_table
from web_server import WebServer

import gameforge as gf
from gameforge.testing import check
from gameforge.web.views import position_view

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SERVED = ("--game=draughts", "--player=alphabeta:depth=1 + material")


CAPTURES = "alphabeta:depth=1 + material"
"""An opponent that always plays the same game, in half the moves that a random one may need."""


@pytest.mark.parametrize(
    ("game", "opponent"),
    [
        ("draughts", CAPTURES),
        pytest.param("morris", CAPTURES, marks=pytest.mark.slow),
        ("othello", "random"),
        ("connect-four", "random"),
    ],
)
def test_a_whole_game_can_be_played(table: Table, game: str, opponent: str) -> None:
    """Pieces that move, points and lines, discs that are placed, and a game that draws no board."""
    table.play_to_the_end(game, side="0", keyboard=False, opponent=opponent)


class TestStrokes:
    """Lines, walls, arrows, and pieces that belong to nobody."""

    def test_the_page_is_sent_them(self) -> None:
        view = position_view(gf.game(toy_walls.Walls()).position())
        assert view["pieces"] == [(0, 2, ""), (4, 2, "")]
        assert view["strokes"] == [("wall", 0, 1, 0), ("line", 4, 5, 1), ("arrow", 6, 1, 2)]

    def test_the_kit_checks_them(self) -> None:
        class Wrong(toy_walls.Walls):
            board = attrs.evolve(toy_walls.Walls.board, strokes=lambda state: [("wall", 0, 9, 0)])

        assert "board.strokes has ('wall', 0, 9, 0)" in str(check("rules", Wrong()))

    @pytest.mark.browser
    def test_they_are_drawn(self, browser: "Browser", tmp_path: Path) -> None:
        file = Path(str(toy_walls.__file__))
        server = WebServer("--game=walls", "--player=random", state=tmp_path, plugins=[file])
        with open_table(browser, server) as table:
            table.page.locator("#board [data-stroke]").first.wait_for(state="attached")
            looks = [one.get_attribute("data-stroke") for one in table.page.locator("#board [data-stroke]").all()]
            assert looks == ["wall", "line", "arrow"]
        server.close()
