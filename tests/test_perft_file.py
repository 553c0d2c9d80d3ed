"""Perft files: read, counted again, refused."""

from pathlib import Path

import pytest

from gameforge.errors import GameforgeError
from gameforge.play.game import Game
from gameforge.testing.perft_file import PerftLine, perft_file
from gameforge.testing.toy import Pile

TEXT = "# counts\n\nstart | | 1=3 2=9 7=1\nfour | 4,0 | 1=3 2=6 3=4 4=1 5=0\n"


def test_lines_are_read(tmp_path: Path) -> None:
    file = tmp_path / "perft.txt"
    file.write_text(TEXT)
    assert perft_file(file) == [
        PerftLine("start", "", {1: 3, 2: 9, 7: 1}),
        PerftLine("four", "4,0", {1: 3, 2: 6, 3: 4, 4: 1, 5: 0}),
    ]


def test_wrong_counts_are_reported() -> None:
    game = Game(Pile())
    assert PerftLine("four", "4,0", {1: 3, 2: 6, 3: 4, 4: 1, 5: 0}).wrong(game) == {}
    assert PerftLine("start", "", {1: 3, 2: 8}).wrong(game) == {2: 9}
    assert PerftLine("start", "", {1: 3, 2: 2_000_000}).wrong(game) == {}
    assert PerftLine("start", "", {1: 3, 2: 2_000_000}).wrong(game, most=3_000_000) == {2: 9}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# nothing\n", "the perft file has no positions"),
        ("start | 1=3\n", r"line 1: 'start \| 1=3': must be NAME \| POSITION \| DEPTH=COUNT"),
        ("\nstart | | 1:3\n", r"line 2: 'start \| \| 1:3': must be"),
        ("start | | one=3\n", r"line 1: 'start \| \| one=3': must be"),
    ],
)
def test_invalid_perft_file(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "perft.txt"
    file.write_text(text)
    with pytest.raises(GameforgeError, match=message):
        perft_file(file)
