"""One simulation from a leaf of the tree: what the game came to."""

from typing import Any

import numpy as np

from gameforge.kernel.abi import DRAW, LOSS, RUNNING, UNKNOWN, WIN
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.oracles import ask_oracles
from gameforge.kernel.random import below

_0, _1 = np.uint64(0), np.uint64(1)

UNDECIDED, RULES_SAY, ORACLE_SAYS = 0, 1, 2
"""Whether the leaf itself is decided, and by what."""


@inline
def for_other(result: Any) -> Any:
    """A result (WIN, LOSS, DRAW, UNKNOWN) for the other side."""
    return LOSS if result == WIN else WIN if result == LOSS else result


@inline
def simulate(
    ctx: Any,
    here: Any,
    there: Any,
    moves: Any,
    since: Any,
    plies_left: Any,
    no_progress: Any,
    expected: Any,
    guess: Any,
) -> Any:
    """(score for the side to move at the leaf, what decides it already at the leaf).

    Plays random moves from the state `here`, where `since` plies went by without an irreversible move, to the end of
    the game by its rules, `no_progress` and the ply cap included; an oracle that knows a position on the way ends it.
    If the oracle knows the root, only an answer at the leaf counts, and only if it is not the `expected` one (for the
    side to move there), or nothing would lead to the game's end. `guess`: no moves; `here` stays the leaf, score 0.
    Workspace: two states, one after the other `here` and `there`, which both are overwritten, and the moves.
    """
    rules = ctx.rules
    data = at(rules.data, _0)
    asks = ctx.oracle.size != _0
    plies, sign = _0, 1.0
    while True:
        n = rules.gen(data, here, moves)
        code = rules.outcome(data, here, n)
        if code != RUNNING:
            result = code & 3
            score = 0.0 if result == DRAW else sign if result == WIN else -sign
            return score, RULES_SAY if plies == _0 else UNDECIDED
        if since >= no_progress or plies >= plies_left:
            return 0.0, RULES_SAY if plies == _0 else UNDECIDED
        if asks:
            known = ask_oracles(ctx, here)
            if known not in (UNKNOWN, expected):
                score = 0.0 if known == DRAW else sign if known == WIN else -sign
                return score, ORACLE_SAYS if plies == _0 else UNDECIDED
            asks = expected == UNKNOWN
        if guess:
            return 0.0, UNDECIDED
        move = moves[below(at(ctx.rng, _0), n)]
        if no_progress != ~_0:
            since = _0 if rules.irreversible(data, here, move) != _0 else since + _1
        rules.play(data, here, move, there)
        here, there = there, here
        plies += _1
        sign = -sign
