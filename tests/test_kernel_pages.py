"""Memory of searchers: zeros at first, however large, and one sentence where there is no room for them."""

import numpy as np
import pytest

from gameforge.errors import GameforgeError
from gameforge.kernel.assembly import zeros


@pytest.mark.parametrize("words", [0, 1, 1000, 1 << 17, 3 << 20])
def test_a_block_holds_zeros_and_can_be_written(words: int) -> None:
    block = zeros(words)
    assert block.shape == (max(1, words),)
    assert block.dtype == np.uint64
    assert not block.any()
    block[:] = 7
    assert not zeros(words).any()


def test_a_large_block_costs_nothing_until_it_is_used() -> None:
    many = [zeros(1 << 27) for _ in range(8)]  # 8 GB, if they were real
    for block in many:
        block[0] = 1


def test_too_large_a_block_is_refused_with_its_size() -> None:
    with pytest.raises(GameforgeError, match=r"a searcher needs 1153 PB of memory, of which .* are available"):
        zeros(1 << 57)
