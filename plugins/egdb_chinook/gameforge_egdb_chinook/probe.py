"""Probe functions of the oracle: for values solved by GameForge, and for Chinook's files.

Solved values include positions with pending captures, so a probe is a single lookup. Chinook's files do not include
them; there a probe resolves captures by search (captures.py).
"""

from typing import Any

import numpy as np
from gameforge_draughts.board import BOARD, BOTTOM_ROW, TOP_ROW
from numpy.typing import NDArray

from gameforge.kernel.abi import LOSS, UNKNOWN
from gameforge.kernel.bits import at, popcount
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import PROBE_DISTANCE
from gameforge_egdb_chinook.captures import SPACE, exact_value, mover_can_capture, other_could_capture
from gameforge_egdb_chinook.file_block import quiet_value
from gameforge_egdb_chinook.indexing import state_index
from gameforge_egdb_chinook.slices import PIECES, VALUES, tables

_0, _1, _3, _4, _5 = (np.uint64(n) for n in (0, 1, 3, 4, 5))
_31, _63 = np.uint64(31), np.uint64(63)
_PIECES, _VALUES, _SPACE = np.uint64(PIECES), np.uint64(VALUES), np.uint64(SPACE)


@inline
def may_be_covered(od: Any, s: Any) -> Any:
    """Whether both sides have a piece, both together at most od[PIECES], and no man is on its crowning row."""
    own, opp, white = s[0], s[1], s[2] >> _63
    crowned = (own & BOTTOM_ROW) | (opp & TOP_ROW) if white else (own & TOP_ROW) | (opp & BOTTOM_ROW)
    return (popcount(own | opp) <= od[_PIECES]) & (own != _0) & (opp != _0) & (crowned & ~s[2] == _0)


@inline
def has_lost_all(od: Any, s: Any) -> Any:
    """Whether the side to move has lost because it has no pieces, and the other side has at most od[PIECES]."""
    return s[0] == _0 and popcount(s[1]) <= od[_PIECES]


def probe(od: Any, s: Any, out: Any) -> Any:
    """Value, for the side to move, of a draughts state with at most od[PIECES] pieces; UNKNOWN if it has more.

    A side to move without pieces has lost. Positions that cannot arise in play are UNKNOWN: only the other side has no
    pieces, or a man is on its crowning row. There are no distances: out[PROBE_DISTANCE] is 0.
    """
    out[PROBE_DISTANCE] = _0
    return _solved_value(od, s)


def probe_quiet(od: Any, s: Any, out: Any) -> Any:
    """`probe` for states in which neither side could capture; UNKNOWN for the others."""
    out[PROBE_DISTANCE] = _0
    if may_be_covered(od, s) and (mover_can_capture(s) or other_could_capture(s)):
        return np.int64(UNKNOWN)
    return _solved_value(od, s)


@inline
def _solved_value(od: Any, s: Any) -> Any:
    if not may_be_covered(od, s):
        return np.int64(LOSS) if has_lost_all(od, s) else np.int64(UNKNOWN)
    index = state_index(od, s[0], s[1], s[2] & BOARD, s[2] >> _63)
    return np.int64((od[od[_VALUES] + (index >> _5)] >> ((index & _31) << _1)) & _3)


def probe_files(od: Any, s: Any, out: Any) -> Any:
    """Value, for the side to move, of a draughts state, from the block of Chinook's files (file_block.py).

    UNKNOWN as in `probe`, or if the files do not cover the position. Captures of either side are resolved by search,
    with out[PROBE_SCRATCH : PROBE_SCRATCH + SPACE] as workspace.
    """
    out[PROBE_DISTANCE] = _0
    if not may_be_covered(od, s):
        return np.int64(LOSS) if has_lost_all(od, s) else np.int64(UNKNOWN)
    if mover_can_capture(s) or other_could_capture(s):
        return exact_value(od, s, at(out, _4), _SPACE)
    return quiet_value(od, s[0], s[1], s[2] & BOARD, s[2] >> _63)


def probe_raw(od: Any, s: Any, out: Any) -> Any:
    """The stored value of a quiet state, without any search; UNKNOWN if either side could capture."""
    out[PROBE_DISTANCE] = _0
    if not may_be_covered(od, s) or mover_can_capture(s) or other_could_capture(s):
        return np.int64(UNKNOWN)
    return quiet_value(od, s[0], s[1], s[2] & BOARD, s[2] >> _63)


def probe_block(pieces: int, packed: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The block `od` of `probe`: the tables of slices.py, followed by the packed values (store.py)."""
    index_tables = tables(pieces)
    block = np.concatenate([index_tables, packed])
    block[VALUES] = len(index_tables)
    return block
