"""The command `gameforge board`, and how it determines the game."""

from pathlib import Path

import pytest
import toy_site

from gameforge.cli import main as cli
from gameforge.cli.shared.which_game import game_for
from gameforge.errors import GameforgeError


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["board", "W:W18:B11", "--game", "draughts"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[4] == "░░░░░  17 ░░░░░ ○18 ░░░░░  19 ░░░░░  20 "
    assert lines[8].startswith("White to move")


def test_svg_to_the_terminal_and_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["board", "W:W18:B11", "--game", "draughts", "--svg"]) == 0
    picture = capsys.readouterr().out
    assert picture.startswith("<svg ")
    assert "W:W18:B11" in picture
    assert cli.run(["board", "W:W18:B11", "--game", "draughts", "--svg", "--out", str(tmp_path / "b.svg")]) == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "b.svg").read_text() == picture


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["W:W33:B1", "--game", "draughts"], "FEN 'W:W33:B1': there is no square 33"),
        (["--game", "draugts"], "unknown rules 'draugts'"),
        (["0x2,0x2,0x3,0x0,0x0", "--svg"], "--svg: shuttle has no SVG pictures"),
        (["nonsense"], "cannot infer the game for the position 'nonsense'; give --game NAME (known: draughts, "),
        (["--game", "draughts", "--out", "."], "cannot write"),
    ],
)
def test_bad_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--plugin", str(toy_site.TOY), "board", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")


class TestWhichGame:
    def test_a_position_determines_the_game(self) -> None:
        assert game_for(toy_site.registry(), None, "W:W18:B11").rules.name == "draughts"
        assert game_for(toy_site.registry(), None, "2,2,3,0,0").rules.name == "shuttle"

    def test_a_name_takes_precedence_and_may_have_parameters(self) -> None:
        assert game_for(toy_site.registry(), "shuttle:stones=5").rules == toy_site.shuttle(stones=5).rules

    def test_nothing_determines_the_game(self) -> None:
        with pytest.raises(GameforgeError, match="cannot infer the game; give --game NAME \\(known: draughts, "):
            game_for(toy_site.registry(), None)
