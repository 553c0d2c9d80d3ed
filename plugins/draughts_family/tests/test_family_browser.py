"""Boards of the family in a real browser."""

import pytest
from web_browser import Table

pytestmark = pytest.mark.browser
QUICK = "alphabeta:depth=1,memory=0 + material"
SERVED = ("--game=russian", f"--player={QUICK}")


@pytest.mark.parametrize(
    ("game", "start", "clicks", "move"),
    [
        ("international", "W:W32:B28,18,8,45", ("32", "23"), "32x3"),
        ("russian", "W:Wb6,a1:Bc7,e7,h8", ("b6", "d8", "g5"), "b6xg5"),
        ("turkish", "W:WKa1:Ba4,d6,h6,f7", ("a1", "a6"), "a1xf8"),
    ],
)
def test_a_capture_of_several_pieces_is_clicked(
    table: Table, game: str, start: str, clicks: tuple[str, ...], move: str
) -> None:
    table.new_game(game, QUICK, start=start, side="both")
    table.page.locator(f"[aria-label='Board of {game}']").wait_for()
    assert "capture" in table.message
    for cell in clicks:
        table.cell(cell)
    table.wait_for_moves(1)
    assert table.moves == [move]


@pytest.mark.parametrize(
    ("game", "squares"), [("international", 50), ("italian", 32), ("russian", 32), ("turkish", 32)]
)
def test_the_squares_of_the_board_are_dark(table: Table, game: str, squares: int) -> None:
    table.new_game(game, QUICK, side="both")
    table.page.locator(f"[aria-label='Board of {game}']").wait_for()
    assert table.page.locator("#board rect[fill='#9a7653']").count() == squares


def test_a_move_is_clicked_on_twelve_by_twelve(table: Table) -> None:
    table.new_game("canadian", "alphabeta:depth=1 + material", side="both")
    table.page.locator("[aria-label='Board of canadian']").wait_for()
    assert table.page.locator("#board rect[fill='#9a7653']").count() == 72
    table.cell("43")
    table.cell("37")
    table.wait_for_moves(1)
    assert table.moves == ["43-37"]


@pytest.mark.parametrize("game", ["russian", "turkish"])
def test_every_row_and_column_is_named(table: Table, game: str) -> None:
    table.new_game(game, QUICK, side="both")
    table.page.locator(f"[aria-label='Board of {game}']").wait_for()
    assert sorted(table.page.locator("#board text").all_text_contents()) == list("12345678abcdefgh")
