"""Nested tuples as one block of words, so that Python hands a compiled function one address instead of all of them.

A kernel takes its arguments from Python one by one. A player is dozens of functions and blocks, which takes longer than
a move or a shallow search. `packing` serves any named tuple. `addresses` writes down a game or a player once, and
`game_at` and `player_at` read them in the kernel.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from gameforge.kernel.abi import WORDS
from gameforge.kernel.compile.functions import Function
from gameforge.kernel.compile.jit import COMPILED
from gameforge.kernel.context import CONTEXT_TYPE, RULES_TYPE, SEARCH_SIGNATURE, CompiledPlayer
from gameforge.kernel.gameplay import GameWorkspace
from gameforge.kernel.types import WordArray, Words

Packed = TypeVar("Packed", bound=tuple[Any, ...])


def packing(kind: type[Packed]) -> tuple[Callable[[Packed], WordArray], Callable[[Words], Packed]]:
    """Return two functions for named tuples of a class: `pack` makes a block of one, and compiled code `unpack`s it.

    A tuple holds compiled functions, one-dimensional arrays, numbers of 64 bits, and tuples of these. All tuples of
    the class have the same types, and one has been packed before a function that unpacks them is compiled. The block
    is valid as long as the arrays and functions. Under NUMBA_DISABLE_JIT the block holds the tuple itself.
    """
    known: list[Any] = []

    def pack(value: Packed) -> WordArray:
        if not COMPILED:
            plain: Any = np.empty(1, object)
            plain[0] = value
            return plain
        if not known:
            import numba

            known.append(numba.typeof(value))
        return np.array([*_words_of(value)], np.uint64)

    return pack, _unpacking(lambda: known[0], 0)


def _unpacking(kind: Callable[[], Any], first: int) -> Callable[[Words], Any]:
    """Return the function for compiled code that reads a value from a block.

    kind: returns its type when the function is compiled. first: the index at which it begins; under NUMBA_DISABLE_JIT,
    that of the value itself.
    """
    if not COMPILED:
        return lambda block: block[first]

    @intrinsic  # type: ignore[untyped-decorator]
    def unpack(typing: Any, block: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _Reader(context, builder, args[0], first).read(signature.return_type)

        return kind()(WORDS), codegen

    read: Callable[[Words], Any] = unpack
    return read


def _words_of(value: Any) -> Iterator[int]:
    """Yield what `_Reader` reads: an address, a number, or the address and the length of an array."""
    if isinstance(value, tuple):
        for entry in value:
            yield from _words_of(entry)
    elif isinstance(value, Function):
        yield value.__wrapper_address__()
    elif isinstance(value, np.ndarray):
        yield value.ctypes.data
        yield len(value)
    else:
        yield int(np.array(value).view(np.uint64))


class _Reader:
    """Emits the code that makes values from a block, one after the other."""

    def __init__(self, context: Any, builder: Any, block: Any, first: int) -> None:
        """first: the index of the word at which the values begin."""
        self._context, self._builder, self._block = context, builder, block
        self._next = first

    def _word(self) -> Any:
        place = self._context.get_constant(types.intp, self._next)
        self._next += 1
        return self._builder.load(self._builder.gep(self._block, [place]))

    def read(self, kind: Any) -> Any:
        """Return a value of this type."""
        context, builder = self._context, self._builder
        if isinstance(kind, types.BaseTuple):
            return context.make_tuple(builder, kind, [self.read(entry) for entry in kind])
        if isinstance(kind, types.FunctionType):
            function = cgutils.create_struct_proxy(kind)(context, builder)
            function.c_addr = builder.inttoptr(self._word(), cgutils.voidptr_t)
            return function._getvalue()
        if isinstance(kind, types.Array):
            from numba.np.arrayobj import make_array, populate_array  # only the compiler needs it

            array = make_array(kind)(context, builder)
            size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
            data, length = builder.inttoptr(self._word(), array.data.type), self._word()
            populate_array(array, data=data, shape=[length], strides=[size], itemsize=size, meminfo=None)
            return array._getvalue()
        return builder.bitcast(self._word(), context.get_value_type(kind))


_INTEGERS, _WORDS = types.Array(types.int64, 1, "C"), types.Array(types.uint64, 1, "C")
_GAME_TYPE = types.NamedTuple(
    [RULES_TYPE, _INTEGERS, _WORDS, _WORDS, _WORDS, _WORDS, _INTEGERS, _INTEGERS], GameWorkspace
)
_PLAYER_TYPE = types.NamedTuple(
    [types.FunctionType(SEARCH_SIGNATURE), CONTEXT_TYPE, _INTEGERS, _WORDS, _WORDS], CompiledPlayer
)


def addresses(record: GameWorkspace | CompiledPlayer) -> NDArray[np.uint64]:
    """Return the block from which a kernel reads the record; its functions and arrays must live as long.

    Word 0 is free for an answer of the kernel.
    """
    return np.array([0, *_words_of(record)], np.uint64)


game_at: Callable[[Words], GameWorkspace] = _unpacking(lambda: _GAME_TYPE, 1)
"""Read a game workspace that `addresses` wrote; uncompiled, it is the second entry of a list."""
player_at: Callable[[Words], CompiledPlayer] = _unpacking(lambda: _PLAYER_TYPE, 1)
"""Read a player that `addresses` wrote; uncompiled, it is the second entry of a list."""
