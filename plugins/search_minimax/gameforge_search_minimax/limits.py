"""The block `limits` of `alphabeta`, and the test whether a search must stop."""

from typing import Any, NamedTuple

import numpy as np

from gameforge.kernel.compile.clock import nanoseconds
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import ASKED, BUDGET, STOP

DEPTH, NODES, TIME, TABLE_BITS, QUIESCENCE, FORCED, DRAWS, PROGRESS, PLIES, RANDOM_TIES, WORKERS = range(11)
REDUCTIONS, FUTILITY, FUTILITY_PLIES, PENALTIES, LATE_PRUNING, KEEP, CONVERT, HAS_CUTS, CUTS = range(11, 20)
"""Indices of `limits`; a 0 in NODES or TIME means no such limit, a 0 in TABLE_BITS no table. REDUCTIONS and
FUTILITY are in units of UNIT. At CUTS + CUT_WORDS * depth: the depth of the probe (0: none), and slope, offset and
margin in units of UNIT (probcut.py)."""
CUT_DEPTHS, CUT_WORDS = 64, 4
HELPER = CUTS + CUT_DEPTHS * CUT_WORDS
UNIT = 2.0**-30
QUIET_PLIES = 40
"""Maximum number of plies beyond the horizon, of noisy moves and only moves."""
_0 = np.uint64(0)
_CLOCK_MASK = np.uint64(31)


class Options(NamedTuple):
    """The limits and switches of one search."""

    depth: Any
    """Maximum depth, in plies."""
    nodes: Any
    """Maximum number of nodes."""
    deadline: Any
    """Time of the kernel's clock in nanoseconds; 0: no deadline."""
    table_bits: Any
    """2 ** table_bits buckets in the transposition table; 0: no table."""
    last_ply: Any
    """The deepest ply that the workspace has room for."""
    quiescence: Any
    forced: Any
    draws: Any
    progress: Any
    convert: Any
    random_ties: Any
    shares: Any
    """Whether other threads work on the same search."""
    helper: Any
    """0 for the main search, else the number of the helper, which only fills the table for the main search."""
    selective: Any
    """Whether the search is selective; if not, all that follows is off."""
    reductions: Any
    """Factor of the reductions in selection.py; 0: none."""
    futility: Any
    """Margin for each ply of depth; 0: none."""
    futility_plies: Any
    """Greatest depth left at which it applies."""
    penalties: Any
    late_pruning: Any
    keeps: Any
    """Whether entries of earlier searches of the game are read."""
    cuts: Any
    """Whether there are cuts (probcut.py)."""


@inline
def read_options(limits: Any, control: Any, selective: Any) -> Any:
    """Read the options from `limits`; control[BUDGET], if it is set, replaces the time limit.

    The time counts from control[ASKED], if that is set; it is reset here. `selective` is a constant, so the exact
    search is compiled without the code of the selective one.
    """
    leads = limits[HELPER] == 0
    nodes, deadline = ~_0, np.int64(0)
    if limits[NODES] > 0 and leads:
        nodes = np.uint64(limits[NODES])
    time = control[BUDGET] if control[BUDGET] > 0 else limits[TIME]
    if time > 0 and leads:
        deadline = (control[ASKED] if control[ASKED] != 0 else nanoseconds()) + time
    control[ASKED] = 0
    bits = np.uint64(limits[TABLE_BITS])
    return Options(  # in the order of the fields: numba compiles no call with as many names and conditions
        np.uint64(limits[DEPTH]),
        nodes,
        deadline,
        bits,
        np.uint64(limits[PLIES]),
        limits[QUIESCENCE] != 0,
        limits[FORCED] != 0,
        limits[DRAWS] != 0,
        limits[PROGRESS] != 0,
        limits[CONVERT] != 0,
        limits[RANDOM_TIES] != 0 and leads,
        bits != _0 and limits[WORKERS] > 1,
        limits[HELPER],
        selective,
        np.float64(limits[REDUCTIONS]) * UNIT if selective else 0.0,
        np.float64(limits[FUTILITY]) * UNIT if selective else 0.0,
        np.uint64(limits[FUTILITY_PLIES]),
        selective and limits[PENALTIES] != 0,
        selective and limits[LATE_PRUNING] != 0,
        selective and limits[KEEP] != 0 and bits != _0,
        selective and limits[HAS_CUTS] != 0,
    )


@inline
def must_stop(control: Any, options: Any, nodes: Any, most: Any) -> Any:
    """Whether `most` nodes or the deadline are reached, or the STOP flag is set; reads the clock every 32 nodes."""
    if control[STOP] != 0 or nodes >= most:
        return True
    return options.deadline != 0 and nodes & _CLOCK_MASK == _0 and nanoseconds() >= options.deadline
