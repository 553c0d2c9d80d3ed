"""Pointers, bit counts, SIMD lanes, tanh and random numbers: compiled, and as plain Python."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameforge.kernel import bits, simd
from gameforge.testing.uncompiled import uncompiled

WORDS = st.integers(0, 2**64 - 1)
A, B, C = np.random.default_rng(5).normal(size=(3, 8)).astype(np.float32)
HALF = np.float32(0.5)
uncompiled_bits = uncompiled("gameforge.kernel.bits")


def operations(simd: ModuleType, at: Any) -> Callable[..., Any]:
    """All operations on eight lanes, as a function of which numba can compile a copy."""

    def every(rows: Any, out: Any) -> Any:
        x, y, zero = at(rows, np.uint64(0)), at(out, np.uint64(0)), np.uint64(0)
        a, b, c = simd.load(x, zero), simd.load(x, np.uint64(8)), simd.load(x, np.uint64(16))
        simd.store(y, zero, simd.add(a, b))
        simd.store(y, np.uint64(8), simd.sub(a, b))
        simd.store(y, np.uint64(16), simd.mul(a, b))
        simd.store(y, np.uint64(24), simd.div(a, b))
        simd.store(y, np.uint64(32), simd.fma(a, b, c))
        simd.store(y, np.uint64(40), simd.clamp(a, simd.splat(-HALF), simd.splat(HALF)))
        simd.store(y, np.uint64(48), simd.splat(x[zero]))
        simd.store(y, np.uint64(56), simd.tanh_lanes(a))
        simd.store(y, np.uint64(64), simd.from_bits(simd.nonzero(simd.mul(a, simd.from_bits(np.uint64(0x3A5))))))
        return simd.total(a)

    return every


@pytest.fixture(scope="module", params=["compiled", "uncompiled"])
def lanes(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    """(total of A, one row of eight for each operation)."""
    if request.param == "compiled":
        every = numba.njit(operations(simd, bits.at))
    else:
        slow = uncompiled("gameforge.kernel.simd")
        every = operations(slow, uncompiled_bits.at)
    out = np.zeros(72, np.float32)
    total = every(np.concatenate([A, B, C]), out)
    return total, out.reshape(9, 8)


def test_lanes_do_what_numpy_does(lanes: tuple[Any, Any]) -> None:
    _, rows = lanes
    wide = A.astype(np.longdouble) * B + C  # exact but for one rounding far below float32's
    expected = [A + B, A - B, A * B, A / B, wide.astype(np.float32), np.clip(A, -HALF, HALF), np.full(8, A[0])]
    for row, right in zip(rows, expected, strict=False):
        np.testing.assert_array_equal(row, right)


def test_bits_become_lanes_and_lanes_bits(lanes: tuple[Any, Any]) -> None:
    assert lanes[1][8].tolist() == [1, 0, 1, 0, 0, 1, 0, 1]  # of 0xA5, the lowest bit first


def test_lanes_are_added_in_the_documented_order(lanes: tuple[Any, Any]) -> None:
    right = ((A[0] + A[4]) + (A[2] + A[6])) + ((A[1] + A[5]) + (A[3] + A[7]))
    assert lanes[0] == right
    assert right != sum(A[1:], A[0])  # so that the order is seen


def test_tanh_is_the_same_alone_and_in_lanes(lanes: tuple[Any, Any]) -> None:
    tanh = numba.njit(lambda x: simd.tanh(x))
    np.testing.assert_allclose(lanes[1][7], np.tanh(A.astype(np.float64)), atol=4e-7)
    np.testing.assert_allclose([tanh(x) for x in A], lanes[1][7], atol=2e-7)


def test_tanh_is_accurate_odd_and_bounded() -> None:
    @numba.njit
    def over(x: Any) -> Any:
        y = np.empty_like(x)
        for i in range(len(x)):
            y[i] = simd.tanh(x[i])
        return y

    x = np.linspace(-12, 12, 200_001).astype(np.float32)
    y = over(x)
    np.testing.assert_allclose(y, np.tanh(x.astype(np.float64)), atol=4e-7)
    np.testing.assert_array_equal(over(-x), -y)
    assert np.abs(over(np.array([np.inf, -np.inf, 3e38], np.float32))).max() <= 1


@numba.njit
def _counts(word: Any) -> Any:
    return bits.ctz(word), bits.clz(word), bits.popcount(word)


@given(WORDS.filter(bool))
def test_bit_counts(word: int) -> None:
    expected = (word & -word).bit_length() - 1, 64 - word.bit_length(), word.bit_count()
    assert tuple(map(int, _counts(np.uint64(word)))) == expected
    plain = uncompiled_bits.ctz, uncompiled_bits.clz, uncompiled_bits.popcount
    assert tuple(int(count(np.uint64(word))) for count in plain) == expected
    assert uncompiled_bits.ctz(np.uint64(word)).dtype == np.uint64


@given(WORDS)
def test_reversed_bits(word: int) -> None:
    expected = int(f"{word:064b}"[::-1], 2)
    assert int(bits.reversed_bits(np.uint64(word))) == expected
    assert int(uncompiled_bits.reversed_bits(np.uint64(word))) == expected


@pytest.mark.parametrize("way", ["compiled", "uncompiled"])
def test_pointers_point_into_the_array(way: str) -> None:
    at = bits.at if way == "compiled" else uncompiled_bits.at

    def write(words: Any) -> Any:
        pointer = at(words, np.uint64(2))
        pointer[np.uint64(1)] = np.uint64(9)
        return pointer[np.uint64(0)]

    words = np.arange(5, dtype=np.uint64)
    assert (numba.njit(write) if way == "compiled" else write)(words) == 2
    assert words.tolist() == [0, 1, 2, 9, 4]


class TestRandom:
    # Vigna's reference implementation of splitmix64 (prng.di.unimi.it), seeds 1234567 and 0.
    KNOWN = {
        1234567: [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431],
        0: [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC],
    }

    @pytest.mark.parametrize("seed", KNOWN)
    def test_words_are_those_of_splitmix64(self, seed: int) -> None:
        @numba.njit
        def words(rng: Any, n: Any) -> Any:
            return [bits.next_word(rng) for _ in range(n)]

        slow = uncompiled("gameforge.kernel.bits")
        assert [int(w) for w in words(np.array([seed], np.uint64), 4)] == self.KNOWN[seed]
        rng = np.array([seed], np.uint64)
        with np.errstate(over="ignore"):
            assert [int(slow.next_word(rng)) for _ in range(4)] == self.KNOWN[seed]

    def test_below_is_even(self) -> None:
        @numba.njit
        def histogram(rng: Any, n: Any, draws: Any) -> Any:
            found = np.zeros(n, np.int64)
            for _ in range(draws):
                found[bits.below(rng, n)] += 1
            return found

        found = histogram(np.array([3], np.uint64), np.uint64(7), 70_000)
        assert found.sum() == 70_000
        assert abs(found - 10_000).max() < 500  # five standard deviations


@pytest.mark.parametrize("way", ["compiled", "uncompiled"])
def test_memory_is_read_and_written_as_another_type(way: str) -> None:
    source = bits if way == "compiled" else uncompiled_bits
    as_words, as_int32, as_int16, read_alone = source.as_words, source.as_int32, source.as_int16, source.read_alone

    def write(floats: Any) -> Any:
        as_words(floats)[1] = np.uint64(0x0001FFFF00000007)
        return as_int32(floats)[2], as_int16(floats)[6], read_alone(as_int16(floats), np.uint64(7))

    def compiled(floats: Any) -> Any:
        pointer = bits.at(floats, np.uint64(0))
        as_words(pointer)[1] = np.uint64(0x0001FFFF00000007)
        return as_int32(pointer)[2], as_int16(pointer)[6], read_alone(as_int16(pointer), np.uint64(7))

    floats = np.zeros(5, np.float32)
    found = numba.njit(compiled)(floats) if way == "compiled" else write(floats)
    assert tuple(map(int, found)) == (7, -1, 1)
    assert floats[:2].tolist() == [0, 0]


def test_lanes_of_integers_are_added() -> None:
    @numba.njit
    def add(rows: Any, out: Any) -> Any:
        x = bits.as_int32(bits.at(rows, np.uint64(0)))
        total = simd.add_integers(simd.load(x, np.uint64(0)), simd.load(x, np.uint64(8)))
        simd.store(bits.as_int32(bits.at(out, np.uint64(0))), np.uint64(0), total)

    rows, out = np.arange(16, dtype=np.int32) - 12, np.zeros(8, np.int32)
    add(rows.view(np.uint64), out.view(np.uint64))
    assert out.tolist() == (rows[:8] + rows[8:]).tolist()
