"""Random play: the simulations from the leaves of the tree, and the searcher `random`."""

import attrs

from gameforge.interfaces import DRAW, LOSS, RUNNING, WIN, RulesFunctions, SearcherFunctions
from gameforge.kernel import (
    U0,
    U1,
    UNKNOWN,
    Context,
    Limits,
    Score,
    Word,
    Words,
    answer,
    at,
    below,
    inline,
    oracles,
    slots,
)

UNDECIDED, RULES_SAY, ORACLE_SAYS = 0, 1, 2
"""Whether the position of the leaf itself is decided, and by what."""


@inline
def for_other(result: int) -> int:
    """A result (WIN, LOSS, DRAW, UNKNOWN) for the other side."""
    return LOSS if result == WIN else WIN if result == LOSS else result


@inline
def decide(
    ctx: Context,
    state: Words,
    moves: Words,
    since: Word,
    plies_left: Word,
    no_progress: Word,
    asks: bool,
    expected: int,
) -> tuple[int, int, Word]:
    """Look whether the rules or, with `asks`, an oracle decide a position; a repetition is left to the caller.

    Returns (RULES_SAY, ORACLE_SAYS or UNDECIDED, the result for the side to move, number of the moves, which are
    written to `moves`). since, no_progress: plies without an irreversible move, and how many of them end the game.
    An oracle's answer that is `expected` decides nothing.
    """
    rules = ctx.rules
    n = rules.gen(at(rules.data, U0), state, moves)
    code = rules.outcome(at(rules.data, U0), state, n)
    if code != RUNNING:
        return RULES_SAY, code & 3, n
    if since >= no_progress or plies_left == U0:
        return RULES_SAY, DRAW, n
    if asks:
        known = oracles.ask_oracles(ctx, state)
        if known not in (UNKNOWN, expected):
            return ORACLE_SAYS, known, n
    return UNDECIDED, UNKNOWN, n


@inline
def simulate(
    ctx: Context,
    state: Words,
    other: Words,
    moves: Words,
    since: Word,
    plies_left: Word,
    no_progress: Word,
    expected: int,
    guess: bool,
    played: Words,
    recorded: Word,
) -> tuple[Score, int, Word]:
    """Value a leaf by a random game.

    Returns (score for the side to move at the leaf, what decides the leaf itself, number of moves written to `played`).

    Plays random moves from the leaf's `state` to the end of the game by the rules, including `no_progress` and the ply
    cap; `since` is the number of plies without an irreversible move before it. An oracle that knows a position on the
    way ends the game. If the oracle knows the root, only an answer at the leaf counts, and only if it differs from
    `expected` (for the side to move there); otherwise no simulation would lead to the end of the game.
    With `guess` no move is played: the score is 0 unless the leaf is decided, and `state` still holds it.
    The first `recorded` moves of the game are written to `played`.
    Workspace: `state` and `other`, which are both overwritten, and `moves`.
    """
    rules = ctx.rules
    data = at(rules.data, U0)
    asks = ctx.oracle.size != U0
    plies, sign = U0, 1.0
    while True:  # `decide` asks the same, but called for each ply it halves the number of simulations a second
        # Step 1. The end of the game by the rules. If it is the leaf itself, its value is certain from now on.
        n = rules.gen(data, state, moves)
        code = rules.outcome(data, state, n)
        if code != RUNNING:
            result = code & 3
            score = 0.0 if result == DRAW else sign if result == WIN else -sign
            return score, RULES_SAY if plies == U0 else UNDECIDED, min(plies, recorded)
        # Step 2. Draws by lack of progress and by the ply cap. Repetitions are so rare in random games that they are
        # left out; the ply cap ends the others.
        if since >= no_progress or plies >= plies_left:
            return 0.0, RULES_SAY if plies == U0 else UNDECIDED, min(plies, recorded)
        # Step 3. Oracles. If they know the root, they would end every simulation here with the same result, so only
        # the leaf is looked up, to see whether a move gave the result away.
        if asks:
            known = oracles.ask_oracles(ctx, state)
            if known not in (UNKNOWN, expected):
                score = 0.0 if known == DRAW else sign if known == WIN else -sign
                return score, ORACLE_SAYS if plies == U0 else UNDECIDED, min(plies, recorded)
            asks = expected == UNKNOWN
        # Step 4. A random move, unless the evaluator's score replaces the random game.
        if guess:
            return 0.0, UNDECIDED, U0
        move = moves[below(at(ctx.rng, U0), n)]
        if plies < recorded:
            played[plies] = move
        if no_progress != ~U0:  # without this rule the call is saved
            since = U0 if rules.irreversible(data, state, move) != U0 else since + U1
        rules.play(data, state, move, other)
        state, other = other, state
        plies += U1
        sign = -sign


def search_randomly(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
    """Write a random legal move; the score is 0."""
    moves = at(ctx.stack, U0)
    n = ctx.rules.gen(at(ctx.rules.data, U0), s, moves)
    ctx.control[slots.DEPTH] = 0
    ctx.control[slots.NODES] += 1
    if n == U0:
        answer.write_no_move(out, U1)
    else:
        answer.write_move(out, moves[below(at(ctx.rng, U0), n)], U1)
    return 0.0


@attrs.frozen(kw_only=True)
class RandomMover:
    """The component. It calls neither evaluator nor oracles, but a player follows an oracle's distances instead."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        return SearcherFunctions(search=search_randomly, stack=rules.max_moves, scored=False, evaluates=False)
