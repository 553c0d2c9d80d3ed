"""Select the move that a simulation takes: UCB1 with the constant Cp of [Kocsis2006], RAVE, and a progressive bias."""

import math

import numpy as np

from gameforge.kernel import U0, U1, Context, Word, Words, at, inline, static_scores
from gameforge_search_mcts.tree import (
    COMPANIONS,
    COUNT,
    EDGE,
    GUESS,
    MOVE,
    NODE,
    PER_UNIT,
    PLAYED,
    PLAYED_TOTAL,
    TOTAL,
    TRIED,
    VISITS,
    count,
    tried,
    utility,
)


@inline
def select(
    memory: Words, node: Word, visits: Word, cp: float, urgency: float, beside: Word, rave: float, bias: float
) -> Word:
    """The edge with the greatest value + 2 Cp sqrt(2 ln n / n_j), or the next one that was never visited.

    The value is the mean, or what `_informed` makes of it if edges have companions, `beside` words away. visits: n, the
    visits of the node. urgency: the bound of edges that were never visited, on the scale of utilities (0 to 2);
    infinite: they come first. The edges are in random order, so the first of equal ones is a random choice.
    """
    edges, before = count(memory, node), tried(memory, node)
    # Step 1. Without a first-play urgency every move is tried once. A node's first visit has no values to compare.
    if before < edges and (before == U0 or urgency == np.inf):
        memory[node + COUNT] += TRIED
        return node + NODE + before * EDGE
    # Step 2. Compare the bounds of the moves that were tried. (2 Cp)^2 * 2 ln n is the same for all of them.
    width = 8.0 * cp * cp * math.log(np.float64(visits))
    share = math.sqrt(rave / (3.0 * np.float64(visits) + rave)) if beside != U0 and rave > 0.0 else 0.0
    best, chosen = -np.inf, U0
    for i in range(before):
        edge = node + NODE + i * EDGE
        # TOTAL counts from 0 to 2, so bounds do, too; no constant that is equal for all moves changes the choice.
        once = 1.0 / np.float64(memory[edge + VISITS])
        value: float = np.float64(memory[edge + TOTAL]) * PER_UNIT * once
        if beside != U0:
            value = _informed(memory, beside + edge, value, share, bias / (1.0 + np.float64(memory[edge + VISITS])))
        bound = value + math.sqrt(width * once)
        if bound > best:
            best, chosen = bound, edge
    # Step 3. Try a new move if no known one promises more than the urgency.
    if before < edges and best < urgency:
        memory[node + COUNT] += TRIED
        return node + NODE + before * EDGE
    return chosen


@inline
def _informed(memory: Words, companion: Word, value: float, share: float, weight: float) -> float:
    """The mean utility of a move, corrected by what is known of it besides.

    `share` of the value is the mean of the simulations in which the move was played here or later (RAVE, [Gelly2007]).
    The evaluator's score of the move is added with this weight (progressive bias, [Chaslot2008b]).
    """
    if share > 0.0 and memory[companion + PLAYED] != U0:
        times, total = np.float64(memory[companion + PLAYED]), np.float64(memory[companion + PLAYED_TOTAL])
        value = (1.0 - share) * value + share * (total * PER_UNIT / times)
    return value + weight * (np.float64(memory[companion + GUESS]) * PER_UNIT - 1.0)


@inline
def credit_moves(memory: Words, node: Word, played: Words, first: Word, end: Word, gained: Word) -> None:
    """Add a simulation to the companions of a node's moves that its side to move played in it.

    played: the moves of the simulation from the root on, up to `end`; the node is `first` plies below the root.
    gained: the utility for that side.
    """
    beside = memory[COMPANIONS] + node + NODE
    for i in range(count(memory, node)):
        move = memory[node + NODE + i * EDGE + MOVE]
        # Every other move of the simulation is the opponent's. A move counts once, however often it was played.
        for ply in range(first, end, np.uint64(2)):
            if played[ply] == move:
                memory[beside + i * EDGE + PLAYED] += U1
                memory[beside + i * EDGE + PLAYED_TOTAL] += gained
                break


@inline
def score_moves(ctx: Context, node: Word, state: Words, children: Words) -> Word:
    """Write the evaluator's scores of the positions after a node's moves to ctx.scores; returns their number.

    The scores are for the side to move in those positions. `state` is that of the node; `children` is workspace for the
    states after its moves.
    """
    memory, rules = ctx.memory, ctx.rules
    edges = count(memory, node)
    for i in range(edges):
        rules.play(at(rules.data, U0), state, memory[node + NODE + i * EDGE + MOVE], at(children, i * rules.words))
    static_scores(ctx.evaluator, rules.words, children, edges, at(ctx.scores, U0))
    return edges


@inline
def _sort(ctx: Context, node: Word, edges: Word) -> None:
    """Sort the moves of a new node and their scores, best first; equal moves stay in random order."""
    memory, scores = ctx.memory, ctx.scores
    for i in range(edges):
        move, score = memory[node + NODE + i * EDGE + MOVE], scores[i]
        to = np.uint64(i)
        while to > U0 and scores[to - U1] > score:
            scores[to] = scores[to - U1]
            memory[node + NODE + to * EDGE + MOVE] = memory[node + NODE + (to - U1) * EDGE + MOVE]
            to -= U1
        scores[to], memory[node + NODE + to * EDGE + MOVE] = score, move


@inline
def judge_moves(
    ctx: Context, node: Word, state: Words, children: Words, prior: Word, in_order: bool, bias: float
) -> None:
    """Let the evaluator judge the moves of a new node, if a setting asks for it. `state`, `children`: see score_moves.

    prior: number of visits that each move begins with, with the evaluator's score as their value ([Gelly2007]).
    in_order: the moves are sorted by their scores. bias: if not 0, the scores are kept.
    """
    if prior == U0 and not in_order and bias == 0.0:
        return
    memory = ctx.memory
    edges = score_moves(ctx, node, state, children)
    if in_order:
        _sort(ctx, node, edges)
    for i in range(edges):
        # The score is for the side to move after the move, which is the opponent.
        edge, guess = node + NODE + i * EDGE, utility(-ctx.scores[i])
        memory[edge + VISITS], memory[edge + TOTAL] = prior, prior * guess
        if bias != 0.0:
            memory[memory[COMPANIONS] + edge + GUESS] = guess
    if prior != U0:
        # Moves with prior visits have values, so all of them take part in the selection at once.
        memory[node + COUNT] = edges * (TRIED + U1)
