"""Reading and probing files of distances, and playing by them."""

import itertools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from egdb_distances import plies_to_the_end, write_distances
from egdb_games import results, state_at
from egdb_probing import probed
from gameforge_draughts.rules import Draughts
from gameforge_egdb_chinook.build import Build
from gameforge_egdb_chinook.oracle import Chinook
from gameforge_egdb_chinook.slices import positions
from gameforge_egdb_chinook.target import target
from gameforge_search_minimax.minimax import Minimax
from numpy.typing import NDArray

from gameforge.config import Spec
from gameforge.errors import GameforgeError
from gameforge.interfaces import LOSS, WIN
from gameforge.interfaces.evaluator import ORACLE_WIN, PLY
from gameforge.interfaces.oracle import OracleFunctions
from gameforge.interfaces.rules import RulesFunctions
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel import slots
from gameforge.kernel.answer import write_move
from gameforge.kernel.bits import at
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.kernel.context import Context
from gameforge.kernel.types import Limits, Score, Words
from gameforge.play.game import Game, Position
from gameforge.play.knowledge import OracleHandle
from gameforge.play.parts import Parts
from gameforge.play.player import Player

Bytes = NDArray[np.uint8]

NO_DRAWS = {"repetition": 0, "no_progress": 0, "shuffle": 0, "max_plies": 1023}
LONGEST_WINS = {2: 13, 3: 61}
"""In plies, by number of pieces; from data/egdb/longest_wins_2to5.tsv of the project's shared data."""


@pytest.fixture(scope="module")
def plies() -> Bytes:
    return plies_to_the_end(3)


@pytest.fixture
def manifest(tmp_path: Path, plies: Bytes) -> Path:
    return write_distances(tmp_path, 3, plies)


def opened(path: Path, pieces: int | None = None) -> OracleFunctions:
    return Chinook(path=str(path), pieces=pieces).open(Draughts())


def test_values_match_those_of_the_solver(manifest: Path, solved: Bytes) -> None:
    functions = opened(manifest)
    assert functions.covers == "positions with up to 3 pieces, with plies to the end"
    assert np.array_equal(probed(functions, 3), solved[: positions(3)])


@pytest.mark.parametrize("named", ["", "dtw3.json", "dtw3.egdb"])
def test_a_database_is_named_by_folder_manifest_or_data_file(manifest: Path, named: str) -> None:
    assert opened(manifest.parent / named, pieces=2).covers == "positions with up to 2 pieces, with plies to the end"


def test_longest_wins(plies: Bytes) -> None:
    for pieces, longest in LONGEST_WINS.items():
        first = positions(pieces - 1) if pieces > 2 else 0
        wins = plies[first : positions(pieces)]
        assert wins[wins % 2 == 0].max() - 1 == longest


def test_a_verdict_states_the_distance_in_words(manifest: Path, plies: Bytes) -> None:
    game = Game(Draughts())
    handle = OracleHandle(Chinook(path=str(manifest)), Spec("chinook", {}))
    assert str(handle.probe(game.position("B:WK11:BK8"))) == "win in 1 ply"
    assert str(handle.probe(game.position("B:WK32:BK1"))) == "draw"
    assert str(handle.probe(game.position("B:WK29:BK4"))).startswith("win in ")


def test_mtc_verdicts_state_that_distances_end_with_a_conversion(tmp_path: Path) -> None:
    found = np.zeros(positions(2), np.uint8)
    found[:2] = 5, 128 + 4
    functions = opened(write_distances(tmp_path, 2, found, "mtc"))
    out = np.zeros(4, np.uint64)
    function = compiled_function("probe", functions.probe)
    for index, value, distance in ((0, WIN, 5), (1, LOSS, 4)):
        assert call(function, functions.data, state_at(2, index), out) == value
        assert (out[slots.PROBE_DISTANCE], out[slots.PROBE_CONVERSION]) == (1 + distance, 1)
    game = Game(Draughts())
    handle = OracleHandle(Chinook(path=str(tmp_path)), Spec("chinook", {}))
    position = Position(game, tuple(state_at(2, 0).tolist()))
    assert str(handle.probe(position)) == "win, next irreversible move in 5 plies"


@attrs.frozen
class RandomSearcher:
    """A searcher that plays a random legal move."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        def search(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
            moves = at(ctx.stack, np.uint64(0))
            n = ctx.rules.gen(at(ctx.rules.data, np.uint64(0)), s, moves)
            ctx.rng[0] = ctx.rng[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            write_move(out, moves[(ctx.rng[0] >> np.uint64(33)) % n], n)
            return 0.0

        return SearcherFunctions(search=search, limits=(1,), stack=rules.max_moves, scores=1)


def play_on(
    functions: OracleFunctions, rules: Draughts, optimal: bool, starts: list[NDArray[np.uint64]]
) -> list[tuple[int, int]]:
    """Play a game from each position, the side to move with the oracle; returns (winner, plies) of each.

    The winner is 0 for the side to move at the start, 1 for the other side, -1 for a draw.
    """
    game = Game(rules)
    one = Parts(game, Minimax(depth=1), None, oracles=(functions,))
    other = one if optimal else Parts(game, RandomSearcher(), None)
    return results(rules, one, other, starts)


@pytest.mark.parametrize("optimal", [True, False])
@pytest.mark.parametrize("draws", [True, False])
def test_won_positions_are_won_in_the_stated_distance(manifest: Path, plies: Bytes, optimal: bool, draws: bool) -> None:
    rng = np.random.default_rng(7)
    won = np.flatnonzero((plies > 0) & (plies % 2 == 0))
    chosen = rng.choice(won, 200, replace=False)
    rules = Draughts() if draws else Draughts(**NO_DRAWS)
    games = play_on(opened(manifest), rules, optimal, [state_at(3, int(i)) for i in chosen])
    for index, (winner, played) in zip(chosen, games, strict=True):
        assert winner == 0
        assert played == plies[index] - 1 if optimal else played <= plies[index] - 1


def check_that_wins_are_won(manifest: Path, pieces: int, count: int = 1000) -> None:
    """Check that random won positions are won, with and without draw rules, against the best and random defence."""
    functions = opened(manifest)
    won = np.flatnonzero(probed(functions, pieces) == WIN)
    chosen = np.random.default_rng(pieces).choice(won, count, replace=False)
    starts = [state_at(pieces, int(i)) for i in chosen]
    function, out = compiled_function("probe", functions.probe), np.zeros(4, np.uint64)
    stated = []
    for start in starts:
        assert call(function, functions.data, start, out) == WIN
        stated.append(int(out[slots.PROBE_DISTANCE]) - 1)
    for rules, optimal in itertools.product((Draughts(), Draughts(**NO_DRAWS)), (True, False)):
        games = play_on(functions, rules, optimal, starts)
        assert [winner for winner, _ in games] == [0] * count
        if manifest.name.startswith("dtw"):
            played = [plies for _, plies in games]
            assert played == stated if optimal else all(p <= s for p, s in zip(played, stated, strict=True))


@pytest.mark.parametrize("format", ["dtw", "mtc"])
def test_won_positions_are_won_with_built_files(tmp_path: Path, format: str) -> None:
    check_that_wins_are_won(Build(target(format, 3, None, tmp_path), 2).run(), 3, count=200)


@pytest.mark.slow
@pytest.mark.parametrize("format", ["dtw", "mtc"])
def test_won_positions_of_five_pieces_are_won(tmp_path: Path, format: str) -> None:
    check_that_wins_are_won(Build(target(format, 5, None, tmp_path), 2).run(), 5)


def test_the_builder_writes_the_plies_of_plain_iteration(tmp_path: Path, plies: Bytes) -> None:
    path = Build(target("dtw", 3, None, tmp_path), 2).run().with_suffix(".egdb")
    assert np.array_equal(np.fromfile(path, np.uint8)[4096 : 4096 + len(plies)], plies)


def test_a_player_states_the_distance_as_its_score(manifest: Path) -> None:
    game = Game(Draughts())
    player = Player(Parts(game, Minimax(depth=1), None, oracles=(opened(manifest),)))
    position = game.position("B:WK29:BK4")
    distance = OracleHandle(Chinook(path=str(manifest)), Spec("chinook", {})).probe(position).distance
    assert distance is not None
    assert player.analyse(position).score == ORACLE_WIN - distance * PLY


def changed(content: bytes, how: str) -> bytes:
    return {"altered": content[:5000] + bytes([content[5000] ^ 3]) + content[5001:], "truncated": content[:-8]}[how]


@pytest.mark.parametrize(("how", "reason"), [("altered", "its checksum is not the one in"), ("truncated", "truncated")])
def test_damaged_files_are_never_probed(manifest: Path, how: str, reason: str) -> None:
    data = manifest.with_suffix(".egdb")
    data.write_bytes(changed(data.read_bytes(), how))
    with pytest.raises(GameforgeError, match=rf"dtw3\.egdb: .*{reason}"):
        opened(manifest)


def edit(key: str, value: object) -> Callable[[dict[str, Any]], None]:
    def apply(content: dict[str, Any]) -> None:
        content[key] = value

    return apply


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (edit("game", "morris"), "describes a database of 'morris'; expected draughts"),
        (edit("format", "else"), "not the manifest of an endgame database of GameForge"),
        (edit("version", 9), "version 9; this GameForge reads version 1"),
        (edit("files", [{}]), "an entry is missing or has the wrong type"),
        (edit("metric", "dtz"), "metric 'dtz'"),
        (edit("pieces", 2), "not the file of 2 pieces that dtw3.json describes"),
        (edit("metric", "wld"), "damaged, it lists metric 'wld' with 1 files"),
        (edit("pieces", math.inf), "has the wrong type"),
        (edit("positions", "9"), "has the wrong type"),
        (edit("pieces", 100), "damaged, pieces is 100, it must be from 2 to 8"),
        (
            edit("files", [{"name": "../dtw3.egdb", "bytes": 1, "sha256": ""}]),
            "must be the name of a file",
        ),
        (edit("slices", [{}]), "an entry is missing or has the wrong type"),
        (edit("slices", [{"name": "9999.99"}]), "there is no slice '9999.99'"),
        (edit("slices", [dict.fromkeys(("positions", "win"), "x") | {"name": "1100.00"}]), "has the wrong type"),
    ],
)
def test_a_wrong_manifest_is_refused(manifest: Path, change: Any, reason: str) -> None:
    content = json.loads(manifest.read_text())
    change(content)
    manifest.write_text(json.dumps(content))
    with pytest.raises(GameforgeError, match=reason):
        opened(manifest)


def test_a_folder_with_several_databases_is_refused(manifest: Path, plies: Bytes) -> None:
    write_distances(manifest.parent, 2, plies[: positions(2)])
    with pytest.raises(GameforgeError, match=r"several databases \(dtw2.json, dtw3.json\); name one"):
        opened(manifest.parent)


def test_data_without_a_manifest_is_refused(manifest: Path) -> None:
    manifest.unlink()
    with pytest.raises(GameforgeError, match=r"dtw3\.egdb: its manifest dtw3\.json is missing"):
        opened(manifest.parent)
