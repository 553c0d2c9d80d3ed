"""Read the answer of a search from its tree: the move, the line, and the statistics of the root's moves."""

from typing import Any

import numpy as np

from gameforge.interfaces.evaluator import HEURISTIC_LIMIT, PLY, PROVEN_WIN, WON
from gameforge.interfaces.searcher import MAX_LINE
from gameforge.kernel.answer import begin_statistics, write_answer, write_statistics
from gameforge.kernel.compile.jit import inline
from gameforge_search_mcts.tree import (
    BY_RULES,
    DRAWN,
    EDGE,
    KNOWN,
    LINK,
    MOVE,
    NODE,
    RESULT,
    ROOT,
    VISITS,
    count,
    is_node,
    mean,
)

_0, _1 = np.uint64(0), np.uint64(1)
_MAX_LINE = np.uint64(MAX_LINE)


@inline
def _best(memory: Any, node: Any, most_visited: Any, prior: Any) -> Any:
    """The edge with the greatest mean, or the most visited one; the other number breaks ties.

    0 if no simulation went beyond the node.
    """
    chosen, visits, value = _0, _0, 0.0
    for i in range(count(memory, node)):
        edge = node + NODE + i * EDGE
        times = memory[edge + VISITS]
        if times > prior:
            worth = mean(memory, edge)
            if most_visited:
                better = times > visits or (times == visits and worth > value)
            else:
                better = worth > value or (worth == value and times > visits)
            if chosen == _0 or better:
                chosen, visits, value = edge, times, worth
    return chosen


@inline
def _score(memory: Any, edge: Any) -> Any:
    """Score of the move along an edge: its mean, in the band for proven, known or heuristic values."""
    value, link = mean(memory, edge), memory[edge + LINK]
    if link & KNOWN != _0 and link & RESULT != DRAWN:
        return value * (PROVEN_WIN - PLY if link & BY_RULES != _0 else WON)
    return min(max(value, -HEURISTIC_LIMIT), HEURISTIC_LIMIT)


@inline
def answer(memory: Any, most_visited: Any, prior: Any, simulations: Any, line: Any, out: Any) -> Any:
    """Write move, line and statistics; returns the score. Each edge has `prior` visits that were not simulations.

    Without any simulation the move is a random one, and the score is 0. `line` has room for MAX_LINE moves.
    """
    node = memory[ROOT + LINK]
    n = count(memory, node)
    begin_statistics(out, n)
    for i in range(n):
        edge = node + NODE + i * EDGE
        value = mean(memory, edge) if memory[edge + VISITS] != _0 else 0.0
        write_statistics(out, i, memory[edge + MOVE], memory[edge + VISITS] - prior, value)
    best = _best(memory, node, most_visited, prior)
    length, edge = _0, best
    while edge != _0 and length < _MAX_LINE:
        line[length] = memory[edge + MOVE]
        length += _1
        link = memory[edge + LINK]
        edge = _best(memory, link, most_visited, prior) if is_node(link) else _0
    move = memory[best + MOVE] if best != _0 else memory[node + NODE + MOVE]
    write_answer(out, move, simulations, line, length)
    return _score(memory, best) if best != _0 else 0.0
