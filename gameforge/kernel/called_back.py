"""A search that is a Python callback: the player's own `crew` finds the answer."""

from typing import Any

import numpy as np

from gameforge.interfaces.evaluator import PROVEN_WIN
from gameforge.kernel.abi import DRAW, RUNNING, WIN
from gameforge.kernel.answer import begin_statistics, write_answer, write_no_move
from gameforge.kernel.bits import at
from gameforge.kernel.context import OUT_NODES

_0 = np.uint64(0)


def search_by_crew(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """Let crew(1) find the move for the state, which stands at the start of ctx.stack.

    `crew` returns the number of nodes, writes the score to ctx.scores[0], and the rest of the answer to the player's
    `out`. It is not called if the game is over. The workspace is a state and the moves (stack), and one score.
    """
    rules = ctx.rules
    for i in range(rules.words):
        ctx.stack[i] = s[i]
    n = rules.gen(at(rules.data, _0), s, at(ctx.stack, rules.words))
    code = rules.outcome(at(rules.data, _0), s, n)
    begin_statistics(out, _0)
    if code != RUNNING:
        write_no_move(out, _0)
        return 0.0 if code & 3 == DRAW else PROVEN_WIN if code & 3 == WIN else -PROVEN_WIN
    write_answer(out, ctx.stack[rules.words], _0, ctx.stack, _0)  # the answer if the crew fails
    ctx.scores[_0] = 0.0
    out[OUT_NODES] = np.uint64(ctx.crew(1))
    return ctx.scores[_0]
