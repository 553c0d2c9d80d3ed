"""Fixed-depth minimax with oracles: [Neto2009], section 5.4.2, with the corrections that the README lists.

Every win scores WON, whether by the rules or by an oracle. So the first of several winning moves is played, however
long the win takes, as in the printed algorithm. The order at the root is that of the rules or, for random ties, a
random one, in which the first of the best moves is any of them with equal chance.

What makes the search fast changes neither move nor value:

* Below the root, the value of a node is a maximum, which does not depend on the order of the moves.
* At the root, the move that the last search of the game knows, or that a smaller depth prefers, is searched first. A
  move that comes before it in the order of the root is chosen if it is as good, one that comes after it only if it is
  strictly better: that is the first of the best.
* Other moves get a null window: no score lies inside it, so a search with it says whether the move is better than the
  best one so far. If it is, it is searched again. As no score is above WON, a node that has found a win is done.
* The table replaces a search only by a result of the same search (exact_table.py).
"""

from typing import Literal

import attrs
import numpy as np

from gameforge.interfaces import RUNNING, WON, RulesFunctions, SearcherFunctions, kinds
from gameforge.kernel import (
    U0,
    U1,
    U2,
    U3,
    U4,
    UNKNOWN,
    Context,
    IntegerArray,
    Limits,
    Score,
    Scores,
    Truth,
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
from gameforge_search_minimax import exact_table
from gameforge_search_minimax.exact_table import Leaves, exact, group_size, score_leaves
from gameforge_search_minimax.table import SCATTER, continues_game

_BEST, _ALPHA, _BETA, _BOUNDS = U0, U1, U2, U3
"""Indices in the scores of a ply: its best score so far and its window; and their number."""
_NEXT, _END, _MOVE, _ENTRY, _WINDOW, _KILLER, _FRAME = (np.uint64(i) for i in range(7))
"""Indices in the frame of a ply: its next move and the end of its moves, the best move (first a guess, then the best so
far), the node's place in the table, one of the windows below, and the move that was last the best one at this ply in a
node with a cutoff; and their number."""
_NULL, _WIDE, _PROBED, _AGAIN = U0, U1, U2, U3
"""Windows. NULL: no score lies inside the node's window. WIDE: some do. Then the moves after the first are PROBED with
a null window; one that may be better is searched AGAIN."""
_BELOW_ALL, _ABOVE_ALL = -4.0, 4.0
"""Below and above all scores."""
_HISTORY_SHIFT = np.uint64(64 - exact_table.HISTORY_BITS)
_RANDOM_TIES = slots.DEPTH_LIMIT + 1
"""Index in the limits: 1 for random ties, 0 for the first of them."""
_TABLE_DEPTH = U3
"""Least depth with positions that are reached in several ways: two moves of one side change places."""
_FIRST_DEPTH = U4
"""Greatest depth of the first iteration. A search of this depth or less has no other."""
_GUESSED, _KILLS = np.uint64(1 << 63), np.uint64(1 << 62)
"""Before all moves that are known by their refutations alone."""
_FADING = U3
"""Bits by which the refutations of the last search count less."""


@inline
def _lead(stack: Words, line: Word, line_words: Word, move: Word) -> None:
    """Make a move and the line of the child after it the line of a node."""
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
def _bring_best(stack: Words, frame: Word, first: Word, end: Word, history: Words) -> None:
    """Swap the move that promises most to stack[first]: the guess, the killer, else that with the most refutations."""
    guess, killer = stack[frame + _MOVE], stack[frame + _KILLER]
    best: Whole = first
    most = U0
    for i in range(first, end):
        move = stack[i]
        promise = history[_slot(move)] + np.uint64(move == guess) * _GUESSED + np.uint64(move == killer) * _KILLS
        if promise > most:
            best, most = i, promise
    stack[first], stack[best] = stack[best], stack[first]


@inline
def _to_front(stack: Words, first: Word, place: Word) -> None:
    """Put the move at `place` before the moves from `first` on, whose order stays."""
    move = stack[place]
    while place > first:
        stack[place] = stack[place - U1]
        place -= U1
    stack[first] = move


@inline
def _from_front(stack: Words, first: Word, place: Word) -> None:
    """Put the first move back to its `place`."""
    move = stack[first]
    for i in range(first, place):
        stack[i] = stack[i + U1]
    stack[place] = move


@inline
def _score_by_gate(ctx: Context, state: Words, score: Score) -> Score:
    """Score of a move of the root to `state`: `score`, which the search found, or what gated oracles say instead."""
    result = oracles.ask_gated(ctx, state, -score)
    return score if result == UNKNOWN else -exact(result)


@inline
def _shuffle(rng: Words, stack: Words, first: Word, n: Word) -> None:
    """Put the n moves from stack[first] on into a random order; all orders are equally likely."""
    for i in range(U1, n):
        here, there = first + i, first + below(rng, i + U1)
        stack[here], stack[there] = stack[there], stack[here]


@inline
def _enter_root(ctx: Context, s: Words, limits: Limits, out: Words, moves: Word) -> tuple[Word, int]:
    """Write the state and its moves, in the order in which ties are decided; return their number and the outcome.

    If the game is over, the answer has no move.
    """
    rules, stack = ctx.rules, ctx.stack
    data = at(rules.data, U0)
    for i in range(rules.words):
        stack[i] = s[i]
    n = rules.gen(data, at(stack, U0), at(stack, moves))
    code = rules.outcome(data, at(stack, U0), n)
    if code != RUNNING:
        ctx.control[slots.NODES] += 1
        answer.write_no_move(out, U1)
    elif limits[_RANDOM_TIES] != 0:
        _shuffle(at(ctx.rng, U0), stack, moves, n)
    return n, code


def search(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
    """Search a state by negamax without recursion; the depth is 1 or more plies. Returns the score."""
    # Step 1. Lay out the workspace: the states of all plies, their lines (length first), their frames, and all moves.
    rules = ctx.rules
    stack: Words = ctx.stack
    scores: Scores = ctx.scores
    history: Words = at(ctx.memory, exact_table.HISTORY)
    control: IntegerArray = ctx.control
    data, words, depth = at(rules.data, U0), rules.words, np.uint64(limits[slots.DEPTH_LIMIT])
    line_words = depth + U2
    lines = (depth + U1) * words
    frames = lines + (depth + U1) * line_words
    moves = frames + (depth + U1) * _FRAME
    group = moves + (depth + U1) * rules.max_moves
    table = at(ctx.memory, exact_table.FIRST)

    # Step 2. Enter the root. If the game is over, there is no move to choose.
    n, code = _enter_root(ctx, s, limits, out, moves)
    nodes = U1
    if code != RUNNING:
        return exact(code & 3)
    root_guess = exact_table.NO_MOVE
    same_game: Truth = False
    if depth >= _TABLE_DEPTH:
        same_game = continues_game(ctx, UNKNOWN)
        root_guess = exact_table.next_search(table, at(stack, U0), words, same_game)
    if depth > U1:  # only moves below the root are ordered by the history
        for i in range(exact_table.HISTORY_WORDS):
            history[i] = history[i] >> _FADING if same_game else U0
    for i in range(depth):
        stack[frames + i * _FRAME + _KILLER] = exact_table.NO_MOVE

    # Step 3. Without a guess for the root, search to smaller depths first: each iteration tells the next one which
    # moves to try first. Leaves are positions after a move of the same side in all of them. A gate that judges the
    # scores of the root's moves needs them exactly, so the root's window stays open; a search of one ply finds what
    # the evaluator says.
    judged = oracles.gated_after_root(ctx.oracle.gate, U1, True)
    horizon, first = depth, moves
    while root_guess == exact_table.NO_MOVE and horizon > _FIRST_DEPTH:
        horizon -= U2
    for i in range(moves, moves + n):
        first = np.uint64(i) if stack[i] == root_guess else first
    while True:
        uses_table = horizon >= _TABLE_DEPTH
        mark = exact_table.mark_of(table, horizon, U0, exact_table.EXACT) if uses_table else U0
        # Ply at which gated oracles are consulted; 0: none.
        after_root = U1 if oracles.gated_after_root(ctx.oracle.gate, U1) else U0
        gate = horizon if oracles.gated_at_leaves(ctx.oracle.gate) or (judged and depth == U1) else after_root
        leaves = Leaves(
            group + U2 * rules.max_moves,
            group,
            group + rules.max_moves,
            moves + horizon * rules.max_moves,
            (depth + U1) * _BOUNDS,
            uses_table,
            mark,
            gate == horizon,
        )
        _to_front(stack, moves, first)
        chosen, stack[lines] = moves, U0
        stack[frames + _NEXT], stack[frames + _END] = moves, moves + n
        stack[frames + _MOVE], stack[frames + _WINDOW] = exact_table.NO_MOVE, _WIDE
        scores[_BEST], scores[_ALPHA], scores[_BETA] = _BELOW_ALL, -WON, WON
        ply = U0
        while True:
            frame, line, bounds = frames + ply * _FRAME, lines + ply * line_words, ply * _BOUNDS
            alpha, beta = scores[bounds + _ALPHA], scores[bounds + _BETA]
            here, end, state = stack[frame + _NEXT], stack[frame + _END], at(stack, ply * words)
            # Whether the next move of the root comes before the chosen one in the order of the root.
            comes_before = ply == U0 and chosen == moves and moves < here <= first

            if here == end or (alpha >= beta and not comes_before) or control[slots.STOP] != 0:
                # Step 4. The node is done: return its score to its parent. A stopped search leaves all nodes, and backs
                # up no scores on the way, because they come from a part of the moves only.
                if ply == U0:
                    break
                score = scores[bounds + _BEST]
                bound = exact_table.UPPER
                if alpha >= beta:  # cutoffs near the root save the most nodes
                    bound, move = exact_table.LOWER, stack[frame + _MOVE]
                    history[_slot(move)] += (depth - ply) * (depth - ply)
                    stack[frame + _KILLER] = move
                if uses_table and control[slots.STOP] == 0:
                    known = exact_table.mark_of(table, horizon, horizon - ply, bound)
                    exact_table.keep(table, stack[frame + _ENTRY], state, words, known, score, stack[frame + _MOVE])
                ply, frame, line, bounds = ply - U1, frame - _FRAME, line - line_words, bounds - _BOUNDS
                here, score = stack[frame + _NEXT] - U1, -score
                if control[slots.STOP] != 0:
                    continue
            elif ply + U1 == horizon:
                # Step 5. The moves of the node lead to leaves. Score the most promising one, then groups of others.
                size = group_size(ctx.evaluator, end - here)
                n_leaves = min(size, end - here)
                if ply != U0:
                    _bring_best(stack, frame, here, end, history)
                    n_leaves = n_leaves if ctx.evaluator.has_values != U0 else U1
                best = _BELOW_ALL
                while here != end and best < beta and control[slots.STOP] == 0:
                    n_leaves = min(n_leaves, end - here)
                    score_leaves(ctx, leaves, state, at(stack, here), n_leaves)
                    for i in range(n_leaves):
                        score = scores[leaves.scores + i]
                        nodes += U1
                        if score > best:
                            best, chosen = score, here + i if ply == U0 else chosen
                            stack[frame + _MOVE] = stack[here + i]
                        if best >= beta:  # those after it do not count, so that the groups change nothing
                            break
                    here += n_leaves
                    n_leaves = size
                if control[slots.STOP] == 0 and best > _BELOW_ALL:
                    scores[bounds + _BEST], scores[bounds + _ALPHA] = best, max(alpha, best)
                    stack[line], stack[line + U1] = U1, stack[frame + _MOVE]
                stack[frame + _NEXT], stack[frame + _END] = end, end
                continue
            else:
                # Step 6. Make the next move, or the same one again if it is to be searched with the whole window.
                if ply != U0 and stack[frame + _WINDOW] != _AGAIN:
                    _bring_best(stack, frame, here, end, history)
                window = stack[frame + _WINDOW]
                if comes_before:
                    alpha = np.nextafter(alpha, _BELOW_ALL)
                # Not worth it above the last ply of moves: a probe would score most of the leaves twice.
                is_probed = window == _WIDE and scores[bounds + _BEST] > _BELOW_ALL and ply + U2 < horizon
                if is_probed and not (judged and ply == U0):
                    stack[frame + _WINDOW], window, beta = _PROBED, _NULL, np.nextafter(alpha, _ABOVE_ALL)
                elif window == _AGAIN:
                    stack[frame + _WINDOW], window = _WIDE, _WIDE
                child = at(stack, (ply + U1) * words)
                rules.play(data, state, stack[here], child)
                nodes += U1
                stack[frame + _NEXT], stack[line + line_words] = here + U1, U0

                # Step 7. Score the child if the table or an oracle knows it, or if the game is over; else enter it.
                entry, guess = U0, exact_table.NO_MOVE
                is_known: Truth = False
                if uses_table:
                    entry = exact_table.place_of(child, words)
                    if exact_table.is_of(table, entry, child, words):
                        guess = exact_table.guess_of(table, entry)
                        wanted = exact_table.mark_of(table, horizon, horizon - ply - U1, U0)
                        is_known = exact_table.settles(table, entry, wanted, -beta, -alpha)
                if is_known:
                    score = -exact_table.score_of(table, entry)
                else:
                    n_child = rules.gen(data, child, at(stack, end))
                    code = rules.outcome(data, child, n_child)
                    result = code & 3
                    if code == RUNNING:
                        result = oracles.ask_oracles(ctx, child) if ctx.oracle.size != U0 else UNKNOWN
                        if result == UNKNOWN and ply + U1 == gate:
                            result = oracles.ask_gated(ctx, child, static_score(ctx.evaluator, child))
                        if result == UNKNOWN:
                            ply, frame, bounds = ply + U1, frame + _FRAME, bounds + _BOUNDS
                            stack[frame + _NEXT], stack[frame + _END] = end, end + n_child
                            stack[frame + _MOVE], stack[frame + _ENTRY], stack[frame + _WINDOW] = guess, entry, window
                            scores[bounds + _BEST], scores[bounds + _ALPHA] = _BELOW_ALL, -beta
                            scores[bounds + _BETA] = -alpha
                            continue
                    score = -exact(result)

            # Step 8. The move at `here` of the node at `ply` has this score, which a gate may replace at the root. A
            # probe that found it better than the best one so far knows only a bound: search it again. Else keep the
            # better one and its line.
            exact_root = judged and ply == U0
            if exact_root:
                score = _score_by_gate(ctx, at(stack, words), score)
            comes_before = ply == U0 and chosen == moves and moves < here <= first
            best = scores[bounds + _BEST]
            is_better = score > best or (comes_before and score == best)
            if stack[frame + _WINDOW] == _PROBED:
                stack[frame + _WINDOW] = _WIDE
                if is_better and scores[bounds + _ALPHA] <= score < scores[bounds + _BETA]:
                    stack[frame + _NEXT], stack[frame + _WINDOW] = here, _AGAIN
                    continue
            if is_better:
                scores[bounds + _BEST] = score
                if not exact_root:
                    scores[bounds + _ALPHA] = max(scores[bounds + _ALPHA], score)
                stack[frame + _MOVE] = stack[here]
                _lead(stack, line, line_words, stack[here])
                if ply == U0:
                    chosen = here

        # Step 9. Put the moves of the root back into their order. The chosen one comes first in the next iteration.
        if horizon == depth or control[slots.STOP] != 0:
            break
        _from_front(stack, moves, first)
        if chosen != moves:
            first = chosen - U1 if chosen <= first else chosen
        horizon += U2

    # Step 10. Answer.
    return _answered(ctx, out, nodes, depth, lines, moves)


@inline
def _answered(ctx: Context, out: Words, nodes: Word, depth: Word, line: Word, moves: Word) -> Score:
    """Write the answer: the line of the root, or its first move with the score 0.

    There is no line if the search was stopped before the first move was scored, or if scores are not numbers.
    """
    stack, control = ctx.stack, ctx.control
    control[slots.NODES] += np.int64(nodes)
    control[slots.DEPTH] = np.int64(depth) if control[slots.STOP] == 0 else 0
    control[slots.LIMIT] = slots.BY_DEPTH if control[slots.STOP] == 0 else slots.BY_NONE
    length = stack[line]
    move = stack[line + U1] if length != U0 else stack[moves]
    answer.write_answer(out, move, nodes, at(stack, line + U1), length)
    return ctx.scores[_BEST] if length != U0 else 0.0


def search_whole_tree(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
    """Search a state without pruning, for learners, and hand out all inner nodes with their exact values.

    Move, score and line are those of `search`. A node is handed out after those below it.
    """
    # Step 1. Lay out the workspace, as above; the nodes follow it.
    rules, stack, scores, control = ctx.rules, ctx.stack, ctx.scores, ctx.control
    data, words, depth = at(rules.data, U0), rules.words, np.uint64(limits[slots.DEPTH_LIMIT])
    line_words = depth + U2
    lines = (depth + U1) * words
    frames = lines + (depth + U1) * line_words
    moves = frames + (depth + U1) * _FRAME
    group = moves + (depth + U1) * rules.max_moves
    used = group + (U2 + words) * rules.max_moves
    judged = oracles.gated_after_root(ctx.oracle.gate, U1, True)
    leaf_gate = oracles.gated_at_leaves(ctx.oracle.gate) or (judged and depth == U1)
    gate = U1 if oracles.gated_after_root(ctx.oracle.gate, U1) and not leaf_gate else U0
    leaves = Leaves(
        group + U2 * rules.max_moves,
        group,
        group + rules.max_moves,
        moves + depth * rules.max_moves,
        (depth + U1) * _BOUNDS,
        False,
        U0,
        leaf_gate or gate == depth,
    )
    answer.begin_handing_out(stack)

    # Step 2. Enter the root. If the game is over, there is no move to choose.
    n, code = _enter_root(ctx, s, limits, out, moves)
    nodes = U1
    if code != RUNNING:
        return exact(code & 3)
    stack[lines], scores[_BEST] = U0, _BELOW_ALL
    stack[frames + _NEXT], stack[frames + _END] = moves, moves + n
    ply = U0
    while True:
        frame, line, bounds = frames + ply * _FRAME, lines + ply * line_words, ply * _BOUNDS
        here, end, state = stack[frame + _NEXT], stack[frame + _END], at(stack, ply * words)
        if here == end or control[slots.STOP] != 0:
            # Step 3. The node is done: hand it out, and return its score to its parent. A stopped search leaves all
            # nodes without their scores, because they come from a part of the moves only.
            if control[slots.STOP] == 0:
                answer.hand_out(stack, used, words, state, scores[bounds + _BEST], answer.EXACT)
            if ply == U0:
                break
            score = -scores[bounds + _BEST]
            ply, frame, line, bounds = ply - U1, frame - _FRAME, line - line_words, bounds - _BOUNDS
            if control[slots.STOP] != 0:
                continue
            here = stack[frame + _NEXT] - U1
        elif ply + U1 == depth:
            # Step 4. The moves of the node lead to leaves: score them together.
            score_leaves(ctx, leaves, state, at(stack, here), end - here)
            nodes += end - here
            for i in range(end - here):
                if scores[leaves.scores + i] > scores[bounds + _BEST]:
                    scores[bounds + _BEST] = scores[leaves.scores + i]
                    stack[line], stack[line + U1] = U1, stack[here + i]
            stack[frame + _NEXT] = end
            continue
        else:
            # Step 5. Make the next move. Score the child if the game is over or an oracle knows it; else enter it.
            child = at(stack, (ply + U1) * words)
            rules.play(data, state, stack[here], child)
            nodes += U1
            stack[frame + _NEXT], stack[line + line_words] = here + U1, U0
            n = rules.gen(data, child, at(stack, end))
            code = rules.outcome(data, child, n)
            result = code & 3
            if code == RUNNING:
                result = oracles.ask_oracles(ctx, child) if ctx.oracle.size != U0 else UNKNOWN
                if result == UNKNOWN and ply + U1 == gate:
                    result = oracles.ask_gated(ctx, child, static_score(ctx.evaluator, child))
                if result == UNKNOWN:
                    ply, frame, bounds = ply + U1, frame + _FRAME, bounds + _BOUNDS
                    stack[frame + _NEXT], stack[frame + _END] = end, end + n
                    scores[bounds + _BEST] = _BELOW_ALL
                    continue
            score = -exact(result)

        # Step 6. The move at `here` of the node at `ply` has this score, which a gate may replace at the root: keep it
        # if it is strictly better.
        if judged and ply == U0:
            score = _score_by_gate(ctx, at(stack, words), score)
        if score > scores[bounds + _BEST]:
            scores[bounds + _BEST] = score
            _lead(stack, line, line_words, stack[here])

    # Step 7. Answer.
    return _answered(ctx, out, nodes, depth, lines, moves)


@attrs.frozen(kw_only=True)
class Minimax:
    """The component."""

    depth: int = attrs.field(default=5, validator=kinds.within(1, 60))
    """Plies before the positions that are evaluated; the papers' "depth 4" is 5 plies."""
    ties: Literal["first", "random"] = attrs.field(default="first", validator=attrs.validators.in_(("first", "random")))
    """Which of several best moves is played: the first one in the order of the rules, or a random one."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        plies = self.depth + 1
        frames = plies * (rules.words + self.depth + 2 + int(_FRAME) + rules.max_moves)
        return SearcherFunctions(
            search=search,
            limits=(self.depth, int(self.ties == "random")),
            stack=frames + (2 + rules.words) * rules.max_moves,
            scores=int(_BOUNDS) * plies + 2 * rules.max_moves,
            memory=exact_table.memory_words(rules.words if self.depth >= _TABLE_DEPTH else 0),
            bare=True,
            asks_gated=True,
            asks_searched=True,
            leaf=True,
            recording=search_whole_tree,
        )
