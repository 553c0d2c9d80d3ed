"""How `puct` chooses moves: the policy of a node, PUCT, the improved policy, and the noise and choice of the root."""

import math
from typing import NamedTuple

import numpy as np

from gameforge.interfaces import DRAW, HEURISTIC_LIMIT, RUNNING, WIN
from gameforge.kernel import (
    U0,
    U1,
    Context,
    Score,
    Scores,
    Truth,
    Word,
    Words,
    answer,
    at,
    bare_kernel,
    below,
    gameplay,
    inline,
    static_score,
)
from gameforge_search_mcts import tree
from gameforge_search_mcts.selection import score_moves

GUESS, LOGIT, PRIOR, HERE = (np.uint64(i) for i in range(4))
"""An edge's companion: the utility of its move by the evaluator, the bits of the logarithm of its probability and of
the probability itself; at the root, the visits of this search. The companion of a node has its GUESS, too: the utility
of its position for the side to move, by the evaluator or by the best of its moves."""
AWAITS = LOGIT
"""In the companion of a node: 1 if its moves have no probabilities yet."""
VISITS_OFFSET = 50.0
"""c_visit of [Danihelka2022]: values weigh more the more often the most visited move was visited, from 50 visits on."""

_DRAWS = np.uint64(1 << 30)
"""Number of different random numbers between 0 and 1 from which the noise is drawn."""


class Guide(NamedTuple):
    """How scores, logits and visits become probabilities and values; the settings of `Puct` that have these names."""

    exploration: float
    temperature: float
    policy_temperature: float
    scale: float
    minimax: float


@inline
def number_of(bits: Word | int) -> float:
    return np.uint64(bits).view(np.float64)


@inline
def _bits(number: float) -> Word:
    return np.float64(number).view(np.uint64)


@inline
def _value(memory: Words, edge: Word, minimax: float) -> float:
    """Value of an edge for the side that moves along it: its mean, or the evaluator's score if it was never visited.

    minimax: the share of the minimax value, the edge's GUESS, beside the mean [Lanctot2014]. A certain value is exact.
    """
    if memory[edge + tree.VISITS] == U0:
        return _guessed(memory, edge)
    value = tree.mean(memory, edge)
    if minimax > 0.0 and memory[edge + tree.LINK] & tree.KNOWN == U0:
        value += minimax * (_guessed(memory, edge) - value)
    return value


@inline
def _guessed(memory: Words, edge: Word) -> float:
    """The GUESS of an edge as a value from -1 to 1."""
    return np.float64(memory[memory[tree.COMPANIONS] + edge + GUESS]) * tree.PER_UNIT - 1.0


@inline
def enter_node(
    ctx: Context, node: Word, state: Words, children: Words, moves: Words, guide: Guide, late: Truth
) -> None:
    """Let the evaluator score a new node: all its moves, or only its position if there is a policy and no minimax.

    Write also the probabilities of the moves. With `late`, a policy waits for the first selection of a move of this
    node; most nodes have none. `children` and `moves` are workspace.
    """
    memory, scores, evaluator = ctx.memory, ctx.scores, ctx.evaluator
    companion, best = memory[tree.COMPANIONS] + node, U0
    informed = evaluator.has_policy != U0
    if informed and guide.minimax == 0.0:
        best = tree.utility(static_score(evaluator, state))
    else:
        # The scores are for the opponent, so the best move has the lowest.
        edges, lowest = score_moves(ctx, node, state, children), np.inf
        if guide.minimax > 0.0:
            _score_ends(ctx, edges, children, moves)
        for i in range(edges):
            memory[companion + tree.NODE + i * tree.EDGE + GUESS] = tree.utility(-scores[i])
            lowest = min(lowest, scores[i])
        best = tree.utility(-lowest)
        if not informed:
            for i in range(edges):
                scores[i] = (lowest - scores[i]) / guide.temperature
            _set_probabilities(memory, node, scores)
    memory[companion + GUESS] = best
    memory[companion + AWAITS] = U1 if informed and late else U0
    if informed and not late:
        set_policy(ctx, node, state, children, guide)


@inline
def _score_ends(ctx: Context, edges: Word, children: Words, moves: Words) -> None:
    """Replace the scores of finished games, about which an evaluator may say anything, by their results."""
    for i in range(edges):
        code = gameplay.code_of(ctx.rules, at(children, i * ctx.rules.words), moves)
        if code != RUNNING:
            ctx.scores[i] = 0.0 if code & 3 == DRAW else 1.0 if code & 3 == WIN else -1.0


@inline
def set_policy(ctx: Context, node: Word, state: Words, moves: Words, guide: Guide) -> None:
    """Write the probabilities of a node's moves by the policy of the evaluator. `moves` is workspace."""
    memory, evaluator = ctx.memory, ctx.evaluator
    companion, edges = memory[tree.COMPANIONS] + node, tree.count(memory, node)
    memory[companion + AWAITS] = U0
    for i in range(edges):
        moves[i] = memory[node + tree.NODE + i * tree.EDGE + tree.MOVE]
        if guide.minimax == 0.0:  # the value of the position stands for those of its moves
            memory[companion + tree.NODE + i * tree.EDGE + GUESS] = memory[companion + GUESS]
    data, weights, x = at(evaluator.data, U0), at(evaluator.weights, U0), at(evaluator.inputs, U0)
    evaluator.policy(data, weights, state, moves, edges, x, at(ctx.scores, U0))
    for i in range(edges):
        ctx.scores[i] /= guide.policy_temperature
    _set_probabilities(memory, node, ctx.scores)


@inline
def _set_probabilities(memory: Words, node: Word, logits: Scores) -> None:
    """Write the softmax of the logits to the companions of a node's moves."""
    edges, greatest, total = tree.count(memory, node), -np.inf, 0.0
    for i in range(edges):
        greatest = max(greatest, logits[i])
    for i in range(edges):
        total += math.exp(logits[i] - greatest)
    for i in range(edges):
        companion = memory[tree.COMPANIONS] + node + tree.NODE + i * tree.EDGE
        logit = logits[i] - greatest - math.log(total)
        memory[companion + LOGIT], memory[companion + PRIOR] = _bits(logit), _bits(math.exp(logit))


@inline
def back_up_minimax(memory: Words, edge: Word) -> None:
    """Renew the GUESS of an edge that leads to a node: what the best of its moves leaves [Lanctot2014]."""
    node, best = memory[edge + tree.LINK], U0
    for i in range(tree.count(memory, node)):
        child = node + tree.NODE + i * tree.EDGE
        link = memory[child + tree.LINK]
        is_known = link & tree.KNOWN != U0
        best = max(
            best, (link & tree.RESULT) * tree.UNIT if is_known else memory[memory[tree.COMPANIONS] + child + GUESS]
        )
    memory[memory[tree.COMPANIONS] + edge + GUESS] = tree.WHOLE - best


@inline
def select_by_puct(memory: Words, node: Word, visits: Word, guide: Guide, noises: Scores, share: float) -> Word:
    """The edge with the greatest value + exploration * P sqrt(n) / (1 + n_j), as in AlphaZero [Silver2018].

    Moves that are known to lose are left out. visits: n, those of the node. share: that of the noise in P; 0 below the
    root.
    """
    beside, width = memory[tree.COMPANIONS], guide.exploration * math.sqrt(np.float64(visits))
    best, chosen = -np.inf, U0
    for i in range(tree.count(memory, node)):
        edge = node + tree.NODE + i * tree.EDGE
        if tree.is_lost(memory, edge):
            continue
        probability = number_of(memory[beside + edge + PRIOR])
        if share > 0.0:
            probability += share * (noises[i] - probability)
        value = _value(memory, edge, guide.minimax)
        bound = value + width * probability / (1.0 + np.float64(memory[edge + tree.VISITS]))
        if bound > best:
            best, chosen = bound, edge
    return chosen


@bare_kernel
def complete_values(memory: Words, node: Word) -> None:
    """Give the moves that were never visited a value: (v + n q) / (1 + n), for an evaluator with a policy.

    v is the evaluator's value of the position, n the number of visits of its moves, q the mean of the visited moves'
    values, weighted by their probabilities [Danihelka2022, appendix D].
    """
    edges, visits, share, sum_ = tree.count(memory, node), U0, 0.0, 0.0
    for i in range(edges):
        edge = node + tree.NODE + i * tree.EDGE
        if memory[edge + tree.VISITS] != U0:
            visits += memory[edge + tree.VISITS]
            prior = number_of(memory[memory[tree.COMPANIONS] + edge + PRIOR])
            share += prior
            sum_ += prior * tree.mean(memory, edge)
    if share > 0.0:
        value = np.float64(memory[memory[tree.COMPANIONS] + node + GUESS]) * tree.PER_UNIT - 1.0
        guess = tree.utility((value + np.float64(visits) * (sum_ / share)) / (1.0 + np.float64(visits)))
        for i in range(edges):
            memory[memory[tree.COMPANIONS] + node + tree.NODE + i * tree.EDGE + GUESS] = guess


@inline
def _value_weight(memory: Words, node: Word, scale: float) -> float:
    """Factor of a value from 0 to 1 beside the logits: (c_visit + the most visits of a move) * c_scale."""
    most = U0
    for i in range(tree.count(memory, node)):
        most = max(most, memory[node + tree.NODE + i * tree.EDGE + tree.VISITS])
    return (VISITS_OFFSET + np.float64(most)) * scale * 0.5  # our values are from -1 to 1


@inline
def select_by_policy(ctx: Context, node: Word, visits: Word, guide: Guide) -> Word:
    """The edge whose share of the visits lags furthest behind the improved policy [Danihelka2022, section 5].

    The improved policy is the softmax of logit + weight * value. Moves that are known to lose are left out.
    """
    memory, wanted = ctx.memory, ctx.scores
    edges, weight = tree.count(memory, node), _value_weight(memory, node, guide.scale)
    greatest, total = -np.inf, 0.0
    for i in range(edges):
        edge = node + tree.NODE + i * tree.EDGE
        logit = number_of(memory[memory[tree.COMPANIONS] + edge + LOGIT])
        wanted[i] = -np.inf if tree.is_lost(memory, edge) else logit + weight * _value(memory, edge, guide.minimax)
        greatest = max(greatest, wanted[i])
    for i in range(edges):
        wanted[i] = math.exp(wanted[i] - greatest)
        total += wanted[i]
    best, chosen = -np.inf, U0
    for i in range(edges):
        edge = node + tree.NODE + i * tree.EDGE
        lag = wanted[i] / total - np.float64(memory[edge + tree.VISITS]) / (1.0 + np.float64(visits))
        if lag > best and not tree.is_lost(memory, edge):
            best, chosen = lag, edge
    return chosen


@inline
def _uniform(ctx: Context) -> float:
    """Draw a number between 0 and 1, which is neither."""
    return (np.float64(below(at(ctx.rng, U0), _DRAWS)) + 0.5) / np.float64(_DRAWS)


@inline
def _log_gamma_variate(ctx: Context, shape: float) -> float:
    """Draw the logarithm of a number with a gamma distribution [Marsaglia2000]; a small one would be rounded to 0."""
    d = shape + 1.0 - 1.0 / 3.0  # of the shape plus 1, which a power of a uniform number makes up for
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        a, b = 2.0 * _uniform(ctx) - 1.0, 2.0 * _uniform(ctx) - 1.0
        square = a * a + b * b
        if square >= 1.0:
            continue
        normal = a * math.sqrt(-2.0 * math.log(square) / square)  # Marsaglia's polar method
        v = 1.0 + c * normal
        if v > 0.0 and math.log(_uniform(ctx)) < 0.5 * normal * normal + d - d * v * v * v + 3.0 * d * math.log(v):
            return math.log(d * v * v * v) + math.log(_uniform(ctx)) / shape


@inline
def begin_root(ctx: Context, noise: float, gumbel: bool, concentration: float) -> None:
    """Forget the visits of earlier searches, and draw the noise of the root's moves into the second half of ctx.scores.

    With a Gumbel distribution, the first choices are moves drawn from the policy without replacement. Else the noise
    has a symmetric Dirichlet distribution, whose parameters have the sum `concentration`.
    """
    memory, noises = ctx.memory, at(ctx.scores, ctx.rules.max_moves)
    node = memory[tree.ROOT + tree.LINK]
    edges, greatest, total = tree.count(memory, node), -np.inf, 0.0
    for i in range(edges):
        memory[memory[tree.COMPANIONS] + node + tree.NODE + i * tree.EDGE + HERE] = U0
        noises[i] = 0.0
        if noise > 0.0 and gumbel:
            noises[i] = -noise * math.log(-math.log(_uniform(ctx)))
        elif noise > 0.0:
            noises[i] = _log_gamma_variate(ctx, concentration / np.float64(edges))
            greatest = max(greatest, noises[i])
    if noise > 0.0 and not gumbel:
        for i in range(edges):
            noises[i] = math.exp(noises[i] - greatest)
            total += noises[i]
        for i in range(edges):
            noises[i] /= total


@inline
def select_at_root(ctx: Context, level: Word, guide: Guide) -> Word:
    """Of the root's edges that this search visited `level` times, the one with the greatest noise + logit + value.

    0 if there is none.
    """
    memory, noises = ctx.memory, at(ctx.scores, ctx.rules.max_moves)
    node, beside = memory[tree.ROOT + tree.LINK], memory[tree.COMPANIONS]
    weight = _value_weight(memory, node, guide.scale)
    best, chosen = -np.inf, U0
    for i in range(tree.count(memory, node)):
        edge = node + tree.NODE + i * tree.EDGE
        if memory[beside + edge + HERE] != level:
            continue
        logit = number_of(memory[beside + edge + LOGIT])
        hope = noises[i] + logit + weight * _value(memory, edge, guide.minimax)
        if chosen == U0 or hope > best:
            best, chosen = hope, edge
    return chosen


@inline
def best_of_root(ctx: Context, halves: bool, by_value: bool, guide: Guide) -> Word:
    """The edge of the move to play: one that wins for certain, else the choice of the last round or the most visited.

    by_value: not the most visited move, but that with the greatest value of those with at least half as many visits. A
    move that loses for certain is played only if all do.
    """
    memory = ctx.memory
    node, beside = memory[tree.ROOT + tree.LINK], memory[tree.COMPANIONS]
    edges = tree.count(memory, node)
    most = U0
    for i in range(edges):
        edge = node + tree.NODE + i * tree.EDGE
        if tree.is_won(memory, edge):
            return edge
        if not tree.is_lost(memory, edge):
            most = max(most, memory[beside + edge + HERE] if halves else memory[edge + tree.VISITS])
    best, chosen = -np.inf, U0
    weight = _value_weight(memory, node, guide.scale)
    noises = at(ctx.scores, ctx.rules.max_moves)
    for i in range(edges):
        edge = node + tree.NODE + i * tree.EDGE
        lost = tree.is_lost(memory, edge)
        if halves:
            if memory[beside + edge + HERE] != most and not lost:
                continue
            logit = number_of(memory[beside + edge + LOGIT])
            worth = noises[i] + logit + weight * _value(memory, edge, guide.minimax)
        elif by_value:
            if memory[edge + tree.VISITS] * np.uint64(2) < most and not lost:
                continue
            worth = _value(memory, edge, guide.minimax)
        else:
            worth = np.float64(memory[edge + tree.VISITS]) + 0.25 * _value(memory, edge, guide.minimax)
        if lost:  # the longest defence, behind every move that is not known to lose
            worth = -1e9 + np.float64(tree.distance_of(memory[edge + tree.LINK]))
        if chosen == U0 or worth > best:
            best, chosen = worth, edge
    return chosen


@inline
def drawn_of_root(ctx: Context, best: Word, temperature: float) -> Word:
    """An edge drawn by visits ** (1 / temperature). Moves that lose for certain are left out.

    It is `best`, the edge to play without a temperature, if that wins for certain or if all moves lose.
    """
    memory, worths = ctx.memory, ctx.scores
    node = memory[tree.ROOT + tree.LINK]
    if tree.is_won(memory, best) or tree.is_lost(memory, best):
        return best
    edges, most, total = tree.count(memory, node), U1, 0.0
    for i in range(edges):
        edge = node + tree.NODE + i * tree.EDGE
        if not tree.is_lost(memory, edge):
            most = max(most, memory[edge + tree.VISITS])
    for i in range(edges):
        edge = node + tree.NODE + i * tree.EDGE
        visits = U0 if tree.is_lost(memory, edge) else memory[edge + tree.VISITS]
        worths[i] = math.exp(math.log(np.float64(visits) / np.float64(most)) / temperature) if visits != U0 else 0.0
        total += worths[i]
    drawn, chosen = _uniform(ctx) * total, best
    for i in range(edges):
        if worths[i] > 0.0:
            chosen = node + tree.NODE + i * tree.EDGE
            drawn -= worths[i]
            if drawn < 0.0:
                break
    return chosen


@inline
def mix_answer(ctx: Context, best: Word, minimax: float, score: Score, out: Words) -> Score:
    """Replace the means in the statistics of an answer by the values of the moves, and return the score of the best.

    score: that by its mean, which stays if the value is certain.
    """
    memory = ctx.memory
    node = memory[tree.ROOT + tree.LINK]
    for i in range(tree.count(memory, node)):
        edge = node + tree.NODE + i * tree.EDGE
        visits = memory[edge + tree.VISITS]
        value = _value(memory, edge, minimax) if visits != U0 else 0.0
        answer.write_statistics(out, i, memory[edge + tree.MOVE], visits, value)
    if memory[best + tree.LINK] & tree.KNOWN != U0:
        return score
    return min(max(_value(memory, best, minimax), -HEURISTIC_LIMIT), HEURISTIC_LIMIT)
