"""`gameforge pdn`."""

import json
from pathlib import Path

import pytest

from gameforge.cli.main import run

GAMES = """[Event "one"]
1. 11-15! {good} 23-19 (23-18) 2. 8-11 1-0

[GameType "41"]
1. 32-28 19-23 *

[Event "bad"]
1. 11-15 23-18 2. 15-20 *

[Event "two"]
[FEN "B:W18,27:B9,K1"]
1. 9-14 18x9 0-1
"""


@pytest.fixture
def games(tmp_path: Path) -> Path:
    file = tmp_path / "games.pdn"
    file.write_text(GAMES)
    return file


def test_check_stops_at_the_first_error(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["pdn", "check", str(games)]) == 2
    assert f"error: {games}, game 3, line 8, column 19: '15-20' is not legal in" in capsys.readouterr().err


def test_check_tolerant_continues_and_its_exit_code_reports_bad_games(
    games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["pdn", "check", "--tolerant", str(games)]) == 1
    printed = capsys.readouterr()
    assert printed.out == f"{games}: 2 games, 5 moves; 1 skipped; 1 bad\n"
    assert "game 2: skipped: another game (GameType 41; expected 21)" in printed.err
    assert "game 3, line 8, column 19: '15-20' is not legal in" in printed.err
    assert run(["pdn", "check", "--tolerant", "--json", str(games)]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "file": str(games),
        "games": 2,
        "moves": 5,
        "skipped": 1,
        "bad": 1,
    }


def test_check_of_games_that_may_be_of_another_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.pdn"
    for text, code, message in (
        ("1. 11-15 22-71 *", 2, "'22-71' names a square that is not one of 1 to 32"),
        ("1. 22-71 *", 1, "skipped: looks like another game: '22-71' names a square that is not one of 1 to 32"),
        ('[GameType "41"]\n22-71 *', 0, "skipped: another game (GameType 41"),
    ):
        file.write_text(text)
        assert run(["pdn", "check", str(file)]) == code
        assert message in capsys.readouterr().err


def test_stats(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["pdn", "stats", "--tolerant", "--json", str(games)]) == 0
    numbers = json.loads(capsys.readouterr().out)
    del numbers["file"]
    assert numbers == {
        "games": 2,
        "black": 1,
        "drawn": 0,
        "white": 1,
        "unknown": 0,
        "plies": 5,
        "fewest": 2,
        "most": 3,
        "set_up": 1,
        "comments": 1,
        "variations": 1,
        "first_moves": {"11-15": 1},
        "skipped": 1,
        "bad": 1,
    }
    assert run(["pdn", "stats", "--tolerant", str(games)]) == 0
    assert "11-15 Old Faithful" in capsys.readouterr().out


def test_convert_writes_what_it_read(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "new.pdn"
    assert run(["pdn", "convert", "--tolerant", str(games), str(target)]) == 0
    assert capsys.readouterr().out == f"{target}: 2 games; 1 skipped; 1 bad\n"
    assert "1. 11-15! {good} 1... 23-19 (1... 23-18) 2. 8-11 1-0\n" in target.read_text()
    plain = tmp_path / "plain.pdn"
    assert run(["pdn", "convert", "--plain", str(target), str(plain)]) == 0
    assert "1. 11-15 23-19 2. 8-11 1-0\n" in plain.read_text()


def test_convert_loses_nothing(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "new.pdn"
    assert run(["pdn", "convert", str(games), str(target)]) == 2
    assert sorted(tmp_path.iterdir()) == [games]
    target.write_text("mine")
    assert run(["pdn", "convert", "--tolerant", str(games), str(target)]) == 2
    assert "already exists; choose another file, or overwrite it with --force" in capsys.readouterr().err
    assert target.read_text() == "mine"
    assert run(["pdn", "convert", "--tolerant", "--force", str(games), str(games)]) == 0
    assert run(["pdn", "check", str(games)]) == 0
    assert run(["pdn", "convert", str(games), str(tmp_path / "no" / "such.pdn")]) == 2
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["check", "nowhere.pdn"], "cannot read nowhere.pdn: No such file or directory"),
        (["check", "--encoding", "utf-99", "x"], "unknown encoding 'utf-99'"),
    ],
)
def test_bad_input(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["pdn", *arguments]) == 2
    assert f"error: {sentence}" in capsys.readouterr().err
