"""One game on each kind of board, played in a real browser with the mouse; the group `browser` tests all else of it."""

import pytest
from web_browser import Table

SERVED = ("--game=draughts", "--player=alphabeta:depth=1 + material")


CAPTURES = "alphabeta:depth=1 + material"
"""An opponent that always plays the same game, in half the moves that a random one may need."""


@pytest.mark.parametrize(
    ("game", "opponent"),
    [("draughts", CAPTURES), ("morris", CAPTURES), ("othello", "random"), ("connect-four", "random")],
)
def test_a_whole_game_can_be_played(table: Table, game: str, opponent: str) -> None:
    """Pieces that move, points and lines, discs that are placed, and a game that draws no board."""
    table.play_to_the_end(game, side="0", keyboard=False, opponent=opponent)
