"""Which move of a node a simulation takes: UCB1 with the constant Cp of Kocsis and Szepesvari (ECML 2006)."""

import math
from typing import Any

import numpy as np

from gameforge.kernel.bits import at
from gameforge.kernel.evaluate import static_scores
from gameforge.kernel.jit import inline
from gameforge_search_mcts.tree import COUNT, EDGE, MOVE, NODE, PER_UNIT, TOTAL, TRIED, VISITS, count, tried, utility

_0 = np.uint64(0)


@inline
def select(memory: Any, node: Any, visits: Any, cp: Any) -> Any:
    """The edge with the greatest mean + 2 Cp sqrt(2 ln n / n_j), but first those that were never visited.

    n: `visits` of the node. The edges stand in a random order, so the first of equals is a random one.
    """
    edges, before = count(memory, node), tried(memory, node)
    if before < edges:
        memory[node + COUNT] += TRIED
        return node + NODE + before * EDGE
    width = 8.0 * cp * cp * math.log(np.float64(visits))
    best, chosen = -1.0, _0
    for i in range(edges):
        edge = node + NODE + i * EDGE
        once = 1.0 / np.float64(memory[edge + VISITS])
        bound = np.float64(memory[edge + TOTAL]) * PER_UNIT * once + math.sqrt(width * once)
        if bound > best:
            best, chosen = bound, edge
    return chosen


@inline
def give_prior(ctx: Any, node: Any, state: Any, children: Any, visits: Any) -> None:
    """Let each edge of a node begin with `visits` simulations of the value that the evaluator gives its position.

    (Gelly and Silver, "Combining online and offline knowledge in UCT", ICML 2007.) `state` is the node's; workspace
    for the states behind its moves: `children`.
    """
    memory, rules = ctx.memory, ctx.rules
    edges = count(memory, node)
    for i in range(edges):
        rules.play(at(rules.data, _0), state, memory[node + NODE + i * EDGE + MOVE], at(children, i * rules.words))
    static_scores(ctx.evaluator, rules.words, children, edges, at(ctx.scores, _0))
    for i in range(edges):
        edge = node + NODE + i * EDGE
        memory[edge + VISITS], memory[edge + TOTAL] = visits, visits * utility(-ctx.scores[i])
    memory[node + COUNT] = edges * (TRIED + np.uint64(1))
