"""The Connect Four of examples/third_party_plugin as a single file: rules, numbers, and its use."""

import functools
import importlib.util
import itertools
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugin_site import Site

import gameforge as gf
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.play.perft import perft, playouts

FILE = Path(__file__).resolve().parents[1] / "examples" / "third_party_plugin" / "gameforge_connect_four.py"
PERFT = [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]
POSITIONS = [1, 7, 49, 238, 1120, 4263, 16422, 54859]
"""OEIS A212693: positions of Connect Four after n plies (Tromp)."""


@pytest.fixture(scope="module")
def module() -> Any:
    spec = importlib.util.spec_from_file_location("gameforge_connect_four", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def game(module: Any) -> Any:
    return gf.game(module.ConnectFour())


Columns = tuple[str, ...]
"""The slow reference: 7 columns of letters, lowest first."""
EMPTY: Columns = ("",) * 7


LINES = [
    [(column + i * right, row + i * up) for i in range(4)]
    for column, row in itertools.product(range(7), range(6))
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
    if column + 3 * right < 7 and 0 <= row + 3 * up < 6
]


@functools.cache
def over(columns: Columns) -> str | None:
    """Letter of the winner, `draw`, or None while the game runs; only who moved last can have won."""
    stones = sum(map(len, columns))
    last = "RY"[stones % 2]
    cells = {(c, row) for c, column in enumerate(columns) for row, letter in enumerate(column) if letter == last}
    if any(cells.issuperset(line) for line in LINES):
        return last
    return "draw" if stones == 42 else None


def drop(columns: Columns, column: int, letter: str) -> Columns:
    return (*columns[:column], columns[column] + letter, *columns[column + 1 :])


def words(columns: Columns) -> tuple[int, int]:
    """The state that the plugin has for it."""
    plies = sum(map(len, columns))
    stones = {"Y": 0, "R": 0}
    for c, column in enumerate(columns):
        for row, letter in enumerate(column):
            stones[letter] |= 1 << 7 * c + row
    return (stones["Y"], stones["R"]) if plies % 2 == 0 else (stones["R"], stones["Y"])


def test_perft_is_that_of_the_slow_reference(game: Any) -> None:
    """Sequences counted position by position; the number of positions is a published one, too."""
    here = Counter({EMPTY: 1})
    for depth, (expected, positions) in enumerate(zip(PERFT, POSITIONS, strict=True), 1):
        assert len(here) == positions
        letter = "YR"[(depth - 1) % 2]
        following: Counter[Columns] = Counter()
        for columns, paths in here.items():
            if over(columns) is None:
                for column in range(7):
                    if len(columns[column]) < 6:
                        following[drop(columns, column, letter)] += paths
        here = following
        assert sum(here.values()) == expected
        assert perft(game.position(), depth) == expected


@given(st.lists(st.integers(0, 6), max_size=60))
def test_games_are_those_of_the_slow_reference(game: Any, choices: list[int]) -> None:
    position, columns = game.position(), EMPTY
    for column in choices:
        result = over(columns)
        plies = sum(map(len, columns))
        assert position.state == words(columns)
        assert position.turn == plies % 2
        assert position.codes == [c for c in range(7) if len(columns[c]) < 6]
        if result is not None:
            winner = {"Y": 0, "R": 1, "draw": None}[result]
            reason = "board full" if result == "draw" else "four in a line"
            assert (position.outcome.winner, position.outcome.reason) == (winner, reason)
            return
        assert position.outcome is None
        if column not in position.codes:
            continue
        position, columns = position.after(column), drop(columns, column, "YR"[plies % 2])


def test_full_board_is_a_draw(game: Any) -> None:
    """Columns filled in this order leave no four in a line."""
    position = game.position()
    for column in [
        0,
        1,
        0,
        1,
        0,
        1,
        1,
        0,
        1,
        0,
        1,
        0,
        2,
        3,
        2,
        3,
        2,
        3,
        3,
        2,
        3,
        2,
        3,
        2,
        4,
        5,
        4,
        5,
        4,
        5,
        5,
        4,
        5,
        4,
    ]:
        position = position.after(column)
    for column in [5, 4, 6, 6, 6, 6, 6, 6]:
        assert position.outcome is None
        position = position.after(column)
    assert position.codes == []
    assert position.outcome.reason == "board full"
    assert position.outcome.winner is None


@given(st.lists(st.integers(0, 6), max_size=42))
def test_uncompiled_functions_agree_with_compiled_ones(game: Any, module: Any, choices: list[int]) -> None:
    position = game.position()
    for column in choices:
        state, moves, child = np.array(position.state, np.uint64), np.zeros(7, np.uint64), np.zeros(2, np.uint64)
        n = module.gen(None, state, moves)
        assert moves[:n].tolist() == position.codes
        assert module.outcome(None, state, n) == game.code(position.state, n)
        if column not in position.codes or position.outcome is not None:
            continue
        module.play(None, state, np.uint64(column), child)
        position = position.after(column)
        assert tuple(child.tolist()) == position.state


def test_feature_map_counts_open_lines(module: Any) -> None:
    """A callback; a stone in a corner lies on 3 of the 69 lines, two beside it in the row on more."""
    functions = module.OpenLines().functions(module.ConnectFour())
    function = compiled_function("features", functions.features, compiled=functions.compiled)
    x = np.zeros(functions.inputs, np.float32)
    call(function, np.zeros(1, np.uint64), np.array([1, 0], np.uint64), x)
    assert x.tolist() == pytest.approx([0.3, 0, 0, 0, 0, 0])
    call(function, np.zeros(1, np.uint64), np.array([0, 1 | 1 << 7], np.uint64), x)
    # The corner's column and diagonal, the neighbour's column, diagonal and two rows; one row holds both.
    assert x.tolist() == pytest.approx([0, 0, 0, 0.5, 0.1, 0])


def test_random_games_are_what_is_known_of_them(game: Any) -> None:
    result = playouts(game.position(), 50_000, seed=3)
    assert result.wins + result.draws + result.losses == 50_000
    assert result.wins / 50_000 == pytest.approx(0.555, abs=0.01)
    assert result.draws / 50_000 == pytest.approx(0.0026, abs=0.001)
    assert playouts(game.position(), 50_000, seed=3) == result


def test_a_mate_in_one_is_found_and_parried(game: Any) -> None:
    position = game.position()
    for column in (0, 6, 0, 6, 0):
        position = position.after(column)
    player = gf.player(game, searcher="minimax:depth=2")
    assert player.choose(position).code == 0
    assert player.choose(position.after(1)).code == 0


def test_it_learns(game: Any, module: Any, tmp_path: Path) -> None:
    pipeline = gf.Pipeline(
        game=game,
        searcher="minimax:depth=1",
        evaluator="mlp:hidden=4",
        features=module.OpenLines(),
        learner="td:sessions=1,games=4",
    )
    runs = [pipeline.run(tmp_path / name, seed=5) for name in ("a", "b")]
    assert not np.array_equal(runs[0].player.weights, runs[0].untrained.weights)
    assert np.array_equal(runs[0].player.weights, runs[1].player.weights)
    assert len(gf.match(runs[0].player, runs[0].untrained, 2).games) == 2


def test_the_file_is_short_and_knows_no_numba() -> None:
    text = FILE.read_text()
    assert len(text.splitlines()) < 140
    assert "numba" not in "".join(line for line in text.splitlines() if "import" in line)
    assert "gameforge.kernel" not in text


@pytest.mark.usefixtures("module")
def test_the_file_as_a_plugin_of_the_command_line(site: Site) -> None:
    def gameforge(*arguments: str) -> str:
        done = site.run("--plugin", str(FILE), *arguments)
        assert done.returncode == 0, done.stderr
        assert "warning:" not in done.stderr
        return done.stdout

    components = json.loads(gameforge("plugins", "--json"))["components"]
    assert ("rules", "connect-four", str(FILE)) in [(c["kind"], c["name"], c["origin"]) for c in components]
    lines = gameforge("perft", "--game=connect-four", "--depth=6", "--json").splitlines()
    assert [json.loads(line)["leaves"] for line in lines] == PERFT[:6]
    text = gameforge("match", "minimax:depth=4", "minimax:depth=1", "--game=connect-four", "--games=4", "--json")
    assert json.loads(text)["score"] > 0.5
    gameforge(
        *("run", "--game=connect-four", "--features=open-lines", "--evaluator=mlp", "--searcher=minimax:depth=1"),
        *("--learner=td:sessions=1,games=4", "--oracle=none", "--out=run", "--match-games=0"),
    )
    assert json.loads((site.folder / "run" / "run.json").read_text())["state"] == "finished"
