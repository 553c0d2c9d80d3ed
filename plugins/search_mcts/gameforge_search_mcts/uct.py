"""The searcher `uct`: Monte Carlo tree search as in [Kocsis2006]. The README describes the algorithm.

`search` is its kernel: selection, expansion, simulation and backup in one loop. Gated oracles are consulted on leaves
that the evaluator scores, or on the positions after the root's moves.

The values of leaves are backed up at once, or when the evaluator has scored several leaves in one call. A leaf waits
until there are enough for a call. Meanwhile each move that led to it has a visit more, which counts as lost for the
side that made it (virtual loss, [Chaslot2008c]). So the next simulations try other moves, unless these are much worse.
When the leaf is scored, its value takes the place of the losses.
"""

import math
from collections.abc import Callable
from typing import Literal

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import DRAW, PROVEN_WIN, RUNNING, WIN, Rules, RulesFunctions, SearcherFunctions, Unit, kinds
from gameforge.kernel import (
    U0,
    U1,
    U2,
    UNKNOWN,
    Context,
    Limits,
    Score,
    Word,
    Words,
    answer,
    at,
    inline,
    nanoseconds,
    oracles,
    position_key,
    slots,
    specialised,
    static_score,
    static_scores,
)
from gameforge_search_mcts import tree
from gameforge_search_mcts.root import ask_after_kept_moves, begin_clock, draws_ahead, gained_by, place_in_game, recurs
from gameforge_search_mcts.selection import credit_moves, judge_moves, select
from gameforge_search_mcts.simulation import ORACLE_SAYS, RULES_SAY, UNDECIDED, for_other, simulate

DEFAULT_SIMULATIONS = 1000
_FINAL, _LEAF, _EXPAND = ("value", "visits"), ("simulation", "evaluator", "mixed"), ("random", "evaluator")


def _with_companions() -> bool:
    return True


def _in_batches() -> bool:
    return True


@attrs.frozen(kw_only=True)
class Uct:
    """The component. A search ends with the first limit that is reached, after at least one simulation."""

    simulations: int | None = attrs.field(
        default=None, validator=attrs.validators.optional(kinds.within(1, (1 << 32) - 1))
    )
    """Maximum number of simulations per move. None: 1000, or no limit if `time` is given."""
    time: float | None = attrs.field(
        default=None,
        validator=attrs.validators.optional(
            kinds.number("more than 0 seconds and at most 1000000", 0, 1e6, above=True)
        ),
    )
    """Maximum time per move, in seconds. Results then depend on the machine."""
    cp: float = attrs.field(default=0.35, validator=kinds.number("more than 0 and at most 100", 0, 100, above=True))
    """Weight of exploration: the bound is mean + 2 cp sqrt(2 ln n / n_j), with means from -1 to 1."""
    final: Literal["value", "visits"] = attrs.field(default="value", validator=attrs.validators.in_(_FINAL))
    """Which move is played: the one with the greatest mean, or the most visited."""
    memory: int = attrs.field(default=64, validator=kinds.within(1, 1 << 16))
    """Maximum size of the tree, in megabytes. A full tree stops growing, and simulations start from its leaves."""
    reuse: bool = True
    """Keep the subtree of the position that the game has reached."""
    leaf: Literal["simulation", "evaluator", "mixed"] = attrs.field(
        default="simulation", validator=attrs.validators.in_(_LEAF)
    )
    """How a leaf is valued: by a random game to its end, by the evaluator, or by both."""
    share: float = attrs.field(
        default=0.5, validator=kinds.number("more than 0 and less than 1", 0, math.nextafter(1, 0), above=True)
    )
    """The evaluator's share in the value of a leaf, if `leaf` is mixed."""
    prior: int = attrs.field(default=0, validator=kinds.within(0, 1 << 20))
    """Number of visits with which a new move enters the tree, all with the evaluator's score."""
    expand: Literal["random", "evaluator"] = attrs.field(default="random", validator=attrs.validators.in_(_EXPAND))
    """Which of the moves never tried in a position is tried next: a random one, or the evaluator's favourite."""

    urgency: float | None = attrs.field(
        default=None, validator=attrs.validators.optional(kinds.number("from -1 to 100", -1, 100))
    )
    """Bound of moves that were never tried, on the scale of means (-1 to 1). None: each is tried before any other is
    repeated."""

    rave: float = attrs.field(default=0.0, validator=kinds.number("from 0 to 1000000", 0, 1e6))
    """Equivalence constant k of RAVE: at k visits of a position, half of a move's value comes from all simulations in
    which its side played the move in this position or later. 0: none does."""
    bias: float = attrs.field(default=0.0, validator=kinds.number("from 0 to 100", 0, 100))
    """Weight of the progressive bias: the evaluator's score of a move, divided by 1 + n_j, is added to its bound."""
    batch: int = attrs.field(default=1, validator=kinds.within(1, 256))
    """Number of leaves that the evaluator scores in one call; those that wait for it count as lost (virtual loss)."""

    def __attrs_post_init__(self) -> None:
        if self.prior and self.expand == "evaluator":
            raise GameforgeError("uct: prior and expand=evaluator cannot be combined; give prior or expand, not both")
        if self.prior and self.bias:
            raise GameforgeError("uct: prior and bias both add the evaluator's score; give prior or bias, not both")
        if self.prior and self.urgency is not None:
            raise GameforgeError("uct: with prior every move counts as tried; give prior or urgency, not both")
        if self.batch > 1 and self.leaf == "simulation":
            raise GameforgeError("uct: batch needs leaves that the evaluator scores; give leaf=evaluator or leaf=mixed")
        if self.batch > 1 and self.prior:
            raise GameforgeError(
                "uct: with prior the evaluator scores moves in place of leaves; give prior or batch, not both"
            )

    def unit(self, rules: Rules) -> Unit | None:
        """The expected result, if random games contribute to it; else the scores are means of the evaluator's."""
        return None if self.leaf == "evaluator" else Unit.EXPECTED_RESULT

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        simulations = self.simulations or (0 if self.time else DEFAULT_SIMULATIONS)
        share = {"simulation": 0.0, "evaluator": 1.0, "mixed": self.share}[self.leaf]
        limits = (
            simulations,
            math.ceil((self.time or 0) * 1e9),
            int(np.float64(self.cp).view(np.int64)),
            self.final == "visits",
            self.reuse,
            int(np.float64(share).view(np.int64)),
            self.prior,
            self.expand == "evaluator",
            int(np.float64(math.inf if self.urgency is None else 1.0 + self.urgency).view(np.int64)),
            int(np.float64(self.rave).view(np.int64)),
            int(np.float64(self.bias).view(np.int64)),
            self.batch,
        )
        informed = self.rave > 0 or self.bias > 0
        evaluates = self.leaf != "simulation" or self.prior > 0 or self.expand == "evaluator" or self.bias > 0
        kernel: Callable[..., object] = search
        if informed:
            kernel = specialised(kernel, keeps_companions.__name__, _with_companions)
        if self.batch > 1:
            kernel = specialised(kernel, gathers_leaves.__name__, _in_batches)
        return SearcherFunctions(
            search=kernel,
            limits=tuple(int(limit) for limit in limits),
            stack=stack_words(rules.words, rules.max_moves)
            + waiting_words(rules.words, self.batch if self.batch > 1 else 0),
            scores=max(rules.max_moves, self.batch),
            memory=tree.memory_words("uct", self.memory, simulations, rules, companions=informed),
            statistics=True,
            asks_gated=self.leaf != "simulation",
            needs_evaluator=evaluates,
            evaluates=evaluates,
        )


SIMULATIONS, TIME, CP, MOST_VISITED, REUSE, SHARE, PRIOR, IN_ORDER, URGENCY, RAVE, BIAS, BATCH = range(12)
"""Indices of the block `limits`: simulations and nanoseconds (0: no such limit), the bits of Cp, two switches, the bits
of the evaluator's share in the value of a leaf, visits of a prior, a switch, the bits of the urgency of new moves, of
the constant of RAVE and of the weight of the progressive bias, and the number of leaves that are scored in one call."""


def stack_words(words: int, max_moves: int) -> int:
    """Words of ctx.stack.

    They are: two states, the moves of one, the edges of a line of the tree, the states after the moves, and the moves
    of a simulation. Leaves that wait have their workspace behind these.
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
        out[slots.STATISTICS] = U0
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


RECORDED = np.uint64(1024)
"""Maximum number of moves of a random game that count for RAVE."""

PLY, END, GAINED, PATH = (np.uint64(i) for i in range(4))
"""A waiting leaf: its plies below the root, the plies of its simulation, the utility of the random game for the side
that moved to the leaf, and the edges of its line. The moves of the simulation follow."""
_TAKEN = PATH + tree.DEEPEST + U1
_WAITING = _TAKEN + tree.DEEPEST + RECORDED


def waiting_words(words: int, batch: int) -> int:
    """Words of workspace for this many leaves: their states, one after the other, then what is kept of each."""
    return batch * (words + int(_WAITING))


@inline
def back_up(
    memory: Words, path: Words, taken: Words, ply: Word, end: Word, gained: Word, visit: Word, records: bool
) -> None:
    """Let each edge of a line count a value, which is that for the side that moved along the last one.

    path: the edges, `ply` of them below the root's. visit: 1, or 0 if the edges have counted the visit before. records:
    whether the moves of the simulation, `end` of them in `taken`, count for RAVE.
    """
    while True:
        edge = path[ply]
        memory[edge + tree.VISITS] += visit
        memory[edge + tree.TOTAL] += gained
        if ply == U0:
            break
        ply -= U1
        if records:
            credit_moves(memory, memory[path[ply] + tree.LINK], taken, ply, end, gained)
        gained = tree.WHOLE - gained


@inline
def shared_value(played: Word, judged: Word, share: float) -> Word:
    """The utility of a leaf: that of a random game, with this share of the evaluator's in it."""
    if share == 1.0:
        return judged
    return np.uint64((1.0 - share) * np.float64(played) + share * np.float64(judged))


@inline
def keep_waiting(
    ctx: Context,
    waiting: Words,
    batch: Word,
    i: Word,
    state: Words,
    path: Words,
    taken: Words,
    ply: Word,
    end: Word,
    gained: Word,
    records: bool,
) -> None:
    """Let a leaf wait as number i of at most `batch`; until its value is known, its line counts as lost.

    waiting: the workspace, of `waiting_words`. The other parameters are those of `back_up`.
    """
    memory, words = ctx.memory, ctx.rules.words
    leaf = at(waiting, batch * words + i * _WAITING)
    leaf[PLY], leaf[END], leaf[GAINED] = ply, end, gained
    for j in range(words):
        waiting[i * words + j] = state[j]
    for j in range(ply + U1):
        leaf[PATH + j] = path[j]
        memory[path[j] + tree.VISITS] += U1
    if records:
        for j in range(end):
            leaf[_TAKEN + j] = taken[j]


@inline
def score_waiting(ctx: Context, waiting: Words, batch: Word, n: Word, share: float, records: bool) -> None:
    """Let the evaluator score the first n waiting leaves in one call, and back up their values."""
    words = ctx.rules.words
    static_scores(ctx.evaluator, words, waiting, n, at(ctx.scores, U0))
    for i in range(n):
        leaf = at(waiting, batch * words + i * _WAITING)
        gained = shared_value(leaf[GAINED], tree.utility(-ctx.scores[i]), share)
        back_up(ctx.memory, at(leaf, PATH), at(leaf, _TAKEN), leaf[PLY], leaf[END], gained, U0, records)
