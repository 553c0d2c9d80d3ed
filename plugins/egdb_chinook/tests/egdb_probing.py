"""Probe an oracle for all positions, in the order of their indices."""

import numpy as np
from gameforge_draughts.movegen import STATE_WORDS
from gameforge_egdb_chinook.indexing import set_up
from gameforge_egdb_chinook.probe import Probe
from gameforge_egdb_chinook.slices import Slice, slices, tables
from gameforge_retrograde.indexer import ByteArray

from gameforge.interfaces.oracle import OracleFunctions
from gameforge.kernel.bits import at
from gameforge.kernel.compile.functions import compiled_function
from gameforge.kernel.compile.jit import kernel
from gameforge.kernel.types import Word, WordArray

_0, _1 = np.uint64(0), np.uint64(1)


@kernel
def _write_values(
    probe: Probe, od: WordArray, t: WordArray, number: Word, first: Word, end: Word, out: WordArray, values: ByteArray
) -> None:
    s = np.empty(STATE_WORDS, np.uint64)
    index = first
    while index < end:
        set_up(at(t, _0), number, index, at(s, _0))
        values[index - first] = probe(at(od, _0), at(s, _0), at(out, _0))
        index += _1


def probed_slice(oracle: OracleFunctions, t: WordArray, number: int, s: Slice, function: Probe) -> ByteArray:
    """The value that `function` returns for each position of slice `number` in the tables t."""
    out = np.zeros(4 + oracle.scratch, np.uint64)
    values = np.zeros(s.size, np.uint8)
    end = np.uint64(s.start + s.size)
    _write_values(function, oracle.data, t, np.uint64(number), np.uint64(s.start), end, out, values)
    return values


def probed(oracle: OracleFunctions, pieces: int, probe: Probe | None = None) -> ByteArray:
    """The oracle's value of each position with up to `pieces` pieces, Black to move."""
    t = tables(pieces)
    function = compiled_function("probe", oracle.probe if probe is None else probe)
    return np.concatenate([probed_slice(oracle, t, n, s, function) for n, s in enumerate(slices(pieces))])
