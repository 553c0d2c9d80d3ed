"""Reading Chinook's files, resolving captures, and refusing damaged files."""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs
import numpy as np
import pytest
from egdb_probing import probed, probed_slice
from egdb_writer import DB4, DB6, Style, encoded, majority_layout, official_layout, quiet_values
from gameforge_draughts.rules import Draughts
from gameforge_egdb_chinook import chinook_files, solving, soundness
from gameforge_egdb_chinook.chinook_files import covered_slices
from gameforge_egdb_chinook.codes import BLOCK
from gameforge_egdb_chinook.file_block import file_block
from gameforge_egdb_chinook.oracle import Chinook
from gameforge_egdb_chinook.probe import probe_raw
from gameforge_egdb_chinook.slices import positions, slices, tables
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import OracleFunctions, silent
from gameforge.kernel import UNKNOWN
from gameforge.kernel.compile.functions import compiled_function

Bytes = NDArray[np.uint8]


@pytest.fixture(scope="module")
def quiet(solved: Bytes) -> Bytes:
    return quiet_values(solved, 4)


@pytest.fixture(scope="module")
def content(quiet: Bytes) -> tuple[bytes, bytes]:
    """The data and index files of the database with up to 3 pieces, in a layout that is not DB6's."""
    return encoded(quiet[: positions(3)], 3, majority_layout(quiet, 3), DB6)


@pytest.fixture
def database(tmp_path: Path, content: tuple[bytes, bytes]) -> Path:
    """A folder with the files of `content` as db3 and db3.idx."""
    folder = tmp_path / "chinook"
    folder.mkdir()
    for name, part in zip(("db3", "db3.idx"), content, strict=True):
        (folder / name).write_bytes(part)
    return folder


def opened(path: Path, pieces: int | None = None, expand: bool = False) -> OracleFunctions:
    return Chinook(path=str(path), pieces=pieces, expand=expand).open(Draughts())


def write(folder: Path, name: str, files: tuple[bytes, bytes]) -> None:
    """Write the data and index files."""
    (folder / name).write_bytes(files[0])
    (folder / f"{name}.idx").write_bytes(files[1])


def test_probes_give_the_solved_value_of_every_position_with_captures_resolved(database: Path, solved: Bytes) -> None:
    functions = opened(database)
    assert functions.covers == "positions with up to 3 pieces"
    assert np.array_equal(probed(functions, 3), solved[: positions(3)])


def test_the_parameter_pieces_limits_what_is_loaded(database: Path, solved: Bytes) -> None:
    functions = opened(database, pieces=2)
    assert functions.covers == "positions with up to 2 pieces"
    assert np.array_equal(probed(functions, 2), solved[: positions(2)])
    assert not probed(functions, 3)[positions(2) :].any()


@pytest.mark.parametrize("expand", [False, True])
def test_raw_probes_return_stored_values_and_refuse_captures(database: Path, quiet: Bytes, expand: bool) -> None:
    assert np.array_equal(probed(opened(database, expand=expand), 3, probe_raw), quiet[: positions(3)])


def test_with_quiet_the_oracle_knows_no_position_with_a_possible_capture(
    database: Path, solved: Bytes, quiet: Bytes
) -> None:
    """Whether the values come from files or were solved."""
    functions = Chinook(path=str(database), quiet=True).open(Draughts())
    assert functions.covers == "positions with up to 3 pieces in which neither side could capture"
    assert np.array_equal(probed(functions, 3), quiet[: positions(3)])
    assert np.array_equal(probed(Chinook(pieces=3, quiet=True).open(Draughts()), 3), quiet[: positions(3)])


@pytest.mark.parametrize("expand", [False, True])
def test_the_real_db4_gives_the_solved_value_of_every_position(
    shared: Path, solved: Bytes, quiet: Bytes, expand: bool
) -> None:
    functions = opened(shared / "data" / "egdb" / "db4.idx", expand=expand)
    assert functions.covers == "positions with up to 4 pieces"
    assert np.array_equal(probed(functions, 4), solved)
    assert np.array_equal(probed(functions, 4, probe_raw), quiet)


@pytest.fixture(scope="module")
def other_layout(quiet: Bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the values of all positions of up to 4 pieces in another layout, for tests that only read it."""
    folder = tmp_path_factory.mktemp("other")
    write(folder, "DB4", encoded(quiet, 4, majority_layout(quiet, 4), DB6))
    return folder


@pytest.mark.parametrize("expand", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_position_of_four_pieces_in_another_layout(other_layout: Path, solved: Bytes, expand: bool) -> None:
    assert np.array_equal(probed(opened(other_layout, expand=expand), 4), solved)


def test_a_small_table_of_marks_gives_the_same_values(other_layout: Path, solved: Bytes) -> None:
    """The table has two lines for hundreds of blocks, so nearly every probe has to write one."""
    files = chinook_files.read(other_layout)
    block = file_block(files, covered_slices(files), 128, False, 1, silent)
    functions = attrs.evolve(opened(other_layout, pieces=2), data=block)
    function = compiled_function("probe", functions.probe)
    chosen = [(n, s) for n, s in enumerate(slices(4)) if s.size > 10_000]
    for n, s in chosen[::20]:
        assert np.array_equal(probed_slice(functions, tables(4), n, s, function), solved[s.start : s.start + s.size])


def test_threads_share_the_files_and_the_table_of_marks(other_layout: Path, solved: Bytes) -> None:
    files = chinook_files.read(other_layout)
    block = file_block(files, covered_slices(files), 256, False, 1, silent)
    functions = attrs.evolve(opened(other_layout, pieces=2), data=block)
    function = compiled_function("probe", functions.probe)
    chosen = [(n, s) for n, s in enumerate(slices(4)) if s.pieces == 4][::9]

    def right(order: int) -> bool:
        return all(
            np.array_equal(probed_slice(functions, tables(4), n, s, function), solved[s.start : s.start + s.size])
            for n, s in chosen[::order]
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(right, [1, -1, 1, -1]))


SHA256 = {
    ("db4", 4): (
        "3f55d5bdcf4c3c7f65a9bb58e3a71c65c82708b0cd6d68aa182d2cce8f1b3fa4",
        "5e01e15e97bd1bc1d3e03f49b345934b6ce38cfdab9fc5c1c7a2ca81cfebbe7c",
    ),
    ("DB6", 3): (
        "e39960aa3aae3e8de0a6fa0ef3cca3232220cc104b4a8fb3f2be491269fc7c65",
        "807e997cc78b3cfef3b92faf0ecc2658cbaa61cbea5f063a444446c5eaa39044",
    ),
    ("DB6", 4): (
        "0bd4322678358c7d97097052fa1ffd724bb348a7c8fd77cf002decaaa5233634",
        "1f70339584808079bf15ee14345100eec2d0762ad4de290ccb5d2acb9e8de1bb",
    ),
    ("DB6", 5): (
        "53300d31edb483331c8368056e31b5a3791613b1d3a19902c85ee2c4c011e6a0",
        "07e171563df21c72350fe2bd28252a54948dea6111bd5675259b233bc24f8aa0",
    ),
}
"""Checksums of the data and index of the published files, by name and number of pieces of the prefix."""


@pytest.mark.parametrize(("name", "pieces", "style"), [("db4", 4, DB4), ("DB6", 3, DB6), ("DB6", 4, DB6)])
def test_solved_values_encode_to_the_published_files(
    name: str, pieces: int, style: Style, shared: Path, quiet: Bytes
) -> None:
    layout = official_layout(shared / "data" / "egdb" / f"{name}.idx", pieces)
    files = encoded(quiet[: positions(pieces)], pieces, layout, style)
    assert tuple(hashlib.sha256(file).hexdigest() for file in files) == SHA256[name, pieces]


@pytest.mark.slow
def test_five_pieces_solved_encoded_and_read_back(shared: Path, tmp_path: Path) -> None:
    values = solving.solve(5, 2, silent)
    layout = official_layout(shared / "data" / "egdb" / "DB6.idx", 5)
    files = encoded(quiet_values(values, 5), 5, layout, DB6)
    assert tuple(hashlib.sha256(file).hexdigest() for file in files) == SHA256["DB6", 5]
    write(tmp_path, "DB5", files)
    for expand in (False, True):
        functions = Chinook(path=str(tmp_path), expand=expand).open(Draughts(), workers=2)
        assert functions.covers == "positions with up to 5 pieces"
        assert np.array_equal(probed(functions, 5), values)


def test_a_database_without_checksum_is_checked_once(database: Path, cache: Path) -> None:
    announced: list[str] = []

    def announce(what: str, done: int, total: int) -> None:
        announced.append(what)

    Chinook(path=str(database)).open(Draughts(), announce)
    assert set(announced) == {"checking the values of db3.idx (once)"}
    announced.clear()
    Chinook(path=str(database)).open(Draughts(), announce)
    assert announced == []
    assert [file.suffix for file in cache.iterdir()] == [".checked"]


def test_a_check_by_samples_is_announced(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soundness, "CHECKED_WHOLLY", 2)
    monkeypatch.setattr(soundness, "SAMPLE", 100)
    announced: list[tuple[str, int]] = []
    Chinook(path=str(database)).open(Draughts(), lambda what, done, total: announced.append((what, total)))
    (notice,) = (what for what, total in announced if not total)
    assert "more than 2 pieces, only 100 values are checked now (gameforge egdb verify checks all)" in notice


def test_the_published_db4_is_checked_by_its_checksum_alone(shared: Path, tmp_path: Path, cache: Path) -> None:
    source = shared / "data" / "egdb"
    data, index = (source / "db4").read_bytes(), (source / "db4.idx").read_bytes()
    write(tmp_path, "db4", (data, index))
    opened(tmp_path)
    assert not cache.exists()
    write(tmp_path, "db4", (data[:223_695] + b"stale", index))
    opened(tmp_path)
    place = next(i for i in range(100_000, len(data)) if data[i] < 242)
    write(tmp_path, "db4", (data[:place] + bytes([data[place] + 1]) + data[place + 1 :], index))
    assert "db4: altered, db4.idx is the index of Chinook db4, but the data is not" in refused(tmp_path)


def test_stale_bytes_after_the_last_code_are_harmless(database: Path, solved: Bytes) -> None:
    with (database / "db3").open("ab") as file:
        file.write(b"\xff" * 561)
    assert np.array_equal(probed(opened(database), 3), solved[: positions(3)])


def test_the_case_of_file_names_does_not_matter(database: Path) -> None:
    (database / "db3").rename(database / "Db3")
    (database / "db3.idx").rename(database / "DB3.IDX")
    ((index, data),) = chinook_files.find(database)
    assert (index.name, data.name) == ("DB3.IDX", "Db3")


def refused(path: Path, pieces: int | None = None) -> str:
    with pytest.raises(GameforgeError) as caught:
        opened(path, pieces)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_missing_files_are_named(database: Path, tmp_path: Path) -> None:
    assert refused(tmp_path / "nowhere").endswith("nowhere: no such file or folder")
    assert "holds no Chinook database" in refused(tmp_path)
    assert "db3: not an index file such as db4.idx" in refused(database / "db3")
    (database / "db3").unlink()
    assert refused(database).endswith("db3.idx: its data file 'db3' is missing")
    assert refused(database / "db3.idx").endswith("db3.idx: its data file 'db3' is missing")


def test_an_index_without_data_does_not_hide_a_complete_pair(database: Path) -> None:
    (database / "DB6.idx").write_text("BASE1100.00 ==\n")
    assert opened(database).covers == "positions with up to 3 pieces"


def test_one_of_several_databases_must_be_named(database: Path, content: tuple[bytes, bytes]) -> None:
    for name, part in zip(("DB2", "DB2.idx"), content, strict=True):
        (database / name).write_bytes(part)
    assert "holds several databases (DB2.idx, db3.idx); name one of these files" in refused(database)
    assert opened(database / "DB2.idx").covers == "positions with up to 3 pieces"


def test_more_pieces_than_the_files_cover_are_refused(database: Path) -> None:
    assert refused(database, pieces=4).endswith("db3.idx covers up to 3 pieces, not 4")


def test_truncated_data_is_refused(database: Path, content: tuple[bytes, bytes]) -> None:
    (database / "db3").write_bytes(content[0][:-1])
    assert f"db3: truncated, it has {len(content[0]) - 1:,} bytes" in refused(database)


def test_altered_codes_of_the_wrong_length_are_refused(database: Path, content: tuple[bytes, bytes]) -> None:
    data = bytearray(content[0])
    place = next(i for i, code in enumerate(data) if code < 243)
    data[place] = 255
    (database / "db3").write_bytes(data)
    assert "one of the two files was altered" in refused(database)


@pytest.mark.parametrize("block", [0, 1])
def test_altered_codes_of_the_right_length_contradict_the_rules(
    database: Path, cache: Path, content: tuple[bytes, bytes], quiet: Bytes, block: int
) -> None:
    known = quiet[: positions(3)] != UNKNOWN
    for place in range(block * BLOCK + 100, len(content[0])):
        data = bytearray(content[0])
        if data[place] < 242:
            data[place] += 1
            (database / "db3").write_bytes(data)
            if not np.array_equal(stored(database)[known], quiet[: positions(3)][known]):
                break  # the change affects more than the meaningless values of positions with captures
    assert "does not follow from those of its successors" in refused(database)
    assert not cache.exists()


def stored(path: Path) -> Bytes:
    """The stored values of all positions, without a check of the files; UNKNOWN where either side could capture."""
    files = chinook_files.read(path)
    covered = covered_slices(files)
    data = file_block(files, covered, 1 << 16, False, 1, silent)
    functions = OracleFunctions(probe=probe_raw, data=data, covers="", why_not=lambda state: "")
    return probed(functions, max(s.pieces for s in covered))


def first_line(prefix: str, change: Callable[[str], str]) -> Callable[[str], str]:
    """A function that changes the first line of a text that begins with `prefix`."""

    def apply(text: str) -> str:
        lines = text.splitlines(keepends=True)
        at = next(i for i, line in enumerate(lines) if line.startswith(prefix))
        lines[at] = change(lines[at])
        return "".join(lines)

    return apply


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: "", "db3.idx: empty"),
        (lambda text: text[:-3], "db3.idx: truncated, its last line is incomplete"),
        (lambda text: text[: text.rindex("\nE") + 1], "db3.idx: truncated, its last slice has no end"),
        (lambda text: text[: text.rindex("\nS ") + 1], "db3.idx: truncated, its last slice has no codes"),
        (lambda text: text[: text.rindex("BASE")], "the slice BASE.* is missing"),
        (lambda text: text + "BASE1100.00 ==\n", "line .*: the slice BASE1100.00 is listed twice"),
        (lambda text: "# a comment\n" + text, "line 1 is '# a comment', expected a slice such as"),
        (lambda text: "GIF89a\x00\xff\n", "line 1 is 'GIF89a.*', expected a slice such as"),
        (first_line("BASE", lambda line: line.replace("=", "=+")), "line 1 is 'BASE1100.00 =.', expected a slice"),
        (first_line("BASE", lambda line: line.replace("00.00", "00.11")), "the slice BASE1100.00 is missing"),
        (
            first_line("S", lambda line: line.replace("0/0", "0/7")),
            "line 2 is .*, expected the start of the slice at 0/0",
        ),
        (
            first_line("E", lambda line: line.replace("995", "990")),
            "BASE1100.00 ends at position 990, it must end at 995",
        ),
        (
            first_line("E", lambda line: line.replace("0/", "3/")),
            "line 3 is .*, expected an end of the slice in block 0",
        ),
        (first_line("E", lambda line: "\n"), "line 3 is '', expected the first position of block 1"),
        (first_line("E", lambda line: "E" + "9" * 5000 + line[1:]), "line 3 is 'E999"),
        (first_line(".", lambda line: ""), "expected an end of the slice in block 0"),
        (first_line(".", lambda line: ".5" + line[line.index(" ") :]), "one of the two files was altered"),
        (first_line(".", lambda line: line[:-2] + "9\n"), "expected the first position of block 1"),
    ],
)
def test_a_wrong_index_is_refused_with_its_line_or_slice(
    database: Path, change: Callable[[str], str], reason: str
) -> None:
    index = database / "db3.idx"
    index.write_bytes(change(index.read_bytes().decode("latin-1")).encode("latin-1"))
    with pytest.raises(GameforgeError, match=reason):
        opened(database)


def test_the_index_of_other_data_is_refused(database: Path, quiet: Bytes, content: tuple[bytes, bytes]) -> None:
    layout = majority_layout(quiet, 3)
    data, _ = encoded(quiet[: positions(3)], 3, layout[:1] + layout[:0:-1], DB6)
    assert len(data) == len(content[0])
    (database / "db3").write_bytes(data)
    assert "altered" in refused(database)


def test_a_slice_that_ends_with_a_block_has_its_end_in_the_next(tmp_path: Path) -> None:
    """As in DB6, there is a last '.' line for the next block, in which the slice has no codes."""
    lines = ["BASE1100.00 =", "S      0       0/0", ".995       1", "E995       1/0"]
    lines += ["BASE1001.00 =", "S      0       1/0", ".5       2", "E10       2/2", ""]
    first, second = chinook_files.parse_index("\n".join(lines).encode(), tmp_path / "x.idx")
    assert first.parts == [(0, 0, 1024), (995, 1024, 1024)]
    assert second.parts == [(0, 1024, 2048), (5, 2048, 2050)]
