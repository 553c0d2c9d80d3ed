"""Records of functions and blocks as one block of words, so that Python enters a kernel with a single argument.

A kernel takes its arguments from Python one by one. A player is dozens of functions and blocks, which takes longer than
a move or a shallow search. `addresses` writes them down once, and `game_at` and `player_at` read them in the kernel.
"""

from typing import TYPE_CHECKING

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from gameforge.kernel.compile.jit import COMPILED
from gameforge.kernel.context import CONTEXT_TYPE, RULES_TYPE, SEARCH_SIGNATURE, CompiledPlayer
from gameforge.kernel.gameplay import GameWorkspace
from gameforge.kernel.packed import Reader, words_of
from gameforge.kernel.types import Words

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
    return np.array([0, *words_of(record)], np.uint64)


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

    def _reader(kind):
        @intrinsic
        def record(typing, block):
            def codegen(context, builder, signature, args):
                return Reader(context, builder, args[0], first=1).read(kind)

            return kind(types.CPointer(types.uint64)), codegen

        return record

    game_at, player_at = _reader(_GAME_TYPE), _reader(_PLAYER_TYPE)
