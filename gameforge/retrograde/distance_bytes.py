"""Distance bytes of positions: 1 + plies to the end of the game, or 0 for a draw.

The side to move wins in an odd number of plies, so even bytes are wins and odd ones losses.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.abi import DRAW, LOSS, WIN
from gameforge.kernel.compile.jit import inline

LOST = 1
"""The byte of a side to move that has lost, for example because it has no moves."""


@inline
def value_of(byte: Any) -> Any:
    """Return the value for the side to move."""
    if byte == 0:
        return np.int64(DRAW)
    return np.int64(LOSS) if byte & 1 else np.int64(WIN)


@inline
def better(best: Any, successor: Any) -> Any:
    """Return the byte of the better of two choices: `best` so far, LOST before the first move, or a move.

    successor: byte of the position after the move. The shortest win and the longest loss are best.
    """
    if successor == 0:
        return np.int64(0) if best & 1 else best
    byte = successor + 1
    if byte & 1:
        return max(best, byte) if best & 1 else best
    return byte if best == 0 or best & 1 else min(best, byte)


def tally(distances: NDArray[np.uint8]) -> tuple[int, int, int, int, int]:
    """Count positions by value; return (wins, losses, draws, plies of the longest win, the first position with it).

    Without wins, the last two are 0.
    """
    won = np.where(distances & 1 == 0, distances, 0)
    wins, draws = int(np.count_nonzero(won)), int(np.count_nonzero(distances == 0))
    longest = int(won.argmax())
    return wins, len(distances) - wins - draws, draws, int(won[longest]) - 1 if wins else 0, longest
