"""Probes: values for the side to move follow from those of the successors; uncovered positions are unknown."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from egdb_writer import DB6, encoded, majority_layout, quiet_values
from gameforge_draughts.movegen import state_of
from gameforge_draughts.rules import Draughts
from gameforge_egdb_chinook.oracle import Chinook, pack
from gameforge_egdb_chinook.probe import probe, probe_block, probe_raw
from gameforge_egdb_chinook.slices import positions
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gameforge.interfaces import DRAW, LOSS, WIN
from gameforge.interfaces.oracle import OracleFunctions
from gameforge.interfaces.rules import State
from gameforge.kernel import UNKNOWN
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.play.game import Game
from gameforge.testing.uncompiled import uncompiled

GAME = Game(Draughts())


class Prober:
    """The function `probe`, to be called from Python with a state."""

    def __init__(self, block: NDArray[np.uint64]) -> None:
        self._block = block
        self._function = compiled_function("probe", probe)
        self._out = np.zeros(1, np.uint64)

    def __call__(self, state: State) -> int:
        words = np.array(state, np.uint64)
        self._out[0] = 99
        value = self._function.python(self._block.ctypes.data, words.ctypes.data, self._out.ctypes.data)
        assert self._out[0] == 0  # no distances
        return int(value)


@pytest.fixture(scope="module")
def block(solved: NDArray[np.uint8]) -> NDArray[np.uint64]:
    return probe_block(4, pack(solved))


@pytest.fixture(scope="module")
def prober(block: NDArray[np.uint64]) -> Prober:
    return Prober(block)


@pytest.fixture(scope="module")
def opened() -> OracleFunctions:
    return Chinook(pieces=2).open(Draughts())


@st.composite
def states(draw: st.DrawFn, least: int = 2, most: int = 4, both_sides: bool = True) -> State:
    """Draughts states with `least` to `most` pieces, either side to move."""
    squares = draw(st.lists(st.integers(1, 32), min_size=least, max_size=most, unique=True))
    pieces = {}
    for n, square in enumerate(squares):
        colour = n % 2 if both_sides and n < 2 else draw(st.integers(0, 1))
        far_row = range(29, 33) if colour == 0 else range(1, 5)
        pieces[square] = colour, square in far_row or draw(st.booleans())
    return state_of(draw(st.integers(0, 1)), pieces)


@given(states())
def test_value_is_the_negamax_of_the_successors(prober: Prober, state: State) -> None:
    successors = [prober(GAME.play(state, move)) for move in GAME.legal(state)]
    assert UNKNOWN not in successors
    if LOSS in successors:
        expected = WIN
    elif all(value == WIN for value in successors):
        expected = LOSS
    else:
        expected = DRAW
    assert prober(state) == expected


@given(states())
def test_value_is_the_same_with_board_and_colours_reversed(prober: Prober, state: State) -> None:
    def reversed_word(word: int) -> int:
        return sum(1 << (34 - bit) for bit in range(35) if word >> bit & 1)

    own, opp, kings = state
    assert prober((reversed_word(own), reversed_word(opp), reversed_word(kings) | (~kings & 1 << 63))) == prober(state)


@pytest.mark.parametrize(
    ("fen", "value"),
    [
        ("B:WK32:BK1", DRAW),  # one king each
        ("B:WK11:BK8", WIN),  # Black captures the last piece
        ("W:WK11:BK8", WIN),
        ("B:W5,6,10:B1", LOSS),  # no move
        ("B:WK29:BK4", WIN),  # longest wins (data/egdb/longest_wins_2to5.tsv of the shared data)
        ("B:W29:BK4", WIN),
        ("B:WK31:B28", WIN),
        ("B:W30:B25", WIN),
        ("W:WK1,K2:BK32", WIN),  # two kings against one
        ("B:WK1,K2:BK32", LOSS),
        ("B:WK1,K2,K3:BK18", LOSS),
    ],
)
def test_known_endings(prober: Prober, fen: str, value: int) -> None:
    assert prober(GAME.parse_position(fen)) == value


@given(states(least=5, most=24, both_sides=False))
def test_positions_with_more_pieces_are_unknown(prober: Prober, opened: OracleFunctions, state: State) -> None:
    assert prober(state) == UNKNOWN
    count = (state[0] | state[1]).bit_count()
    assert opened.why_not(state) == f"{count} pieces; this database covers up to 2"


def test_the_initial_position_is_unknown(prober: Prober) -> None:
    assert prober(Draughts().initial()) == UNKNOWN


def test_a_side_to_move_without_pieces_has_lost(prober: Prober) -> None:
    assert prober(state_of(0, {1: (1, True), 9: (1, False)})) == LOSS
    assert prober(state_of(1, {32: (0, True)})) == LOSS


def test_positions_that_cannot_arise_are_unknown(prober: Prober, opened: OracleFunctions) -> None:
    alone = state_of(0, {1: (0, True)})
    assert prober(alone) == UNKNOWN
    assert "has no pieces" in opened.why_not(alone)
    for side in (0, 1):
        for square, colour in ((30, 0), (2, 1)):
            own, opp, kings = state_of(side, {square: (colour, True), 15: (1 - colour, False)})
            man_on_the_far_row = own, opp, kings & 1 << 63
            assert prober(man_on_the_far_row) == UNKNOWN
            assert opened.why_not(man_on_the_far_row).startswith("a man is on its crowning row; such a position cannot")


def test_compiled_and_uncompiled_probe_agree(prober: Prober, block: NDArray[np.uint64]) -> None:
    plain: Any = uncompiled("gameforge_egdb_chinook.probe").probe
    out = np.zeros(1, np.uint64)
    rng = np.random.default_rng(3)
    for _ in range(200):
        squares = rng.choice(np.arange(5, 29), rng.integers(1, 6), replace=False).tolist()
        pieces = {square: (int(rng.integers(2)), bool(rng.integers(2))) for square in squares}
        state = state_of(int(rng.integers(2)), pieces)
        with np.errstate(over="ignore"):
            assert plain(block, np.array(state, np.uint64), out) == prober(state)


def test_compiled_and_uncompiled_probes_of_files_agree(tmp_path: Path, solved: NDArray[np.uint8]) -> None:
    quiet = quiet_values(solved, 3)[: positions(3)]
    data, index = encoded(quiet, 3, majority_layout(quiet, 3), DB6)
    (tmp_path / "DB3").write_bytes(data)
    (tmp_path / "DB3.idx").write_bytes(index)
    for expand in (False, True):
        functions = Chinook(path=str(tmp_path), expand=expand).open(Draughts())
        plain: Any = uncompiled("gameforge_egdb_chinook.probe").probe_raw
        function = compiled_function("probe", probe_raw)
        out = np.zeros(4 + functions.scratch, np.uint64)
        rng = np.random.default_rng(4)
        for _ in range(100):
            squares = rng.choice(np.arange(5, 29), rng.integers(2, 4), replace=False).tolist()
            state = state_of(int(rng.integers(2)), {s: (n % 2, bool(rng.integers(2))) for n, s in enumerate(squares)})
            words = np.array(state, np.uint64)
            with np.errstate(over="ignore"):
                assert plain(functions.data, words, out) == call(function, functions.data, words, out)
