"""The run-length codes of Chinook's data files (specification, sections 1.4 and 1.7).

One byte, one code: 0..242 are five positions in base 3, the first position the most significant
digit, 0 = draw, 1 = win, 2 = loss; 243..255 are runs of the slice's default value.
"""

from typing import Any

import numpy as np

from gameforge.kernel.abi import DRAW, LOSS, WIN
from gameforge.kernel.jit import kernel

BLOCK = 1024
"""Bytes of a block; the index knows where each block begins."""
LITERAL = 5
"""Positions of a literal code."""
RUNS = (10, 15, 20, 25, 30, 40, 50, 60, 100, 200, 400, 800, 1600)
_FIRST_RUN = 243
_RUNS = np.array(RUNS, np.int64)
_VALUE_OF_DIGIT = np.array([DRAW, WIN, LOSS], np.uint8)
_DIGIT_OF_VALUE = np.array([0, 1, 2, 0], np.uint8)


@kernel
def decode(data: Any, first_byte: Any, end_byte: Any, default: Any, values: Any, position: Any) -> Any:
    """Write the values of the codes data[first_byte:end_byte] from values[position] on.

    Returns the position behind the last code. It may lie behind the end of the slice, where nothing is written.
    """
    size = values.size
    for byte in range(first_byte, end_byte):
        code = np.int64(data[byte])
        if code < _FIRST_RUN:
            weight = 81
            for _ in range(LITERAL):
                if position < size:
                    values[position] = _VALUE_OF_DIGIT[(code // weight) % 3]
                position += 1
                weight //= 3
        else:
            run = _RUNS[code - _FIRST_RUN]
            for i in range(position, min(position + run, size)):
                values[i] = default
            position += run
    return position


@kernel
def encode(values: Any, default: Any, data: Any, positions: Any) -> Any:
    """Write the codes of a slice to `data` and the position at which each begins; returns their number.

    Positions whose value is not stored hold the default. `data` and `positions` need size // 5 + 1 elements.
    """
    size = values.size
    n = 0
    position = 0
    run_end = 0
    while position < size:
        if run_end <= position:
            run_end = position
            while run_end < size and values[run_end] == default:
                run_end += 1
        positions[n] = position
        if run_end - position >= _RUNS[0]:
            run = _RUNS.size - 1
            while _RUNS[run] > run_end - position:
                run -= 1
            data[n] = _FIRST_RUN + run
            position += _RUNS[run]
        else:
            code: Any = 0
            for i in range(position, position + LITERAL):
                code = 3 * code + np.int64(_DIGIT_OF_VALUE[values[i] if i < size else default])
            data[n] = code
            position += LITERAL
        n += 1
    return n
