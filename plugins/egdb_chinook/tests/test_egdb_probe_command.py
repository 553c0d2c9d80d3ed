"""The command `gameforge egdb probe`."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from egdb_distances import plies_to_the_end, write_distances
from gameforge_egdb_chinook.slices import positions
from numpy.typing import NDArray

from gameforge.cli.main import run

TWO_KINGS = "B:WK29:BK4"
"""Black wins in 11 plies, the longest win of king against king (data/egdb/longest_wins_2to5.tsv of the shared data)."""


@pytest.fixture(scope="module")
def plies() -> NDArray[np.uint8]:
    return plies_to_the_end(2)


@pytest.fixture
def oracle(tmp_path: Path, plies: NDArray[np.uint8]) -> str:
    return f"chinook:path={write_distances(tmp_path, 2, plies)}"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["egdb", "probe", "--game", "draughts", *arguments]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["egdb", "probe", "--game", "draughts", *arguments]) == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith("error: ")
    return message


def test_values_distances_and_every_move_are_printed(capsys: pytest.CaptureFixture[str], oracle: str) -> None:
    lines = printed(capsys, "--oracle", oracle, TWO_KINGS, "B:WK11:BK8").splitlines()
    assert lines == [
        f"{TWO_KINGS}: win in 11 plies",
        "  4-8          win in 11 plies",
        "B:WK11:BK8: win in 1 ply",
        "  8x15         win in 1 ply",
    ]


def test_a_database_without_distances_prints_values_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "--oracle", "chinook:pieces=2", TWO_KINGS) == f"{TWO_KINGS}: win\n  4-8          win\n"


def test_json_holds_fen_value_distance_and_moves(capsys: pytest.CaptureFixture[str], oracle: str) -> None:
    text = printed(capsys, "--json", "--oracle", oracle, TWO_KINGS, "B:WK32:BK1", "B:W30,31:B1", "W:WK32:B25")
    found = [json.loads(line) for line in text.splitlines()]
    assert [(f["value"], f["distance"]) for f in found[:3]] == [("win", 11), ("draw", None), ("unknown", None)]
    assert found[0]["moves"] == [{"move": "4-8", "value": "win", "distance": 11}]
    assert [f["fen"] for f in found[:3]] == [TWO_KINGS, "B:WK32:BK1", "B:W30,31:B1"]  # as given


def test_positions_are_read_from_a_file_or_standard_input(
    capsys: pytest.CaptureFixture[str], oracle: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    positions_file = tmp_path / "positions.txt"
    positions_file.write_text(f"{TWO_KINGS}\n\n  B:WK11:BK8\n", encoding="utf-8-sig")  # as some editors begin a file
    expected = printed(capsys, "--oracle", oracle, "--json", TWO_KINGS, "B:WK11:BK8")
    assert printed(capsys, "--oracle", oracle, "--json", "--file", str(positions_file)) == expected
    monkeypatch.setattr("sys.stdin", io.StringIO(positions_file.read_text(encoding="utf-8-sig")))
    assert printed(capsys, "--oracle", oracle, "--json", "--file", "-") == expected


def test_distances_are_to_the_next_conversion(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A move that converts has distance 1, whatever comes after it."""
    found = np.full(positions(2), 128 + 6, np.uint8)  # every position lost in 6, for the side to move
    path = write_distances(tmp_path, 2, found, "mtc")
    text = printed(capsys, "--json", "--oracle", f"chinook:path={path}", "B:WK32:B1,K8")
    assert json.loads(text)["value"] == "unknown"
    (one,) = map(json.loads, printed(capsys, "--json", "--oracle", f"chinook:path={path}", "B:WK32:B1").splitlines())
    assert [(m["value"], m["distance"]) for m in one["moves"]] == [("win", 1), ("win", 1)]
    (other,) = map(json.loads, printed(capsys, "--json", "--oracle", f"chinook:path={path}", "B:WK32:BK1").splitlines())
    assert [(m["value"], m["distance"]) for m in other["moves"]] == [("win", 7), ("win", 7)]


def test_wrong_input_is_one_sentence(capsys: pytest.CaptureFixture[str], oracle: str, tmp_path: Path) -> None:
    assert "no position is given" in refused(capsys, "--oracle", oracle)
    assert "nowhere.txt: cannot be read" in refused(capsys, "--oracle", oracle, "--file", str(tmp_path / "nowhere.txt"))
    bad = tmp_path / "bad.txt"
    bad.write_text(f"{TWO_KINGS}\nnonsense\n")
    assert "bad.txt, line 2: " in refused(capsys, "--oracle", oracle, "--file", str(bad))
    assert "nowhere: no such file or folder" in refused(
        capsys, "--oracle", f"chinook:path={tmp_path}/nowhere", TWO_KINGS
    )
    assert "unknown oracle 'chinok' (did you mean 'chinook'?)" in refused(capsys, "--oracle", "chinok", TWO_KINGS)
    assert "'chess'" in refused(capsys, "--game", "chess", TWO_KINGS)
