"""Calls into Python from compiled functions, for components whose positions are Python objects.

A callback (functions.py) gets pointers and writes through them, which costs microseconds. A Python function called from
here gets bytes and a number and returns a list or a number, which machine code reads: a tenth of a microsecond.
"""

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gameforge.kernel.abi import WORDS
from gameforge.kernel.compile.jit import COMPILED

if TYPE_CHECKING or not COMPILED:

    def _called(call: Any, block: Any, size: Any, number: Any) -> Any:
        function, _ = ctypes.cast(int(call), ctypes.py_object).value
        return function(ctypes.string_at(block.ctypes.data, int(size)), int(number))

    def list_from(call: Any, block: Any, size: Any, number: Any, out: Any) -> Any:
        """Call a function of RulesFunctions.calls; write the integers of its list, and return their number.

        call: its address, from the data of the rules; its arguments are the first bytes of a block, and the number.
        """
        values = _called(call, block, size, number)
        out[: len(values)] = values
        return len(values)

    def number_from(call: Any, block: Any, size: Any, number: Any) -> Any:
        """Call a function of RulesFunctions.calls, as `list_from` does; return its integer."""
        return _called(call, block, size, number)

else:
    _Read = Callable[[Any, Any, Any], Any]

    def _call(context: Any, builder: Any, args: Any, read: _Read) -> Any:
        """Call the function of a PythonCall; return read(python, builder, answer), or 0 after an exception."""
        python = context.get_python_api(builder)
        result = cgutils.alloca_once_value(builder, ir.Constant(ir.IntType(64), 0))
        lock = python.gil_ensure()
        function, fail = (python.tuple_getitem(builder.inttoptr(args[0], python.pyobj), i) for i in range(2))
        start = python.bytes_from_string_and_size(builder.bitcast(args[1], ir.IntType(8).as_pointer()), args[2])
        number = python.long_from_ulonglong(args[3])
        answer = python.call_function_objargs(function, (start, number))
        python.decref(start)
        python.decref(number)
        with cgutils.if_likely(builder, cgutils.is_not_null(builder, answer)):
            builder.store(read(python, builder, answer), result)
            python.decref(answer)
        with cgutils.if_unlikely(builder, cgutils.is_not_null(builder, python.err_occurred())):
            error = [cgutils.alloca_once(builder, python.pyobj) for _ in range(3)]
            python.err_fetch(*error)
            _normalized(python, builder, error)
            python.decref(python.call_function_objargs(fail, (builder.load(error[1]),)))
            for part in error:
                python.decref(builder.load(part))
            builder.store(ir.Constant(ir.IntType(64), 0), result)
        python.gil_release(lock)
        return builder.load(result)

    def _normalized(python: Any, builder: Any, error: Any) -> None:
        """Make an exception of what C functions have set instead of one."""
        kind = ir.FunctionType(ir.VoidType(), [python.pyobjptr] * 3)
        builder.call(cgutils.get_or_insert_function(builder.module, kind, "PyErr_NormalizeException"), error)

    @intrinsic
    def list_from(typing: Any, call: Any, block: Any, size: Any, number: Any, out: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            def read(python: Any, builder: Any, values: Any) -> Any:
                length = python.list_size(values)
                with cgutils.for_range(builder, length) as loop:
                    value = python.long_as_ulonglong(python.list_getitem(values, loop.index))
                    builder.store(value, builder.gep(args[4], [loop.index]))
                return length

            return _call(context, builder, args, read)

        return types.int64(types.uint64, WORDS, types.int64, types.uint64, WORDS), codegen

    @intrinsic
    def number_from(typing: Any, call: Any, block: Any, size: Any, number: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _call(context, builder, args, lambda python, builder, answer: python.long_as_longlong(answer))

        return types.int64(types.uint64, WORDS, types.int64, types.uint64), codegen
