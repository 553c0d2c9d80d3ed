"""Consult gated oracles: on leaves that the evaluator scores, or on the positions after the root's moves."""

from typing import Any

import numpy as np

from gameforge.kernel.abi import DRAW, UNKNOWN, WIN
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.evaluate import static_score
from gameforge.kernel.oracles import ask_gated
from gameforge_search_mcts.tree import (
    DRAWN,
    EDGE,
    KNOWN,
    LINK,
    MOVE,
    NODE,
    ROOT,
    UNIT,
    VISITS,
    WHOLE,
    count,
    settle,
)

_0 = np.uint64(0)


@inline
def gained_by(known: Any) -> Any:
    """Utility, for the side that has just moved, of a result (WIN, LOSS, DRAW) for the side to move."""
    return DRAWN * UNIT if known == DRAW else _0 if known == WIN else WHOLE


@inline
def ask_after_kept_moves(ctx: Any, s: Any, prior: Any, scores: Any, child: Any) -> None:
    """Consult gated oracles about the moves of a kept root `s` that earlier searches visited.

    Those searches did not, since the moves were deeper in their trees. Other moves are leaves, and their first
    simulation consults the oracles. scores: whether the evaluator scores leaves; if not, the gate excludes no score.
    child: workspace for a state.
    """
    memory, rules = ctx.memory, ctx.rules
    node = memory[ROOT + LINK]
    for i in range(count(memory, node)):
        edge = node + NODE + i * EDGE
        if memory[edge + VISITS] == prior or memory[edge + LINK] & KNOWN != _0:
            continue
        rules.play(at(rules.data, _0), s, memory[edge + MOVE], child)
        known = ask_gated(ctx, child, static_score(ctx.evaluator, child) if scores else 0.0)
        if known != UNKNOWN:
            settle(memory, edge, gained_by(known), False)
