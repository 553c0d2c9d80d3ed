"""The kernel function `probe`: one look into the packed values of all positions with up to N pieces.

Captures need no search here: the values of positions with pending captures are in the table, too.
"""

from typing import Any

import numpy as np
from gameforge_draughts.board import BOARD, BOTTOM_ROW, TOP_ROW
from numpy.typing import NDArray

from gameforge.kernel.abi import LOSS, UNKNOWN
from gameforge.kernel.bits import popcount
from gameforge_egdb_chinook.indexing import state_index
from gameforge_egdb_chinook.slices import PIECES, VALUES, tables

_0, _1, _3, _5 = (np.uint64(n) for n in (0, 1, 3, 5))
_31, _63 = np.uint64(31), np.uint64(63)
_PIECES, _VALUES = np.uint64(PIECES), np.uint64(VALUES)


def probe(od: Any, s: Any, out: Any) -> Any:
    """Value for the side to move of a draughts state with at most od[PIECES] pieces, else UNKNOWN.

    A side to move without pieces has lost. UNKNOWN, too, if only the other side has none (that
    cannot arise in play) or if a man stands on its crowning row. No distances: out[0] = 0.
    """
    out[0] = _0
    own, opp, white = s[0], s[1], s[2] >> _63
    if popcount(own | opp) > od[_PIECES]:
        return np.int64(UNKNOWN)
    if own == _0:
        return np.int64(LOSS)
    kings = s[2] & BOARD
    crowned = (own & BOTTOM_ROW) | (opp & TOP_ROW) if white else (own & TOP_ROW) | (opp & BOTTOM_ROW)
    if opp == _0 or crowned & ~kings:
        return np.int64(UNKNOWN)
    index = state_index(od, own, opp, kings, white)
    return np.int64((od[od[_VALUES] + (index >> _5)] >> ((index & _31) << _1)) & _3)


def probe_block(pieces: int, packed: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The block `od` of `probe`: the tables of slices.py, behind them the packed values (store.py)."""
    index_tables = tables(pieces)
    block = np.concatenate([index_tables, packed])
    block[VALUES] = len(index_tables)
    return block
