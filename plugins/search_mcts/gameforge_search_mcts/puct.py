"""The searcher `puct`: tree search guided by a policy, as in AlphaZero and its Gumbel variant, with proofs.

The README describes the algorithm. If the evaluator has a policy, it is called once for each node, on the first visit:
its score is the value of the leaf, its logits are the policy. A move that was never visited has the value of its
position: by PUCT, the evaluator's; with Gumbel selection, that mixed with the means of the visited moves.

The policy of any other evaluator comes from its scores of the positions after the moves: the probability of a move is
proportional to exp(score / temperature). The scores are also the values of moves that were never visited, and of
leaves, so the evaluator is called for all moves of a node on its second visit.

With `minimax`, any evaluator scores all moves of a node on its first visit, and the value of a move is a mixture of the
mean of its visits and of the minimax value of its part of the tree.
"""

import math
from typing import Literal

import attrs
import numpy as np

from gameforge.interfaces import DRAW, PROVEN_WIN, RUNNING, WIN, RulesFunctions, SearcherFunctions, kinds
from gameforge.kernel import (
    U0,
    U1,
    UNKNOWN,
    Context,
    Limits,
    Score,
    Words,
    answer,
    at,
    nanoseconds,
    oracles,
    position_key,
    slots,
    static_score,
)
from gameforge_search_mcts import tree
from gameforge_search_mcts.guidance import (
    AWAITS,
    GUESS,
    HERE,
    Guide,
    back_up_minimax,
    begin_root,
    best_of_root,
    complete_values,
    drawn_of_root,
    enter_node,
    mix_answer,
    number_of,
    select_at_root,
    select_by_policy,
    select_by_puct,
    set_policy,
)
from gameforge_search_mcts.root import ask_after_kept_moves, begin_clock, draws_ahead, gained_by, place_in_game, recurs
from gameforge_search_mcts.simulation import ORACLE_SAYS, RULES_SAY, UNDECIDED, decide, for_other

DEFAULT_SIMULATIONS = 1000


def _limit(number: float) -> int:
    """The bits of a number, as an entry of `limits`."""
    return int(np.float64(number).view(np.int64))


def _share_of_puct(instance: "Puct", attribute: "attrs.Attribute[float]", value: float) -> None:
    if instance.select == "puct" and value > 1:
        raise ValueError("must be from 0 to 1 with select=puct, where it is a share")


def _of_puct_alone(instance: "Puct", attribute: "attrs.Attribute[float]", value: float) -> None:
    if instance.select != "puct" and value > 0:
        raise ValueError("must be 0 with select=gumbel, whose noise makes games differ")


def _value_of_puct_alone(instance: "Puct", attribute: "attrs.Attribute[str]", value: str) -> None:
    if instance.select != "puct" and value == "value":
        raise ValueError("must be visits with select=gumbel, whose last round chooses the move")


@attrs.frozen(kw_only=True)
class Puct:
    """The component. A search ends with the first limit that is reached, or when the value of the root is proven."""

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
    select: Literal["puct", "gumbel"] = attrs.field(default="puct", validator=attrs.validators.in_(("puct", "gumbel")))
    """How a simulation chooses its moves: by PUCT [Silver2018], or by the improved policy and, at the root, sequential
    halving [Danihelka2022]."""
    exploration: float = attrs.field(
        default=0.6, validator=kinds.number("more than 0 and at most 100", 0, 100, above=True)
    )
    """Constant of PUCT: a move's bound is its mean (-1 to 1) + exploration * P sqrt(n) / (1 + n_j)."""
    temperature: float = attrs.field(
        default=0.2, validator=kinds.number("more than 0 and at most 100", 0, 100, above=True)
    )
    """The policy is proportional to exp(score / temperature), with the evaluator's scores of the moves (-1 to 1)."""
    policy_temperature: float = attrs.field(
        default=1.0, validator=kinds.number("more than 0 and at most 100", 0, 100, above=True)
    )
    """An evaluator's own policy becomes proportional to P ** (1 / policy_temperature); above 1 it is less sharp."""
    considered: int = attrs.field(default=16, validator=kinds.within(1, 1 << 16))
    """Number of moves that sequential halving begins with, if `select` is gumbel and the simulations are limited."""
    scale: float = attrs.field(default=1.0, validator=kinds.number("more than 0 and at most 100", 0, 100, above=True))
    """Weight of values beside the logits of the policy (c_scale), if `select` is gumbel."""
    noise: float = attrs.field(default=0.0, validator=[kinds.number("from 0 to 100", 0, 100), _share_of_puct])
    """Noise at the root. If `select` is puct, the share of Dirichlet noise in the policy, at most 1. If it is gumbel,
    the scale of Gumbel noise: 1 draws the moves that halving begins with from the policy, 0 takes the most probable."""
    concentration: float = attrs.field(
        default=10.0, validator=kinds.number("more than 0 and at most 1000000", 0, 1e6, above=True)
    )
    """Sum of the parameters of the Dirichlet noise, which are equal for all moves; a low one favours few moves."""
    choice_temperature: float = attrs.field(
        default=0.0, validator=[kinds.number("from 0 to 100", 0, 100), _of_puct_alone]
    )
    """The probability of playing a move is proportional to visits ** (1 / choice_temperature), if `select` is puct; 0:
    the most visited move is played."""
    choice_plies: int = attrs.field(default=30, validator=kinds.within(0, 1 << 32))
    """Plies of the game with `choice_temperature`; later the most visited move is played."""
    minimax: float = attrs.field(default=0.0, validator=kinds.number("from 0 to 1", 0, 1))
    """Share of the minimax value of a move beside its mean: implicit minimax backups [Lanctot2014]. If it is not 0, a
    new node asks for the scores of all its moves, and the best of them is its value."""
    final: Literal["visits", "value"] = attrs.field(
        default="visits", validator=[attrs.validators.in_(("visits", "value")), _value_of_puct_alone]
    )
    """Play the most visited move, as AlphaZero does, or, if `select` is puct, the one with the greatest value of those
    with at least half as many visits."""
    memory: int = attrs.field(default=64, validator=kinds.within(1, 1 << 16))
    """Maximum size of the tree, in megabytes. A full tree stops growing."""
    reuse: bool = True
    """Keep the subtree of the position that the game has reached."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        simulations = self.simulations or (0 if self.time else DEFAULT_SIMULATIONS)
        limits = (
            simulations,
            math.ceil((self.time or 0) * 1e9),
            _limit(self.exploration),
            _limit(self.temperature),
            int(self.reuse),
            int(self.select == "gumbel"),
            self.considered,
            _limit(self.scale),
            _limit(self.noise),
            _limit(self.concentration),
            _limit(self.choice_temperature),
            self.choice_plies,
            _limit(self.minimax),
            int(self.final == "value"),
            _limit(self.policy_temperature),
        )
        return SearcherFunctions(
            search=search_by_policy,
            limits=limits,
            stack=stack_words(rules.words, rules.max_moves),
            scores=2 * rules.max_moves,
            memory=tree.memory_words("puct", self.memory, simulations, rules, companions=True),
            statistics=True,
            asks_gated=True,
            needs_evaluator=True,
        )


SIMULATIONS, TIME, EXPLORATION, TEMPERATURE, REUSE, GUMBEL, CONSIDERED, SCALE, NOISE = range(9)
CONCENTRATION, CHOICE_TEMPERATURE, CHOICE_PLIES, MINIMAX, BY_VALUE, POLICY_TEMPERATURE = range(9, 15)
"""Indices of the block `limits`: simulations and nanoseconds (0: no such limit), the bits of the constant of PUCT and
of the policy's temperature, two switches, the number of moves that sequential halving begins with, the bits of the
scale of values, of the noise, of its concentration and of the temperature of the choice, the plies with that
temperature, the bits of the share of minimax, another switch, and the bits of the temperature of a policy."""


def stack_words(words: int, max_moves: int) -> int:
    """Words of ctx.stack: two states, the moves of one, the edges of a line of the tree, the states after the moves."""
    return 2 * words + max_moves + int(tree.DEEPEST) + 1 + max_moves * words


def search_by_policy(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
    """Search a state; `limits` as named above. Returns the score and writes the answer; its nodes are simulations."""
    # Step 1. Read the limits and settings, and divide the stack. Fractions come as the bits of a float64.
    rules, stack, memory, control = ctx.rules, ctx.stack, ctx.memory, ctx.control
    data, rng, words = at(rules.data, U0), at(ctx.rng, U0), rules.words
    most = np.uint64(limits[SIMULATIONS]) if limits[SIMULATIONS] > 0 else ~U0
    deadline = begin_clock(ctx, limits[TIME])
    minimax, gumbel, informed = number_of(limits[MINIMAX]), limits[GUMBEL] != 0, ctx.evaluator.has_policy != U0
    guide = Guide(
        number_of(limits[EXPLORATION]),
        number_of(limits[TEMPERATURE]),
        number_of(limits[POLICY_TEMPERATURE]),
        number_of(limits[SCALE]),
        minimax,
    )
    scores_moves = minimax > 0.0 or not informed  # if not, the value of a position stands for those of its moves
    at_once = minimax > 0.0 or informed
    late = informed and ctx.evaluator.is_costly == U0  # a second score costs less than a policy that nobody needs
    moves = at(stack, words + words)
    path = words + words + rules.max_moves
    children = at(stack, path + tree.DEEPEST + U1)
    memory[tree.COMPANIONS] = np.uint64(len(memory)) // np.uint64(2)

    # Step 2. A finished game has no move.
    n = rules.gen(data, s, moves)
    code = rules.outcome(data, s, n)
    if code != RUNNING:
        answer.write_no_move(out, U0)
        out[slots.STATISTICS] = U0
        return 0.0 if code & 3 == DRAW else PROVEN_WIN if code & 3 == WIN else -PROVEN_WIN

    # Step 3. Facts about the root: what oracles know of it, and how near the draws by the history of the game are.
    expected, gate, asks = oracles.ask_oracles(ctx, s), ctx.oracle.gate, ctx.oracle.size != U0
    repetitions, no_progress, plies_left = draws_ahead(ctx)
    key, past = place_in_game(ctx, s)

    # Step 4. The tree: the part of the last one below this position, or only the root.
    tree.find_root(ctx, s, limits[REUSE] != 0)
    if memory[tree.ROOT + tree.LINK] == U0:
        n = rules.gen(data, s, moves)
        root = tree.add_node(memory, tree.ROOT, moves, n, key, past - U1, rng)
        enter_node(ctx, root, s, children, moves, guide, False)
    elif oracles.gated_after_root(gate, U1):
        ask_after_kept_moves(ctx, s, U0, True, children)
    noise, noises = number_of(limits[NOISE]), at(ctx.scores, rules.max_moves)
    begin_root(ctx, noise, gumbel, number_of(limits[CONCENTRATION]))
    root = memory[tree.ROOT + tree.LINK]
    beside, n = memory[tree.COMPANIONS], tree.count(memory, root)
    if late and memory[beside + root + AWAITS] != U0:
        set_policy(ctx, root, s, children, guide)

    # Step 5. Sequential halving, if the number of simulations is known: in each round the moves still considered get
    # the same number of visits; then the better half of them is kept.
    halves = gumbel and most != ~U0
    considered = min(np.uint64(limits[CONSIDERED]), n)
    rounds = U1
    while U1 << rounds < considered:
        rounds += U1
    level, sweeps, due = U0, max(U1, most // (rounds * considered)), considered

    # Step 6. Simulate until a limit is reached, but at least once, so that there is a move with a value.
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
        # Step 7. Go down the tree to a leaf, or to a position whose value is certain.
        while True:  # `other` is the state before the edge's move, `state` the one after it
            link = memory[edge + tree.LINK]
            if link & tree.KNOWN != U0:
                break
            if link == U0:
                above = memory[stack[path + ply - U1] + tree.LINK]
                since = memory[above + tree.SINCE] + U1
                if rules.irreversible(data, other, memory[edge + tree.MOVE]) != U0:
                    since = U0
                # Step 8. Is the leaf's value certain? A repetition is a draw, and stays one, because only one line
                # leads to a leaf; else the rules or an oracle may decide.
                key = position_key(rules, data, state) if repetitions else U0
                wanted = for_other(expected) if ply & U1 != U0 else expected
                to_cap = plies_left - min(ply, plies_left)
                decided, result, n = decide(ctx, state, moves, since, to_cap, no_progress, asks, wanted)
                if repetitions and since > U1 and recurs(ctx, path, ply, past, key, since):
                    decided, result = RULES_SAY, DRAW
                unseen = memory[edge + tree.VISITS] == U0
                if (
                    unseen
                    and decided == UNDECIDED
                    and (oracles.gated_after_root(gate, ply) or oracles.gated_at_leaves(gate))
                ):
                    if informed:
                        static = static_score(ctx.evaluator, state)
                    else:
                        static = 1.0 - np.float64(memory[beside + edge + GUESS]) * tree.PER_UNIT
                    result = oracles.ask_gated(ctx, state, static)
                    decided = UNDECIDED if result == UNKNOWN else ORACLE_SAYS
                if decided != UNDECIDED:
                    tree.settle(memory, edge, gained_by(result), decided == RULES_SAY)
                    break
                # Step 9. Expand the leaf on its first visit if a policy or the scores of its moves judge it, else on
                # its second. One with a single move is expanded at once: where moves are compulsory, static scores mean
                # little.
                is_leaf = unseen and n != U1
                if (is_leaf and not at_once) or ply == tree.DEEPEST or not tree.has_room(memory, n):
                    break
                link = tree.add_node(memory, edge, moves, n, key, since, rng)
                enter_node(ctx, link, state, children, moves, guide, late and is_leaf)
                if is_leaf:
                    break
            # Step 10. Select a move and play it.
            if late and memory[beside + link + AWAITS] != U0:
                set_policy(ctx, link, state, children, guide)
            if gumbel and not scores_moves:
                complete_values(at(memory, U0), link)
            if ply == U0 and halves:
                edge = select_at_root(ctx, level, guide)
            elif gumbel:
                edge = select_by_policy(ctx, link, memory[edge + tree.VISITS], guide)
            else:
                share = noise if ply == U0 else 0.0
                edge = select_by_puct(memory, link, memory[edge + tree.VISITS], guide, noises, share)
            rules.play(data, state, memory[edge + tree.MOVE], other)
            state, other = other, state
            ply += U1
            stack[path + ply] = edge
        memory[beside + stack[path + U1] + HERE] += U1
        # Step 11. The next move of the round, the next sweep over its moves, or the next round.
        if halves:
            due -= U1
            if due == U0:
                level += U1
                sweeps -= U1
                if sweeps == U0:
                    considered = max(min(considered, U1 + U1), considered // np.uint64(2))
                    sweeps = max(U1, most // (rounds * considered))
                due = considered

        # Step 12. The value of the leaf is certain, or the evaluator's score of its move or of its position.
        link = memory[edge + tree.LINK]
        if link == U0:
            gained = (
                memory[beside + edge + GUESS] if scores_moves else tree.utility(-static_score(ctx.evaluator, state))
            )
        elif link & tree.KNOWN == U0:
            gained = tree.WHOLE - memory[beside + link + GUESS]
        else:
            gained = (link & tree.RESULT) * tree.UNIT
        # Step 13. Back up: each edge counts the result for the side that moved along it. Where the values of moves are
        # certain, that of the position before them may be so, too.
        while True:
            edge = stack[path + ply]
            memory[edge + tree.VISITS] += U1
            memory[edge + tree.TOTAL] += gained
            if ply == U0:
                break
            if minimax > 0.0 and tree.is_node(memory[edge + tree.LINK]):
                back_up_minimax(memory, edge)
            ply -= U1
            gained = tree.WHOLE - gained
            if memory[edge + tree.LINK] & tree.KNOWN != U0 and ply != U0 and tree.prove(memory, stack[path + ply]):
                gained = (memory[stack[path + ply] + tree.LINK] & tree.RESULT) * tree.UNIT
        if memory[stack[path + U1] + tree.LINK] & tree.KNOWN != U0 and tree.root_is_decided(memory):
            limit = slots.BY_NONE
            break

    # Step 14. Answer with the best move of the root, or with one drawn by its visits.
    control[slots.NODES] += np.int64(simulations)
    control[slots.LIMIT] = limit if control[slots.STOP] == 0 else slots.BY_NONE
    best = best_of_root(ctx, halves, limits[BY_VALUE] != 0, guide)
    if limits[CHOICE_TEMPERATURE] != 0 and ctx.counters[slots.PLIES] < limits[CHOICE_PLIES]:
        best = drawn_of_root(ctx, best, number_of(limits[CHOICE_TEMPERATURE]))
    score = tree.write_answer_along(memory, best, True, U0, simulations, at(stack, path), out)
    return mix_answer(ctx, best, minimax, score, out) if minimax > 0.0 else score
