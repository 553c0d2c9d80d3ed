"""The kernel of `uct`: selection, expansion, simulation and backup in one loop. The README describes the algorithm.

Gated oracles are consulted on leaves that the evaluator scores, or on the positions after the root's moves.
"""

import numpy as np

from gameforge.interfaces import DRAW, PROVEN_WIN, RUNNING, STATISTICS, WIN
from gameforge.kernel import (
    U0,
    U1,
    U2,
    UNKNOWN,
    Context,
    Limits,
    Score,
    Words,
    answer,
    at,
    inline,
    nanoseconds,
    oracles,
    position_key,
    slots,
    static_score,
)
from gameforge_search_mcts import tree
from gameforge_search_mcts.leaves import RECORDED, back_up, keep_waiting, score_waiting, shared_value
from gameforge_search_mcts.root import ask_after_kept_moves, begin_clock, draws_ahead, gained_by, place_in_game, recurs
from gameforge_search_mcts.selection import judge_moves, select
from gameforge_search_mcts.simulation import ORACLE_SAYS, RULES_SAY, UNDECIDED, for_other, simulate

SIMULATIONS, TIME, CP, MOST_VISITED, REUSE, SHARE, PRIOR, IN_ORDER, URGENCY, RAVE, BIAS, BATCH = range(12)
"""Indices of the block `limits`: simulations and nanoseconds (0: no such limit), the bits of Cp, two switches, the bits
of the evaluator's share in the value of a leaf, visits of a prior, a switch, the bits of the urgency of new moves, of
the constant of RAVE and of the weight of the progressive bias, and the number of leaves that are scored in one call."""


def stack_words(words: int, max_moves: int) -> int:
    """Words of ctx.stack.

    They are: two states, the moves of one, the edges of a line of the tree, the states after the moves, and the moves
    of a simulation. Leaves that wait (leaves.py) have their workspace behind these.
    """
    return 2 * words + max_moves + int(tree.DEEPEST) + 1 + max_moves * words + int(tree.DEEPEST + RECORDED)


@inline
def keeps_companions() -> bool:
    """Whether edges have companions, as `rave` and `bias` need them; replaced for these by `specialised`."""
    return False


@inline
def gathers_leaves() -> bool:
    """Whether leaves wait until there are several for the evaluator; replaced for `batch` by `specialised`."""
    return False


def search(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
    """Search a state; `limits` as named above. Returns the score and writes the answer; its nodes are simulations."""
    # Step 1. Read the limits and settings, and divide the stack. Fractions come as the bits of a float64.
    rules, stack, memory, control = ctx.rules, ctx.stack, ctx.memory, ctx.control
    data, rng, words = at(rules.data, U0), at(ctx.rng, U0), rules.words
    most = np.uint64(limits[SIMULATIONS]) if limits[SIMULATIONS] > 0 else ~U0
    deadline = begin_clock(ctx, limits[TIME])
    cp: float = np.int64(limits[CP]).view(np.float64)
    share: float = np.int64(limits[SHARE]).view(np.float64)
    urgency: float = np.int64(limits[URGENCY]).view(np.float64)
    rave: float = np.int64(limits[RAVE]).view(np.float64)
    bias: float = np.int64(limits[BIAS]).view(np.float64)
    beside = np.uint64(len(memory)) // U2 if keeps_companions() else U0
    recorded = RECORDED if keeps_companions() and rave > 0.0 else U0
    prior, guess, in_order = np.uint64(limits[PRIOR]), share == 1.0, limits[IN_ORDER] != 0
    moves = at(stack, U2 * words)
    path = U2 * words + rules.max_moves
    children = at(stack, path + tree.DEEPEST + U1)
    taken = at(stack, path + tree.DEEPEST + U1 + rules.max_moves * words)
    batch, waiting = np.uint64(limits[BATCH]), U0
    waiters = at(stack, path + tree.DEEPEST + U1 + rules.max_moves * words + tree.DEEPEST + RECORDED)
    memory[tree.COMPANIONS] = beside

    # Step 2. A finished game has no move.
    n = rules.gen(data, s, moves)
    code = rules.outcome(data, s, n)
    if code != RUNNING:
        answer.write_no_move(out, U0)
        out[STATISTICS] = U0
        return 0.0 if code & 3 == DRAW else PROVEN_WIN if code & 3 == WIN else -PROVEN_WIN

    # Step 3. Facts about the root: what oracles know of it, and how near the draws by the history of the game are.
    expected, gate = oracles.ask_oracles(ctx, s), ctx.oracle.gate
    repetitions, no_progress, plies_left = draws_ahead(ctx)
    key, past = place_in_game(ctx, s)

    # Step 4. The tree: the part of the last one below this position, or only the root.
    tree.find_root(ctx, s, limits[REUSE] != 0)
    if memory[tree.ROOT + tree.LINK] == U0:
        n = rules.gen(data, s, moves)
        root = tree.add_node(memory, tree.ROOT, moves, n, key, past - U1, rng)
        judge_moves(ctx, root, s, children, prior, in_order, bias)
    elif oracles.gated_after_root(gate, U1):
        ask_after_kept_moves(ctx, s, prior, share > 0.0, children)

    # Step 5. Simulate until a limit is reached, but at least once, so that there is a move with a value.
    simulations, limit = U0, slots.BY_SIMULATIONS
    while simulations < most and control[slots.STOP] == 0:
        if deadline != 0 and simulations != U0 and nanoseconds() >= deadline:
            limit = slots.BY_TIME
            break
        simulations += U1
        for i in range(words):
            stack[i] = s[i]
        state, other = at(stack, U0), at(stack, words)
        edge, ply, since = tree.ROOT, U0, U0
        stack[path] = edge
        # Step 6. Go down the tree to a leaf, or to a position whose value is certain.
        while True:  # `other` is the state before the edge's move, `state` the one after it
            link = memory[edge + tree.LINK]
            if link & tree.KNOWN != U0:
                break
            # Step 7. Expand a leaf that was visited before. A leaf's first visit only values it, which keeps the tree
            # small: most leaves are never seen again.
            if link == U0:
                above = memory[stack[path + ply - U1] + tree.LINK]
                since = memory[above + tree.SINCE] + U1
                if rules.irreversible(data, other, memory[edge + tree.MOVE]) != U0:
                    since = U0
                if memory[edge + tree.VISITS] == prior or ply == tree.DEEPEST:
                    break
                n = rules.gen(data, state, moves)
                if not tree.has_room(memory, n):
                    break
                key = position_key(rules, data, state) if repetitions else U0
                link = tree.add_node(memory, edge, moves, n, key, since, rng)
                judge_moves(ctx, link, state, children, prior, in_order, bias)
            # Step 8. Select a move and play it.
            visits = memory[edge + tree.VISITS] + prior * tree.count(memory, link)
            edge = select(memory, link, visits, cp, urgency, beside, rave, bias)
            rules.play(data, state, memory[edge + tree.MOVE], other)
            state, other = other, state
            if recorded != U0:
                taken[ply] = memory[edge + tree.MOVE]
            ply += U1
            stack[path + ply] = edge

        # Step 9. Value the leaf. A certain value stands in its LINK; else a repetition is a draw, and stays one,
        # because only one line leads to a leaf; else a random game, the evaluator or both decide.
        end = ply
        gained = (link & tree.RESULT) * tree.UNIT  # utility of the side that moved along the edge
        if link == U0:
            result, decided, static = 0.0, RULES_SAY, 0.0
            asks = oracles.gated_after_root(gate, ply) or (share > 0.0 and oracles.gated_at_leaves(gate))
            if not (
                repetitions and since > U1 and recurs(ctx, path, ply, past, position_key(rules, data, state), since)
            ):
                if share > 0.0 or asks:  # keep the leaf's state: the simulation overwrites it
                    for i in range(words):
                        children[i] = state[i]
                wanted = for_other(expected) if ply & U1 != U0 else expected
                left = plies_left - ply
                after = at(taken, ply)
                result, decided, length = simulate(
                    ctx, state, other, moves, since, left, no_progress, wanted, guess, after, recorded
                )
                end += length
            gained = tree.utility(-result)
            # Step 10. The evaluator's share of the value. A finished game keeps its exact result.
            if share > 0.0 and decided == UNDECIDED:
                if gathers_leaves() and not asks:
                    keep_waiting(
                        ctx, waiters, batch, waiting, children, at(stack, path), taken, ply, end, gained, recorded != U0
                    )
                    waiting += U1
                    if waiting == batch:
                        score_waiting(ctx, waiters, batch, waiting, share, recorded != U0)
                        waiting = U0
                    continue
                if prior != U0 and memory[edge + tree.VISITS] == prior and gate.size == U0:
                    judged = memory[edge + tree.TOTAL] // prior  # the prior is the evaluator's score
                else:
                    static = static_score(ctx.evaluator, children)
                    judged = tree.utility(-static)
                gained = shared_value(gained, judged, share)
            # Step 11. Gated oracles: their answer replaces the value.
            if asks and decided == UNDECIDED:
                known = oracles.ask_gated(ctx, children, static)
                if known != UNKNOWN:
                    gained, decided = gained_by(known), ORACLE_SAYS
            # Step 12. Keep a value that is certain, so that the leaf is never simulated again.
            if decided != UNDECIDED:
                tree.settle(memory, edge, gained, decided == RULES_SAY)
        # Step 13. Back up: each edge counts the result for the side that moved along it.
        back_up(memory, at(stack, path), taken, ply, end, gained, U1, recorded != U0)
    if gathers_leaves() and waiting != U0:
        score_waiting(ctx, waiters, batch, waiting, share, recorded != U0)

    # Step 14. Answer with the best move of the root.
    control[slots.NODES] += np.int64(simulations)
    control[slots.LIMIT] = limit if control[slots.STOP] == 0 else slots.BY_NONE
    return tree.answer_from_tree(memory, limits[MOST_VISITED] != 0, prior, simulations, at(stack, path), out)
