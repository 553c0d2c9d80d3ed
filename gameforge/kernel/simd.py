"""Vector code for the inner loops of nets: eight lanes as one value, and activation functions.

A vector holds float32 or, for sums of indices, int32. numba's own vectoriser leaves such short loops scalar or full of
checks (benchmarks/net.py). Every operation, and the order in which `total` adds, is the same on all machines; `fma`
rounds only once. Uncompiled, a vector is an array of eight.

tanh is x P(x^2) / Q(x^2) on |x| <= 8.5, with coefficients fitted to np.tanh by reweighted least squares (Lawson's
method); the error is below 4e-7. Unlike a C library's tanh it is plain arithmetic in a fixed order, so that loops over
it are vectorised and nothing depends on the machine.
"""

from typing import TYPE_CHECKING

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

from gameforge.kernel.compile.jit import COMPILED, inline
from gameforge.kernel.types import Floats, Places, Real, Single, Word

LANES = 8
"""Number of elements of a vector."""


class Lanes:
    """The type of a vector of eight float32, or of eight int32, for mypy."""


if TYPE_CHECKING:

    def add(a: Lanes, b: Lanes) -> Lanes:
        """Sum of two float32 vectors."""
        ...

    def sub(a: Lanes, b: Lanes) -> Lanes:
        """Difference of two float32 vectors."""
        ...

    def mul(a: Lanes, b: Lanes) -> Lanes:
        """Product of two float32 vectors."""
        ...

    def div(a: Lanes, b: Lanes) -> Lanes:
        """Quotient of two float32 vectors."""
        ...

    def add_integers(a: Lanes, b: Lanes) -> Lanes:
        """Sum of two int32 vectors."""
        ...

    def load(pointer: Floats | Places, index: Word | int) -> Lanes:
        """pointer[index : index + 8], of float32 or of int32."""
        ...

    def store(pointer: Floats | Places, index: Word | int, vector: Lanes) -> None:
        """Write pointer[index : index + 8]."""

    def splat(value: Real) -> Lanes:
        """The same number in all lanes."""
        ...

    def fma(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
        """a * b + c, rounded once."""
        ...

    def clamp(vector: Lanes, low: Lanes, high: Lanes) -> Lanes:
        """Each lane, limited to the range between the lanes of low and high."""
        ...

    def nonzero(vector: Lanes) -> Word:
        """A word with bit i set if lane i of a float32 vector is not 0."""
        ...

    def from_bits(word: Word) -> Lanes:
        """The lowest eight bits of a word as float32: 1 in lane i if bit i is set, else 0."""
        ...

    def total(vector: Lanes) -> Single:
        """Sum of the lanes: ((0+4)+(2+6)) + ((1+5)+(3+7))."""
        ...

    def from_bytes(pointer: Places, index: Word | int) -> Lanes:
        """Eight int8 as float32; the index counts bytes, whatever the pointer points to."""
        ...

elif not COMPILED:
    add, sub, mul, div, add_integers = np.add, np.subtract, np.multiply, np.divide, np.add

    def load(pointer, index):
        return pointer[int(index) : int(index) + LANES].copy()

    def store(pointer, index, vector):
        pointer[int(index) : int(index) + LANES] = vector

    def splat(value):
        return np.full(LANES, value, np.float32)

    def fma(a, b, c):
        return (a.astype(np.float64) * b + c).astype(np.float32)

    def clamp(vector, low, high):
        return np.minimum(np.maximum(vector, low), high)

    def nonzero(vector):
        return np.uint64(int(np.packbits(vector != 0, bitorder="little")[0]))

    def from_bits(word):
        return np.unpackbits(np.array([word], np.uint64).view(np.uint8)[:1], bitorder="little").astype(np.float32)

    def total(vector):
        half = vector[:4] + vector[4:]
        quarter = half[:2] + half[2:]
        return quarter[0] + quarter[1]

    def from_bytes(pointer, index):
        return pointer.view(np.int8)[int(index) : int(index) + LANES].astype(np.float32)

else:

    class _Vector(types.Type):
        def __init__(self, element, llvm):
            super().__init__(name=f"{element.name}x{LANES}")
            self.llvm = ir.VectorType(llvm, LANES)

    VECTOR = _Vector(types.float32, ir.FloatType())
    """A vector of float32."""
    INTEGERS = _Vector(types.int32, ir.IntType(32))
    """A vector of int32."""
    _LLVM = VECTOR.llvm
    _OF = {types.float32: VECTOR, types.int32: INTEGERS}

    @register_model(_Vector)
    class _VectorModel(models.PrimitiveModel):
        def __init__(self, manager, fe_type):
            super().__init__(manager, fe_type, fe_type.llvm)

    def _address(builder, pointer, index, vector):
        return builder.bitcast(builder.gep(pointer, [index]), vector.llvm.as_pointer())

    def _binary(name, vector=VECTOR):
        """Make an operation on two vectors that is one LLVM instruction."""

        @intrinsic
        def operation(typing, a, b):
            def codegen(context, builder, signature, args):
                return getattr(builder, name)(*args)

            return vector(vector, vector), codegen

        return operation

    def _call(builder, name, result, args):
        function = ir.FunctionType(result, [a.type for a in args])
        return builder.call(cgutils.get_or_insert_function(builder.module, function, name), args)

    add, sub, mul, div = (_binary(name) for name in ("fadd", "fsub", "fmul", "fdiv"))
    add_integers = _binary("add", INTEGERS)

    @intrinsic
    def load(typing, pointer, index):
        vector = _OF[pointer.dtype]

        def codegen(context, builder, signature, args):
            value = builder.load(_address(builder, *args, vector))
            value.align = 4
            return value

        return vector(pointer, types.uint64), codegen

    @intrinsic
    def store(typing, pointer, index, vector):
        def codegen(context, builder, signature, args):
            builder.store(args[2], _address(builder, args[0], args[1], vector)).align = 4
            return context.get_dummy_value()

        return types.void(pointer, types.uint64, vector), codegen

    @intrinsic
    def splat(typing, value):
        def codegen(context, builder, signature, args):
            empty = ir.Constant(_LLVM, ir.Undefined)
            first = builder.insert_element(empty, args[0], ir.Constant(ir.IntType(32), 0))
            return builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))

        return VECTOR(types.float32), codegen

    @intrinsic
    def fma(typing, a, b, c):
        def codegen(context, builder, signature, args):
            return _call(builder, "llvm.fma.v8f32", _LLVM, list(args))

        return VECTOR(VECTOR, VECTOR, VECTOR), codegen

    @intrinsic
    def clamp(typing, vector, low, high):
        def codegen(context, builder, signature, args):
            above = _call(builder, "llvm.maxnum.v8f32", _LLVM, [args[0], args[1]])
            return _call(builder, "llvm.minnum.v8f32", _LLVM, [above, args[2]])

        return VECTOR(VECTOR, VECTOR, VECTOR), codegen

    _BITS = ir.VectorType(ir.IntType(1), LANES)

    @intrinsic
    def nonzero(typing, vector):
        def codegen(context, builder, signature, args):
            bits = builder.fcmp_unordered("!=", args[0], ir.Constant(_LLVM, [0.0] * LANES))
            return builder.zext(builder.bitcast(bits, ir.IntType(LANES)), ir.IntType(64))

        return types.uint64(VECTOR), codegen

    @intrinsic
    def from_bits(typing, word):
        def codegen(context, builder, signature, args):
            return builder.uitofp(builder.bitcast(builder.trunc(args[0], ir.IntType(LANES)), _BITS), _LLVM)

        return VECTOR(types.uint64), codegen

    @intrinsic
    def total(typing, vector):
        def codegen(context, builder, signature, args):
            vector, size = args[0], LANES
            while size > 1:
                size //= 2
                indices = ir.VectorType(ir.IntType(32), size)
                low = ir.Constant(indices, list(range(size)))
                high = ir.Constant(indices, list(range(size, 2 * size)))
                vector = builder.fadd(
                    builder.shuffle_vector(vector, vector, low), builder.shuffle_vector(vector, vector, high)
                )
            return builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))

        return types.float32(VECTOR), codegen

    @intrinsic
    def from_bytes(typing, pointer, index):
        small = ir.IntType(8)

        def codegen(context, builder, signature, args):
            first = builder.gep(builder.bitcast(args[0], small.as_pointer()), [args[1]])
            value = builder.load(builder.bitcast(first, ir.VectorType(small, LANES).as_pointer()))
            value.align = 1
            return builder.sitofp(value, _LLVM)

        return VECTOR(pointer, types.uint64), codegen


_LIMIT = np.float32(8.5)
_ONE = np.float32(1)
_P0, _P1, _P2 = np.float32(0.9999999403953552), np.float32(0.13406206667423248), np.float32(0.003525820327922702)
_P3, _P4 = np.float32(2.1121591998962685e-05), np.float32(1.4099283518476113e-08)
_Q1, _Q2 = np.float32(0.46739518642425537), np.float32(0.02599113993346691)
_Q3, _Q4 = np.float32(0.0003335692163091153), np.float32(8.073633352978504e-07)


@inline
def tanh(x: Real) -> Single:
    """Hyperbolic tangent of a float32, in [-1, 1]."""
    x = min(max(x, -_LIMIT), _LIMIT)
    u = x * x
    p = (((_P4 * u + _P3) * u + _P2) * u + _P1) * u + _P0
    q = (((_Q4 * u + _Q3) * u + _Q2) * u + _Q1) * u + _ONE
    return min(max(x * p / q, -_ONE), _ONE)  # type: ignore[return-value]


@inline
def tanh_lanes(x: Lanes) -> Lanes:
    """tanh of eight lanes (simd.py)."""
    one = splat(_ONE)
    x = clamp(x, splat(-_LIMIT), splat(_LIMIT))
    u = mul(x, x)
    p = fma(splat(_P4), u, splat(_P3))
    p = fma(p, u, splat(_P2))
    p = fma(p, u, splat(_P1))
    p = fma(p, u, splat(_P0))
    q = fma(splat(_Q4), u, splat(_Q3))
    q = fma(q, u, splat(_Q2))
    q = fma(q, u, splat(_Q1))
    q = fma(q, u, one)
    return clamp(div(mul(x, p), q), splat(-_ONE), one)
