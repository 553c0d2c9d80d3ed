"""Endings: numbers of positions, values against the slow reference and the rules, files, commands, play."""

import hashlib
import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from family_endings import children, distances, key_of_state
from family_positions import laws_of
from gameforge_draughts_family import endgames
from gameforge_draughts_family.board import board_of, squares_of
from gameforge_draughts_family.endgames import Database, state_at
from gameforge_draughts_family.indexer import FamilyUnits, deciding, slices, starts, tables
from gameforge_draughts_family.rules import FamilyRules

import gameforge as gf
from gameforge.cli.main import run
from gameforge.errors import GameforgeError
from gameforge.kernel.compile.jit import COMPILED
from gameforge.play.game import Game
from gameforge.testing.uncompiled import uncompiled

TOTALS = {
    "russian": {2: (1_291, 690, 1_507), 3: (67_475, 33_413, 95_144), 4: (2_409_393, 1_255_909, 2_544_014)},
    "brazilian": {2: (1_291, 690, 1_507), 3: (67_461, 33_413, 95_158), 4: (2_408_066, 1_256_516, 2_544_734)},
    "italian": {2: (866, 535, 2_087), 3: (96_116, 82_712, 17_204), 4: (2_588_968, 2_040_371, 1_579_977)},
    "international": {2: (3_205, 1_962, 3_678), 3: (265_795, 146_342, 394_163), 4: (13_020_033, 6_408_494, 22_542_673)},
}
"""Game -> pieces -> positions that are won, lost and drawn for the side to move."""
compiled_only = pytest.mark.skipif(not COMPILED, reason="hundreds of thousands of positions")


def rules_of(game: str) -> FamilyRules:
    rules = gf.game(game).rules
    assert isinstance(rules, FamilyRules)
    return rules


def opened(folder: Path, game: str) -> Database:
    return endgames.read(folder / f"{game}3.json", rules_of(game))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Databases of up to three pieces of four games, as the command builds them."""
    if not COMPILED:
        pytest.skip("hundreds of thousands of positions")
    path = tmp_path_factory.mktemp("endings") / "new"
    for game in TOTALS:
        assert run(["egdb", "build", "--game", game, "--pieces", "3", "--out", str(path)]) == 0
    return path


class TestNumbers:
    @pytest.mark.parametrize(("game", "sizes"), [("russian", (3_488, 196_032)), ("international", (8_845, 806_300))])
    def test_all_positions_are_counted_once(self, game: str, sizes: tuple[int, int]) -> None:
        """The numbers of positions on 8x8 are those of English draughts."""
        variant = rules_of(game).settings()
        counted = [sum(s.size for s in slices(variant, 3) if s.pieces == pieces) for pieces in (2, 3)]
        assert tuple(counted) == sizes
        assert starts(variant, 3)[-1] == sum(sizes)

    @pytest.mark.parametrize("game", ["russian", "italian", "international"])
    def test_they_lead_to_positions_and_back(self, game: str) -> None:
        """The kernel's functions, as plain Python."""
        variant = deciding(rules_of(game).settings())
        table = tables(variant, 4)
        plain = uncompiled("gameforge_draughts_family.indexer")
        codes = uncompiled("gameforge_draughts_family.indexer")
        every, firsts = slices(variant, 4), starts(variant, 4)
        rng = random.Random(game)
        for s, first in zip(every, firsts, strict=False):
            seen = set()
            for number in {0, s.size - 1, *(rng.randrange(s.size) for _ in range(6))}:
                state = np.zeros(4, np.uint64)
                with np.errstate(over="ignore"):
                    plain.set_up(table, np.uint64(number), np.uint64(codes.code(s.material)), state)
                    assert int(plain.number(table, *state[:3], np.uint64(0))) == first + number
                    assert int(plain.number(table, *turned(game, state), np.uint64(1))) == first + number
                seen.add(tuple(state))
            assert len(seen) > 1


def turned(game: str, state: Any) -> list[np.uint64]:
    """The board turned by 180 degrees, so that Black has the same position to move."""
    last = max(board_of(rules_of(game).settings()).bits)
    return [np.uint64(sum(1 << last - bit for bit in range(64) if int(word) >> bit & 1)) for word in state[:3]]


@compiled_only
class TestValues:
    @pytest.mark.parametrize(
        "game",
        [
            *("russian", "italian", "pool", "spanish"),
            *(pytest.param(game, marks=pytest.mark.slow) for game in ("brazilian", "international")),
        ],
    )
    def test_of_two_pieces_are_those_of_the_reference(self, game: str, tmp_path: Path) -> None:
        rules = rules_of(game)
        found = endgames.read(endgames.build(rules, 2, tmp_path), rules)
        expected = distances(rules.settings())
        for s, start in zip(found.units.slices, found.units.starts, strict=False):
            for number in range(s.size):
                key = key_of_state(rules.settings(), state_at(found.words, s, number))
                assert found.distances[start + number] == expected[key], key

    @pytest.mark.parametrize("game", TOTALS)
    def test_of_three_pieces_follow_from_those_after_the_moves_of_the_reference(self, game: str, folder: Path) -> None:
        found, laws = opened(folder, game), laws_of(rules_of(game).settings())
        oracle = gf.oracle("draughts-endings", path=str(found.path))
        rng = random.Random(game)
        for s, start in zip(found.units.slices, found.units.starts, strict=False):
            for number in (rng.randrange(s.size) for _ in range(6)):
                state = state_at(found.words, s, number)
                bytes_after = [
                    byte_of(oracle, rules_of(game), child)
                    for child in children(laws, key_of_state(rules_of(game).settings(), state))
                ]
                lost, won = [b for b in bytes_after if b % 2 == 1], [b for b in bytes_after if b % 2 == 0 and b]
                expected = min(lost) + 1 if lost else 0 if 0 in bytes_after else max(won) + 1 if won else 1
                assert found.distances[start + number] == expected

    @pytest.mark.parametrize("game", TOTALS)
    def test_follow_from_each_other(self, game: str, folder: Path) -> None:
        found = opened(folder, game)
        endgames.check(found, rules_of(game))
        assert totals(found) == {pieces: TOTALS[game][pieces] for pieces in (2, 3)}

    def test_do_not_depend_on_the_number_of_workers(self, folder: Path, tmp_path: Path) -> None:
        path = endgames.build(rules_of("italian"), 3, tmp_path, workers=2)
        for file in (path, path.with_suffix(".egdb")):
            assert file.read_bytes() == (folder / file.name).read_bytes()

    @pytest.mark.slow
    @pytest.mark.parametrize("game", TOTALS)
    def test_of_four_pieces(self, game: str, tmp_path: Path) -> None:
        rules = rules_of(game)
        found = endgames.read(endgames.build(rules, 4, tmp_path, workers=2), rules)
        endgames.check(found, rules)
        assert totals(found) == TOTALS[game]


def totals(found: Database) -> dict[int, tuple[int, int, int]]:
    return {
        pieces: tuple(
            sum(getattr(c, key) for c in found.counts if c.pieces == pieces) for key in ("win", "loss", "draw")
        )
        for pieces in range(2, found.pieces + 1)
    }  # type: ignore[return-value]  # three numbers each


def byte_of(oracle: Any, rules: FamilyRules, key: Any) -> int:
    """The distance byte of a position of the reference, which may have lost its last piece."""
    position, white = key
    sides: dict[bool, list[str]] = {True: [], False: []}
    squares = squares_of(rules.settings())
    for place, piece in position:
        name = squares.names[squares.board.square_at[place]]
        sides[piece in "wW"].append("K" * piece.isupper() + name)
    text = f"{'W' if white else 'B'}:W{','.join(sides[True])}:B{','.join(sides[False])}"
    verdict = oracle.probe(Game(rules).position(text))
    return 0 if verdict.distance is None else verdict.distance + 1


@compiled_only
class TestPlay:
    def test_three_kings_catch_one_beside_the_main_road_in_time(self, folder: Path) -> None:
        """Petrov's triangle: Russian draughts allow 15 moves, which the longest win does not need."""
        game = gf.game("russian")
        oracle = gf.oracle("draughts-endings")
        player = gf.player(game, searcher="alphabeta:depth=2", evaluator="material", oracle=oracle)
        position = game.position("W:WKh8,Ke7,Kf6:BKa3")
        assert str(oracle.get(position)) == "win in 25 plies"
        plies = 0
        while position.outcome is None:
            position = position.play(player.choose(position))
            plies += 1
        assert (plies, position.outcome.winner) == (25, 0)

    @pytest.mark.parametrize("game", TOTALS)
    def test_a_player_wins_within_the_distance(self, game: str, folder: Path) -> None:
        """From random won positions, against the longest resistance, if no rule of draws ends the game."""
        found = opened(folder, game)
        free = Game(type(rules_of(game))(no_progress=0, repetition=0))
        oracle = gf.oracle("draughts-endings", path=str(found.path))
        player = gf.player(free, searcher="alphabeta:depth=2", evaluator="material", oracle=oracle)
        rng = random.Random(1)
        won = np.flatnonzero((found.distances % 2 == 0) & (found.distances > 0))
        for n in rng.sample(won.tolist(), 12):
            which = next(i for i, start in enumerate(found.units.starts[1:]) if n < start)
            state = state_at(found.words, found.units.slices[which], n - found.units.starts[which])
            position = free.position(free.position_text(state))
            for _ in range(int(found.distances[n]) - 1):
                assert position.outcome is None
                position = position.play(player.choose(position))
            assert position.outcome is None or position.outcome.winner in (0, None)
            if position.outcome is not None and position.outcome.winner is None:
                assert position.outcome.reason == "limit of the ending"

    def test_what_the_oracle_covers(self, folder: Path) -> None:
        game, oracle = gf.game("russian"), gf.oracle("draughts-endings", path=str(folder / "russian3.json"))
        assert str(oracle.get(game.position("W:WKa1,Kh8:BKa7"))) == "draw"
        assert str(oracle.get(game.position("B:WKa1,Kh8:B"))) == "loss in 0 plies"
        with pytest.raises(GameforgeError, match="it has 24 pieces; this database covers up to 3"):
            oracle.probe(game.position())
        assert oracle.get(game.position("W:WKa1,Kc1,Ke1:BKf8")) is None

    def test_colours_do_not_matter(self, folder: Path) -> None:
        game, oracle = gf.game("italian"), gf.oracle("draughts-endings", path=str(folder / "italian3.json"))
        rng = random.Random(4)
        found = opened(folder, "italian")
        for s in found.units.slices:
            state = state_at(found.words, s, rng.randrange(s.size))
            image = game.rules.symmetries.state_image(state, 1)  # type: ignore[attr-defined]
            one, other = (oracle.probe(game.position(game.position_text(each))) for each in (state, image))
            assert one == other


class TestRefusals:
    @compiled_only
    @pytest.mark.parametrize(
        ("game", "message"),
        [
            ("pool", "the database is of 'russian', not of pool: it has promotion=continue instead of pass"),
            (
                "brazilian",
                "not of brazilian: it has majority=free instead of number, promotion=continue instead of pass",
            ),
            ("international", "not of international: it has board=8x8 instead of 10x10, majority=free"),
        ],
    )
    def test_a_database_of_another_game(self, game: str, message: str, folder: Path, capsys: Any) -> None:
        path = str(folder / "russian3.json")
        assert run(["egdb", "verify", "--game", game, path]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
        with pytest.raises(GameforgeError, match="the database is of 'russian', not of"):
            gf.oracle("draughts-endings", path=path).get(gf.game(game).position())

    def test_a_game_outside_the_family(self) -> None:
        with pytest.raises(GameforgeError, match="the oracle draughts-endings needs a game of the draughts family"):
            gf.oracle("draughts-endings").get(gf.game("draughts").position("W:WK1:BK32"))

    @compiled_only
    def test_settings_without_influence_do_not_matter(self, folder: Path) -> None:
        same = "draughts-variant:board=8x8,majority=free,promotion=continue,first=black"
        assert run(["egdb", "verify", "--game", same, str(folder / "russian3.json")]) == 0

    @pytest.mark.parametrize(
        ("game", "reason"),
        [
            ("frisian", "king_moves=3, so a position alone does not say which kings may move"),
            ("antidraughts", "goal=lose instead of block"),
            ("breakthrough-draughts", "goal=king instead of block"),
            ("turkish", "its board is orthogonal"),
        ],
    )
    def test_games_that_are_not_solved(self, game: str, reason: str, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match=f"endings of {game} are not solved: {reason}"):
            endgames.build(rules_of(game), 2, tmp_path)
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["build", "--game", "russian", "--pieces", "5"], "--pieces 5: must be from 2 to 4"),
            (["build", "--game", "draughts-variant:goal=lose"], "goal=lose instead of block"),
            (["build", "--game", "frisian"], "does not support the game 'frisian'"),
            (["verify", "--game", "italian", "nowhere"], "nowhere: no such file or folder"),
            (["probe", "--game", "italian"], "give one, or a file of positions with --file"),
        ],
    )
    def test_commands(
        self, arguments: list[str], message: str, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert run(["egdb", *arguments]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["W:W32:BK1", "W:Wz9"], "'z9' in White's list is not a square"),
            (["W:W32:BK1", "--file", "nowhere"], "nowhere: cannot be read"),
            (["--file", "wrong.txt"], "wrong.txt, line 2: "),
        ],
    )
    def test_what_is_wrong_is_reported_before_a_database_is_built(
        self, arguments: list[str], message: str, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "wrong.txt").write_text("\nW:Wz9\n")
        monkeypatch.setattr("gameforge.play.knowledge.OracleHandle.functions", lambda *_: pytest.fail("it is built"))
        assert run(["egdb", "probe", "--game", "italian", *arguments]) == 2
        assert message in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"pieces": 5}, r"pieces.* must be an integer from 2 to 4"),
            ({"pieces": 3, "path": "db"}, "pieces.* is for databases that are built on first use"),
        ],
    )
    def test_settings_of_the_oracle(self, settings: dict[str, Any], message: str) -> None:
        with pytest.raises(GameforgeError, match=message):
            gf.oracle("draughts-endings", **settings)


@compiled_only
class TestFiles:
    @pytest.fixture
    def copy(self, folder: Path, tmp_path: Path) -> Path:
        """A copy of one database; the manifest."""
        for file in folder.glob("italian3.*"):
            shutil.copy(file, tmp_path)
        return tmp_path / "italian3.json"

    def refused(self, manifest: Path, message: str) -> None:
        with pytest.raises(GameforgeError, match=message):
            endgames.read(manifest, rules_of("italian"))

    def test_an_altered_file(self, copy: Path) -> None:
        data = copy.with_suffix(".egdb")
        content = bytearray(data.read_bytes())
        content[-100] ^= 2
        data.write_bytes(content)
        self.refused(copy, "damaged, its checksum")
        data.write_bytes(content[:-8])
        self.refused(copy.parent, r"bytes, but italian3\.json says")
        data.unlink()
        self.refused(copy, "cannot be read")
        self.refused(copy.parent, r"the folder holds no \.egdb file with a manifest; give one manifest")

    def sealed(self, manifest: Path, content: bytes) -> None:
        manifest.with_suffix(".egdb").write_bytes(content)
        about = json.loads(manifest.read_bytes())
        about["file"]["sha256"] = hashlib.sha256(content).hexdigest()
        manifest.write_text(json.dumps(about))

    def test_wrong_tables_with_a_right_checksum(self, copy: Path) -> None:
        """The kernel follows the tables without looking."""
        content = bytearray(copy.with_suffix(".egdb").read_bytes())
        content[8 * 700] ^= 1
        self.sealed(copy, bytes(content))
        self.refused(copy, "damaged, its tables are not those of 3 pieces")

    def test_a_wrong_value_is_found_by_the_recurrence(self, copy: Path) -> None:
        content = bytearray(copy.with_suffix(".egdb").read_bytes())
        content[-1000] = 2 if content[-1000] != 2 else 4
        self.sealed(copy, bytes(content))
        rules = rules_of("italian")
        with pytest.raises(GameforgeError, match="does not follow from the values after its moves"):
            endgames.check(endgames.read(copy, rules), rules)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"pieces": 4}, r"damaged \(a file of [\d,]+ bytes is not one of 4 pieces\)"),
            ({"pieces": 9}, r"damaged \(.*pieces = 9: must be from 2 to 4"),
            ({"pieces": "3"}, "damaged"),
            ({"format": "x"}, "not the manifest of an endgame database"),
            ({"version": 7}, "version 7; this GameForge reads 1"),
            ({"game": "morris", "settings": None}, "the database is of 'morris', not of italian"),
            ({"file": {"name": "../italian3.egdb", "bytes": 1, "sha256": ""}}, r"damaged \(file: name = "),
        ],
    )
    def test_an_altered_manifest(self, changes: dict[str, Any], message: str, copy: Path) -> None:
        copy.write_text(json.dumps(json.loads(copy.read_text()) | changes))
        self.refused(copy, message)

    def test_text_that_is_no_manifest(self, copy: Path) -> None:
        for text, message in (("{", "damaged"), ("[]", "not the manifest of an endgame database")):
            copy.write_text(text)
            self.refused(copy, message)

    def test_a_folder_that_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(GameforgeError, match=r"file: cannot be written \(File exists\)"):
            endgames.build(rules_of("italian"), 2, tmp_path / "file")


@compiled_only
def test_the_commands(folder: Path, capsys: Any) -> None:
    """An existing database is not built again; every value is checked; values and moves are printed."""
    path = str(folder / "brazilian3.json")
    assert run(["egdb", "build", "--game", "brazilian", "--pieces", "3", "--out", str(folder)]) == 0
    assert "nothing to build" in capsys.readouterr().err
    said = "199,520 values follow from those of their successors"
    assert run(["egdb", "verify", "--game", "brazilian", path]) == 0
    assert said in capsys.readouterr().out
    assert run(["verify", path]) == 0
    assert capsys.readouterr().out == f"{path}: database of endings of brazilian, {said}\n"
    assert run(["egdb", "stats", "--game", "brazilian", path, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[0]["name"] == "K-K"
    assert sum(row["positions"] for row in rows) == 199_520
    assert run(["egdb", "stats", "--game", "brazilian", path]) == 0
    printed = capsys.readouterr().out
    assert "3          196,032      67,461      33,413      95,158" in printed
    assert hashlib.sha256((folder / "brazilian3.egdb").read_bytes()).hexdigest() in printed
    oracle = f"draughts-endings:path={path}"
    assert run(["egdb", "probe", "--game", "brazilian", "W:Wa7:BKh2", "--oracle", oracle, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["value"] == "draw"
    assert {move["value"] for move in found["moves"]} <= {"draw", "loss"}


def test_the_units_are_slices_and_their_twins() -> None:
    units = FamilyUnits(rules_of("russian").settings(), 3)
    names = [[[units.slices[n].name for n in unit] for unit in level] for level in units.levels]
    assert names[:3] == [[["K-K"]], [["K-M", "M-K"]], [["M-M"]]]
    assert sorted(n for level in units.levels for unit in level for n in unit) == list(range(len(units.slices)))
