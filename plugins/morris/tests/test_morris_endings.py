"""Endings: numbers of positions, moves of the indexer, values against search and rules, files, the oracle in play."""

import hashlib
import json
import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gameforge_morris import endgames
from gameforge_morris.endgames import MorrisUnits, starts, subspaces, table_words
from gameforge_morris.movegen import WHITE, state_of
from gameforge_retrograde.indexer import EXTERNAL_BITS, MAX_MOVES, STORED
from hypothesis import given, settings
from hypothesis import strategies as st

import gameforge as gf
from gameforge.cli.main import run
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import ORACLE_WIN, PLY, PROVEN_WIN
from gameforge.interfaces.rules import State
from gameforge.kernel.compile.jit import COMPILED
from gameforge.testing.uncompiled import uncompiled

GAME = gf.game("morris")
UNITS = MorrisUnits(4)
TABLES = UNITS.game_block(UNITS.starts)
PLAIN = uncompiled("gameforge_morris.endgames")
compiled_only = pytest.mark.skipif(not COMPILED, reason="millions of positions")


def plain_number(own: int, opp: int) -> int:
    with np.errstate(over="ignore"):
        return int(PLAIN.number(TABLES, np.uint64(own), np.uint64(opp)))


@st.composite
def endings(draw: st.DrawFn) -> tuple[int, int]:
    """Draw (own men, opponent's men): 3 or 4 of each."""
    a, b = draw(st.integers(3, 4)), draw(st.integers(3, 4))
    points = draw(st.permutations(range(24)))[: a + b]
    return sum(1 << point for point in points[:a]), sum(1 << point for point in points[a:])


def of_number(n: int, men: int = 4) -> State:
    """Return the position of a number, with White to move."""
    which = next(i for i, start in enumerate(starts(men)[1:]) if n < start)
    s = subspaces(men)[which]
    own, opp = endgames._men_of(TABLES, np.uint64(n - starts(men)[which]), np.uint64(s.own), np.uint64(s.opp))
    return state_of(int(own), int(opp), 0, WHITE)


def test_the_subspaces_and_their_sizes() -> None:
    found = [(s.name, s.size) for s in subspaces(4)]
    assert found == [("3-3", 2_691_920), ("3-4", 12_113_640), ("4-3", 12_113_640), ("4-4", 51_482_970)]
    assert starts(4)[-1] == 78_402_170
    assert UNITS.levels == [[(0,)], [(1, 2)], [(3,)]]


@given(endings())
def test_numbers_lead_back_to_their_positions(men: tuple[int, int]) -> None:
    n = plain_number(*men)
    assert of_number(n)[:2] == men


def test_the_first_and_the_last_numbers() -> None:
    assert plain_number(0b111, 0b111000) == 0
    for i, subspace in enumerate(subspaces(4)):
        first, last = of_number(starts(4)[i]), of_number(starts(4)[i + 1] - 1)
        for state in (first, last):
            assert (state[0].bit_count(), state[1].bit_count()) == (subspace.own, subspace.opp)
            assert state[0] & state[1] == 0
    assert of_number(starts(4)[-1] - 1)[0] == 0b1111 << 20


def unit_of(n: int) -> tuple[tuple[int, ...], int]:
    """Return (unit, number within it) of a position."""
    for unit in (unit for level in UNITS.levels for unit in level):
        first = UNITS.starts[unit[0]]
        if first <= n < first + sum(UNITS.sizes[i] for i in unit):
            return unit, n - first
    raise AssertionError(n)


def expanded(n: int) -> tuple[list[int], int]:
    """Return (successors outside the unit, number of moves inside it) from the indexer."""
    unit, i = unit_of(n)
    out = np.zeros(MAX_MOVES, np.uint64)
    with np.errstate(over="ignore"):
        code = int(PLAIN.expand(TABLES, UNITS.unit_block(unit), np.uint64(i), out))
    return [int(place) for place in out[: code & (1 << EXTERNAL_BITS) - 1]], code >> EXTERNAL_BITS


def came_from(n: int) -> list[int]:
    """Return the numbers of the predecessors within the unit."""
    unit, i = unit_of(n)
    out = np.zeros(MAX_MOVES, np.uint64)
    with np.errstate(over="ignore"):
        count = int(PLAIN.predecessors(TABLES, UNITS.unit_block(unit), np.uint64(i), out))
    return [int(place) + UNITS.starts[unit[0]] for place in out[:count]]


@settings(max_examples=40)  # each visits all children of an ending
@given(endings())
def test_the_indexer_moves_as_the_rules_do(men: tuple[int, int]) -> None:
    n = plain_number(*men)
    state = state_of(*men, 0, WHITE)
    children = [GAME.play(state, move) for move in GAME.legal(state)]
    outside = [child for child in children if child[0].bit_count() < men[1].bit_count()]
    inside = [plain_number(child[0], child[1]) for child in children if child not in outside]
    places, count = expanded(n)
    expected = [STORED + plain_number(c[0], c[1]) if c[0].bit_count() >= 3 else 2 for c in outside]
    assert Counter(places) == Counter(expected)
    assert count == len(inside)
    for child in inside[:6]:
        assert n in came_from(child)
    for before in came_from(n):
        parent = of_number(before)
        reached = [GAME.play(parent, move) for move in GAME.legal(parent)]
        assert (men[0], men[1]) in [child[:2] for child in reached]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of three men against three, as the command builds it."""
    if not COMPILED:
        pytest.skip("millions of positions")
    path = tmp_path_factory.mktemp("endings") / "new"
    path.mkdir()
    (path / ".morris3.egdb.123-456.tmp").write_text("left by a killed build")
    assert run(["egdb", "build", "--game", "morris", "--men", "3", "--out", str(path)]) == 0
    return path


def test_the_folder_holds_a_data_file_and_a_manifest(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == ["morris3.egdb", "morris3.json"]


def test_counts_of_three_against_three(folder: Path) -> None:
    (counts,) = endgames.read(folder).counts
    assert (counts.positions, counts.win, counts.loss, counts.draw) == (2_691_920, 2_232_160, 455_648, 4_112)
    assert (counts.longest_win, counts.example) == (25, "W:Wa7,g7,g4:Bd7,g1,d1")


def test_values_agree_with_search(folder: Path) -> None:
    """A search of five plies finds exactly the wins and losses within five plies."""
    oracle = gf.oracle("morris/endings", path=str(folder))
    player = gf.player(GAME, searcher="alphabeta:depth=5", evaluator="material")
    distances = endgames.read(folder).distances
    rng = random.Random(1)
    near = np.flatnonzero((distances > 0) & (distances <= 6)).tolist()
    for n in rng.sample(near, 30) + [rng.randrange(len(distances)) for _ in range(30)]:
        position = GAME.position(GAME.position_text(of_number(n, 3)))
        verdict = oracle.probe(position)
        score = player.analyse(position).score
        if verdict.distance is not None and verdict.distance <= 5:
            assert score == (1 if verdict.value == "win" else -1) * (PROVEN_WIN - verdict.distance * PLY)
        else:
            assert abs(score) < ORACLE_WIN


def test_a_player_wins_within_the_distance_of_the_database(folder: Path) -> None:
    oracle = gf.oracle("morris/endings", path=str(folder))
    player = gf.player(GAME, searcher="alphabeta:depth=2", evaluator="material", oracle=oracle)
    position = GAME.position(endgames.read(folder).counts[0].example)
    assert str(oracle.get(position)) == "win in 25 plies"
    plies = 0
    while position.outcome is None:
        position = position.play(player.choose(position))
        plies += 1
    assert (plies, position.outcome.winner) == (25, 0)


@pytest.mark.parametrize(("value", "points"), [("win", 1), ("draw", 0)])
def test_the_default_player_keeps_the_result_of_an_ending(value: str, points: int, folder: Path) -> None:
    """Random endings of three men against three; the opponent has the database, too."""
    oracle = gf.oracle("morris/endings", path=str(folder))
    player = gf.player(GAME, searcher="alphabeta:depth=4", evaluator="weighted", oracle=oracle)
    distances = endgames.read(folder).distances
    rng, kept = random.Random(3), []
    known = np.flatnonzero(distances % 2 == 0 if value == "win" else distances == 0)
    known = known[(distances[known] > 0) == (value == "win")]
    for n in rng.sample(known.tolist(), 40):
        position = GAME.position(GAME.position_text(of_number(n, 3)))
        assert oracle.probe(position).value == value
        while position.outcome is None:
            position = position.play(player.choose(position))
        kept.append({0: 1, None: 0, 1: -1}[position.outcome.winner])
    assert kept == [points] * 40


def test_what_the_oracle_covers(folder: Path) -> None:
    oracle = gf.oracle("morris/endings", path=str(folder))
    assert oracle.get(GAME.position()) is None
    assert oracle.get(GAME.position("W:Wa7,d7,g7,b4:Ba1,d1,g1")) is None
    with pytest.raises(GameforgeError, match="men are still being placed"):
        oracle.probe(GAME.position())
    with pytest.raises(GameforgeError, match="4 men against 3; this database covers up to 3 of each side"):
        oracle.probe(GAME.position("W:Wa7,d7,g7,b4:Ba1,d1,g1"))
    lost = oracle.get(GAME.position("B:Wa7,d7,g4:Ba1,d1"))
    assert str(lost) == "loss in 0 plies"
    assert str(oracle.get(GAME.position("B:Wb6,d6,e3:Ba1,d1,g4"))) == "win in 1 ply"
    other = gf.game("morris", flying=False)
    with pytest.raises(GameforgeError, match="flying=true and diagonals=false only"):
        gf.oracle("morris/endings", path=str(folder)).get(other.position("W:Wa7,d7,g4:Ba1,d1,c3"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"men": 5}, "oracle.men = 5: must be 3 or 4"), ({"path": "nowhere"}, "nowhere: no such file or folder")],
)
def test_settings_that_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(GameforgeError, match=message):
        gf.oracle("morris/endings", **settings).get(GAME.position())


def copied(folder: Path, to: Path) -> tuple[Path, Path]:
    """Return (data, manifest) of a copy."""
    for file in folder.iterdir():
        (to / file.name).write_bytes(file.read_bytes())
    return to / "morris3.egdb", to / "morris3.json"


def test_an_altered_file_is_refused(folder: Path, tmp_path: Path) -> None:
    data, manifest = copied(folder, tmp_path)
    content = bytearray(data.read_bytes())
    content[-100] ^= 2
    data.write_bytes(content)
    with pytest.raises(GameforgeError, match="damaged, its checksum"):
        endgames.read(tmp_path)
    data.write_bytes(content[:-8])
    with pytest.raises(GameforgeError, match=r"bytes, but morris3\.json says"):
        endgames.read(tmp_path)
    data.unlink()
    with pytest.raises(GameforgeError, match="cannot be read"):
        endgames.read(manifest)


def test_wrong_tables_with_a_right_checksum_are_refused(folder: Path, tmp_path: Path) -> None:
    """The kernel follows the tables without looking."""
    shutil.copytree(folder, tmp_path / "wrong")
    data, manifest = tmp_path / "wrong" / "morris3.egdb", tmp_path / "wrong" / "morris3.json"
    content = bytearray(data.read_bytes())
    content[8 * 40] ^= 0x80
    data.write_bytes(content)
    about = json.loads(manifest.read_bytes())
    about["file"]["sha256"] = hashlib.sha256(content).hexdigest()
    manifest.write_text(json.dumps(about))
    with pytest.raises(GameforgeError, match="damaged, its tables are not those of 3 men"):
        endgames.read(tmp_path / "wrong")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"men": 4}, r"damaged \(a file of [\d,]+ bytes is not one of 4 men\)"),
        ({"men": 5}, r"damaged \(men = 5"),
        ({"men": "3"}, r"damaged \(men = "),
        ({"file": {"name": "../morris3.egdb", "bytes": 1, "sha256": ""}}, r"damaged \(file: name = "),
        ({"subspaces": [{"name": 3}]}, r"damaged \(subspaces: name = 3"),
    ],
)
def test_an_altered_manifest_is_refused(changes: dict[str, Any], message: str, folder: Path, tmp_path: Path) -> None:
    _, manifest = copied(folder, tmp_path)
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | changes))
    with pytest.raises(GameforgeError, match=message):
        endgames.read(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "damaged"),
        ("[]", "not the manifest of an endgame database"),
        ('{"format": "gameforge egdb", "game": "another"}', "^[^ ]+: the database is of 'another', not of morris$"),
        ('{"format": "gameforge egdb", "game": "morris"}', "^[^ ]+: version None; this GameForge reads 1$"),
        ('{"format": "gameforge egdb", "game": "morris", "version": 9}', "version 9; this GameForge reads 1"),
    ],
)
def test_a_foreign_manifest_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "morris3.json").write_text(text)
    with pytest.raises(GameforgeError, match=message):
        endgames.read(tmp_path)


def test_a_folder_without_a_database(tmp_path: Path) -> None:
    with pytest.raises(GameforgeError, match=r"holds no morris\*.json; give one manifest"):
        endgames.read(tmp_path)


def test_a_wrong_value_is_found_by_the_recurrence(folder: Path, tmp_path: Path) -> None:
    data, manifest = copied(folder, tmp_path)
    content = bytearray(data.read_bytes())
    content[8 * table_words(3) + 1_000_000] += 2
    data.write_bytes(content)
    about = json.loads(manifest.read_text())
    about["file"]["sha256"] = hashlib.sha256(content).hexdigest()
    manifest.write_text(json.dumps(about))
    with pytest.raises(GameforgeError, match="does not follow from the values after its moves"):
        endgames.check(endgames.read(tmp_path))


def test_the_commands(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every value follows from those of its successors, and an existing database is not built again."""
    assert run(["egdb", "build", "--game", "morris", "--men", "3", "--out", str(folder)]) == 0
    assert "nothing to build" in capsys.readouterr().err
    assert run(["egdb", "verify", "--game", "morris", str(folder)]) == 0
    said = "2,691,920 values follow from those of their successors"
    assert said in capsys.readouterr().out
    assert run(["verify", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder / 'morris3.json'}: database of endings, {said}\n"
    assert run(["egdb", "stats", str(folder), "--game=morris", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["longest_win"] == 25
    assert run(["egdb", "stats", str(folder), "--game=morris"]) == 0
    assert "25 plies, W:Wa7,g7,g4:Bd7,g1,d1" in capsys.readouterr().out


def test_probe(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The distance of a position counts its plies; that of a move counts those from the position before it."""
    oracle = ["--oracle", f"endings:path={folder}"]
    assert run(["egdb", "probe", "--game", "morris", "W:Wa7,g7,g4:Bd7,g1,d1", *oracle, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["value"], found["distance"]) == ("win", 25)
    assert min(move["distance"] for move in found["moves"] if move["value"] == "win") == 25
    assert run(["egdb", "probe", "--game", "morris", "W:Wa7,d7,g4:Bb2,d2,e3", *oracle]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "W:Wa7,d7,g4:Bb2,d2,e3: win in 1 ply"
    assert "  g4-g7xb2     win in 1 ply" in lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["probe", "--game", "morris"], "give one, or a file of positions with --file"),
        (["build", "--game", "morris", "--men", "5"], "--men 5: must be 3 or 4"),
        (["verify", "--game", "morris", "nowhere"], "nowhere: no such file or folder"),
        (["build", "--game", "chess"], "does not support the game 'chess'"),
    ],
)
def test_commands_that_are_refused(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["egdb", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GameforgeError, match=r"file: cannot be written \(File exists\)"):
        endgames.build(4, tmp_path / "file")


@pytest.mark.slow
@compiled_only
def test_up_to_four_men(tmp_path: Path) -> None:
    found = endgames.read(endgames.build(4, tmp_path))
    endgames.check(found)
    assert [(c.name, c.win, c.loss, c.draw, c.longest_win) for c in found.counts] == [
        ("3-3", 2_232_160, 455_648, 4_112, 25),
        ("3-4", 1_629_336, 0, 10_484_304, 33),
        ("4-3", 1_201_560, 48_720, 10_863_360, 1),
        ("4-4", 2_456, 339, 51_480_175, 9),
    ]
