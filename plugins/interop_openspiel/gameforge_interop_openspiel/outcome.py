"""The outcome of a state: compiled, because all but finished games need no call of Python.

The data of the rules are the index of a state's last word, the limit of plies, and the address of a C function that
asks OpenSpiel for the result of a finished game.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from gameforge.interfaces.outcome import DRAW, LOSS, RUNNING, WIN
from gameforge.kernel.abi import WORDS
from gameforge.kernel.compile.jit import COMPILED

_0, _1, _2 = (np.uint64(n) for n in range(3))
PLY_LIMIT = 1
"""Index of the reason."""
_RESULT = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)

Result = Callable[[int], int]
"""Returns the outcome code of the finished game whose history begins at an address."""


class CResult:
    """A Python function that compiled functions call by its address, for as long as this object lives."""

    def __init__(self, function: Result) -> None:
        self._function = _RESULT(function)
        self.address = ctypes.cast(self._function, ctypes.c_void_p).value


if COMPILED:

    @intrinsic  # type: ignore[untyped-decorator]
    def _result(context: Any, address: Any, s: Any) -> Any:
        """Call the C function at this address."""

        def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            function = ir.FunctionType(ir.IntType(64), [arguments[1].type]).as_pointer()
            return builder.call(builder.inttoptr(arguments[0], function), [arguments[1]])

        return types.int64(types.uint64, WORDS), code

else:

    def _result(address: Any, s: Any) -> Any:
        return _RESULT(int(address))(s.ctypes.data)


def outcome(rules: Any, s: Any, n_moves: Any) -> Any:
    if n_moves == _0:
        return _result(rules[2], s)
    return RUNNING if s[rules[0]] < rules[1] else DRAW + 4 * PLY_LIMIT


def code_of(worth: float) -> int:
    """Return the outcome code for what a finished game is worth for the side to move."""
    return WIN if worth > 0 else LOSS if worth < 0 else DRAW
