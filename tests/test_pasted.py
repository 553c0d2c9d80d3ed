"""Games that a person pastes: positions, moves and files of every format of the game."""

import re

import pytest

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.web.files import pasted_games


def pasted(text: str, game: str = "draughts") -> list[list[str]]:
    """The moves of each game."""
    rules = gf.game(game)
    return [[str(move) for move in rules.moves_of(record)] for record in found(text, game)]


def found(text: str, game: str = "draughts") -> list[GameRecord]:
    return pasted_games(text, gf.game(game))


@pytest.mark.parametrize(
    "text",
    [
        "11-15 22-18 15x22",
        "1. 11-15 22-18 2. 15x22 *",
        "1.11-15 22-18\n2.15x22",
        "11-15 22-18 15x22 1-0",
        '[Event "x"]\n[GameType "21"]\n\n1. 11-15 22-18 2. 15x22 {takes} *\n',
    ],
)
def test_moves_are_read_however_they_are_numbered(text: str) -> None:
    assert pasted(text) == [["11-15", "22-18", "15x22"]]


def test_moves_in_one_word_are_read() -> None:
    assert pasted("f5d6c3", "othello") == [["f5", "d6", "c3"]]


def test_a_position_is_a_game_without_moves() -> None:
    [record] = found(" W:WK3,K7:BK12,24\n")
    assert (record.codes, gf.game("draughts").position_text(record.start)) == ((), "W:WK3,K7:BK12,24")


def test_each_line_can_be_a_game() -> None:
    assert pasted("11-15 22-18\n\n9-13") == [["11-15", "22-18"], ["9-13"]]


def test_a_file_keeps_its_comments_and_reports_what_it_cannot_read() -> None:
    text = '[GameType "21"]\n1. 11-15 {good} *\n\n[GameType "21"]\n1. 1-32 *\n'
    notices: list[str] = []
    [record] = pasted_games(text, gf.game("draughts"), notices.append)
    assert record.annotations.comments == {1: "good"}
    assert len(notices) == 1
    assert "/" not in notices[0]  # no path of a temporary file


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "nothing to read"),
        ("hello", "neither a position nor moves nor a file of draughts"),
        ("11-15 1-32", "'1-32' is not legal"),
        ("\x00\ud800", "neither a position"),
    ],
)
def test_other_texts_are_refused_in_one_sentence(text: str, error: str) -> None:
    with pytest.raises(GameforgeError, match=re.escape(error)):
        found(text)
