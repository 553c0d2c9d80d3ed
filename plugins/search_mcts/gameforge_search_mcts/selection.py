"""Select the move of a node that a simulation takes: UCB1 with the constant Cp of [Kocsis2006]."""

import math
from typing import Any

import numpy as np

from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.evaluate import static_scores
from gameforge_search_mcts.tree import COUNT, EDGE, MOVE, NODE, PER_UNIT, TOTAL, TRIED, VISITS, count, tried, utility

_0, _1 = np.uint64(0), np.uint64(1)


@inline
def select(memory: Any, node: Any, visits: Any, cp: Any, urgency: Any) -> Any:
    """The edge with the greatest mean + 2 Cp sqrt(2 ln n / n_j), or the next one that was never visited.

    n is `visits` of the node. urgency: the bound of edges that were never visited, on the scale of utilities (0 to 2);
    infinite: they come first. The edges are in random order, so the first of equal ones is a random choice.
    """
    edges, before = count(memory, node), tried(memory, node)
    if before < edges and (before == _0 or urgency == np.inf):
        memory[node + COUNT] += TRIED
        return node + NODE + before * EDGE
    width = 8.0 * cp * cp * math.log(np.float64(visits))
    best, chosen = -1.0, _0
    for i in range(before):
        edge = node + NODE + i * EDGE
        once = 1.0 / np.float64(memory[edge + VISITS])
        bound = np.float64(memory[edge + TOTAL]) * PER_UNIT * once + math.sqrt(width * once)
        if bound > best:
            best, chosen = bound, edge
    if before < edges and best < urgency:
        memory[node + COUNT] += TRIED
        return node + NODE + before * EDGE
    return chosen


@inline
def _score_moves(ctx: Any, node: Any, state: Any, children: Any) -> Any:
    """Write the evaluator's scores of the positions after a node's moves to ctx.scores; returns their number.

    The scores are for the side to move in those positions. `state` is that of the node; `children` is workspace for the
    states after its moves.
    """
    memory, rules = ctx.memory, ctx.rules
    edges = count(memory, node)
    for i in range(edges):
        rules.play(at(rules.data, _0), state, memory[node + NODE + i * EDGE + MOVE], at(children, i * rules.words))
    static_scores(ctx.evaluator, rules.words, children, edges, at(ctx.scores, _0))
    return edges


@inline
def put_in_order(ctx: Any, node: Any, state: Any, children: Any) -> None:
    """Sort the moves of a new node by the evaluator's scores, best first; equal moves stay in random order.

    `state` and `children` as for _score_moves.
    """
    memory, scores = ctx.memory, ctx.scores
    for i in range(_score_moves(ctx, node, state, children)):
        move, score = memory[node + NODE + i * EDGE + MOVE], scores[i]
        to: Any = i
        while to > _0 and scores[to - _1] > score:
            scores[to] = scores[to - _1]
            memory[node + NODE + to * EDGE + MOVE] = memory[node + NODE + (to - _1) * EDGE + MOVE]
            to -= _1
        scores[to], memory[node + NODE + to * EDGE + MOVE] = score, move


@inline
def give_prior(ctx: Any, node: Any, state: Any, children: Any, visits: Any) -> None:
    """Give each edge of a new node `visits` visits whose value is the evaluator's score of its position.

    Source: S. Gelly and D. Silver, "Combining online and offline knowledge in UCT", ICML 2007. `state` and `children`
    as for _score_moves.
    """
    memory = ctx.memory
    edges = _score_moves(ctx, node, state, children)
    for i in range(edges):
        edge = node + NODE + i * EDGE
        memory[edge + VISITS], memory[edge + TOTAL] = visits, visits * utility(-ctx.scores[i])
    memory[node + COUNT] = edges * (TRIED + _1)
