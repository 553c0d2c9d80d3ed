"""Vectors of sixteen int16, with which a net of integers computes: sums that wrap around, and products.

Products are added up in vectors of eight int32. Every operation gives the same integers on all machines; LLVM chooses
the instructions. Uncompiled, a vector is an array (gameforge.kernel.simd has the vectors of float32).
"""

from typing import TYPE_CHECKING

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

from gameforge.kernel import Places, Word

LANES = 16
"""Number of elements of a vector."""
_SUMS = LANES // 2


class Shorts:
    """The type of a vector of sixteen int16, for mypy."""


class Sums:
    """The type of a vector of eight int32, for mypy."""


if TYPE_CHECKING:

    def load(pointer: Places, index: Word | int) -> Shorts:
        """pointer[index : index + 16] of int16."""
        ...

    def load_bytes(pointer: Places, index: Word | int) -> Shorts:
        """Sixteen int8 as int16; the index counts bytes, whatever the pointer points to."""
        ...

    def store(pointer: Places, index: Word | int, vector: Shorts) -> None:
        """Write pointer[index : index + 16]."""

    def add(a: Shorts, b: Shorts) -> Shorts:
        """Sum of two vectors, which wraps around."""
        ...

    def sub(a: Shorts, b: Shorts) -> Shorts:
        """Difference of two vectors, which wraps around."""
        ...

    def clamp(vector: Shorts, most: int) -> Shorts:
        """Each lane, limited to the range from 0 to `most`."""
        ...

    def no_sums() -> Sums:
        """Eight int32, all 0."""
        ...

    def add_products(a: Shorts, b: Shorts, sums: Sums) -> Sums:
        """Eight int32: sums[i] + a[2 i] * b[2 i] + a[2 i + 1] * b[2 i + 1]."""
        ...

    def total(sums: Sums) -> np.int32:
        """Sum of eight int32."""
        ...

elif numba.config.DISABLE_JIT:
    add, sub = np.add, np.subtract

    def load(pointer, index):
        return pointer[int(index) : int(index) + LANES].copy()

    def load_bytes(pointer, index):
        return pointer.view(np.int8)[int(index) : int(index) + LANES].astype(np.int16)

    def store(pointer, index, vector):
        pointer[int(index) : int(index) + LANES] = vector

    def clamp(vector, most):
        return np.clip(vector, 0, most)

    def no_sums():
        return np.zeros(_SUMS, np.int32)

    def add_products(a, b, sums):
        return sums + (a.astype(np.int32) * b).reshape(_SUMS, 2).sum(axis=1, dtype=np.int32)

    def total(sums):
        return sums.sum(dtype=np.int32)

else:

    class _Vector(types.Type):
        def __init__(self, name, bits, lanes):
            super().__init__(name=name)
            self.llvm = ir.VectorType(ir.IntType(bits), lanes)

    SHORTS, SUMS = _Vector("shorts", 16, LANES), _Vector("sums of shorts", 32, _SUMS)

    @register_model(_Vector)
    class _VectorModel(models.PrimitiveModel):
        def __init__(self, manager, fe_type):
            super().__init__(manager, fe_type, fe_type.llvm)

    def _address(builder, pointer, index, bits=16):
        """Where a vector of integers of `bits` bits begins; the index counts them, whatever the pointer points to."""
        element = ir.IntType(bits)
        first = builder.gep(builder.bitcast(pointer, element.as_pointer()), [index])
        return builder.bitcast(first, ir.VectorType(element, LANES).as_pointer())

    def _loading(bits):
        """Make an operation that loads sixteen integers of `bits` bits."""

        @intrinsic
        def operation(typing, pointer, index):
            def codegen(context, builder, signature, args):
                value = builder.load(_address(builder, *args, bits))
                value.align = bits // 8
                return builder.sext(value, SHORTS.llvm)

            return SHORTS(pointer, types.uint64), codegen

        return operation

    load, load_bytes = _loading(16), _loading(8)

    @intrinsic
    def store(typing, pointer, index, vector):
        def codegen(context, builder, signature, args):
            builder.store(args[2], _address(builder, *args[:2])).align = 2
            return context.get_dummy_value()

        return types.void(pointer, types.uint64, vector), codegen

    def _binary(name):
        """Make an operation on two vectors that is one LLVM instruction."""

        @intrinsic
        def operation(typing, a, b):
            def codegen(context, builder, signature, args):
                return getattr(builder, name)(*args)

            return SHORTS(SHORTS, SHORTS), codegen

        return operation

    add, sub = _binary("add"), _binary("sub")

    @intrinsic
    def clamp(typing, vector, most):
        lanes = ir.VectorType(ir.IntType(32), LANES)

        def codegen(context, builder, signature, args):
            low, empty = ir.Constant(SHORTS.llvm, [0] * LANES), ir.Constant(SHORTS.llvm, ir.Undefined)
            limit = builder.trunc(args[1], ir.IntType(16))
            first = builder.insert_element(empty, limit, ir.Constant(ir.IntType(32), 0))
            high = builder.shuffle_vector(first, empty, ir.Constant(lanes, [0] * LANES))
            above = builder.select(builder.icmp_signed(">", args[0], low), args[0], low)
            return builder.select(builder.icmp_signed("<", above, high), above, high)

        return SHORTS(SHORTS, types.int64), codegen

    @intrinsic
    def no_sums(typing):
        def codegen(context, builder, signature, args):
            return ir.Constant(SUMS.llvm, [0] * _SUMS)

        return SUMS(), codegen

    def _every_other(first):
        """The lanes from the first on, with a step of 2, as the mask of a shuffle."""
        return ir.Constant(ir.VectorType(ir.IntType(32), _SUMS), list(range(first, LANES, 2)))

    @intrinsic
    def add_products(typing, a, b, sums):
        wide = ir.VectorType(ir.IntType(32), LANES)

        def codegen(context, builder, signature, args):
            # LLVM makes one instruction of these where the processor has one (pmaddwd, sdot).
            products = builder.mul(builder.sext(args[0], wide), builder.sext(args[1], wide))
            even, odd = (builder.shuffle_vector(products, products, _every_other(first)) for first in (0, 1))
            return builder.add(args[2], builder.add(even, odd))

        return SUMS(SHORTS, SHORTS, SUMS), codegen

    @intrinsic
    def total(typing, sums):
        def codegen(context, builder, signature, args):
            kind = ir.FunctionType(ir.IntType(32), [SUMS.llvm])
            reduce = cgutils.get_or_insert_function(builder.module, kind, "llvm.vector.reduce.add.v8i32")
            return builder.call(reduce, args)

        return types.int32(SUMS), codegen
