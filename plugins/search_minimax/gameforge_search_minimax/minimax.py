"""Fixed-depth minimax with oracles: [Neto2009], section 5.4.2, with the corrections that the README lists.

Every win scores WON, whether by the rules or by an oracle. So the first of several winning moves is played, however
long the win takes, as in the printed algorithm. Pruning does not change move and value: the root keeps its exact window
and its order of moves, and a later move must be strictly better to be chosen. The order at the root is that of the
rules or, for random ties, a random one, in which the first of the best moves is any of them with equal chance.
"""

from typing import Any, Literal

import attrs
import numpy as np

from gameforge.interfaces import DRAW, RUNNING, WIN, WON, RulesFunctions, SearcherFunctions
from gameforge.kernel import (
    U0,
    U1,
    U2,
    UNKNOWN,
    ask_gated,
    ask_oracles,
    at,
    below,
    gated_after_root,
    gated_at_leaves,
    inline,
    slots,
    static_score,
    write_answer,
    write_no_move,
)
from gameforge_search_minimax.table import SCATTER

_ABOVE_ALL = 4.0
_HISTORY = 1024
_HISTORY_SHIFT = np.uint64(64 - 10)
_RANDOM_TIES = slots.DEPTH_LIMIT + 1
"""Index in the limits: 1 for random ties, 0 for the first of them."""


@inline
def _exact(result: Any) -> Any:
    """Score of a WIN, LOSS or DRAW for the side to move."""
    if result == DRAW:
        return 0.0
    return WON if result == WIN else -WON


@inline
def _credit(scores: Any, best: Any, score: Any, stack: Any, line: Any, line_words: Any, move: Any) -> None:
    """Back up a child's score to its parent. If it is strictly better, its move and line become the parent's line."""
    if score > scores[best]:
        scores[best] = score
        scores[best + U1] = max(scores[best + U1], score)
        below = line + line_words
        length = stack[below]
        stack[line] = length + U1
        stack[line + U1] = move
        for i in range(length):
            stack[line + U2 + i] = stack[below + U1 + i]


@inline
def _slot(move: Any) -> Any:
    """Index of a move in the history."""
    return (move * SCATTER) >> _HISTORY_SHIFT


@inline
def _bring_forward(stack: Any, first: Any, end: Any, history: Any) -> None:
    """Swap the move with the most refutations to stack[first]."""
    best, most = first, history[_slot(stack[first])]
    for i in range(first + U1, end):
        credit = history[_slot(stack[i])]
        if credit > most:
            best, most = i, credit
    stack[first], stack[best] = stack[best], stack[first]


@inline
def _shuffle(rng: Any, stack: Any, first: Any, n: Any) -> None:
    """Put the n moves from stack[first] on into a random order; all orders are equally likely."""
    for i in range(U1, n):
        here, there = first + i, first + below(rng, i + U1)
        stack[here], stack[there] = stack[there], stack[here]


def search(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """Search a state by negamax without recursion; the depth is 1 or more plies. Returns the score."""
    rules, stack, scores = ctx.rules, ctx.stack, ctx.scores
    evaluator, memory, control, oracles = ctx.evaluator, ctx.memory, ctx.control, ctx.oracle.size
    data, words, depth = at(rules.data, U0), rules.words, np.uint64(limits[slots.DEPTH_LIMIT])
    # Ply at which gated oracles are consulted; 0: none.
    gate = depth if gated_at_leaves(ctx.oracle.gate) else U1 if gated_after_root(ctx.oracle.gate, U1) else U0
    # The stack has, for each ply, a state | a line (its length first) | next and end of its moves; then all moves.
    # `scores` has, for each ply: best, alpha, beta.
    line_words = depth + U2
    lines = (depth + U1) * words
    frames = lines + (depth + U1) * line_words
    moves = frames + (depth + U1) * U2

    if depth > U1:
        for i in range(_HISTORY):
            memory[i] = U0
    for i in range(words):
        stack[i] = s[i]
    n = rules.gen(data, at(stack, U0), at(stack, moves))
    code = rules.outcome(data, at(stack, U0), n)
    nodes = U1
    if code != RUNNING:
        control[slots.NODES] += 1
        write_no_move(out, nodes)
        return _exact(code & 3)
    if limits[_RANDOM_TIES] != 0:
        _shuffle(at(ctx.rng, U0), stack, moves, n)
    stack[lines] = U0
    stack[frames], stack[frames + U1] = moves, moves + n
    scores[0], scores[1], scores[2] = -_ABOVE_ALL, -_ABOVE_ALL, _ABOVE_ALL
    ply = U0
    while True:
        frame, line, best = frames + ply * U2, lines + ply * line_words, ply * np.uint64(3)
        alpha, beta = scores[best + U1], scores[best + U2]
        following, end = stack[frame], stack[frame + U1]
        if following == end or alpha >= beta or control[slots.STOP] != 0:
            if ply == U0:
                break
            if alpha >= beta:
                memory[_slot(stack[following - U1])] += (depth - ply) * (depth - ply)
            ply -= U1
            score = -scores[best]
            if control[slots.STOP] == 0:
                parent = frame - U2
                _credit(
                    scores, best - np.uint64(3), score, stack, line - line_words, line_words, stack[stack[parent] - U1]
                )
            continue
        if ply > U0:
            _bring_forward(stack, following, end, memory)
        move = stack[following]
        stack[frame] = following + U1
        child = at(stack, (ply + U1) * words)
        rules.play(data, at(stack, ply * words), move, child)
        nodes += U1
        stack[line + line_words] = U0
        n = rules.gen(data, child, at(stack, end))
        code = rules.outcome(data, child, n)
        if code != RUNNING:
            score = -_exact(code & 3)
        else:
            known = ask_oracles(ctx, child) if oracles != U0 else UNKNOWN
            static = 0.0
            if known == UNKNOWN and (ply + U1 == depth or ply + U1 == gate):
                static = static_score(evaluator, child)
                if ply + U1 == gate:
                    known = ask_gated(ctx, child, static)
            if known != UNKNOWN:
                score = -_exact(known)
            elif ply + U1 == depth:
                score = -static
            else:
                ply += U1
                stack[frame + U2], stack[frame + U2 + U1] = end, end + n
                child_best = best + np.uint64(3)
                scores[child_best], scores[child_best + U1], scores[child_best + U2] = -_ABOVE_ALL, -beta, -alpha
                continue
        _credit(scores, best, score, stack, line, line_words, move)

    control[slots.NODES] += np.int64(nodes)
    control[slots.DEPTH] = np.int64(depth) if control[slots.STOP] == 0 else 0
    length = stack[lines]
    # There is no line if the search was stopped before the first move was scored, or if scores are not numbers.
    move = stack[lines + U1] if length != U0 else stack[moves]
    write_answer(out, move, nodes, at(stack, lines + U1), length)
    return scores[0] if length != U0 else 0.0


@attrs.frozen(kw_only=True)
class Minimax:
    """The component."""

    depth: int = attrs.field(default=5, validator=[attrs.validators.ge(1), attrs.validators.le(60)])
    """Plies before the positions that are evaluated; the papers' "depth 4" is 5 plies."""
    ties: Literal["first", "random"] = attrs.field(default="first", validator=attrs.validators.in_(("first", "random")))
    """Which of several best moves is played: the first one in the order of the rules, or a random one."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        plies = self.depth + 1
        stack = plies * (rules.words + self.depth + 2 + 2 + rules.max_moves)
        return SearcherFunctions(
            search=search,
            limits=(self.depth, int(self.ties == "random")),
            stack=stack,
            scores=3 * plies,
            memory=_HISTORY,
            bare=True,
            asks_gated=True,
        )
