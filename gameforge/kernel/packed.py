"""Nested tuples as one block of words, so that Python hands a compiled function one address instead of all of them.

A kernel takes its arguments from Python one by one, which takes longer than a move or a shallow search. `packing`
serves any named tuple. `addresses` writes down a game or a player once, and `game_at` and `player_at` read them in the
kernel.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba.extending import intrinsic
from numpy.typing import NDArray

from gameforge.kernel.abi import WORDS
from gameforge.kernel.compile.jit import COMPILED
from gameforge.kernel.compile.records import Reader, words_of
from gameforge.kernel.context import PLAYER_TYPE, CompiledPlayer
from gameforge.kernel.gameplay import GAME_TYPE, GameWorkspace
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
        return np.array([*words_of(known[0], value)], np.uint64)

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
            return Reader(context, builder, args[0], first).read(signature.return_type)

        return kind()(WORDS), codegen

    read: Callable[[Words], Any] = unpack
    return read


def addresses(record: GameWorkspace | CompiledPlayer) -> NDArray[np.uint64]:
    """Return the block from which a kernel reads the record; its functions and arrays must live as long.

    Word 0 is free for an answer of the kernel.
    """
    kind = GAME_TYPE if isinstance(record, GameWorkspace) else PLAYER_TYPE
    return np.array([0, *words_of(kind, record)], np.uint64)


game_at: Callable[[Words], GameWorkspace] = _unpacking(lambda: GAME_TYPE, 1)
"""Read a game workspace that `addresses` wrote; uncompiled, it is the second entry of a list."""
player_at: Callable[[Words], CompiledPlayer] = _unpacking(lambda: PLAYER_TYPE, 1)
"""Read a player that `addresses` wrote; uncompiled, it is the second entry of a list."""
