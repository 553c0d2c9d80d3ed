"""The run-length codes of Chinook's data files."""

import numpy as np
import pytest
from gameforge_egdb_chinook.codes import LENGTHS, LITERAL, RUNS, decode, encode
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gameforge.interfaces import DRAW, LOSS, WIN

VALUES = (DRAW, WIN, LOSS)


def codes_of(values: NDArray[np.uint8], default: int) -> list[int]:
    data = np.zeros(len(values) // LITERAL + 1, np.uint8)
    return data[: encode(values, default, data)].tolist()


@st.composite
def slices_of_values(draw: st.DrawFn) -> tuple[NDArray[np.uint8], int]:
    runs = draw(
        st.lists(st.tuples(st.sampled_from(VALUES), st.integers(1, 3000) | st.integers(1, 12)), min_size=1, max_size=12)
    )
    return np.concatenate([np.full(n, value, np.uint8) for value, n in runs]), draw(st.sampled_from(VALUES))


@given(slices_of_values())
def test_decoding_reverses_encoding(case: tuple[NDArray[np.uint8], int]) -> None:
    values, default = case
    codes = np.array(codes_of(values, default), np.uint8)
    assert LENGTHS[codes].sum() == -(-len(values) // LITERAL) * LITERAL
    assert np.array_equal(decode(codes, 0, len(codes), default, len(values)), values)
    # Decoding can start at any code.
    middle = len(codes) // 2
    rest = values[LENGTHS[codes[:middle]].sum() :]
    assert np.array_equal(decode(codes, middle, len(codes), default, len(rest)), rest)


def test_five_positions_are_one_byte_with_the_first_as_most_significant_digit() -> None:
    assert codes_of(np.array([WIN, DRAW, DRAW, DRAW, LOSS], np.uint8), DRAW) == [81 + 2]
    assert codes_of(np.array([LOSS] * 5, np.uint8), DRAW) == [242]


def test_a_literal_past_the_end_is_padded_with_the_default() -> None:
    assert codes_of(np.array([DRAW], np.uint8), WIN) == [27 + 9 + 3 + 1]


@pytest.mark.parametrize("index", range(len(RUNS)))
def test_runs_of_the_default_value(index: int) -> None:
    assert codes_of(np.full(RUNS[index], WIN, np.uint8), WIN) == [243 + index]
    assert codes_of(np.full(RUNS[index], WIN, np.uint8), LOSS) == [121] * (RUNS[index] // LITERAL)


def test_long_runs_begin_with_the_longest_code_and_end_with_literals() -> None:
    assert codes_of(np.full(1600 + 15 + 5, DRAW, np.uint8), DRAW) == [255, 245]
    assert codes_of(np.full(1600 + 9, DRAW, np.uint8), DRAW) == [255, 0, 0]


def test_nothing_is_written_past_the_end_of_the_slice() -> None:
    assert decode(np.array([255], np.uint8), 0, 1, WIN, 10).tolist() == [WIN] * 10
