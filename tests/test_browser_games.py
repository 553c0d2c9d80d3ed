"""One game on each kind of board, played in a real browser with the mouse; the group `browser` tests all else of it."""

import pytest
from web_browser import Table

SERVED = ("--game=draughts", "--player=alphabeta:depth=1 + material")


@pytest.mark.parametrize("game", ["draughts", "othello", "morris", "connect-four"])
def test_a_whole_game_can_be_played(table: Table, game: str) -> None:
    """Pieces that move, discs that are placed, points and lines, and a game that draws no board."""
    table.play_to_the_end(game, side="0", keyboard=False)
