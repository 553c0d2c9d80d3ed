"""Databases in several files, such as those of 7 and 8 pieces, and what they cover."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from egdb_probing import probed
from egdb_writer import DB6, encoded, majority_layout, quiet_values
from gameforge_draughts.rules import Draughts
from gameforge_egdb_chinook.oracle import Chinook
from gameforge_egdb_chinook.probe import raw_verdict
from gameforge_egdb_chinook.slices import materials, positions, slices_of
from numpy.typing import NDArray

from gameforge.config import Spec
from gameforge.errors import GameforgeError, NotCovered
from gameforge.interfaces.oracle import OracleFunctions
from gameforge.play.game import Game
from gameforge.play.knowledge import OracleHandle

Bytes = NDArray[np.uint8]


@pytest.fixture(scope="module")
def quiet(solved: Bytes) -> Bytes:
    return quiet_values(solved, 4)


def write(folder: Path, name: str, data: bytes, index: str) -> None:
    """Write a data file, its index, and a manifest, so that invented values pass the check of the files."""
    files = {name: data, f"{name}.idx": index.encode()}
    kept = [{"name": n, "bytes": len(c), "sha256": hashlib.sha256(c).hexdigest()} for n, c in files.items()]
    for file, content in files.items():
        (folder / file).write_bytes(content)
    manifest = {"format": "gameforge egdb", "version": 1, "game": "draughts", "metric": "wld", "pieces": 7}
    manifest |= {"positions": 0, "origin": "a test", "files": kept, "slices": []}
    (folder / f"{name}.json").write_text(json.dumps(manifest))


def opened(path: Path, **parameters: int | bool) -> OracleFunctions:
    return Chinook(path=str(path), **parameters).open(Draughts())  # type: ignore[arg-type]


def drawn(black: int, white: int, men: bool = True) -> list[str]:
    """Index lines that make every position with these numbers of pieces a draw, either side to move."""
    chosen = [m for m in materials(black + white) if sorted((m[0] + m[2], m[1] + m[3])) == sorted((black, white))]
    return [f"BASE{s.name} ==" for s in slices_of(m for m in chosen if men or m[2] + m[3] == 0)]


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("expand", [False, True])
def test_pairs_of_files_in_a_folder_are_one_database(tmp_path: Path, solved: Bytes, quiet: Bytes, expand: bool) -> None:
    layout = majority_layout(quiet, 4)
    groups = {"DB3": [p for p in layout if sum(map(int, p[0][:4])) < 4]}
    rest = layout[len(groups["DB3"]) :]
    groups |= {f"DB4.{i}": rest[i::3] for i in range(3)}
    for name, part in groups.items():
        data, index = encoded(quiet, 4, part, DB6)
        write(tmp_path, name, data, index.decode())
    functions = opened(tmp_path, expand=expand)
    assert functions.covers == "positions with up to 4 pieces"
    assert np.array_equal(probed(functions, 4), solved)
    one = opened(tmp_path / "DB3.idx", expand=expand)
    assert one.covers == "positions with up to 3 pieces"
    assert np.array_equal(probed(one, 3), solved[: positions(3)])


def test_coverage_is_what_the_files_hold(tmp_path: Path, quiet: Bytes) -> None:
    """The coverage of LS-Draughts: all positions with few pieces, 4 against 3, and 4 against 4."""
    data, index = encoded(quiet[: positions(3)], 3, majority_layout(quiet, 3), DB6)
    write(tmp_path, "DB3", data, index.decode())
    seven = drawn(4, 3)
    for i in range(3):
        write(tmp_path, f"DB7.{i}", b"", text(seven[i::3]))
    write(tmp_path, "DB8.44", b"", text(drawn(4, 4)))
    functions = opened(tmp_path)
    assert functions.covers == "positions with up to 3 pieces, 4 against 3, 4 against 4"
    game = Game(Draughts())
    handle = OracleHandle(Chinook(path=str(tmp_path)), Spec("chinook", {}))
    for fen in (
        "B:W30,31,32:B1,2,3,4",
        "W:W30,31,32:B1,2,3,4",
        "B:W29,30,31,32:B1,2,3,4",
        "W:WK29,K30,31,32:BK1,2,3,4",
    ):
        assert str(handle.probe(game.position(fen))) == "draw"
    for fen, why in (
        ("B:W30,31,32:B1,2", "2 pieces against 3, or a capture that leads out .*; it covers positions with up to 3"),
        ("B:W30,31:B1,2", "2 pieces against 2"),
        ("B:W18,30,31:B1,2,14,4", "a capture that leads out of the database"),
        ("B:W30,31:B1,2,3,4,5", "5 pieces against 2"),
        ("B:W29,30,31,32:B1,2,3,4,5", "9 pieces; this database covers up to 8"),
    ):
        with pytest.raises(GameforgeError, match=why):
            handle.probe(game.position(fen))


def test_positions_with_kings_only_need_no_other_slices(tmp_path: Path) -> None:
    write(tmp_path, "DB7-4300", b"", text(drawn(4, 3, men=False)))
    assert opened(tmp_path).covers == "positions with 4 kings against 3"
    write(tmp_path, "DB7-4300", b"", text(drawn(4, 3, men=False)[:1]))
    with pytest.raises(GameforgeError, match=r"the slice BASE4300.00 is missing"):
        opened(tmp_path)


def test_a_missing_slice_is_named(tmp_path: Path) -> None:
    lines = drawn(4, 3)
    gone = lines.pop(700)[:11]
    write(tmp_path, "DB7.0", b"", text(lines))
    with pytest.raises(GameforgeError, match=rf"DB7\.0\.idx: the slice {gone} is missing"):
        opened(tmp_path)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("BASE4500.00 ==", "the slice BASE4500.00 has 4 pieces against 5; .* at most 8"),
        ("BASE4000.00 ==", "the slice BASE4000.00 has 4 pieces against 0; each side must have at least one"),
        ("BASE4300.10 ==\nS      0       0/0", "line .* is 'S"),
        ("BASE2023.88 ==", "there is no slice BASE2023.88"),
    ],
)
def test_impossible_slices_are_refused(tmp_path: Path, line: str, reason: str) -> None:
    write(tmp_path, "DB7.0", b"", text([*drawn(4, 3), line]))
    with pytest.raises(GameforgeError, match=reason):
        opened(tmp_path)


def test_slices_without_positions_are_ignored(tmp_path: Path) -> None:
    """DB6 lists five men on the first row, where there is room for four."""
    write(tmp_path, "DB6", b"", text([*drawn(5, 1), "BASE0150.00 ++", "BASE0015.10 --"]))
    assert opened(tmp_path).covers == "positions with 5 against 1"


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("B:W18,30,31:B1,2,14,4", "the files hold no value because the side to move can capture"),
        ("B:W19,24,31:B1,2,3,15", "the files hold no value because the other side threatens to capture"),
        (
            "B:W30,31:B1,2,3",
            "3 pieces against 2, or a capture that leads out of the database; it covers positions with 4 against 3",
        ),
    ],
)
def test_raw_verdicts_exist_for_quiet_positions_only(tmp_path: Path, fen: str, reason: str) -> None:
    write(tmp_path, "DB7.0", b"", text(drawn(4, 3)))
    functions = opened(tmp_path)
    game = Game(Draughts())
    assert raw_verdict(functions, game.position("B:W30,31,32:B1,2,3,4")).value == "draw"
    with pytest.raises(NotCovered, match=reason):
        raw_verdict(functions, game.position(fen))
