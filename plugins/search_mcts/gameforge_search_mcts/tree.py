"""The tree of a search, in one block of memory that is kept between moves: its nodes, its root, proofs, and its answer.

The block holds a header, the words of the root's state, and the nodes one after the other. A node has four words, and
four more for each of its moves, an *edge*. The moves are in a random order, drawn when the node is made. An edge that
leads to no node is a leaf. An edge in the header leads to the root.

Results are stored as utilities for the side that moves along the edge: 0 lost, 1 drawn, 2 won, in units of 2^-30, so
their sum is exact and does not depend on the order of the simulations.

A search begins with an empty tree, or with the part of the last tree below its position. Its answer is the move, the
line, and the statistics of the root's moves.

Certain values follow from those of the moves: a won move wins, and a position is lost if all moves lose (MCTS-Solver
[Winands2008]). A proof holds under the rules of draws by the history of the game, because only one line of moves leads
to a node.
"""

import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import HEURISTIC_LIMIT, PLY, PROVEN_WIN, WON, RulesFunctions
from gameforge.kernel import U0, U1, Context, Score, Word, WordArray, Words, answer, at, below, bits, inline, slots

USED, RECORD, PLIES, COMPANIONS = (np.uint64(i) for i in range(4))
"""Header: words in use (0: no tree), hash of the moves before the root, their number, and the distance of an edge's
companion words (0: there are none)."""
ROOT, STATE = np.uint64(4), np.uint64(8)
"""Offsets of the edge that leads to the root, and of the root's state."""

MOVE, VISITS, TOTAL, LINK = (np.uint64(i) for i in range(4))
"""An edge: its move, the number of simulations along it, and the sum of their utilities. LINK is the node that it leads
to; or 0 for a leaf; or KNOWN and the utility of the position that it leads to, if this is certain."""
PLAYED, PLAYED_TOTAL, GUESS = (np.uint64(i) for i in range(3))
"""An edge's companion: the number of simulations in which its side played its move in this position or later, the sum
of their utilities, and the utility of the move by the evaluator."""
KEY, COUNT, SINCE, BACK = (np.uint64(i) for i in range(4))
"""A node: its position's key (if repetitions count); the number of its moves plus TRIED times the number of those that
were visited; the plies since the last irreversible move; workspace of `keep_subtree`."""
TRIED = np.uint64(1 << 32)
_COUNT_MASK = np.uint64((1 << 32) - 1)
EDGE = NODE = np.uint64(4)
"""Words of an edge, and of a node without its edges."""
KNOWN, BY_RULES = np.uint64(1 << 63), np.uint64(1 << 62)
"""Flags of a LINK: the utility (0, 1, 2) is certain; it is certain by the rules, not by an oracle."""
RESULT = np.uint64(3)
DRAWN = U1
WON_BY_MOVER = U1 + U1
"""The RESULT of an edge whose move wins."""
DISTANCE = np.uint64(8)
"""Number of the lowest bit of the distance from the end of the game in a certain LINK; `uct` leaves it 0."""

DEEPEST = np.uint64(1024)
"""Maximum depth of the tree, in plies; random games start from there."""
UNIT = np.uint64(1 << 30)
WHOLE = np.uint64(2 << 30)
"""Utility of a win, and the sum of both sides' utilities."""
PER_UNIT = 2.0**-30

_MEGABYTE_WORDS = (1 << 20) // 8
_KEPT = 4
"""Number of searches for whose trees memory is reserved, since trees are kept between moves."""


def memory_words(who: str, megabytes: int, simulations: int, rules: RulesFunctions, *, companions: bool) -> int:
    """Return the words of a tree of at most so many megabytes, fewer if so many simulations (0: no limit) need fewer.

    Raises GameforgeError, about the searcher `who`, if there is no room for the moves of the root.
    """
    parts = 2 if companions else 1
    largest_node = int(NODE) + rules.max_moves * int(EDGE)
    least = int(STATE) + rules.words + largest_node
    words = megabytes * _MEGABYTE_WORDS
    if simulations:
        words = min(words, parts * (least + _KEPT * simulations * largest_node))
    if words < parts * least:
        raise GameforgeError(f"{who}: memory = {megabytes}: too small even for the root's {rules.max_moves} moves")
    return words


@inline
def utility(score: Score) -> Word:
    """Utility of a score from -1 to 1, for the same side."""
    return np.uint64((score + 1.0) * 1073741824.0)


@inline
def mean(memory: Words, edge: Word) -> float:
    """Mean result of a visited edge, -1 to 1 for the side that moves along it."""
    return np.float64(memory[edge + TOTAL]) * PER_UNIT / np.float64(memory[edge + VISITS]) - 1.0


@inline
def count(memory: Words, node: Word) -> Word:
    """Number of moves of a node; its edges begin at node + NODE."""
    return memory[node + COUNT] & _COUNT_MASK


@inline
def tried(memory: Words, node: Word) -> Word:
    """Number of edges of a node that were visited; they are the first ones."""
    return memory[node + COUNT] // TRIED


@inline
def begin(memory: Words, s: Words, words: Word, record: Word, plies: Word) -> None:
    """Make an empty tree: the edge to the root, and its state."""
    memory[USED], memory[RECORD], memory[PLIES] = STATE + words, record, plies
    for i in range(EDGE):
        memory[ROOT + i] = U0
    for i in range(words):
        memory[STATE + i] = s[i]


@inline
def has_room(memory: WordArray, n: Word) -> bool:
    """Whether a node with n moves can be added."""
    end = memory[COMPANIONS] if memory[COMPANIONS] != U0 else np.uint64(len(memory))
    return memory[USED] + NODE + n * EDGE <= end


@inline
def add_node(memory: Words, edge: Word, moves: Words, n: Word, key: Word, since: Word, rng: Words) -> Word:
    """Add a node with these moves, none of them visited, to which an edge leads; returns the node."""
    node = memory[USED]
    memory[USED] = node + NODE + n * EDGE
    memory[edge + LINK] = node
    memory[node + KEY], memory[node + COUNT], memory[node + SINCE], memory[node + BACK] = key, n, since, U0
    for i in range(n):
        # Shuffle: the first of equal moves is taken later, and it must not be the first that the rules generate.
        other = i + below(rng, n - i)
        moves[i], moves[other] = moves[other], moves[i]
        added = node + NODE + i * EDGE
        memory[added + MOVE], memory[added + VISITS] = moves[i], U0
        memory[added + TOTAL], memory[added + LINK] = U0, U0
    if memory[COMPANIONS] != U0:
        # Companions are not cleared with the tree, so those of an earlier node may lie here.
        for i in range(NODE, NODE + n * EDGE):
            memory[memory[COMPANIONS] + node + i] = U0
    return node


@inline
def find_edge(memory: Words, node: Word, move: Word) -> Word:
    """The edge of a move, 0 if there is none."""
    for i in range(count(memory, node)):
        edge = node + NODE + i * EDGE
        if memory[edge + MOVE] == move:
            return edge
    return U0


@inline
def is_node(link: Word) -> bool:
    """Whether the LINK of an edge is a node."""
    return link != U0 and link & KNOWN == U0


@inline
def is_lost(memory: Words, edge: Word) -> bool:
    """Whether the move along an edge loses for certain."""
    return memory[edge + LINK] & (KNOWN | RESULT) == KNOWN


@inline
def distance_of(link: Word) -> Word:
    """Plies from a position to the end of the game, from the LINK with its certain value."""
    return (link & ~(KNOWN | BY_RULES)) >> DISTANCE


@inline
def conclude(memory: Words, edge: Word, result: Word, distance: Word, by_rules: bool) -> None:
    """Make the value of the position that an edge leads to certain, with its distance in plies from the end."""
    settle(memory, edge, result * UNIT, by_rules)
    memory[edge + LINK] |= distance << DISTANCE


@inline
def settle(memory: Words, edge: Word, gained: Word, by_rules: bool) -> None:
    """Make the value of the position that an edge leads to certain: its utility for the side that moves along the edge.

    The simulations so far count as if they had known it.
    """
    memory[edge + LINK] = KNOWN | (gained // UNIT) | (BY_RULES if by_rules else U0)
    memory[edge + TOTAL] = memory[edge + VISITS] * gained


@inline
def is_won(memory: Words, edge: Word) -> bool:
    """Whether the move along an edge wins for certain."""
    link = memory[edge + LINK]
    return link & KNOWN != U0 and link & RESULT == WON_BY_MOVER


@inline
def prove(memory: Words, edge: Word) -> bool:
    """Make the value of the node that an edge leads to certain, if those of its moves show it; returns whether they do.

    The distance is that of the shortest win, or of the longest defence; a proof need not know the shortest.
    """
    node = memory[edge + LINK]
    best, far, by_rules, complete = U0, U0, True, True
    for i in range(count(memory, node)):
        link = memory[node + NODE + i * EDGE + LINK]
        if link & KNOWN == U0:
            complete = False
            continue
        if link & RESULT == WON_BY_MOVER:
            conclude(memory, edge, U0, distance_of(link) + U1, link & BY_RULES != U0)
            return True
        by_rules &= link & BY_RULES != U0
        best, far = max(best, link & RESULT), max(far, distance_of(link))
    if complete:
        conclude(memory, edge, WON_BY_MOVER - best, far + U1, by_rules)
    return complete


@inline
def root_is_decided(memory: Words) -> bool:
    """Whether a move of the root wins for certain, or the values of all its moves are certain."""
    node = memory[ROOT + LINK]
    complete = True
    for i in range(count(memory, node)):
        edge = node + NODE + i * EDGE
        if is_won(memory, edge):
            return True
        complete &= memory[edge + LINK] & KNOWN != U0
    return complete


@inline
def keep_subtree(memory: Words, edge: Word, s: Words, words: Word, record: Word, plies: Word) -> None:
    """Make the node that an edge leads to the root, and move its subtree to the front of the memory, in one pass.

    A node always comes after its parent in memory, so it is visited after its parent was moved. The parent left the new
    offset of the edge to the node in the node's BACK; BACK is 0 in nodes outside the subtree.
    """
    old_end, beside = memory[USED], memory[COMPANIONS]
    node = memory[edge + LINK]
    # Step 1. Make the edge that of the root, and note in its node where its new place is.
    for i in range(EDGE):
        memory[ROOT + i] = memory[edge + i]
    for i in range(words):
        memory[STATE + i] = s[i]
    memory[RECORD], memory[PLIES] = record, plies
    memory[node + BACK] = ROOT
    to = STATE + words
    # Step 2. Go through all nodes behind it. Moved nodes only come nearer to the front, so none is overwritten unread.
    while node < old_end:
        size = NODE + count(memory, node) * EDGE
        back = memory[node + BACK]
        if back != U0:
            # Step 3. Correct the parent's edge, and move the node with its companions.
            memory[node + BACK] = U0
            memory[back + LINK] = to
            for i in range(size):
                memory[to + i] = memory[node + i]
            if beside != U0:
                for i in range(size):
                    memory[beside + to + i] = memory[beside + node + i]
            # Step 4. Mark the children, which come later, as parts of the subtree.
            for i in range(NODE, size, EDGE):
                link = memory[to + i + LINK]
                if is_node(link):
                    memory[link + BACK] = to + i
            to += size
        node += size
    memory[USED] = to


@inline
def find_root(ctx: Context, s: Words, reuse: bool) -> None:
    """Make `s` the root of the tree in ctx.memory; memory[ROOT + LINK] is 0 if the tree is empty.

    With `reuse`, the subtree of `s` is kept if the tree is from an earlier move of this game: the same moves led to its
    root, and the moves since then lead through the tree to `s`. A tree whose root is `s` itself is not reused.
    """
    rules, memory, stack = ctx.rules, ctx.memory, ctx.stack
    words = rules.words
    plies, played = np.uint64(ctx.counters[slots.PLIES]), at(ctx.played, U0)
    edge, current, next_state = U0, U0, words
    # Step 1. Is the tree from an earlier move of this game? Its root has fewer moves before it, and they are the same.
    if reuse and memory[USED] != U0 and memory[PLIES] < plies and memory[RECORD] == bits.hash_of(played, memory[PLIES]):
        edge = ROOT
    # Step 2. Follow the moves since then, as far as the tree knows them, and play them from the old root's state.
    if edge != U0:
        for i in range(words):
            stack[i] = memory[STATE + i]
        for i in range(memory[PLIES], plies):
            link = memory[edge + LINK]
            edge = find_edge(memory, link, played[i]) if is_node(link) else U0
            if edge == U0:
                break
            rules.play(at(rules.data, U0), at(stack, current), played[i], at(stack, next_state))
            current, next_state = next_state, current
    # Step 3. Compare the states: a caller may search any state, whatever the record of the game says.
    record = bits.hash_of(played, plies)
    found = edge != U0 and is_node(memory[edge + LINK])
    if found:
        for i in range(words):
            found &= stack[current + i] == s[i]
    if found:
        keep_subtree(memory, edge, s, words, record, plies)
    else:
        begin(memory, s, words, record, plies)


_MAX_LINE = np.uint64(slots.MAX_LINE)


@inline
def _best_edge(memory: Words, node: Word, most_visited: bool, prior: Word) -> Word:
    """The edge with the greatest mean, or the most visited one; the other number breaks ties.

    0 if no simulation went beyond the node.
    """
    chosen, visits, value = U0, U0, 0.0
    for i in range(count(memory, node)):
        edge = node + NODE + i * EDGE
        times = memory[edge + VISITS]
        if times > prior:
            worth = mean(memory, edge)
            if most_visited:
                better = times > visits or (times == visits and worth > value)
            else:
                better = worth > value or (worth == value and times > visits)
            if chosen == U0 or better:
                chosen, visits, value = edge, times, worth
    return chosen


@inline
def _score_of(memory: Words, edge: Word) -> Score:
    """Score of the move along an edge: its mean, in the band for proven, known or heuristic values."""
    value, link = mean(memory, edge), memory[edge + LINK]
    if link & KNOWN != U0 and link & RESULT != DRAWN:
        return value * (PROVEN_WIN - PLY * np.float64(distance_of(link) + U1) if link & BY_RULES != U0 else WON)
    return min(max(value, -HEURISTIC_LIMIT), HEURISTIC_LIMIT)


@inline
def answer_from_tree(
    memory: Words, most_visited: bool, prior: Word, simulations: Word, line: Words, out: Words
) -> Score:
    """Write the best move with its line and statistics, as `write_answer_along` does; returns the score."""
    best = _best_edge(memory, memory[ROOT + LINK], most_visited, prior)
    return write_answer_along(memory, best, most_visited, prior, simulations, line, out)


@inline
def write_answer_along(
    memory: Words, best: Word, most_visited: bool, prior: Word, simulations: Word, line: Words, out: Words
) -> Score:
    """Write the move along an edge of the root, its line, and the statistics; returns the score.

    Each edge has `prior` visits that were not simulations. Without an edge (0) the move is a random one, and the score
    is 0. `line` has room for MAX_LINE moves.
    """
    node = memory[ROOT + LINK]
    n = count(memory, node)
    # Step 1. The statistics, without the visits that were given to each move as a prior.
    for i in range(n):
        edge = node + NODE + i * EDGE
        value = mean(memory, edge) if memory[edge + VISITS] != U0 else 0.0
        answer.write_statistics(out, i, memory[edge + MOVE], memory[edge + VISITS] - prior, value)
    # Step 2. The line: the best move of each node, down to a leaf or to a node beyond which no simulation went.
    length, edge = U0, best
    while edge != U0 and length < _MAX_LINE:
        line[length] = memory[edge + MOVE]
        length += U1
        link = memory[edge + LINK]
        edge = _best_edge(memory, link, most_visited, prior) if is_node(link) else U0
    # Step 3. The move. The edges are in random order, so the first one is a random move.
    move = memory[best + MOVE] if best != U0 else memory[node + NODE + MOVE]
    answer.write_answer(out, move, simulations, line, length)
    return _score_of(memory, best) if best != U0 else 0.0
