"""Records of functions and blocks as one block of words, so that Python enters a kernel with a single argument.

A kernel takes its arguments from Python one by one. A player is dozens of functions and blocks, which takes longer than
a move or a shallow search. `addresses` writes them down once, and `game_at` and `player_at` read them in the kernel.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from gameforge.kernel.compile.functions import Function
from gameforge.kernel.compile.jit import COMPILED
from gameforge.kernel.context import CONTEXT_TYPE, RULES_TYPE, SEARCH_SIGNATURE, CompiledPlayer
from gameforge.kernel.game import GameWorkspace
from gameforge.kernel.types import Words

_INTEGERS, _WORDS = types.Array(types.int64, 1, "C"), types.Array(types.uint64, 1, "C")
_GAME_TYPE = types.NamedTuple(
    [RULES_TYPE, _INTEGERS, _WORDS, _WORDS, _WORDS, _WORDS, _INTEGERS, _INTEGERS], GameWorkspace
)
_PLAYER_TYPE = types.NamedTuple(
    [types.FunctionType(SEARCH_SIGNATURE), CONTEXT_TYPE, _INTEGERS, _WORDS, _WORDS], CompiledPlayer
)


def _words(value: Any) -> Iterator[int]:
    if isinstance(value, tuple):
        for entry in value:
            yield from _words(entry)
    elif isinstance(value, Function):
        yield value.__wrapper_address__()
    elif isinstance(value, np.ndarray):
        yield from (int(value.ctypes.data), len(value))
    elif isinstance(value, np.float64):
        yield int(value.view(np.uint64))
    else:
        yield int(value)


def addresses(record: GameWorkspace | CompiledPlayer) -> NDArray[np.uint64]:
    """Return the block from which a kernel reads the record; its functions and arrays must live as long.

    Word 0 is free for an answer of the kernel.
    """
    return np.array([0, *_words(record)], np.uint64)


if TYPE_CHECKING:

    def game_at(block: Words) -> GameWorkspace:
        """Read a game workspace that `addresses` wrote; uncompiled, it is the second entry of a list."""
        ...

    def player_at(block: Words) -> CompiledPlayer:
        """Read a player that `addresses` wrote; uncompiled, it is the second entry of a list."""
        ...

elif not COMPILED:

    def game_at(block):
        return block[1]

    player_at = game_at

else:

    def _read(context, builder, kind, words):
        """Make a value of a type from the next words."""
        if isinstance(kind, types.BaseTuple):
            parts = [_read(context, builder, part, words) for part in kind.types]
            return context.make_tuple(builder, kind, parts)
        word = next(words)
        if isinstance(kind, types.FunctionType):
            function = cgutils.create_struct_proxy(kind)(context, builder)
            function.c_addr = builder.inttoptr(word, cgutils.voidptr_t)
            return function._getvalue()
        if isinstance(kind, types.Array):
            from numba.np import arrayobj  # only the compiler needs it

            array = context.make_array(kind)(context, builder)
            size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
            arrayobj.populate_array(
                array,
                data=builder.inttoptr(word, context.get_data_type(kind.dtype).as_pointer()),
                shape=[next(words)],
                strides=[ir.Constant(ir.IntType(64), size)],
                itemsize=ir.Constant(ir.IntType(64), size),
                meminfo=None,
            )
            return array._getvalue()
        return builder.bitcast(word, context.get_value_type(kind))

    def _reader(kind):
        @intrinsic
        def record(typing, block):
            def codegen(context, builder, signature, args):
                def words():
                    index = 1
                    while True:
                        yield builder.load(builder.gep(args[0], [ir.Constant(ir.IntType(64), index)]))
                        index += 1

                return _read(context, builder, kind, words())

            return kind(types.CPointer(types.uint64)), codegen

        return record

    game_at, player_at = _reader(_GAME_TYPE), _reader(_PLAYER_TYPE)
