"""The run-length codes of Chinook's data files."""

import numpy as np
import pytest
from gameforge_egdb_chinook.codes import LITERAL, RUNS, decode, encode
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gameforge.interfaces import DRAW, LOSS, WIN

VALUES = (DRAW, WIN, LOSS)


def codes_of(values: NDArray[np.uint8], default: int) -> tuple[list[int], list[int]]:
    data, positions = np.zeros(len(values) // LITERAL + 1, np.uint8), np.zeros(len(values) // LITERAL + 1, np.int64)
    n = encode(values, default, data, positions)
    return data[:n].tolist(), positions[:n].tolist()


@st.composite
def slices_of_values(draw: st.DrawFn) -> tuple[NDArray[np.uint8], int]:
    runs = draw(
        st.lists(st.tuples(st.sampled_from(VALUES), st.integers(1, 3000) | st.integers(1, 12)), min_size=1, max_size=12)
    )
    return np.concatenate([np.full(n, value, np.uint8) for value, n in runs]), draw(st.sampled_from(VALUES))


@given(slices_of_values())
def test_decoding_reverses_encoding(case: tuple[NDArray[np.uint8], int]) -> None:
    values, default = case
    codes, positions = codes_of(values, default)
    read = np.zeros_like(values)
    coded = -(-len(values) // LITERAL) * LITERAL
    assert decode(np.array(codes, np.uint8), 0, len(codes), default, read, 0) == coded
    assert np.array_equal(read, values)
    # Decoding can start at any code, at the position that the encoder gives for it.
    middle = len(codes) // 2
    read[:] = 0
    decode(np.array(codes, np.uint8), middle, len(codes), default, read, positions[middle])
    assert np.array_equal(read[positions[middle] :], values[positions[middle] :])


def test_five_positions_are_one_byte_with_the_first_as_most_significant_digit() -> None:
    assert codes_of(np.array([WIN, DRAW, DRAW, DRAW, LOSS], np.uint8), DRAW)[0] == [81 + 2]
    assert codes_of(np.array([LOSS] * 5, np.uint8), DRAW)[0] == [242]


def test_a_literal_past_the_end_is_padded_with_the_default() -> None:
    assert codes_of(np.array([DRAW], np.uint8), WIN)[0] == [27 + 9 + 3 + 1]


@pytest.mark.parametrize("index", range(len(RUNS)))
def test_runs_of_the_default_value(index: int) -> None:
    assert codes_of(np.full(RUNS[index], WIN, np.uint8), WIN)[0] == [243 + index]
    assert codes_of(np.full(RUNS[index], WIN, np.uint8), LOSS)[0] == [121] * (RUNS[index] // LITERAL)


def test_long_runs_begin_with_the_longest_code_and_end_with_literals() -> None:
    assert codes_of(np.full(1600 + 15 + 5, DRAW, np.uint8), DRAW)[0] == [255, 245]
    assert codes_of(np.full(1600 + 9, DRAW, np.uint8), DRAW)[0] == [255, 0, 0]


def test_nothing_is_written_past_the_end_of_the_slice() -> None:
    values = np.zeros(12, np.uint8)
    assert decode(np.array([255], np.uint8), 0, 1, WIN, values[:10], 0) == 1600
    assert values.tolist() == [WIN] * 10 + [0, 0]
