"""Tables for other programs: games, moves and sessions as CSV and Parquet."""

import csv
import importlib.util
import os
from pathlib import Path

import pytest
from toy_site import registry

import gameforge as gf
from gameforge.cli.main import run
from gameforge.errors import GameforgeError
from gameforge.storage import files
from gameforge.storage.files import check_table, require_writable, write_table

MATCH = ["match", "random", "random", "--game", "othello", "--games", "4"]


class Valueless:
    """A value that cannot be written."""

    def __str__(self) -> str:
        raise RuntimeError("no value")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_games_and_moves_of_a_match(tmp_path: Path) -> None:
    games, moves = tmp_path / "games.csv", tmp_path / "moves.csv"
    assert run([*MATCH, "--export", str(games), "--export-moves", str(moves)]) == 0
    table = rows_of(games)
    assert [row["game"] for row in table] == ["1", "2", "3", "4"]
    assert sum(int(row["plies"]) for row in table) == len(rows_of(moves))
    first = rows_of(moves)[0]
    assert (first["game"], first["ply"], first["side"], first["opening"]) == ("1", "1", "0", "True")


def require_pyarrow() -> None:
    if importlib.util.find_spec("pyarrow") is None:
        assert os.environ.get("CI") != "true", "pyarrow is missing: .ci/run installs it with the test extra"
        pytest.skip("pyarrow is not installed: pip install 'gameforge[parquet]'")


def test_parquet_holds_the_same(tmp_path: Path) -> None:
    require_pyarrow()
    import pyarrow.parquet

    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": None, "c": 0.5}]
    write_table(tmp_path / "t.parquet", rows)
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet").to_pylist() == [{"c": None, **rows[0]}, rows[1]]


def test_rows_are_written_as_they_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_pyarrow()
    import pyarrow.parquet

    monkeypatch.setattr(files, "_TOGETHER", 2)
    rows = [{"a": 1}, {"a": 2, "b": None}, {"a": 0.5, "b": "x"}, {"b": "y"}, {"a": 3}]
    write_table(tmp_path / "t.parquet", iter(rows), ["a", "b"])
    whole = [{"a": None, "b": None, **row} for row in rows]
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet").to_pylist() == whole
    with pytest.raises(GameforgeError, match="column 'a' has values of different types"):
        write_table(tmp_path / "u.parquet", iter([*rows, {"a": "z"}]), ["a", "b"])
    write_table(tmp_path / "t.csv", iter(rows), ["a", "b"])
    assert (tmp_path / "t.csv").read_text().splitlines() == ["a,b", "1,", "2,", "0.5,x", ",y", "3,"]


def test_parquet_has_one_type_in_a_column(tmp_path: Path) -> None:
    require_pyarrow()
    with pytest.raises(GameforgeError, match=r"t\.parquet: column 'b' has values of different types.*write a .csv"):
        write_table(tmp_path / "t.parquet", [{"a": 1, "b": 1}, {"a": 2, "b": "x"}])
    with pytest.raises(GameforgeError, match=r"t\.parquet: column 'b' has an integer of more than 64 bits"):
        write_table(tmp_path / "t.parquet", [{"a": 1, "b": 1}, {"a": 2, "b": 1 << 64}])
    assert list(tmp_path.iterdir()) == []


def test_sessions_of_runs(tmp_path: Path) -> None:
    parts = {"searcher": "greedy", "evaluator": "linear", "features": "lanes", "learner": "drift:rounds=2"}
    gf.Pipeline(game="shuttle", registry=registry(), **parts).run(tmp_path / "runs" / "one")
    assert run(["runs", str(tmp_path / "runs"), "--export", str(tmp_path / "sessions.csv")]) == 0
    assert [(row["run"].endswith("one"), row["session"]) for row in rows_of(tmp_path / "sessions.csv")] == [
        (True, "1"),
        (True, "2"),
    ]


def test_another_ending_is_refused_before_the_match(tmp_path: Path) -> None:
    with pytest.raises(GameforgeError, match=r"\.csv or \.parquet"):
        check_table(tmp_path / "games.xlsx")


def test_a_table_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GameforgeError, match=r"cannot write .*games\.csv: "):
        write_table(tmp_path / "file" / "games.csv", [])


def test_two_tables_cannot_be_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run([*MATCH, "--export", "t.csv", "--export-moves", "./t.csv"]) == 2
    assert (
        capsys.readouterr().err
        == "error: --export and --export-moves name the same path, t.csv; choose different ones\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_cannot_be_written_is_refused_before_the_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gameforge.play.workshop.Workshop.players", None)
    (tmp_path / "file").write_text("")
    assert run([*MATCH, "--export", str(tmp_path / "file" / "games.csv")]) == 2
    assert "games.csv: Not a directory" in capsys.readouterr().err


def test_the_test_of_a_file_leaves_nothing_behind(tmp_path: Path) -> None:
    require_writable(tmp_path / "new" / "folder" / "games.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_table_replaces_an_older_one_only_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("older")
    with pytest.raises(RuntimeError, match="no value"):
        write_table(path, [{"a": 1}, {"a": Valueless()}])
    assert path.read_text() == "older"


@pytest.mark.parametrize(
    "command", [[*MATCH, "--export"], [*MATCH, "--export-moves"], ["runs", "runs", "--export"]], ids=" ".join
)
def test_no_file_is_overwritten_unasked(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.csv").write_text("mine")
    assert run([*command, "mine.csv"]) == 2
    assert "mine.csv already exists; choose another file, or overwrite it with --force" in capsys.readouterr().err
    assert Path("mine.csv").read_text() == "mine"
