"""Vectors with which a net of integers computes: sixteen int16, sums of which wrap around, and products of bytes.

Products are added up in vectors of eight int32. Every operation gives the same integers on all machines; LLVM chooses
the instructions. Uncompiled, a vector is an array (gameforge.kernel.simd has the vectors of float32).
"""

from typing import TYPE_CHECKING

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from gameforge.kernel import Places, Word

LANES = 16
"""Number of elements of a vector of int16."""
BYTES = 2 * LANES
"""Number of elements of a vector of bytes."""
_SUMS = LANES // 2


class Shorts:
    """The type of a vector of sixteen int16, for mypy."""


class Bytes:
    """The type of a vector of 32 bytes, for mypy."""


class Sums:
    """The type of a vector of eight int32, for mypy."""


if TYPE_CHECKING:

    def load(pointer: Places, index: Word | int) -> Shorts:
        """pointer[index : index + 16] of int16."""
        ...

    def load_bytes(pointer: Places, index: Word | int) -> Bytes:
        """32 bytes; the index counts bytes, whatever the pointer points to."""
        ...

    def store(pointer: Places, index: Word | int, vector: Shorts) -> None:
        """Write pointer[index : index + 16]."""

    def store_bytes(pointer: Places, index: Word | int, a: Shorts, b: Shorts) -> None:
        """Write 32 numbers from 0 to 127 as bytes; the index counts bytes, whatever the pointer points to."""

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

    def add_products(a: Bytes, b: Bytes, ones: Shorts, sums: Sums) -> Sums:
        """Eight int32: sums[i] + the products of the four pairs of bytes from 4 i on.

        a: numbers from 0 to 127. b: int8 of -127 or more. ones: sixteen times 1, loaded from where LLVM does not see
        them: instead of a multiplication by 1 it would add, which takes more instructions.
        """
        ...

    def store_totals(pointer: Places, index: Word | int, a: Sums, b: Sums, c: Sums, d: Sums) -> None:
        """Write the sum of each of four vectors as int32 to pointer[index : index + 4]."""

elif numba.config.DISABLE_JIT:
    add, sub = np.add, np.subtract

    def load(pointer, index):
        return pointer[int(index) : int(index) + LANES].copy()

    def load_bytes(pointer, index):
        return pointer.view(np.int8)[int(index) : int(index) + BYTES].copy()

    def store(pointer, index, vector):
        pointer[int(index) : int(index) + LANES] = vector

    def store_bytes(pointer, index, a, b):
        pointer.view(np.int8)[int(index) : int(index) + BYTES] = np.concatenate((a, b))

    def clamp(vector, most):
        return np.clip(vector, 0, most)

    def no_sums():
        return np.zeros(_SUMS, np.int32)

    def add_products(a, b, ones, sums):
        return sums + (a.astype(np.int32) * b).reshape(_SUMS, 4).sum(axis=1, dtype=np.int32)

    def store_totals(pointer, index, a, b, c, d):
        pointer[int(index) : int(index) + 4] = [sums.sum(dtype=np.int32) for sums in (a, b, c, d)]

else:

    class _Vector(types.Type):
        def __init__(self, name, bits, lanes):
            super().__init__(name=name)
            self.llvm = ir.VectorType(ir.IntType(bits), lanes)

    SHORTS, SUMS = _Vector("shorts", 16, LANES), _Vector("sums of shorts", 32, _SUMS)
    BYTES_32 = _Vector("bytes", 8, BYTES)

    @register_model(_Vector)
    class _VectorModel(models.PrimitiveModel):
        def __init__(self, manager, fe_type):
            super().__init__(manager, fe_type, fe_type.llvm)

    def _address(builder, pointer, index, vector):
        """Where a vector begins; the index counts its elements, whatever the pointer points to."""
        first = builder.gep(builder.bitcast(pointer, vector.element.as_pointer()), [index])
        return builder.bitcast(first, vector.as_pointer())

    def _loading(kind):
        """Make an operation that loads a vector."""

        @intrinsic
        def operation(typing, pointer, index):
            def codegen(context, builder, signature, args):
                value = builder.load(_address(builder, *args, kind.llvm))
                value.align = kind.llvm.element.width // 8
                return value

            return kind(pointer, types.uint64), codegen

        return operation

    load, load_bytes = _loading(SHORTS), _loading(BYTES_32)

    def _lanes(*places):
        """The mask of a shuffle."""
        return ir.Constant(ir.VectorType(ir.IntType(32), len(places)), list(places))

    @intrinsic
    def store(typing, pointer, index, vector):
        def codegen(context, builder, signature, args):
            builder.store(args[2], _address(builder, *args[:2], SHORTS.llvm)).align = 2
            return context.get_dummy_value()

        return types.void(pointer, types.uint64, vector), codegen

    @intrinsic
    def store_bytes(typing, pointer, index, a, b):
        def codegen(context, builder, signature, args):
            both = builder.shuffle_vector(args[2], args[3], _lanes(*range(BYTES)))
            builder.store(builder.trunc(both, BYTES_32.llvm), _address(builder, *args[:2], BYTES_32.llvm)).align = 1
            return context.get_dummy_value()

        return types.void(pointer, types.uint64, a, b), codegen

    def _binary(name):
        """Make an operation on two vectors that is one LLVM instruction."""

        @intrinsic
        def operation(typing, a, b):
            def codegen(context, builder, signature, args):
                return getattr(builder, name)(*args)

            return SHORTS(SHORTS, SHORTS), codegen

        return operation

    add, sub = _binary("add"), _binary("sub")

    def _limited(builder, vector, least, most):
        """Each element, limited to the range from `least` to `most`, which are vectors."""
        above = builder.select(builder.icmp_signed(">", vector, least), vector, least)
        return builder.select(builder.icmp_signed("<", above, most), above, most)

    @intrinsic
    def clamp(typing, vector, most):
        low, empty = ir.Constant(SHORTS.llvm, [0] * LANES), ir.Constant(SHORTS.llvm, ir.Undefined)

        def codegen(context, builder, signature, args):
            limit = builder.trunc(args[1], ir.IntType(16))
            first = builder.insert_element(empty, limit, ir.Constant(ir.IntType(32), 0))
            high = builder.shuffle_vector(first, empty, _lanes(*[0] * LANES))
            return _limited(builder, args[0], low, high)

        return SHORTS(SHORTS, types.int64), codegen

    @intrinsic
    def no_sums(typing):
        def codegen(context, builder, signature, args):
            return ir.Constant(SUMS.llvm, [0] * _SUMS)

        return SUMS(), codegen

    def _every_other(builder, vector, first):
        """The elements with even places, or with odd ones if `first` is 1."""
        return builder.shuffle_vector(vector, vector, _lanes(*range(first, vector.type.count, 2)))

    @intrinsic
    def add_products(typing, a, b, ones, sums):
        half = ir.VectorType(ir.IntType(32), LANES)
        low, high = (ir.Constant(half, [limit] * LANES) for limit in (-(1 << 15), (1 << 15) - 1))

        def codegen(context, builder, signature, args):
            # LLVM makes one instruction of each step where the processor has it (pmaddubsw, pmaddwd).
            products = [
                builder.mul(
                    builder.zext(_every_other(builder, args[0], i), half),
                    builder.sext(_every_other(builder, args[1], i), half),
                )
                for i in (0, 1)
            ]
            # The sum of two products is within these limits, but LLVM looks for them.
            pairs = builder.trunc(_limited(builder, builder.add(*products), low, high), SHORTS.llvm)
            numbers = builder.mul(builder.sext(pairs, half), builder.sext(args[2], half))
            fours = builder.add(_every_other(builder, numbers, 0), _every_other(builder, numbers, 1))
            return builder.add(args[3], fours)

        return SUMS(BYTES_32, BYTES_32, SHORTS, SUMS), codegen

    @intrinsic
    def store_totals(typing, pointer, index, a, b, c, d):
        four = ir.VectorType(ir.IntType(32), 4)

        def codegen(context, builder, signature, args):
            def both(x, y):
                """The pair sums of two vectors, lane by lane of 128 bits (phaddd)."""
                even, odd = (_lanes(i, i + 2, i + 8, i + 10, i + 4, i + 6, i + 12, i + 14) for i in (0, 1))
                return builder.add(builder.shuffle_vector(x, y, even), builder.shuffle_vector(x, y, odd))

            halves = both(both(*args[2:4]), both(*args[4:6]))
            low, high = (builder.shuffle_vector(halves, halves, _lanes(*range(i, i + 4))) for i in (0, 4))
            builder.store(builder.add(low, high), _address(builder, *args[:2], four)).align = 4
            return context.get_dummy_value()

        return types.void(pointer, types.uint64, SUMS, SUMS, SUMS, SUMS), codegen
