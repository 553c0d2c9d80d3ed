"""What compiled code does with words: pointers into arrays, bit counts, hashes and random numbers.

The pointers and bit counts are operations that numba lacks. They work uncompiled, too. Random numbers come from
splitmix64 (Steele, Lea, Flood 2014), whose state is one word.
"""

from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from gameforge.kernel.compile.jit import COMPILED, inline
from gameforge.kernel.context import CompiledRules
from gameforge.kernel.types import Block, Floats, Integers, Places, Read, Scores, Word, Words, Written

U0, U1, U2, U3, U4 = (np.uint64(n) for n in range(5))
"""Small words. Beside a word, a plain `1` makes numba compute with int64 or float64."""
_8, _16, _27, _30, _31, _32 = (np.uint64(n) for n in (8, 16, 27, 30, 31, 32))


_BITS, _PAIRS, _NIBBLES, _BYTES, _HALVES = (
    np.uint64(word)
    for word in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF)
)
"""The lower one of two neighbouring bits, pairs of bits and so on."""

if TYPE_CHECKING:

    @overload
    def at(array: NDArray[np.uint64], offset: Word | int) -> Words: ...
    @overload
    def at(array: NDArray[np.float32], offset: Word | int) -> Floats: ...
    @overload
    def at(array: NDArray[np.float64], offset: Word | int) -> Scores: ...
    @overload
    def at(array: NDArray[np.int64], offset: Word | int) -> Integers: ...
    @overload
    def at(array: NDArray[np.int32], offset: Word | int) -> Places: ...
    @overload
    def at(array: Block[Read, Written], offset: Word | int) -> Block[Read, Written]: ...
    def at(array: Any, offset: Any) -> Any:
        """Pointer to `array[offset]` of an array or pointer, which a component's function takes as a block."""

    def as_words(block: Floats | Words) -> Words:
        """The same memory as uint64, for words in a workspace of float32."""
        ...

    def as_int32(block: Words | Floats | Places) -> Places:
        """The same memory as int32."""
        ...

    def as_int16(block: Words | Floats) -> Places:
        """The same memory as int16."""
        ...

    def read_alone(pointer: Block[Read, Written], index: Word | int) -> Read:
        """pointer[index], read by an instruction of its own: scattered reads are slower if LLVM combines them."""
        ...

    def ctz(word: Word) -> Word:
        """Index of the lowest set bit of a word that is not 0."""
        ...

    def clz(word: Word) -> Word:
        """Number of zeros above the highest set bit of a word that is not 0."""
        ...

    def popcount(word: Word) -> Word:
        """Number of set bits."""
        ...

elif not COMPILED:

    def at(array, offset):
        return array[int(offset) :]

    def as_words(block):
        return block[: len(block) // 2 * 2].view(np.uint64)

    def as_int32(block):
        return block.view(np.int32)

    def as_int16(block):
        return block.view(np.int16)

    def read_alone(pointer, index):
        return pointer[int(index)]

    def ctz(word):
        word = int(word)
        return np.uint64((word & -word).bit_length() - 1)

    def clz(word):
        return np.uint64(64 - int(word).bit_length())

    def popcount(word):
        return np.uint64(int(word).bit_count())

else:

    @intrinsic
    def at(typing, array, offset):
        is_pointer = isinstance(array, types.CPointer)

        def codegen(context, builder, signature, args):
            data = args[0] if is_pointer else context.make_array(signature.args[0])(context, builder, args[0]).data
            return builder.gep(data, [args[1]])

        result = array if is_pointer else types.CPointer(array.dtype)
        return result(array, types.uint64), codegen

    def _as(element):
        """Make an intrinsic that casts any pointer to a pointer to `element`."""

        @intrinsic
        def pointer(typing, block):
            result = types.CPointer(element)

            def codegen(context, builder, signature, args):
                return builder.bitcast(args[0], context.get_value_type(result))

            return result(block), codegen

        return pointer

    as_words, as_int32, as_int16 = _as(types.uint64), _as(types.int32), _as(types.int16)

    @intrinsic
    def read_alone(typing, pointer, index):
        def codegen(context, builder, signature, args):
            return builder.load_atomic(builder.gep(args[0], [args[1]]), "unordered", pointer.dtype.bitwidth // 8)

        return pointer.dtype(pointer, types.uint64), codegen

    def _of_word(name, *options):
        """Make an intrinsic that applies an LLVM instruction to a word; options: its boolean arguments."""

        @intrinsic
        def operation(typing, word):
            def codegen(context, builder, signature, args):
                flags = [context.get_constant(types.boolean, option) for option in options]
                return getattr(builder, name)(args[0], *flags)

            return types.uint64(types.uint64), codegen

        return operation

    ctz, clz, popcount = _of_word("cttz", True), _of_word("ctlz", True), _of_word("ctpop")


@inline
def reversed_bits(word: Word) -> Word:
    """The word with its 64 bits in reverse order: bit 0 becomes bit 63."""
    word = ((word >> U1) & _BITS) | ((word & _BITS) << U1)
    word = ((word >> U2) & _PAIRS) | ((word & _PAIRS) << U2)
    word = ((word >> U4) & _NIBBLES) | ((word & _NIBBLES) << U4)
    word = ((word >> _8) & _BYTES) | ((word & _BYTES) << _8)
    word = ((word >> _16) & _HALVES) | ((word & _HALVES) << _16)
    return (word >> _32) | (word << _32)


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFT = np.uint64(29)


@inline
def mix(h: Word, word: Word) -> Word:
    """Fold one more word into a hash, by multiply-xorshift, in which every input bit affects every output bit."""
    h = (h ^ word) * _GOLDEN
    h ^= h >> _SHIFT
    return h * _M1


@inline
def finish(h: Word) -> Word:
    """The hash after the last word."""
    return h ^ (h >> np.uint64(32))


@inline
def hash_of(words: Words, n: Word) -> Word:
    """Return a hash of the first n words of a block."""
    h = U0
    for i in range(n):
        h = mix(h, words[i])
    return finish(h)


@inline
def position_key(rules: CompiledRules, data: Words, s: Words) -> Word:
    """Return the rules' own key of a state, or a hash of all its words if the rules have none."""
    if rules.has_key:
        return rules.key(data, s)
    return hash_of(s, rules.words)


def threshold(share: float) -> np.uint64:
    """Return the word below which this share of all words lies."""
    return np.uint64(min(int(share * 2.0**64), 2**64 - 1))


@inline
def next_word(rng: Words) -> Word:
    """Return 64 random bits and advance rng[0]."""
    z = rng[0] + _GOLDEN
    rng[0] = z
    z = (z ^ (z >> _30)) * _M1
    z = (z ^ (z >> _27)) * _M2
    return z ^ (z >> _31)


@inline
def below(rng: Words, n: Word) -> Word:
    """Return a random integer in [0, n), for n < 2**32; the bias is below n / 2**32."""
    return ((next_word(rng) >> _32) * n) >> _32
