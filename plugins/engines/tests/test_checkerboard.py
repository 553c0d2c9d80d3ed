"""Engines for CheckerBoard: shared libraries, of which a small one in C is compiled here."""

import shutil
import subprocess
from pathlib import Path

import pytest
from gameforge_engines.checkerboard import board_of, place

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.play.player import Player

SOURCE = Path(__file__).with_name("checkerboard_double.c")
GCC = shutil.which("gcc")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if GCC is None:
        pytest.skip("there is no gcc, which compiles the engine of this test")
    path = tmp_path_factory.mktemp("engine") / "double.so"
    subprocess.run([GCC, "-shared", "-fPIC", "-o", str(path), str(SOURCE)], check=True)
    return path


def double(library: Path, fault: str = "no", **settings: object) -> Player:
    searcher = {
        "use": "engine",
        "command": f"./{library.name}",
        "protocol": "checkerboard",
        "directory": str(library.parent),
        "environment": f"FAULT={fault}",
        "time": 30.0,
        "handshake": 600.0,
        "patience": 600.0,
        **settings,
    }
    return gf.player("draughts", searcher=searcher, evaluator=None, oracle="none", name="double")


def test_squares_and_pieces() -> None:
    """As in CheckerBoard: square 4 is b[0][0], square 1 b[6][0], square 5 b[7][1] and square 29 b[7][7]."""
    assert [place(square) for square in (4, 1, 5, 29, 32)] == [0, 48, 57, 63, 15]
    board, color = board_of("W:W21,K30:B1,K2")
    assert color == 1
    assert [board[place(square)] for square in (21, 30, 1, 2)] == [5, 9, 6, 10]
    assert sum(map(bool, board)) == 4


@pytest.mark.parametrize("fault", ["no", "struct"])
def test_whole_games(library: Path, fault: str, tmp_path: Path) -> None:
    """The double follows the rules, whether it changes the board or fills in the struct."""
    opponent = gf.player("draughts", searcher="random", evaluator="none", oracle="none")
    result = gf.match(double(library, fault), opponent, 6, openings=4, seed=2, out=tmp_path / "m")
    assert (result.forfeits, result.disputes) == ((0, 0), 0)
    log = (tmp_path / "m" / "engine.log").read_text().splitlines()
    infos = [line for line in log if line.startswith("getmove")]
    assert sum("info 3" in line for line in infos) == 6  # a game begins: reset, and exact time
    assert {line.partition(" info ")[2] for line in infos} == {"3 seconds 30.00", "2 seconds 30.00"}
    histories = [line for line in log if line.startswith("command set gamehist ")]
    assert len(histories) == len(infos)
    assert any(line.count("-") > 1 for line in histories)  # moves of kings since the last capture or move of a man


def test_a_library_that_crashes_loses_the_game(library: Path) -> None:
    opponent = gf.player("draughts", searcher="random", evaluator="none", oracle="none")
    result = gf.match(double(library, "crash"), opponent, 2)
    assert (result.losses, result.forfeits) == (2, (2, 0))
    assert "was ended by signal 6" in result.games[0].note


def test_it_is_told_to_play_when_its_time_is_over(library: Path) -> None:
    assert double(library, "waits", time=0.05).analyse(gf.game("draughts").position()).move


@pytest.mark.parametrize(
    ("fault", "settings", "message"),
    [
        ("none", {}, "made no move in a running game"),
        ("illegal", {}, "made an illegal move in B:W21.*: .*square 4 from 6 to 9"),
        ("italian", {}, "plays another kind of draughts: game type 22, not 21"),
        ("no", {"time": None}, "needs a time for each move"),
        ("no", {"options": "book=3"}, r"did not accept the option 'book': \?"),
    ],
)
def test_faults(library: Path, fault: str, settings: dict[str, object], message: str) -> None:
    with pytest.raises(GameforgeError, match=message):
        double(library, fault, **settings).analyse(gf.game("draughts").position())


def test_options(library: Path) -> None:
    assert double(library, options="hashsize=64").analyse(gf.game("draughts").position()).move


def test_a_library_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(GameforgeError, match="there is no shared library"):
        double(tmp_path / "no.so")


def test_other_games_have_no_such_engines(library: Path) -> None:
    with pytest.raises(GameforgeError, match="protocol checkerboard cannot express othello"):
        gf.player("othello", searcher={"use": "engine", "command": str(library), "protocol": "checkerboard"})
