"""BinaryMap and DirectMap against the codes of NeuroDraughts, written down square by square."""

from typing import Any

import numpy as np
import pytest
from gameforge_draughts.evaluation import BinaryMap, DirectMap
from gameforge_draughts.movegen import mask
from gameforge_draughts.rules import Draughts
from hypothesis import given
from hypothesis import strategies as st

from gameforge.errors import GameforgeError
from gameforge.kernel.compile.functions import compiled_function
from gameforge.kernel.compile.jit import COMPILED

CODES = {".": 0, "b": 1, "w": 2, "B": 3, "W": 4}
PATTERNS = ("000", "001", "010", "011", "100")
FUNCTIONS = {m: compiled_function("features", m().functions(Draughts()).features) for m in (BinaryMap, DirectMap)}

boards = st.lists(st.sampled_from(".bBwW"), min_size=32, max_size=32).map("".join)
"""One letter per square, square 1 first."""


def inputs(features: Any, board: str, black_has_moved: bool) -> list[float]:
    def squares(letters: str) -> int:
        return int(mask(*(n for n, piece in enumerate(board, 1) if piece in letters)))

    black, white, kings = squares("bB"), squares("wW"), squares("BW")
    words = (white, black, kings | 1 << 63) if black_has_moved else (black, white, kings)
    made = features.functions(Draughts())
    x = np.full(made.inputs + 1, 7, np.float32)
    data = made.data if made.data is not None else np.zeros(1, np.uint64)
    blocks = data, np.array(words, np.uint64), x
    function = FUNCTIONS[type(features)]
    if COMPILED:
        function.python(*(block.ctypes.data for block in blocks))
    else:
        function(*blocks)
    assert x[made.inputs] == 7, "writes beyond its inputs"
    return [float(value) for value in x[: made.inputs]]


def seen(board: str, black_has_moved: bool) -> str:
    """Return the codes with the board turned and the colours exchanged if White has moved."""
    return board if black_has_moved else board[::-1].translate(str.maketrans("bBwW", "wWbB"))


@given(boards, st.booleans(), st.sampled_from([0.0, -1.0, 0.1]))
def test_binary_map(board: str, black_has_moved: bool, off: float) -> None:
    digits = "".join(PATTERNS[CODES[piece]] for piece in seen(board, black_has_moved))
    expected = [1.0 if digit == "1" else float(np.float32(off)) for digit in digits]
    assert inputs(BinaryMap(off_value=off), board, black_has_moved) == expected


@given(boards, st.booleans())
def test_direct_map(board: str, black_has_moved: bool) -> None:
    expected = [CODES[piece] / 4 for piece in seen(board, black_has_moved)]
    assert inputs(DirectMap(), board, black_has_moved) == expected


def test_the_start_looks_the_same_to_both() -> None:
    board = "b" * 12 + "." * 8 + "w" * 12
    assert inputs(DirectMap(), board, True) == [0.25] * 12 + [0.0] * 8 + [0.5] * 12
    for features in (DirectMap(), BinaryMap()):
        assert inputs(features, board, True) == inputs(features, board, False)


def test_sizes_names_and_viewpoint() -> None:
    binary, direct = BinaryMap().functions(Draughts()), DirectMap().functions(Draughts())
    assert (binary.inputs, direct.inputs) == (96, 32)
    assert len(set(binary.names)) == 96
    assert binary.names[:4] == ("1.2", "1.1", "1.0", "2.2")
    assert direct.names == tuple(str(n) for n in range(1, 33))
    assert binary.viewpoint == direct.viewpoint == "just moved"


@pytest.mark.parametrize("off", [1.0, -1.5, float("nan"), "0"])
def test_off_must_be_below_on(off: Any) -> None:
    with pytest.raises(GameforgeError, match=r"'off_value' must be from -1 to below 1"):
        BinaryMap(off_value=off)


@pytest.mark.parametrize("features", [BinaryMap(), DirectMap()])
def test_another_game_is_refused(features: Any) -> None:
    class Chess(Draughts):
        name = "chess"

    with pytest.raises(GameforgeError, match="draughts positions; the game is 'chess'"):
        features.functions(Chess())
