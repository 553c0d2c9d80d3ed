"""Encode slices in Chinook's format: the codes of the data file and the lines of the index."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.abi import UNKNOWN
from gameforge.kernel.compile.jit import kernel
from gameforge_egdb_chinook.chinook_files import SYMBOLS
from gameforge_egdb_chinook.codes import BLOCK, LITERAL, RUNS, encode

Bytes = NDArray[np.uint8]

_FIRST_RUN = 256 - len(RUNS)
_LENGTHS = np.array([LITERAL] * _FIRST_RUN + list(RUNS), np.int64)
_SYMBOL_OF = {value: symbol for symbol, value in SYMBOLS.items()}


def slice_codes(quiet: Bytes, default: int) -> tuple[int, Bytes | None]:
    """Encode a slice; returns its default value and its codes.

    `quiet` has one byte per position, UNKNOWN where either side could capture, and is overwritten. If all other
    values are equal, that value becomes the default and there are no codes (None).
    """
    counts = tally(quiet)
    present = [value for value in range(1, 4) if counts[value]]
    if len(present) < 2:
        return (present[0] if present else default), None
    quiet[quiet == UNKNOWN] = default
    codes = np.empty(len(quiet) // LITERAL + 1, np.uint8)
    n = encode(quiet, default, codes, np.empty(0, np.int64))
    return default, codes[:n].copy()


@kernel
def tally(values: Any) -> Any:
    """Count how often each value 0..3 occurs; shape (4,)."""
    counts = np.zeros(4, np.int64)
    for i in range(values.size):
        counts[values[i]] += 1
    return counts


@kernel
def _positions_at(codes: Any, byte: Any, positions: Any) -> Any:
    """Write the first position of each further block; codes[0] is at `byte` of its block.

    Returns the position after the last code.
    """
    position = 0
    n = 0
    for i in range(codes.size):
        if i and (byte + i) % BLOCK == 0:
            positions[n] = position
            n += 1
        position += _LENGTHS[codes[i]]
    if codes.size and (byte + codes.size) % BLOCK == 0:
        positions[n] = position
    return position


def index_record(name: str, default: int, codes: Bytes | None, byte: int) -> str:
    """The index lines of a slice whose codes begin at `byte` of the data file, formatted as in DB6.idx."""
    symbol = _SYMBOL_OF[default]
    if codes is None:
        return f"BASE{name} {2 * symbol}\n"
    block, offset = divmod(byte, BLOCK)
    positions = np.zeros((offset + len(codes)) // BLOCK, np.int64)
    coded = int(_positions_at(codes, offset, positions))
    lines = [f"BASE{name} {symbol}", f"S{0:7d}{block:8d}/{offset}"]
    lines += [f".{position}{number:8d}" for number, position in enumerate(positions.tolist(), block + 1)]
    end_block, end_offset = divmod(byte + len(codes), BLOCK)
    lines.append(f"E{coded}{end_block:8d}/{end_offset}")
    return "\n".join(lines) + "\n"
