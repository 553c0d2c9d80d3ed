"""Simulate a random game from a leaf of the tree."""

from typing import Any

import numpy as np

from gameforge.kernel.abi import DRAW, LOSS, RUNNING, UNKNOWN, WIN
from gameforge.kernel.bits import at, below
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.oracles import ask_oracles

_0, _1 = np.uint64(0), np.uint64(1)

UNDECIDED, RULES_SAY, ORACLE_SAYS = 0, 1, 2
"""Whether the position of the leaf itself is decided, and by what."""


@inline
def for_other(result: Any) -> Any:
    """A result (WIN, LOSS, DRAW, UNKNOWN) for the other side."""
    return LOSS if result == WIN else WIN if result == LOSS else result


@inline
def simulate(
    ctx: Any,
    state: Any,
    other: Any,
    moves: Any,
    since: Any,
    plies_left: Any,
    no_progress: Any,
    expected: Any,
    guess: Any,
    played: Any,
    recorded: Any,
) -> Any:
    """Value a leaf by a random game.

    Returns (score for the side to move at the leaf, what decides the leaf itself, number of moves written to `played`).

    Plays random moves from the leaf's `state` to the end of the game by the rules, including `no_progress` and the ply
    cap; `since` is the number of plies without an irreversible move before it. An oracle that knows a position on the
    way ends the game. If the oracle knows the root, only an answer at the leaf counts, and only if it differs from
    `expected` (for the side to move there); otherwise no simulation would lead to the end of the game.
    With `guess` no move is played: the score is 0 unless the leaf is decided, and `state` still holds it.
    The first `recorded` moves of the game are written to `played`.
    Workspace: `state` and `other`, which are both overwritten, and `moves`.
    """
    rules = ctx.rules
    data = at(rules.data, _0)
    asks = ctx.oracle.size != _0
    plies, sign = _0, 1.0
    while True:
        n = rules.gen(data, state, moves)
        code = rules.outcome(data, state, n)
        if code != RUNNING:
            result = code & 3
            score = 0.0 if result == DRAW else sign if result == WIN else -sign
            return score, RULES_SAY if plies == _0 else UNDECIDED, min(plies, recorded)
        if since >= no_progress or plies >= plies_left:
            return 0.0, RULES_SAY if plies == _0 else UNDECIDED, min(plies, recorded)
        if asks:
            known = ask_oracles(ctx, state)
            if known not in (UNKNOWN, expected):
                score = 0.0 if known == DRAW else sign if known == WIN else -sign
                return score, ORACLE_SAYS if plies == _0 else UNDECIDED, min(plies, recorded)
            asks = expected == UNKNOWN
        if guess:
            return 0.0, UNDECIDED, _0
        move = moves[below(at(ctx.rng, _0), n)]
        if plies < recorded:
            played[plies] = move
        if no_progress != ~_0:
            since = _0 if rules.irreversible(data, state, move) != _0 else since + _1
        rules.play(data, state, move, other)
        state, other = other, state
        plies += _1
        sign = -sign
