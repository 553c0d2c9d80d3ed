"""The memory that the searches of a game and the threads of a search share: transposition table and smaller tables.

The transposition table holds results of earlier visits of a position. The block has a header, which begins with the
number of the search and the oldest number that is still read, followed by the entries, four in a bucket. An entry is
two words: its data, and the position's key XOR the data, so that an entry written by two threads at once matches no
position [Hyatt2002]. The data are, from the highest bit on, the score as float32, the index of the best move among
those that the rules generate (12 bits), the kind of bound (2), the depth (6) and the number of the search (12).

A new entry replaces, in the position's bucket, the entry of the same position; else one that is no longer read; else
one of an earlier search; else the one with the least depth, the first of equals. An exact search never reads entries of
earlier searches, so it does not depend on them. A selective search reads those of the same game. The table is cleared
only once in 4095 searches, when the numbers start again.

The evaluation cache follows it: scores of a costly evaluator, for positions that one search reaches several times. An
entry is two words: the score, as the table packs it, and the position's key XOR the score. A key includes the number of
the search, so no entry of an earlier search is read, whose evaluator may have had other weights. A new entry replaces
the old one at its place.

The last words list the moves that are being searched. A move that another thread is searching is put off until the
other moves of its node are done; by then the table holds its score (T. Kerrigan's simplification of ABDADA
[Weill1996]). A word holds a hash of position and move, or 0. If two threads write a word at once, they only lose time.
"""

import numpy as np

from gameforge.interfaces import HEURISTIC_LIMIT
from gameforge.kernel import (
    U0,
    U1,
    U2,
    Context,
    Score,
    Truth,
    Word,
    WordArray,
    Words,
    at,
    inline,
    position_key,
    slots,
    static_score,
)
from gameforge_search_minimax.endings import Child, Course, as_stored, from_root, is_drawn, is_null, kept
from gameforge_search_minimax.settings import Options

_WORD_BITS = np.uint64(64)
SCATTER = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio. The product with a word wraps around; its high bits are a hash of the word."""

UPPER, LOWER, EXACT = np.uint64(1), np.uint64(2), np.uint64(3)
"""Kinds of bounds: whether a stored score is an upper or lower bound of the true one, or exact."""
NO_MOVE = np.uint64(4095)
"""Stands for the index of a move that is not known."""
NO_ENTRY = np.uint64(4094)
"""The same, of a position that is not in the table."""
SEARCH, OLDEST, GAME_PLIES, GAME_MOVES, GAME_START, GAME_RESULT, EVALUATION_SHIFT = (np.uint64(n) for n in range(7))
"""Indices in the header; `continues_game` uses those of the game, and `_evaluation` the last one."""
HEADER_WORDS = np.uint64(8)
_ENTRIES = 4
BUCKET_WORDS = np.uint64(2 * _ENTRIES)
BUCKET_BYTES = 8 * 2 * _ENTRIES
"""As much as a cache line holds."""
_EVALUATION_BITS = np.uint64(13)
_EVALUATION_WORDS = 2 << int(_EVALUATION_BITS)
_SCORE_SHIFT, _INDEX_SHIFT, _BOUND_SHIFT, _DEPTH_SHIFT = (np.uint64(n) for n in (32, 20, 18, 12))
_INDEX_MASK, _BOUND_MASK, _DEPTH_MASK, _SEARCH_MASK = (np.uint64(n) for n in (4095, 3, 63, 4095))
_CURRENT = np.uint64(64)
"""What this search adds to the worth of its entries: more than any depth."""


def memory_words(bits: int) -> int:
    """Number of words of ctx.memory with a transposition table of 2 ** bits buckets, or without one if bits is 0."""
    tables = (int(BUCKET_WORDS) << bits) + _EVALUATION_WORDS if bits else 0
    return int(HEADER_WORDS) + tables + BUSY_WORDS


@inline
def next_search(memory: WordArray, same_game: Truth, depth: Word) -> None:
    """Begin a search to a depth: entries of earlier searches are no longer read, unless they are of the same game."""
    number = memory[SEARCH] + U1
    if number > _SEARCH_MASK:
        for i in range(HEADER_WORDS, np.uint64(len(memory))):
            memory[i] = U0
        number = U1
    memory[SEARCH] = number
    if not same_game or number == U1:
        memory[OLDEST] = number
    memory[EVALUATION_SHIFT] = _WORD_BITS - min(_EVALUATION_BITS, U2 * depth + U2)


@inline
def _bucket(key: Word, bits: Word) -> Word:
    """Index of the bucket's first word; there are 1 << bits buckets."""
    return HEADER_WORDS + ((key * SCATTER) >> (_WORD_BITS - bits)) * BUCKET_WORDS


@inline
def end_of(bits: Word) -> Word:
    """Index of the first word after the table."""
    return HEADER_WORDS + (BUCKET_WORDS << bits)


@inline
def find(memory: Words, bits: Word, key: Word) -> Word:
    """Data of the position's entry, 0 if there is none."""
    slot = _bucket(key, bits)
    oldest = memory[OLDEST]
    for i in range(_ENTRIES):
        entry = slot + U2 * np.uint64(i)
        data = memory[entry]
        # Threads write without a lock. If two have written half an entry each, its words belong to different positions,
        # and their XOR is the key of neither.
        if memory[entry + U1] ^ data == key and data & _SEARCH_MASK >= oldest:
            return data
    return U0


@inline
def keep(memory: Words, bits: Word, key: Word, score: Score, bound: Word, depth: Word, index: Word) -> None:
    """Store a result. If there is no best move (NO_MOVE), that of the position's old entry is kept."""
    slot = _bucket(key, bits)
    search, oldest = memory[SEARCH], memory[OLDEST]
    chosen, least = slot, ~U0
    for i in range(_ENTRIES):
        entry = slot + U2 * np.uint64(i)
        data = memory[entry]
        worth = U0  # that of an entry which is no longer read
        if data & _SEARCH_MASK >= oldest:
            if memory[entry + U1] ^ data == key:
                chosen = entry
                if index == NO_MOVE:  # an old move is still a better first guess than none
                    index = index_of(data)
                break
            worth = U1 + depth_of(data)
            if data & _SEARCH_MASK == search:
                worth += _CURRENT
        if worth < least:
            chosen, least = entry, worth
    data = with_score(score) | (index << _INDEX_SHIFT) | (bound << _BOUND_SHIFT) | (depth << _DEPTH_SHIFT) | search
    memory[chosen], memory[chosen + U1] = data, key ^ data


@inline
def with_score(score: Score) -> Word:
    """Data that hold only a score."""
    return np.uint64(np.float32(score).view(np.uint32)) << _SCORE_SHIFT


@inline
def score_of(data: Word) -> Score:
    """The score of an entry."""
    return np.float64(np.uint32(data >> _SCORE_SHIFT).view(np.float32))


@inline
def index_of(data: Word) -> Word:
    """The index of an entry's best move, or NO_MOVE."""
    return (data >> _INDEX_SHIFT) & _INDEX_MASK


@inline
def bound_of(data: Word) -> Word:
    """The kind of bound of an entry: UPPER, LOWER or EXACT."""
    return (data >> _BOUND_SHIFT) & _BOUND_MASK


@inline
def depth_of(data: Word) -> Word:
    """The depth of an entry, in plies."""
    return (data >> _DEPTH_SHIFT) & _DEPTH_MASK


@inline
def index_of_known(memory: Words, bits: Word, key: Word) -> Word:
    """The index of a position's best move, or NO_MOVE if the table has none."""
    entry = find(memory, bits, key)
    return NO_MOVE if entry == U0 else index_of(entry)


@inline
def probe_table(
    ctx: Context, options: Options, course: Course, child: Child, wants_exact: Truth
) -> tuple[Truth, Score, Word]:
    """Look up the child in the table; returns (whether it is settled, score, index of its best move).

    The index is NO_MOVE if the table knows the child but no best move, and NO_ENTRY if it does not know the child.

    A stored score counts only in a null window: nodes of the principal variation are searched, so that the line is
    complete. It does not count if the child is a draw by the history of the game, which the table does not know. With
    `wants_exact`, an upper bound is not sufficient.
    """
    entry = find(ctx.memory, options.table_bits, child.key)
    if entry == U0:
        return False, 0.0, NO_ENTRY
    index = index_of(entry)
    null = is_null(child.alpha, child.beta)
    if not null or is_drawn(course, child.ply, child.since) or depth_of(entry) < child.left:
        return False, 0.0, index
    score, bound = from_root(score_of(entry), child.ply), bound_of(entry)
    settled = (
        bound == EXACT
        or (bound == LOWER and score >= child.beta)
        or (bound == UPPER and score <= child.alpha and not wants_exact)
    )
    return settled, score, index


@inline
def _evaluation(memory: Words, bits: Word, key: Word) -> tuple[Word, Word]:
    """Index of a position's entry in the evaluation cache, and the key that it has there.

    A shallow search needs few entries. It uses only the first ones, which stay in the processor's caches: fetching them
    from farther away took a tenth of the time of Kim and Cho's games at 4 plies.
    """
    key ^= memory[SEARCH] * SCATTER  # scores of earlier searches may be those of other weights
    return end_of(bits) + (((key * SCATTER) >> memory[EVALUATION_SHIFT]) << U1), key


@inline
def has_score(memory: Words, bits: Word, key: Word) -> Truth:
    """Whether the evaluation cache has the position's score."""
    entry, key = _evaluation(memory, bits, key)
    return memory[entry + U1] ^ memory[entry] == key


@inline
def keep_score(memory: Words, bits: Word, key: Word, score: Score) -> Word:
    """Store a static score in the evaluation cache; return the data of the entry."""
    entry, key = _evaluation(memory, bits, key)
    data = with_score(score)
    memory[entry], memory[entry + U1] = data, key ^ data
    return data


@inline
def accumulate(ctx: Context, child: Child) -> Words:
    """Write the child's accumulator beside that of its parent, and return it; the evaluator keeps accumulators."""
    evaluator, size = ctx.evaluator, ctx.evaluator.accumulator
    before, own = at(evaluator.accumulators, (child.ply - U1) * size), at(evaluator.accumulators, child.ply * size)
    evaluator.update(at(evaluator.data, U0), at(evaluator.weights, U0), before, child.state, child.move, own)
    return own


@inline
def _scored(ctx: Context, child: Child) -> Score:
    """Static score of a child, from its accumulator if the evaluator keeps them."""
    evaluator = ctx.evaluator
    if evaluator.accumulator == U0:
        return static_score(evaluator, child.state)
    data, weights, inputs = at(evaluator.data, U0), at(evaluator.weights, U0), at(evaluator.inputs, U0)
    score = evaluator.accumulated(data, weights, accumulate(ctx, child), inputs)
    return min(max(score, -HEURISTIC_LIMIT), HEURISTIC_LIMIT)


@inline
def cached_score(ctx: Context, options: Options, child: Child) -> Score:
    """Static score of a child, rounded as the transposition table stores it."""
    if ctx.evaluator.is_costly == U0 or options.table_bits == U0:
        return as_stored(_scored(ctx, child))
    memory, key = ctx.memory, child.key
    if key == U0:
        key = position_key(ctx.rules, at(ctx.rules.data, U0), child.state)
    entry, its_key = _evaluation(memory, options.table_bits, key)
    data = memory[entry]  # once: another thread may write here
    if memory[entry + U1] ^ data != its_key:
        data = keep_score(memory, options.table_bits, key, _scored(ctx, child))
    return score_of(data)


BUSY_BITS = 12
BUSY_WORDS = 1 << BUSY_BITS
LEAST_SHARED_DEPTH = np.uint64(3)
"""Minimum depth of nodes whose moves are announced; the searches of others are too short."""
_BUSY_SHIFT = np.uint64(64 - BUSY_BITS)
_OF_MOVES = np.uint64(0xBF58476D1CE4E5B9)
"""Another factor, for the move in the hash of a position and a move."""
_FOLD_SHIFT = np.uint64(29)
"""Carries the high bits of a product, which depend on all bits of its factor, down to the low ones."""


@inline
def forget_busy(memory: WordArray) -> None:
    """Begin a search: clear the list."""
    for i in range(BUSY_WORDS):
        memory[np.uint64(len(memory)) - np.uint64(i) - U1] = U0


@inline
def is_shared(options: Options, left: Word) -> Truth:
    """Whether the threads of the search announce the moves of a node with this depth left."""
    return options.shares and left >= LEAST_SHARED_DEPTH


@inline
def announce(memory: WordArray, options: Options, left: Word, key: Word, move: Word) -> None:
    """Announce that this thread searches a move of the position with this key and depth left."""
    if is_shared(options, left):
        task = _busy_word(key, move)
        memory[_busy_place(memory, task)] = task


@inline
def is_busy(memory: WordArray, key: Word, move: Word) -> Truth:
    """Whether a thread is searching the move."""
    task = _busy_word(key, move)
    return memory[_busy_place(memory, task)] == task


@inline
def withdraw(memory: WordArray, options: Options, left: Word, key: Word, move: Word) -> None:
    """Withdraw the announcement of a move that has been searched."""
    if is_shared(options, left) and is_busy(memory, key, move):
        memory[_busy_place(memory, _busy_word(key, move))] = U0


@inline
def _busy_word(key: Word, move: Word) -> Word:
    """The hash of a position and a move in it; never 0, which marks an empty place."""
    return (key ^ (move * _OF_MOVES)) | U1


@inline
def _busy_place(memory: WordArray, task: Word) -> Word:
    """Index of the task's word in the memory."""
    return np.uint64(len(memory)) - np.uint64(BUSY_WORDS) + ((task * SCATTER) >> _BUSY_SHIFT)


@inline
def continues_game(ctx: Context, root_result: int) -> Truth:
    """Whether the previous search was of an earlier position of this game; records this position for the next search.

    The answer is no for an earlier or the same ply, other moves and another starting position, so a search depends only
    on the earlier searches of its game. It is also no if an oracle's result for the root (`root_result`) has changed,
    since the scores of other positions depend on that result (`judge` in negamax.py).
    """
    memory, plies = ctx.memory, np.uint64(ctx.counters[slots.PLIES])
    start, result = np.uint64(ctx.counters[slots.START]), np.uint64(kept(root_result, plies))
    before = memory[GAME_PLIES]  # 1 + the ply of the previous search; 0: there was none
    same = before != U0 and plies >= before and memory[GAME_START] == start and memory[GAME_RESULT] == result
    moves = U0
    # The moves are compared by a hash: that of the moves up to the previous search has to be the one noted then.
    for i in range(plies):
        if same and np.uint64(i) + U1 == before:
            same = moves == memory[GAME_MOVES]
        moves = (moves ^ ctx.played[i]) * SCATTER
        moves ^= moves >> _FOLD_SHIFT
    memory[GAME_PLIES], memory[GAME_MOVES], memory[GAME_START], memory[GAME_RESULT] = plies + U1, moves, start, result
    return same
