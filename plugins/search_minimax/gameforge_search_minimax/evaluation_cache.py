"""The evaluation cache: scores of a costly evaluator, for positions that one search reaches several times.

It follows the transposition table in the search's memory. Each of its entries is two words: the score, as the table
packs it, and the position's key XOR the score. A key includes the number of the search, so no entry of an earlier
search is read, whose evaluator may have had other weights. A new entry replaces the old one at its place.
"""

from typing import Any

import numpy as np

from gameforge.kernel.bits import at, position_key
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.evaluate import static_score
from gameforge_search_minimax import transposition as table
from gameforge_search_minimax.hashing import SCATTER
from gameforge_search_minimax.scores import as_stored

_BITS = 13
EVALUATION_WORDS = 2 << _BITS
_SHIFT = np.uint64(64 - _BITS)
_0, _1 = np.uint64(0), np.uint64(1)


@inline
def cached_score(ctx: Any, options: Any, child: Any) -> Any:
    """Static score of a child (leaves.py), rounded as the transposition table stores it."""
    if ctx.evaluator.is_costly == _0 or options.table_bits == _0:
        return as_stored(static_score(ctx.evaluator, child.state))
    memory, key = ctx.memory, child.key
    if key == _0:
        key = position_key(ctx.rules, at(ctx.rules.data, _0), child.state)
    key ^= memory[table.SEARCH] * SCATTER
    entry = table.end_of(options.table_bits) + (((key * SCATTER) >> _SHIFT) << _1)
    data = memory[entry]
    if memory[entry + _1] ^ data != key:
        data = table.with_score(static_score(ctx.evaluator, child.state))
        memory[entry], memory[entry + _1] = data, key ^ data
    return table.score_of(data)
