"""Fixed-depth minimax with oracles: [Neto2009], section 5.4.2, with the corrections that the README lists.

Every win scores WON, whether by the rules or by an oracle. So the first of several winning moves is played, however
long the win takes, as in the printed algorithm. Pruning does not change move and value: the root keeps its exact window
and its order of moves, and a later move must be strictly better to be chosen. The order at the root is that of the
rules or, for random ties, a random one, in which the first of the best moves is any of them with equal chance.
"""

from typing import Literal

import attrs
import numpy as np

from gameforge.interfaces import DRAW, RUNNING, WIN, WON, RulesFunctions, SearcherFunctions, kinds
from gameforge.kernel import (
    U0,
    U1,
    U2,
    U3,
    UNKNOWN,
    Context,
    Integers,
    Limits,
    Score,
    Scores,
    Whole,
    Word,
    Words,
    answer,
    at,
    below,
    inline,
    oracles,
    slots,
    static_score,
)
from gameforge_search_minimax.ordering import place_of, score_leaves
from gameforge_search_minimax.table import SCATTER

_BEST, _ALPHA, _BETA, _BOUNDS = U0, U1, U2, U3
"""Indices in the scores of a ply: its best score so far and its window; and their number."""
_NEXT, _END, _FRAME = U0, U1, U2
"""Indices in the frame of a ply: its next move and the end of its moves; and their number."""
_ABOVE_ALL = 4.0
"""Above all scores."""
_HISTORY_BITS = 10
_HISTORY = 1 << _HISTORY_BITS
_HISTORY_SHIFT = np.uint64(64 - _HISTORY_BITS)
_RANDOM_TIES = slots.DEPTH_LIMIT + 1
"""Index in the limits: 1 for random ties, 0 for the first of them."""


@inline
def _exact(result: int) -> Score:
    """Score of a WIN, LOSS or DRAW for the side to move."""
    if result == DRAW:
        return 0.0
    return WON if result == WIN else -WON


@inline
def _credit(scores: Scores, bounds: Word, score: Score, stack: Words, line: Word, line_words: Word, move: Word) -> None:
    """Back up a child's score to its parent. If it is strictly better, its move and line become the parent's line."""
    if score > scores[bounds + _BEST]:
        scores[bounds + _BEST] = score
        scores[bounds + _ALPHA] = max(scores[bounds + _ALPHA], score)
        below = line + line_words
        length = stack[below]
        stack[line] = length + U1
        stack[line + U1] = move
        for i in range(length):
            stack[line + U2 + i] = stack[below + U1 + i]


@inline
def _slot(move: Word) -> Word:
    """Index of a move in the history."""
    return (move * SCATTER) >> _HISTORY_SHIFT


@inline
def _bring_forward(stack: Words, first: Word, end: Word, history: Words) -> None:
    """Swap the move with the most refutations to stack[first]."""
    best: Whole = first
    most = history[_slot(stack[first])]
    for i in range(first + U1, end):
        credit = history[_slot(stack[i])]
        if credit > most:
            best, most = i, credit
    stack[first], stack[best] = stack[best], stack[first]


@inline
def _shuffle(rng: Words, stack: Words, first: Word, n: Word) -> None:
    """Put the n moves from stack[first] on into a random order; all orders are equally likely."""
    for i in range(U1, n):
        here, there = first + i, first + below(rng, i + U1)
        stack[here], stack[there] = stack[there], stack[here]


def search(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
    """Search a state; the depth is 1 or more plies. Returns the score."""
    return negamax(ctx, s, limits, out, False)


def search_whole_tree(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
    """Search a state as `search` does, without pruning; hands out all inner nodes, with their exact values."""
    return negamax(ctx, s, limits, out, True)


@inline
def negamax(ctx: Context, s: Words, limits: Limits, out: Words, whole: bool) -> Score:
    """The algorithm of both searches, without recursion; `whole` is a constant."""
    # Step 1. Lay out the workspace: the states of all plies, their lines (length first), their frames, and all moves.
    rules = ctx.rules
    stack: Words = ctx.stack
    scores: Scores = ctx.scores
    memory: Words = ctx.memory
    control: Integers = ctx.control
    evaluator, n_oracles = ctx.evaluator, ctx.oracle.size
    data, words, depth = at(rules.data, U0), rules.words, np.uint64(limits[slots.DEPTH_LIMIT])
    line_words = depth + U2
    lines = (depth + U1) * words
    frames = lines + (depth + U1) * line_words
    moves = frames + (depth + U1) * _FRAME
    # Ply at which gated oracles are consulted; 0: none.
    after_root = U1 if oracles.gated_after_root(ctx.oracle.gate, U1) else U0
    gate = depth if oracles.gated_at_leaves(ctx.oracle.gate) else after_root
    used = moves + (depth + U1) * rules.max_moves + (U1 + rules.words) * rules.max_moves
    if whole:
        answer.begin_handing_out(ctx.stack)
    if depth > U1:  # only moves below the root are ordered by the history
        for i in range(_HISTORY):
            memory[i] = U0

    # Step 2. Enter the root. If the game is over, there is no move to choose.
    for i in range(words):
        stack[i] = s[i]
    n = rules.gen(data, at(stack, U0), at(stack, moves))
    code = rules.outcome(data, at(stack, U0), n)
    nodes = U1
    if code != RUNNING:
        control[slots.NODES] += 1
        answer.write_no_move(out, nodes)
        return _exact(code & 3)
    if limits[_RANDOM_TIES] != 0:
        _shuffle(at(ctx.rng, U0), stack, moves, n)
    stack[lines] = U0
    stack[frames + _NEXT], stack[frames + _END] = moves, moves + n
    scores[_BEST], scores[_ALPHA], scores[_BETA] = -_ABOVE_ALL, -_ABOVE_ALL, _ABOVE_ALL
    batch, leaves, gathered = moves + (depth + U1) * rules.max_moves, (depth + U1) * _BOUNDS, U0
    ply, has_entered = U0, True
    while True:
        frame, line, bounds = frames + ply * _FRAME, lines + ply * line_words, ply * _BOUNDS
        alpha, beta = scores[bounds + _ALPHA], scores[bounds + _BETA]
        following, end = stack[frame + _NEXT], stack[frame + _END]

        # Step 3. If the node is done, return its score to its parent. A stopped search leaves all nodes, and backs up
        # no scores on the way, because they come from a part of the moves only.
        if following == end or alpha >= beta or control[slots.STOP] != 0:
            if whole and control[slots.STOP] == 0:
                node = at(stack, ply * words)
                answer.hand_out(ctx.stack, used, words, node, scores[bounds + _BEST], answer.EXACT)
            if ply == U0:
                break
            if alpha >= beta:  # the last move refutes the one before it; cutoffs near the root save the most nodes
                memory[_slot(stack[following - U1])] += (depth - ply) * (depth - ply)
            ply -= U1
            score = -scores[bounds + _BEST]
            if control[slots.STOP] == 0:
                move = stack[stack[frame - _FRAME + _NEXT] - U1]
                _credit(scores, bounds - _BOUNDS, score, stack, line - line_words, line_words, move)
            continue

        # The leaves below a node are scored together if that costs no more than to score one.
        if has_entered and ply + U1 == depth and evaluator.has_values != U0:
            gathered = score_leaves(ctx, at(stack, ply * words), following, end, batch, leaves)
        has_entered = False

        # Step 4. Make the next move. Below the root, that is the one which refuted most; cutoffs come sooner.
        if ply > U0:
            _bring_forward(stack, following, end, memory)
        move = stack[following]
        stack[frame + _NEXT] = following + U1
        child = at(stack, (ply + U1) * words)
        rules.play(data, at(stack, ply * words), move, child)
        nodes += U1
        stack[line + line_words] = U0

        # Step 5. Score the child if the game is over, an oracle knows it, or the depth is reached; else enter it.
        n = rules.gen(data, child, at(stack, end))
        code = rules.outcome(data, child, n)
        if code != RUNNING:
            score = -_exact(code & 3)
        else:
            known = oracles.ask_oracles(ctx, child) if n_oracles != U0 else UNKNOWN
            static = 0.0
            if known == UNKNOWN and (ply + U1 == depth or ply + U1 == gate):
                place = place_of(at(stack, batch), gathered, move) if ply + U1 == depth else gathered
                static = scores[leaves + place] if place != gathered else static_score(evaluator, child)
                if ply + U1 == gate:
                    known = oracles.ask_gated(ctx, child, static)
            if known != UNKNOWN:
                score = -_exact(known)
            elif ply + U1 == depth:
                score = -static
            else:
                ply, has_entered = ply + U1, True
                inner, window = frame + _FRAME, bounds + _BOUNDS
                stack[inner + _NEXT], stack[inner + _END] = end, end + n
                scores[window + _BEST], scores[window + _ALPHA], scores[window + _BETA] = -_ABOVE_ALL, -beta, -alpha
                if whole:
                    scores[window + _ALPHA], scores[window + _BETA] = -_ABOVE_ALL, _ABOVE_ALL
                continue
        _credit(scores, bounds, score, stack, line, line_words, move)

    # Step 6. Answer. There is no line if the search was stopped before the first move was scored, or if scores are not
    # numbers.
    control[slots.NODES] += np.int64(nodes)
    control[slots.DEPTH] = np.int64(depth) if control[slots.STOP] == 0 else 0
    control[slots.LIMIT] = slots.BY_DEPTH if control[slots.STOP] == 0 else slots.BY_NONE
    length = stack[lines]
    move = stack[lines + U1] if length != U0 else stack[moves]
    answer.write_answer(out, move, nodes, at(stack, lines + U1), length)
    return scores[_BEST] if length != U0 else 0.0


@attrs.frozen(kw_only=True)
class Minimax:
    """The component."""

    depth: int = attrs.field(default=5, validator=kinds.within(1, 60))
    """Plies before the positions that are evaluated; the papers' "depth 4" is 5 plies."""
    ties: Literal["first", "random"] = attrs.field(default="first", validator=attrs.validators.in_(("first", "random")))
    """Which of several best moves is played: the first one in the order of the rules, or a random one."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        plies = self.depth + 1
        stack = plies * (rules.words + self.depth + 2 + 2 + rules.max_moves) + (1 + rules.words) * rules.max_moves
        return SearcherFunctions(
            search=search,
            limits=(self.depth, int(self.ties == "random")),
            stack=stack,
            scores=3 * plies + rules.max_moves,
            memory=_HISTORY,
            bare=True,
            asks_gated=True,
            leaf=True,
            recording=search_whole_tree,
        )
