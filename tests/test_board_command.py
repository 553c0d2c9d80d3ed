"""The command `gameforge board`, and how it determines the game."""

import re
from pathlib import Path

import pytest
import toy_site

from gameforge.cli import main as cli
from gameforge.cli.commands.board import png
from gameforge.cli.players import game_for
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
        (["--game", "draugts"], "unknown game 'draugts'"),
        (["0x2,0x2,0x3,0x0,0x0", "--svg"], "shuttle has no SVG pictures"),
        (["nonsense"], "no game can read the position 'nonsense'; with --game NAME, its game says why (known: anti"),
        (["--game", "draughts", "--out", "."], ". already exists"),
        (["--game", "draughts", "--out", ".", "--force"], "cannot write"),
        (["--game", "draughts", "--arrow", "11-15"], "--arrow can be used only with a picture"),
        (["--game", "draughts", "--svg", "--arrow", "11-20"], "'11-20' is not legal"),
        (["--game", "draughts", "--out", "b.jpg"], "--out b.jpg: must be the name of an SVG, PNG or text file, ending"),
        (["--game", "draughts", "--out", ""], "--out '': an empty text is not the name of a file or folder"),
        (["--game", "draughts", "--svg", "--out", "b.png"], "--svg: b.png is the name of a PNG file"),
        (["0x2,0x2,0x3,0x0,0x0", "--flipped"], "shuttle has no diagrams that can be flipped"),
    ],
)
def test_bad_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--plugin", str(toy_site.TOY), "board", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_a_name_in_png_is_a_png(tmp_path: Path) -> None:
    path = tmp_path / "board.png"
    for game, moves in (("draughts", "11-15 22-18 15x22"), ("othello", "f5"), ("morris", "d6 f4")):
        assert cli.run(["board", "--game", game, "--moves", moves, "--out", str(path), "--force"]) == 0
        data = path.read_bytes()
        assert data.startswith(b"\x89PNG\r\n")
        assert len(data) > 10_000


def test_png_needs_matplotlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert cli.run(["board", "--game", "draughts", "--out", str(tmp_path / "b.png")]) == 2
    assert "pip install 'gameforge[plot]'" in capsys.readouterr().err


def test_nothing_is_overwritten_without_force(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "board.txt"
    path.write_text("mine")
    assert cli.run(["board", "--game", "draughts", "--out", str(path)]) == 2
    assert "already exists; choose another file, or overwrite it with --force" in capsys.readouterr().err
    assert path.read_text() == "mine"
    assert cli.run(["board", "--game", "draughts", "--out", str(path), "--force"]) == 0
    assert "Black to move" in path.read_text()


class TestPictures:
    def circles(self, svg: str) -> list[tuple[str, str]]:
        return re.findall(r'<circle cx="([0-9.]+)" cy="([0-9.]+)" r="21"', svg)

    def test_the_last_move_and_arrows(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert cli.run(["board", "--game", "draughts", "--svg"]) == 0
        plain = capsys.readouterr().out
        assert cli.run(["board", "--game", "draughts", "--svg", "--moves", "11-15", "--arrow", "22-18"]) == 0
        marked = capsys.readouterr().out
        assert marked.count("#d8a400") == marked.count("#1f6fb2") == 2  # line and head
        assert "#d8a400" not in plain

    def test_a_placement_is_a_ring_also_on_a_flipped_board(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = []
        for more in ([], ["--flipped"]):
            assert cli.run(["board", "--game", "othello", "--svg", "--moves", "f5", *more]) == 0
            found += self.circles(capsys.readouterr().out)
        (x, y), (fx, fy) = found
        size = 2 * 22 + 8 * 48
        assert (int(x) + int(fx), int(y) + int(fy)) == (size, size)

    @pytest.mark.parametrize("game", ["draughts", "othello", "morris"])
    def test_a_flipped_diagram_has_the_same_pieces(self, game: str, capsys: pytest.CaptureFixture[str]) -> None:
        shown = []
        for more in ([], ["--flipped"]):
            assert cli.run(["board", "--game", game, *more]) == 0
            shown.append(capsys.readouterr().out)
        assert shown[0] != shown[1]
        assert [shown[0].count(piece) for piece in "●○"] == [shown[1].count(piece) for piece in "●○"]

    def test_elements_that_cannot_be_drawn_as_png(self) -> None:
        with pytest.raises(GameforgeError, match="cannot draw <ellipse> as PNG; write SVG"):
            png('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><ellipse/></svg>')


class TestWhichGame:
    def test_a_position_determines_the_game(self) -> None:
        assert game_for(toy_site.registry(), None, "W:W18:B11").rules.name == "draughts"
        assert game_for(toy_site.registry(), None, "2,2,3,0,0").rules.name == "shuttle"

    def test_a_name_takes_precedence_and_may_have_parameters(self) -> None:
        assert game_for(toy_site.registry(), "shuttle:stones=5").rules == toy_site.shuttle(stones=5).rules

    def test_nothing_determines_the_game(self) -> None:
        with pytest.raises(GameforgeError, match="cannot infer the game; give --game NAME \\(known: "):
            game_for(toy_site.registry(), None)
