"""The games of OpenSpiel that are listed in the README, with small boards where a game is slow."""

import importlib.util
import os

import pytest

GAMES = {
    "amazons": 5,
    "antichess": 3,
    "breakthrough": 3,
    "checkers": 5,
    "chess": 3,
    "clobber": 2,
    "connect_four": 5,
    "crazyhouse": 3,
    "dots_and_boxes": 4,
    "go(board_size=5)": 3,
    "gomoku": 2,
    "havannah(board_size=4)": 3,
    "hex(board_size=5)": 3,
    "hive": 2,
    "lines_of_action": 2,
    "mancala": 5,
    "mnk(m=4,n=4,k=3)": 3,
    "nim": 4,
    "nine_mens_morris": 3,
    "othello": 5,
    "oware": 5,
    "pentago": 2,
    "quoridor(board_size=5)": 2,
    "shogi": 2,
    "tic_tac_toe": 6,
    "twixt(board_size=5)": 3,
    "ultimate_tic_tac_toe": 4,
    "xiangqi": 2,
    "y(board_size=5)": 3,
}
"""Each game with the depth of its perft."""


def require_openspiel() -> None:
    """Skip the module without OpenSpiel; with CI=true it must be there."""
    if importlib.util.find_spec("pyspiel") is None:
        assert os.environ.get("CI") != "true", "OpenSpiel is missing: .ci/run installs it with the test extra"
        pytest.skip("OpenSpiel is not installed: pip install 'gameforge[openspiel]'", allow_module_level=True)
