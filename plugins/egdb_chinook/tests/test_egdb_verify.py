"""The commands verify, info and stats: verify finds every altered value and names its slice."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from egdb_counts import QUIET_TOTALS, TOTALS
from egdb_writer import first_positions
from gameforge_egdb_chinook.build import Build
from gameforge_egdb_chinook.codes import encode
from gameforge_egdb_chinook.manifest import checksum, databases
from gameforge_egdb_chinook.solving import forget_captures
from gameforge_egdb_chinook.target import target
from gameforge_egdb_chinook.units import DraughtsUnits

from gameforge.cli.main import run
from gameforge.interfaces import DRAW, LOSS, WIN
from gameforge.kernel import UNKNOWN


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("built")
    for format in ("chinook", "dtw", "mtc"):
        Build(target(format, 3, None, made), workers=2).run()
    return made


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """A database of each format, for the test to alter."""
    return shutil.copytree(built, tmp_path / "databases")


def altered(path: Path, offset: int, byte: int) -> None:
    content = bytearray(path.read_bytes())
    assert content[offset] != byte
    content[offset] = byte
    path.write_bytes(content)


def test_correct_databases_pass(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["egdb", "verify", "--game", "draughts", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"{folder / 'DB3'}: identical to Chinook DB6, first 3 pieces" in lines
    for name in ("DB3", "dtw3.egdb", "mtc3.egdb"):
        assert sum(line.startswith(f"{folder / name}: 199,520 values follow") for line in lines) == 1
    path = folder / "dtw3.json"
    assert run(["verify", str(path)]) == 0
    said = "database of endings, 199,520 values follow from those of their successors"
    assert capsys.readouterr().out == f"{path}: {said}\n"


@pytest.mark.parametrize("name", ["DB3", "dtw3.egdb", "mtc3.egdb"])
def test_the_slice_of_an_altered_byte_is_named(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = next(d for d in databases(folder) if d.title.endswith(name))
    assert found.manifest is not None
    record = next(r for r in found.manifest.slices if r["name"] == "0120.60")
    altered(folder / name, record["bytes"][0] + 3, 77)
    assert run(["egdb", "verify", "--quick", str(folder)]) == 2
    assert f"{folder / name}: damaged in the slice BASE0120.60" in capsys.readouterr().err


@pytest.mark.parametrize("metric", ["dtw", "mtc"])
@pytest.mark.parametrize("seed", range(4))
def test_the_slice_of_a_wrong_distance_with_correct_checksums_is_named(
    folder: Path, metric: str, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / f"{metric}3.json"
    (found,) = databases(path)
    rng = np.random.default_rng(seed)
    s = found.slices[rng.integers(len(found.slices))]
    data = folder / f"{metric}3.egdb"
    at = 4096 + s.start + int(rng.integers(s.size))
    altered(data, at, data.read_bytes()[at] ^ 2)
    described = json.loads(path.read_text())
    described["files"][0]["sha256"] = checksum(data)
    path.write_text(json.dumps(described))
    command = ["verify", str(path)] if seed else ["egdb", "verify", str(path)]
    assert run(command) == 2
    assert f"of the slice BASE{s.name} " in "".join(capsys.readouterr())


@pytest.mark.parametrize("name", ["1100.00", "1001.03", "0120.60"])
def test_the_slice_of_a_wrong_value_in_chinooks_format_is_named(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One value is changed in the codes of files without a manifest: a win, a loss, a draw."""
    (folder / "DB3.json").unlink()
    (found,) = databases(folder / "DB3.idx")
    units = DraughtsUnits(found.slices)
    unit = next(u for level in units.levels for u in level if name in (units.slices[n].name for n in u))
    quiet = found.quiet_values(units, unit)
    forget_captures(units.game_block(units.starts), units.unit_block(unit), quiet)
    (part,) = (p for s, p in units.parts(unit, quiet) if s.name == name)
    record = next(r for r in found.files[0].records if r.name == name)
    stored = np.where(part == UNKNOWN, np.uint8(record.default), part)
    codes = np.zeros(len(part) // 5 + 1, np.uint8)
    n = encode(stored, record.default, codes)
    positions = first_positions(codes[:n])
    digit = {DRAW: 0, WIN: 1, LOSS: 2}
    for value in {WIN, LOSS, DRAW} & set(part.tolist()):
        literal, i = next(
            (c, int(positions[c]) + j)
            for c in range(n)
            if codes[c] < 243
            for j in range(5)
            if positions[c] + j < len(part) and part[positions[c] + j] == value
        )
        wrong = WIN if value != WIN else LOSS
        weight = 3 ** (4 - (i - int(positions[literal])))
        before = (folder / "DB3").read_bytes()
        altered(folder / "DB3", record.start + literal, int(codes[literal]) + weight * (digit[wrong] - digit[value]))
        assert run(["egdb", "verify", str(folder / "DB3.idx")]) == 2
        assert f"BASE{name} " in capsys.readouterr().err
        (folder / "DB3").write_bytes(before)


def test_truncated_and_missing_files_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = (folder / "mtc3.egdb").read_bytes()
    (folder / "mtc3.egdb").write_bytes(content[:-100])
    assert run(["egdb", "verify", str(folder / "mtc3.json")]) == 2
    assert "mtc3.egdb" in capsys.readouterr().err
    (folder / "mtc3.egdb").unlink()
    assert run(["egdb", "verify", str(folder / "mtc3.json")]) == 2
    assert "missing" in capsys.readouterr().err
    assert run(["egdb", "verify", str(folder / "nowhere")]) == 2
    (folder / "empty").mkdir()
    assert run(["egdb", "verify", str(folder / "empty")]) == 2
    assert "holds no endgame databases" in capsys.readouterr().err


def test_info_prints_coverage_origin_and_checksums(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["egdb", "info", "--game", "draughts", str(folder / "DB3.idx")]) == 0
    out = capsys.readouterr().out
    assert "covers   positions with up to 3 pieces: 199,520 positions in 304 slices" in out
    assert "origin   gameforge" in out
    assert checksum(folder / "DB3") in out
    (folder / "DB3.json").unlink()
    assert run(["egdb", "info", "--json", str(folder / "DB3.idx")]) == 0
    about = json.loads(capsys.readouterr().out)
    assert about["origin"] == "Chinook DB6, first 3 pieces"
    assert about["positions"] == 199_520


@pytest.mark.parametrize(("name", "totals"), [("DB3.json", TOTALS), ("dtw3.json", TOTALS), ("DB3.idx", QUIET_TOTALS)])
def test_stats_add_up_to_the_published_counts(
    folder: Path, name: str, totals: dict[int, tuple[int, int, int]], capsys: pytest.CaptureFixture[str]
) -> None:
    if totals is QUIET_TOTALS:
        (folder / "DB3.json").unlink()
    assert run(["egdb", "stats", "--json", str(folder / name)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for pieces in (2, 3):
        of_pieces = [row for row in rows if sum(map(int, row["name"][:4])) == pieces]
        assert tuple(sum(row[key] for row in of_pieces) for key in ("win", "loss", "draw")) == totals[pieces]
    assert run(["egdb", "stats", "--game", "draughts", str(folder / name)]) == 0
    table = capsys.readouterr().out
    assert ("61 plies, B:WK2:B3,4" in table) == name.startswith("dtw")


def test_stats_report_conversions_beyond_the_forty_move_rule(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["egdb", "stats", str(folder / "mtc3.json")]) == 0
    assert "no position needs more than 80 plies to the next capture or man's move" in capsys.readouterr().out
    monkeypatch.setattr("gameforge_egdb_chinook.command.DRAWN_AFTER", 32)
    assert run(["egdb", "stats", str(folder / "mtc3.json")]) == 0
    assert "more than 32 plies to the next capture or man's move: " in capsys.readouterr().out


@pytest.mark.parametrize("command", [["verify", "--quick"], ["info"], ["stats"]])
@pytest.mark.parametrize("name", ["DB3", "mtc3.egdb"])
def test_damaged_files_are_refused(
    folder: Path, command: list[str], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    altered(folder / name, (folder / name).stat().st_size - 9, 77)
    assert run(["egdb", *command, str((folder / name).with_suffix(".json"))]) == 2
    assert f"{folder / name}: damaged in the slice" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["verify", "--quick"], ["info"], ["stats"]])
def test_damage_without_a_manifest_is_found_by_codes_or_by_the_published_checksum(
    folder: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "DB3.json").unlink()
    content = (folder / "DB3").read_bytes()
    literal = next(i for i, code in enumerate(content) if code < 242)
    for code, reason in ((255, "one of the two files was altered"), (content[literal] + 1, "not the published data")):
        altered(folder / "DB3", literal, code)
        assert run(["egdb", *command, str(folder / "DB3.idx")]) == 2
        assert reason in capsys.readouterr().err
        (folder / "DB3").write_bytes(content)


def test_a_quick_check_reports_that_there_is_no_checksum(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "DB3.json").unlink()
    lines = (folder / "DB3.idx").read_text().splitlines(keepends=True)
    wholes = [i for i, line in enumerate(lines) if line.rstrip().endswith(("==", "++", "--"))]
    first, second = wholes[0], wholes[-1]
    lines[first], lines[second] = lines[second], lines[first]  # the same database, but not a published index
    (folder / "DB3.idx").write_text("".join(lines))
    assert run(["egdb", "verify", "--quick", str(folder / "DB3.idx")]) == 0
    assert "there is no checksum to compare with" in capsys.readouterr().out


def test_other_files_in_the_folder_are_ignored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "package.json").write_text('{"name": "other"}')
    (folder / "tsconfig.json").write_text("// no JSON")
    assert run(["egdb", "info", str(folder)]) == 0
    (folder / "dtw3.json").write_bytes((folder / "dtw3.json").read_bytes()[:1000])
    assert run(["egdb", "info", str(folder)]) == 2
    assert "dtw3.json: damaged, not a JSON file" in capsys.readouterr().err


def test_a_manifest_must_list_all_slices(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads((folder / "dtw3.json").read_text())
    del content["slices"][7]
    (folder / "dtw3.json").write_text(json.dumps(content))
    assert run(["egdb", "stats", str(folder / "dtw3.json")]) == 2
    assert "its slices are not those of" in capsys.readouterr().err


def test_a_manifest_vouches_only_for_the_files_that_it_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("DB3", "DB3.idx", "DB3.json"):
        (folder / name.replace("DB3", "mine")).write_bytes((folder / name).read_bytes())
    literal = next(i for i, code in enumerate((folder / "mine").read_bytes()) if code < 242)
    altered(folder / "mine", literal, (folder / "mine").read_bytes()[literal] + 1)
    assert run(["egdb", "probe", "--oracle", f"chinook:path={folder / 'mine.idx'}", "B:WK29:BK4"]) == 2
    assert "mine.json: the manifest of other files, not of mine" in capsys.readouterr().err
