"""The clocks of kernels, for the time limits of searches and the times in the record of a game.

They are the system's clock_gettime if that exists, which can be read without the GIL; else they are Python's clocks
with the same signature.
"""

import ctypes
import time
from typing import TYPE_CHECKING

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gameforge.kernel.compile.jit import COMPILED

SECOND = 1_000_000_000
"""Nanoseconds."""
_SYMBOL = "gameforge_clock_gettime"
_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_int64))
_CLOCK = getattr(time, "CLOCK_MONOTONIC", 0)
_THREAD_CLOCK = getattr(time, "CLOCK_THREAD_CPUTIME_ID", -1)


def _python_clock(clock: int, words: "ctypes._Pointer[ctypes.c_int64]") -> int:
    words[0], words[1] = divmod(time.thread_time_ns() if clock == _THREAD_CLOCK else time.monotonic_ns(), SECOND)
    return 0


def _clock_gettime() -> "ctypes._NamedFuncPointer | ctypes._CFunctionType":
    """int clock_gettime(int clock, int64 {seconds, nanoseconds}[2])."""
    try:
        if ctypes.sizeof(ctypes.c_long) != ctypes.sizeof(ctypes.c_int64):
            raise AttributeError("struct timespec has other fields here")
        return ctypes.CDLL(None).clock_gettime
    except (AttributeError, OSError, TypeError):
        return _SIGNATURE(_python_clock)


# Compiled code finds the function by this name, even code that another process has put into the cache.
_FUNCTION = _clock_gettime()
llvmlite.binding.add_symbol(_SYMBOL, ctypes.cast(_FUNCTION, ctypes.c_void_p).value)

if TYPE_CHECKING:

    def nanoseconds() -> int:
        """Nanoseconds since an arbitrary moment, by a clock that never goes backwards."""
        ...

    def processor_nanoseconds() -> int:
        """Nanoseconds of processor time that this thread has used."""
        ...

elif not COMPILED:
    nanoseconds, processor_nanoseconds = time.monotonic_ns, time.thread_time_ns

else:

    def _read(context, builder, clock):
        """Return the value of a call of clock_gettime, in nanoseconds."""
        word = ir.IntType(64)
        words = cgutils.alloca_once(builder, ir.ArrayType(word, 2))
        pointer = builder.bitcast(words, word.as_pointer())
        function = ir.FunctionType(ir.IntType(32), [ir.IntType(32), word.as_pointer()])
        entry = cgutils.get_or_insert_function(builder.module, function, _SYMBOL)
        builder.call(entry, [ir.Constant(ir.IntType(32), clock), pointer])
        seconds = builder.load(pointer)
        rest = builder.load(builder.gep(pointer, [ir.Constant(word, 1)]))
        return builder.add(builder.mul(seconds, ir.Constant(word, SECOND)), rest)

    @intrinsic
    def nanoseconds(typing):
        return types.int64(), lambda context, builder, signature, args: _read(context, builder, _CLOCK)

    @intrinsic
    def processor_nanoseconds(typing):
        return types.int64(), lambda context, builder, signature, args: _read(context, builder, _THREAD_CLOCK)
