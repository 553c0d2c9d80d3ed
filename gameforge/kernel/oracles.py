"""How searchers and games consult the oracles of a context, and how a player wins by an oracle's distances.

The gate decides where gated oracles are consulted.

To a searcher, all wins look alike that it cannot search to their end; an oracle that knows distances can rank them.
With it a player wins a won position within the distance that the oracle states, and holds out in a lost one for as long
as possible. Drawn positions, and oracles without distances, are left to the search.
"""

import numpy as np

from gameforge.interfaces.evaluator import ORACLE_WIN, PLY
from gameforge.interfaces.rules import DRAW, LOSS, WIN
from gameforge.kernel import slots
from gameforge.kernel.abi import UNKNOWN
from gameforge.kernel.answer import write_move
from gameforge.kernel.bits import U0, U1, at
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import GATE_LEAVES, GATE_ROOT, GATE_SEARCHED, CompiledGate, Context
from gameforge.kernel.types import Score, Word, Words


@inline
def ask_oracles(context: Context, s: Words) -> int:
    """Return the result for the side to move from the first oracle that knows it, else UNKNOWN.

    The distance is in oracle.out.
    """
    return _ask(context, s, U0, context.oracle.size)


@inline
def ask_gated(context: Context, s: Words, score: Score) -> int:
    """Consult the gated oracles like ask_oracles; UNKNOWN if the gate excludes `score`, which replaces nothing then.

    score: the state's static_score, or what a search found for a move of the root to it.
    """
    oracle = context.oracle
    if not oracle.gate.low < abs(score) < oracle.gate.high:
        return UNKNOWN
    return _ask(context, s, oracle.size, oracle.gate.size)


@inline
def gated_at_leaves(gate: CompiledGate) -> bool:
    """Return whether gated oracles are consulted on the positions that the evaluator scores at the ends of lines."""
    return gate.place == GATE_LEAVES


@inline
def gated_after_root(gate: CompiledGate, ply: Word, searched: bool = False) -> bool:
    """Return whether gated oracles are consulted `ply` plies from the root, which they are only after its moves.

    searched: whether the question is about gates that judge the scores that the search found for the moves.
    """
    return gate.place == (GATE_SEARCHED if searched else GATE_ROOT) and ply == U1


@inline
def _ask(context: Context, s: Words, first: Word, n: Word) -> int:
    """Consult n oracles in order, from number `first` on."""
    oracle = context.oracle
    oracle.out[slots.PROBE_CONVERSION] = U0
    context.control[slots.PROBES] += 1
    for i in range(n):  # range(first, first + n) costs a shallow search 8 % of its time
        number = first + i
        status = oracle.probes[number](at(oracle.data[number], U0), s, at(oracle.out, U0))
        if status != UNKNOWN:
            context.control[slots.HITS] += 1
            return status
    return UNKNOWN


@inline
def move_by_distance(ctx: Context, s: Words, out: Words) -> tuple[bool, Score]:
    """Choose a move by distance and write it into `out` like the answer of a search.

    Returns (whether there is such a move, its score for the side to move). ctx.stack needs room for a state and its
    moves.
    """
    known = ask_oracles(ctx, s)
    answer = ctx.oracle.out
    if known in (UNKNOWN, DRAW) or answer[slots.PROBE_DISTANCE] == U0:
        return False, 0.0
    plies = answer[slots.PROBE_DISTANCE] - U1
    rules = ctx.rules
    data, child, moves = at(rules.data, U0), at(ctx.stack, U0), at(ctx.stack, rules.words)
    n = rules.gen(data, s, moves)
    chosen = n
    best = U0
    for i in range(n):
        rules.play(data, s, moves[i], child)
        value = ask_oracles(ctx, child)
        if known == WIN and value != LOSS:
            continue
        if value in (UNKNOWN, DRAW) or answer[slots.PROBE_DISTANCE] == U0:
            return False, 0.0
        distance = answer[slots.PROBE_DISTANCE]
        if answer[slots.PROBE_CONVERSION] and rules.irreversible(data, s, moves[i]):
            distance = U1
        if chosen == n or (distance < best if known == WIN else distance > best):
            chosen, best = np.uint64(i), distance
    if chosen == n:
        return False, 0.0
    write_move(out, moves[chosen], n)
    score = ORACLE_WIN - np.float64(plies) * PLY
    return True, score if known == WIN else -score
