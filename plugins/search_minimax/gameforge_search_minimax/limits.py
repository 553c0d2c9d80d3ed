"""The block `limits` of `alphabeta`, and the test whether a search must stop."""

from typing import Any, NamedTuple

import numpy as np

from gameforge.kernel.compile.clock import nanoseconds
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import ASKED, STOP

DEPTH, NODES, TIME, TABLE_BITS, QUIESCENCE, FORCED, DRAWS, PROGRESS, PLIES, RANDOM_TIES, WORKERS, HELPER = range(12)
"""Indices of `limits`; a 0 in NODES or TIME means no such limit, a 0 in TABLE_BITS no table."""
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
    random_ties: Any
    shares: Any
    """Whether other threads work on the same search."""
    helper: Any
    """0 for the main search, else the number of the helper, which only fills the table for the main search."""


@inline
def read_options(limits: Any, control: Any) -> Any:
    """Read the options from `limits`. The time counts from control[ASKED], if that is set; it is reset here."""
    leads = limits[HELPER] == 0
    nodes, deadline = ~_0, np.int64(0)
    if limits[NODES] > 0 and leads:
        nodes = np.uint64(limits[NODES])
    if limits[TIME] > 0 and leads:
        deadline = (control[ASKED] if control[ASKED] != 0 else nanoseconds()) + limits[TIME]
    control[ASKED] = 0
    bits = np.uint64(limits[TABLE_BITS])
    return Options(
        np.uint64(limits[DEPTH]),
        nodes,
        deadline,
        bits,
        np.uint64(limits[PLIES]),
        limits[QUIESCENCE] != 0,
        limits[FORCED] != 0,
        limits[DRAWS] != 0,
        limits[PROGRESS] != 0,
        limits[RANDOM_TIES] != 0 and leads,
        bits != _0 and limits[WORKERS] > 1,
        limits[HELPER],
    )


@inline
def must_stop(control: Any, options: Any, nodes: Any) -> Any:
    """Whether a limit is reached or the STOP flag is set; the clock is read only every 32 nodes."""
    if control[STOP] != 0 or nodes >= options.nodes:
        return True
    return options.deadline != 0 and nodes & _CLOCK_MASK == _0 and nanoseconds() >= options.deadline
