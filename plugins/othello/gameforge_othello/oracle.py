"""The oracle `solver`: positions with few empty squares, solved to the last disc when a search asks."""

import math
from typing import Any

import attrs
import numpy as np

from gameforge.interfaces.oracle import Announce, Gate, OracleFunctions, silent
from gameforge.interfaces.rules import Rules, State
from gameforge.kernel.abi import DRAW, LOSS, UNKNOWN, WIN
from gameforge.kernel.bits import at, popcount
from gameforge.kernel.context import PROBE_CONVERSION, PROBE_DISTANCE, PROBE_SCRATCH
from gameforge_othello.board import SQUARES
from gameforge_othello.features import require_othello
from gameforge_othello.movegen import KOMI, rules_block
from gameforge_othello.solver import search, table_bits, work_words

_0 = np.uint64(0)
_MOST_EMPTY, _BITS = KOMI + np.uint64(1), KOMI + np.uint64(2)
"""Words of the data block after those of the rules: the most empty squares of a position that is solved, and the
binary logarithm of the number of entries in the solver's table."""
_MEGABYTES = 2
"""Of each thread's table; positions with 14 empty squares rarely need more."""
_AFTER_ROOT = Gate(low=-1.0, high=math.inf, at="root")
"""Whatever the evaluator says, the positions after the root's moves are solved, and no others: below them the search
would reach more positions than it has time to solve."""


def probe(od: Any, s: Any, out: Any) -> Any:
    """Return the value for the side to move, from a search with the narrowest window around the komi."""
    out[PROBE_DISTANCE] = out[PROBE_CONVERSION] = _0
    if popcount(~(s[0] | s[1])) > od[_MOST_EMPTY]:
        return np.int64(UNKNOWN)
    komi = np.int64(od[KOMI]) - np.int64(SQUARES)
    even = -komi if s[2] != _0 else komi
    lead = search(od, at(out, np.uint64(PROBE_SCRATCH)), od[_BITS], s[0], s[1], even - 1, even + 1)
    if lead == even:
        return np.int64(DRAW)
    return np.int64(WIN) if lead > even else np.int64(LOSS)


@attrs.frozen(kw_only=True)
class Solver:
    """Exact results, but no distances: every line of an ending is about as long as the others."""

    empty: int = attrs.field(default=14, validator=[attrs.validators.ge(1), attrs.validators.le(24)])
    """Maximum number of empty squares after a move of the root."""

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        """Return the solver. Raises GameforgeError if the rules are not those of othello."""
        komi = require_othello(rules, "the oracle solver").komi
        bits = table_bits(_MEGABYTES)
        return OracleFunctions(
            probe=probe,
            data=np.append(rules_block(komi), np.array([self.empty, bits], np.uint64)),
            covers=f"positions with up to {self.empty} empty squares",
            why_not=self._why_not,
            gate=_AFTER_ROOT,
            scratch=work_words(bits),
        )

    def _why_not(self, state: State) -> str:
        empty = SQUARES - (state[0] | state[1]).bit_count()
        return f"{empty} empty squares; this oracle solves positions with up to {self.empty}"
