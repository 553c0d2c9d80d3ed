"""Builds: files identical to the published ones, identical results after interruptions, and clear errors."""

import errno
import functools
import hashlib
import itertools
import os
import random
import re
import shutil
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from copies import copies_this_process, exit_code, in_a_copy, kill_this_process
from egdb_counts import MATERIALS, TOTALS
from gameforge_egdb_chinook import build as build_module
from gameforge_egdb_chinook import chinook_files, manifest
from gameforge_egdb_chinook.build import Build, BuildProgress
from gameforge_egdb_chinook.chinook_files import SYMBOLS, layout
from gameforge_egdb_chinook.slices import slices
from gameforge_egdb_chinook.target import capacity, closure, cost, target
from gameforge_retrograde.database_files import Journal
from kills import essence, killed_at_every_rename

from gameforge.cli.main import run
from gameforge.errors import GameforgeError
from gameforge.storage.folder import locked

LONGEST_WINS = {2: 13, 3: 61, 4: 109, 5: 161}
"""In plies, by number of pieces; from an independent solver (data/egdb/longest_wins_2to5.tsv of the shared data)."""


def built(folder: Path, format: str, pieces: int, **options: Any) -> Path:
    return Build(target(format, pieces, None, folder), **options).run()


Database = Callable[[str, int], Path]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Return the database of a format and a number of pieces, which is built once, for tests that only read it."""
    folder = tmp_path_factory.mktemp("databases")
    return functools.cache(lambda format, pieces: built(folder / f"{format}{pieces}", format, pieces, workers=2))


def digests(path: Path) -> tuple[str, str]:
    return manifest.checksum(path), manifest.checksum(path.with_name(path.name + ".idx"))


def expected(pieces: int) -> tuple[str, str]:
    titles = f"Chinook DB6, first {pieces} pieces", "Chinook DB6"
    return next((one.data, one.index) for one in manifest.OFFICIAL if one.title in titles)


@pytest.mark.parametrize("pieces", [3, 4])
def test_built_files_are_a_prefix_of_the_published_ones(pieces: int, database: Database) -> None:
    folder = database("chinook", pieces).parent
    assert digests(folder / f"DB{pieces}") == expected(pieces)
    assert sorted(file.name for file in folder.iterdir()) == [f"DB{pieces}", f"DB{pieces}.idx", f"DB{pieces}.json"]


@pytest.mark.slow
def test_five_pieces_are_a_prefix_of_the_published_files(tmp_path: Path) -> None:
    built(tmp_path, "chinook", 5, workers=2)
    assert digests(tmp_path / "DB5") == expected(5)


def test_layout_matches_the_published_index(shared: Path) -> None:
    index = shared / "data" / "egdb" / "DB6.idx"
    records = chinook_files.parse_index(index.read_bytes(), index)
    places = list(layout(6))
    assert [place.name for place in places] == [record.name for record in records]
    assert [place.default for place in places] == [record.default for record in records]


def test_layout_of_fewer_pieces_is_a_prefix_and_lists_every_slice_once() -> None:
    names = [place.name for place in layout(5)]
    assert names[: len(list(layout(4)))] == [place.name for place in layout(4)]
    assert sorted(names) == sorted(s.name for s in slices(5))
    symbols = {value: symbol for symbol, value in SYMBOLS.items()}
    found = {place.name: symbols[place.default] for place in layout(4)}
    assert (found["1100.00"], found["2100.00"], found["1200.00"]) == ("=", "+", "-")
    assert (found["2002.06"], found["2002.05"], found["0220.40"], found["0220.30"]) == ("=", "+", "=", "-")


@pytest.mark.parametrize(
    ("format", "pieces"),
    [
        ("chinook", 4),
        ("dtw", 3),
        ("mtc", 3),
        *(pytest.param(format, 4, marks=pytest.mark.slow) for format in ("dtw", "mtc")),
    ],
)
def test_counts_in_the_manifest_match_the_published_counts(format: str, pieces: int, database: Database) -> None:
    found = manifest.read(database(format, pieces))
    manifest.check(found)
    totals: dict[int, list[int]] = {}
    by_material: dict[str, list[int]] = {}
    for record in found.slices:
        counts = [int(record[key]) for key in ("win", "loss", "draw")]
        for key, sums in ((sum(map(int, record["name"][:4])), totals), (record["name"][:4], by_material)):
            sums[key] = [a + b for a, b in zip(sums.get(key, [0, 0, 0]), counts, strict=True)]  # type: ignore[index, call-overload]
    assert {n: tuple(counts) for n, counts in totals.items()} == {n: TOTALS[n] for n in range(2, pieces + 1)}
    assert {material: tuple(counts) for material, counts in by_material.items()} == {
        material: both[0] for material, both in MATERIALS.items() if sum(map(int, material)) <= pieces
    }


def longest_wins(path: Path) -> dict[int, int]:
    longest: dict[int, int] = {}
    for record in manifest.read(path).slices:
        pieces = sum(map(int, record["name"][:4]))
        longest[pieces] = max(longest.get(pieces, 0), record["longest_win"] or 0)
    return longest


@pytest.mark.parametrize("pieces", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_longest_wins_match_the_published_ones(pieces: int, database: Database) -> None:
    assert longest_wins(database("dtw", pieces)) == {n: LONGEST_WINS[n] for n in range(2, pieces + 1)}


@pytest.mark.slow
def test_longest_wins_of_every_material_up_to_five_pieces(shared: Path, tmp_path: Path) -> None:
    path = built(tmp_path, "dtw", 5, workers=2)
    assert longest_wins(path) == LONGEST_WINS
    found: dict[str, int] = {}
    for record in manifest.read(path).slices:
        bk, wk, bm, wm = record["name"][:4]
        material = f"{bk}K{bm}M-{wk}K{wm}M"
        found[material] = max(found.get(material, 0), record["longest_win"] or 0)
    lines = (shared / "data" / "egdb" / "longest_wins_2to5.tsv").read_text().splitlines()
    published = [line.split("\t") for line in lines if line and not line.startswith("#")]
    assert {material: int(plies) for material, plies, *_ in published} == {m: p for m, p in found.items() if p}


@pytest.mark.parametrize(("pieces", "longest"), [(3, 33), pytest.param(4, 37, marks=pytest.mark.slow)])
def test_no_conversion_of_up_to_four_pieces_takes_forty_moves(pieces: int, longest: int, database: Database) -> None:
    assert max(longest_wins(database("mtc", pieces)).values()) == longest


def test_files_do_not_depend_on_the_number_of_workers(database: Database, tmp_path: Path) -> None:
    built(tmp_path, "mtc", 3, workers=1)
    two = database("mtc", 3).with_name("mtc3.egdb")
    assert (tmp_path / "mtc3.egdb").read_bytes() == two.read_bytes()


@copies_this_process
@pytest.mark.parametrize(
    ("format", "pieces", "kills"),
    [("chinook", 3, 3), ("mtc", 3, 2), pytest.param("chinook", 4, 20, marks=pytest.mark.slow)],
)
def test_a_build_killed_at_random_moments_resumes_to_the_same_bytes(
    format: str, pieces: int, kills: int, database: Database, tmp_path: Path
) -> None:
    """The build is killed by SIGKILL, before or after it records a unit, each time a little later."""
    whole = database(format, pieces)
    rng = random.Random(format)
    wanted = target(format, pieces, None, tmp_path / "killed")

    def work() -> None:
        Build(wanted, workers=2).run()

    share, recorded = len(manifest.read(whole).slices) // 2 // kills, [0]  # most units are two slices
    for _ in range(kills):
        last, before = rng.randint(2, share), bool(rng.getrandbits(1))
        killed = in_a_copy(functools.partial(die_at_unit, last, before), work)
        assert exit_code(killed) == -signal.SIGKILL
        assert not wanted.manifest_path.exists()
        recorded.append(len((wanted.build_folder / "journal").read_bytes().splitlines()))
    assert recorded == sorted(set(recorded))
    work()
    for file in manifest.read(whole).files:
        assert (wanted.folder / file.name).read_bytes() == whole.with_name(file.name).read_bytes()
    assert manifest.read(wanted.manifest_path).slices == manifest.read(whole).slices


def die_at_unit(n: int, before: bool) -> None:
    """Kill this process at the n-th unit that it records, before or after it writes it."""
    append, left = Journal.append, itertools.count(n - 1, -1)

    def deadly(journal: object, entry: object) -> None:
        is_last = next(left) == 0
        if is_last and before:
            kill_this_process()
        append(journal, entry)
        if is_last:
            kill_this_process()

    Journal.append = deadly  # type: ignore[method-assign]


def test_a_build_interrupted_during_the_last_steps_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    for format in ("chinook", "dtw"):
        whole = built(tmp_path / "whole", format, 2)
        with monkeypatch.context() as patch:
            patch.setattr("gameforge_egdb_chinook.build.write_manifest", interrupted)
            with pytest.raises(KeyboardInterrupt):
                built(tmp_path, format, 2)
        path = built(tmp_path, format, 2)
        assert path.read_bytes() == whole.read_bytes()


def test_a_damaged_unit_of_an_unfinished_build_is_solved_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("gameforge_egdb_chinook.build.write_manifest", interrupted)
        with pytest.raises(KeyboardInterrupt):
            built(tmp_path, "chinook", 3)
    values = tmp_path / "DB3.build" / "values"
    content = bytearray(values.read_bytes())
    content[100] ^= 3
    values.write_bytes(content)
    built(tmp_path, "chinook", 3)
    assert digests(tmp_path / "DB3") == expected(3)


def test_the_build_of_a_material_includes_only_what_it_leads_to(tmp_path: Path) -> None:
    assert closure((2, 1, 0, 0)) == {(1, 1, 0, 0), (2, 1, 0, 0), (1, 2, 0, 0)}
    assert (2, 1, 0, 0) in closure((1, 1, 1, 0))
    kings = closure((4, 3, 0, 0))
    assert all(bm + wm == 0 and bk <= 4 and wk <= 4 for bk, wk, bm, wm in kings)
    wanted = target("chinook", 3, "2100", tmp_path)
    Build(wanted).run()
    built(tmp_path, "chinook", 3)
    part, whole = (chinook_files.read(tmp_path / name)[0] for name in ("DB3-2100.idx", "DB3.idx"))
    assert [record.name for record in part.records] == ["1100.00", "2100.00", "1200.00"]
    for record in part.records:
        same = next(r for r in whole.records if r.name == record.name)
        assert part.data[record.start : record.end].tobytes() == whole.data[same.start : same.end].tobytes()


def test_costs_add_up_and_memory_can_be_limited(tmp_path: Path) -> None:
    wanted = target("chinook", 6, None, tmp_path)
    needs = cost(wanted, 2, wanted.slices())
    assert needs.positions == 2_571_945_320
    assert needs.memory < 3_500_000_000
    assert capacity(wanted, needs.memory, wanted.slices()) >= needs.largest_unit
    with pytest.raises(GameforgeError, match="max_memory is too small"):
        capacity(wanted, 500_000_000, wanted.slices())
    whole = built(tmp_path, "chinook", 3, workers=2, capacity=1)
    assert manifest.read(whole).positions == 199_520


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "chess", "--pieces", "4"], "does not support the game 'chess'"),
        (["--game", "draughts", "--pieces", "1"], "pieces = 1: must be from 2 to 8"),
        (["--game", "draughts", "--pieces", "9"], "pieces = 9: must be from 2 to 8"),
        (["--game", "draughts", "--pieces", "6", "--format", "dtw"], "= 6: must be from 2 to 5 for the format dtw"),
        (["--game", "draughts", "--pieces", "4", "--format", "dvd"], "unknown format 'dvd'"),
        (["--game", "draughts", "--pieces", "4", "--max-memory", "much"], "'much' is not a number of bytes"),
        (["--game", "draughts", "--pieces", "4", "--max-memory", "1M"], "max_memory is too small"),
        (["--game", "draughts", "--pieces", "7", "--material", "4400"], "four digits that add up to 7"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["egdb", "build", *arguments, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_no_file_under_a_final_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    assert run(["egdb", "build", "--game", "draughts", "--pieces", "3", "--out", str(tmp_path)]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert not any(file.name in ("DB3", "DB3.idx", "DB3.json") for file in tmp_path.iterdir())


def test_files_of_other_origin_are_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "DB3").write_bytes(b"mine")
    assert run(["egdb", "build", "--game", "draughts", "--pieces", "3", "--out", str(tmp_path)]) == 2
    assert "was not built here" in capsys.readouterr().err
    assert (tmp_path / "DB3").read_bytes() == b"mine"
    (tmp_path / "DB3").rename(tmp_path / "DB3.idx")
    assert run(["egdb", "build", "--game", "draughts", "--pieces", "3", "--out", str(tmp_path)]) == 2
    assert "DB3.idx exists and was not built here" in capsys.readouterr().err
    assert (tmp_path / "DB3.idx").read_bytes() == b"mine"
    (tmp_path / "file").write_bytes(b"")
    assert run(["egdb", "build", "--game", "draughts", "--pieces", "3", "--out", str(tmp_path / "file")]) == 2


def test_the_command_logs_one_line_per_slice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["egdb", "build", "--pieces", "2", "--out", str(tmp_path)]) == 0
    lines = (tmp_path / "DB2.log").read_text().splitlines()
    assert len(lines) == len(slices(2))
    assert any("BASE1100.00 992 positions: 230 won, 108 lost, 654 drawn" in line for line in lines)
    assert run(["egdb", "build", "--game", "draughts", "--pieces", "2", "--out", str(tmp_path)]) == 0
    assert "nothing to build, its checksums match" in capsys.readouterr().err
    (tmp_path / "DB2").write_bytes(b"")
    assert run(["egdb", "build", "--game", "draughts", "--pieces", "2", "--out", str(tmp_path)]) == 2
    assert "DB2: truncated" in capsys.readouterr().err


def test_a_plan_builds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new"
    assert run(["egdb", "build", "--game", "draughts", "--pieces", "6", "--plan", "--out", str(out)]) == 0
    assert "2,571,945,320" in capsys.readouterr().out
    assert not out.exists()
    arguments = ["egdb", "build", "--game", "draughts", "--pieces", "6", "--plan", "--max-memory", "500M"]
    assert run(arguments) == 2
    assert capsys.readouterr().out == ""


def test_estimated_time_includes_that_one_thread_solves_a_unit(tmp_path: Path) -> None:
    wanted = target("chinook", 7, "4300", tmp_path)
    one, eight = (cost(wanted, workers, wanted.slices()) for workers in (1, 8))
    assert one.seconds > eight.seconds > one.seconds * one.largest_unit / one.positions


def test_the_manifest_holds_the_checksums_of_file_and_slices(tmp_path: Path) -> None:
    found = manifest.read(built(tmp_path, "dtw", 2))
    content = (tmp_path / "dtw2.egdb").read_bytes()
    assert found.files[0].sha256 == hashlib.sha256(content).hexdigest()
    for record in found.slices:
        first, end = record["bytes"]
        assert record["sha256"] == hashlib.sha256(content[first:end]).hexdigest()


def test_a_second_build_in_the_same_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("fcntl")
    folder = target("chinook", 3, None, tmp_path).build_folder
    folder.mkdir()
    BuildProgress(os.getpid(), 12, 3456).write(folder)
    with locked(folder):
        assert run(["egdb", "build", "--game", "draughts", "--pieces", "3", "--out", str(tmp_path)]) == 2
    assert "is writing there (12 of 3,456 positions); wait until it has ended" in capsys.readouterr().err
    assert run(["egdb", "build", "--game", "draughts", "--pieces", "3", "--out", str(tmp_path)]) == 0
    assert digests(tmp_path / "DB3") == expected(3)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_log_that_cannot_be_written_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "DB2.log").symlink_to("/dev/full")
    assert run(["egdb", "build", "--game", "draughts", "--pieces", "2", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith("cannot be written (No space left on device)")
    assert not (tmp_path / "DB2").exists()


def test_a_leftover_build_folder_is_removed(tmp_path: Path) -> None:
    path = built(tmp_path, "chinook", 2)
    left = target("chinook", 2, None, tmp_path).build_folder
    left.mkdir()
    (left / "journal").write_bytes(b"")
    assert built(tmp_path, "chinook", 2) == path
    assert not left.exists()


def test_a_database_that_another_process_has_just_finished_is_not_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other process finishes after this one has looked for the manifest, and before it takes the lock."""

    def late(folder: Path, progress: Callable[[], str]) -> AbstractContextManager[None]:
        monkeypatch.setattr(build_module, "locked", locked)
        shutil.rmtree(folder)
        built(tmp_path, "chinook", 2)
        folder.mkdir(exist_ok=True)
        return locked(folder)

    monkeypatch.setattr(build_module, "locked", late)
    path = built(tmp_path, "chinook", 2)
    manifest.check(manifest.read(path))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["DB2", "DB2.idx", "DB2.json"]


@copies_this_process
@pytest.mark.parametrize(("format", "renames"), [("chinook", 4), ("mtc", 3)])
def test_killed_at_every_rename(format: str, renames: int, tmp_path: Path) -> None:
    """After the build is resumed there are the same files as without a kill, and no others."""

    def work(folder: Path) -> None:
        built(folder, format, 2)

    work(tmp_path / "whole")
    killed = 0
    for folder in killed_at_every_rename(work, tmp_path):
        killed += 1
        work(folder)
        assert essence(folder) == essence(tmp_path / "whole"), folder.name
    assert killed == 2 * renames


@pytest.mark.parametrize(
    ("room", "message"),
    [
        ("disk", r"building DB7 needs \d+(\.\d+)? GB of disk in .*, where 1\.00 GB are free"),
        ("memory", r"building DB7 needs \d+(\.\d+)? MB of memory, of which 1\.00 MB are available"),
    ],
)
def test_room_is_checked_before_the_first_byte(
    room: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    free = 10**9 if room == "disk" else 10**15
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**15, 0, free))
    monkeypatch.setattr("gameforge.memory.available_memory", lambda: 10**15 if room == "disk" else 10**6)
    out = tmp_path / "a" / "b"
    assert run(["egdb", "build", "--game", "draughts", "--pieces", "7", "--out", str(out)]) == 2
    assert re.search(message, capsys.readouterr().err)
    wanted = target("chinook", 7, None, out)
    with pytest.raises(GameforgeError, match=message):
        Build(wanted).run()
    assert list(tmp_path.iterdir()) == []
