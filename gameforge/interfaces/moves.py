"""The capability `moves` of rules: each move has an index, as policies and environments number their actions.

The words of moves are large and sparse. An index is small and means the same kind of move in every position, such as a
disc on one square, so that a policy can learn from one position for another.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from gameforge.config import kinds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@attrs.frozen(kw_only=True)
class MoveIndices:
    """The indices of a game's moves: 0 to `size` - 1, and a function `index(data, s, m)` that says which a move has.

    Legal moves are numbered in the order of `gen`. A move gets its index or, if an earlier move of the same position
    has it, the next free one, where 0 follows the last one. So moves that a small number can hardly distinguish, such
    as two routes of a capture, may share an index if the numbers after it are seldom in use.

    Indices see the board as `cells` does: if that is turned for one of the sides, so are the indices.
    """

    size: int = attrs.field(validator=kinds.at_least(1))
    """Number of indices; at least the number of legal moves in any position."""
    index: Callable[..., object]
    """The function; it is compiled."""
    data: "NDArray[np.uint64] | None" = None
    """Settings, which the function gets as its first block."""
