"""Games inside a kernel: the record of a game, its results, opening books, and the loop in which players play.

`ply` is the only place where a player moves: whatever plays games calls it once for each move, and says how a move is
found and what it records of it. Results are codes for the side to move, like those of `outcome` (abi.py): result + 4 *
reason.

An opening book is a tree of lines in one block (made by `book_block` in assembly.py). Word 0 is the index of the root,
or 0 without a book. A node is the key of its position, the number n of its entries, and n entries (move, index of the
node after it or 0); a move that is to be drawn more often has several entries. A book goes by the record of the game,
not by positions, like that of Kim and Cho's players [KimCho2007]. The key excludes games that have the same moves but
another start, so that a book move is always legal.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numba import types

from gameforge.interfaces.rules import DRAW, LOSS, MAX_REASONS, RUNNING, State
from gameforge.kernel import slots
from gameforge.kernel.bits import U0, U1, U2, at, below, finish, mix, next_word, position_key
from gameforge.kernel.compile.clock import nanoseconds, processor_nanoseconds
from gameforge.kernel.compile.jit import bare_kernel, inline
from gameforge.kernel.compile.records import Record
from gameforge.kernel.context import RULES_TYPE, CompiledPlayer, CompiledRules
from gameforge.kernel.oracles import move_by_distance
from gameforge.kernel.parallel import APART
from gameforge.kernel.types import IntegerArray, Score, Whole, Word, WordArray, Words

REPETITION, NO_PROGRESS, PLY_CAP, SHUFFLE = (DRAW + 4 * (MAX_REASONS + i) for i in range(4))
"""Codes of draws for the reasons gameforge.interfaces.rules.DRAW_REASONS."""
CRASH, ILLEGAL, TIMEOUT = (LOSS + 4 * (MAX_REASONS + 4 + i) for i in range(3))
"""Codes of losses for the reasons gameforge.interfaces.rules.FORFEIT_REASONS."""
ADJUDICATED = 4 * (MAX_REASONS + 7)
"""Added to the result of a game that is adjudicated (gameforge.interfaces.rules.ADJUDICATED_REASON)."""
STOPPED = -1
"""Returned by `ply` if a STOP flag was set: no move was played, and the game has no result."""
MOVES_TO_GO = 25
"""A side with a clock plans as if the game lasted this many more of its moves."""
LAG = 10_000_000
"""Nanoseconds of the clock that no search may use."""
MOVE_MARGIN = 100_000_000
"""Nanoseconds by which a move may exceed a fixed time per move before it loses the game."""


class GameWorkspace(NamedTuple):
    """Workspace of a thread for the game that it is playing."""

    rules: CompiledRules
    """The rules of the game."""
    draws: IntegerArray
    """The game's DrawRules, shared with the contexts of both players (Context.draws)."""
    history: WordArray
    """Keys of the game's positions, shared with the contexts of both players (Context.history)."""
    states: WordArray
    """The current state, then room for its child, then the state in which the game began."""
    moves: WordArray
    """Legal moves of the current state."""
    played: WordArray
    """Moves of the game, at most max_plies; shared with the contexts of both players (Context.played)."""
    counters: IntegerArray
    """Plies and shuffles so far, shared with the contexts of both players (Context.counters)."""
    clocks: IntegerArray
    """Times of the searches and clocks of the game, and the time control of all games of the workspace (slots.py)."""

    def so_far(self) -> tuple[State, list[int]]:
        """Return the state in which the game began and the words of its moves, for callers in Python."""
        words = int(self.rules.words)
        start: State = tuple(self.states[2 * words : 3 * words].tolist())
        return start, self.played[: int(self.counters[slots.PLIES])].tolist()


_INTEGERS, _WORDS = types.Array(types.int64, 1, "C"), types.Array(types.uint64, 1, "C")
GAME_TYPE = Record(GameWorkspace, [RULES_TYPE, _INTEGERS, _WORDS, _WORDS, _WORDS, _WORDS, _INTEGERS, _INTEGERS])
"""The numba type of GameWorkspace."""


@inline
def begin(game: GameWorkspace, start: Words) -> None:
    """Begin a game at a state."""
    for i in range(game.rules.words):
        game.states[i] = start[i]
        game.states[U2 * game.rules.words + i] = start[i]
    for i in range(slots.COUNTERS):
        game.counters[i] = 0
    for i in range(slots.TIME_LEFT):
        game.clocks[i] = 0
    game.clocks[slots.TIME_LEFT] = game.clocks[slots.TIME_LEFT + 1] = game.clocks[slots.BASE_TIME]
    game.history[slots.HISTORY_LENGTH] = U1
    game.history[1] = position_key(game.rules, at(game.rules.data, U0), start)
    game.counters[slots.START] = np.int64(game.history[1])


@inline
def _drawn(game: GameWorkspace) -> int:
    """Return the code of a draw by repetition, shuffling, lack of progress or the ply cap, or RUNNING."""
    n = game.history[slots.HISTORY_LENGTH]
    if game.draws[slots.DRAW_REPETITION] > 0:
        here = game.history[n]
        seen = 1
        i = n
        while i > U2:  # the same side is to move every other ply
            i -= U2
            if game.history[i] == here:
                seen += 1
        if seen >= game.draws[slots.DRAW_REPETITION]:
            return REPETITION
    if 0 < game.draws[slots.DRAW_SHUFFLE] <= min(game.counters[slots.SHUFFLES], game.counters[slots.SHUFFLES + 1]):
        return SHUFFLE
    if 0 < game.draws[slots.DRAW_NO_PROGRESS] < np.int64(n):
        return NO_PROGRESS
    return PLY_CAP if game.counters[slots.PLIES] >= game.draws[slots.DRAW_MAX_PLIES] else RUNNING


@inline
def legal(game: GameWorkspace) -> tuple[Word, int]:
    """Write the legal moves into game.moves; return (their number, code of the state)."""
    data = at(game.rules.data, U0)
    n = game.rules.gen(data, at(game.states, U0), at(game.moves, U0))
    code = game.rules.outcome(data, at(game.states, U0), n)
    return n, _drawn(game) if code == RUNNING else code


@inline
def code_of(rules: CompiledRules, s: Words, moves: Words) -> int:
    """Return the code of a state, from `ended` if the rules have it, else from its moves. `moves` is workspace."""
    data = at(rules.data, U0)
    if rules.has_ended != U0:
        return rules.ended(data, s)
    return rules.outcome(data, s, rules.gen(data, s, moves))


@inline
def advance(game: GameWorkspace, m: Word) -> None:
    """Play a legal move."""
    rules = game.rules
    data = at(rules.data, U0)
    here, child = at(game.states, U0), at(game.states, rules.words)
    plies = np.uint64(game.counters[slots.PLIES])
    shuffles = np.uint64(slots.SHUFFLES) + (plies & U1)
    retracted = plies >= U2 and rules.retracts(data, game.played[plies - U2], m) != U0
    game.counters[shuffles] = game.counters[shuffles] + 1 if retracted else 0
    if rules.irreversible(data, here, m):
        game.history[slots.HISTORY_LENGTH] = U0
    rules.play(data, here, m, child)
    for i in range(rules.words):
        game.states[i] = child[i]
    n = game.history[slots.HISTORY_LENGTH] + U1
    game.history[slots.HISTORY_LENGTH] = n
    game.history[n] = position_key(rules, data, here)
    game.played[plies] = m
    game.counters[slots.PLIES] += 1


@inline
def is_legal(game: GameWorkspace, n_moves: Word, m: Word) -> bool:
    """Whether m is one of the first n_moves moves of the list."""
    for i in range(n_moves):  # noqa: SIM110  numba compiles no generator
        if game.moves[i] == m:
            return True
    return False


@bare_kernel
def replay(game: GameWorkspace, start: WordArray, moves: WordArray) -> int:
    """Play the given legal moves from `start`; return the code of the last state."""
    begin(game, at(start, U0))
    for m in moves:
        advance(game, m)
    return legal(game)[1]


@inline
def book_place(book: WordArray, played: WordArray, plies: int, key: Word, rng: WordArray) -> Word:
    """Draw a move that continues the record; return its index in the block, or 0 if there is none.

    key: that of the position after the record. All entries of a node are equally likely.
    """
    node = book[0]
    for i in range(plies):
        if node == U0:
            return U0
        here, n = node, book[node + U1]
        node = U0
        for j in range(n):
            entry = here + U2 + U2 * np.uint64(j)
            if book[entry] == played[i]:
                node = book[entry + U1]
    if node == U0 or book[node] != key:
        return U0
    return node + U2 + U2 * below(at(rng, U0), book[node + U1])


@inline
def by_book(game: GameWorkspace, player: CompiledPlayer) -> Word:
    """Draw a move from the player's book for the record of the game; return its index in the book, or 0."""
    key = game.history[game.history[slots.HISTORY_LENGTH]]
    return book_place(player.book, game.played, game.counters[slots.PLIES], key, player.context.rng)


@bare_kernel
def look_up(game: GameWorkspace, player: CompiledPlayer) -> Word:
    """Call by_book from Python, for a game that was replayed."""
    return by_book(game, player)


@inline
def budget(game: GameWorkspace, side: Word) -> Whole:
    """Return the nanoseconds that a side should take for its next move; 0 without a time control."""
    clocks = game.clocks
    if clocks[slots.MOVE_TIME] > 0:
        return clocks[slots.MOVE_TIME]
    if clocks[slots.BASE_TIME] == 0:
        return np.int64(0)
    left = clocks[np.uint64(slots.TIME_LEFT) + side]
    planned = left // MOVES_TO_GO + clocks[slots.INCREMENT] * 3 // 4
    return max(min(planned, left - LAG), np.int64(1))


@inline
def stop_clock(game: GameWorkspace, side: Word, spent: int) -> None:
    """Take the time of a search from a side's clock; a clock below 0 means that the side has lost on time."""
    clocks = game.clocks
    left = np.uint64(slots.TIME_LEFT) + side
    if clocks[slots.MOVE_TIME] > 0:
        clocks[left] = clocks[slots.MOVE_TIME] + MOVE_MARGIN - spent
    elif clocks[slots.BASE_TIME] > 0:
        clocks[left] -= spent
        if clocks[left] >= 0:
            clocks[left] += clocks[slots.INCREMENT]


_APART = np.uint64(APART)


@inline
def first_word(stream: Word, number: int) -> Word:
    """Return where the random numbers of player number `number` of a stream begin (words_of_game in parallel.py)."""
    return stream + np.uint64(number) * _APART


@inline
def seat(player: CompiledPlayer, fresh: WordArray, word: Word) -> None:
    """Give a player the memory that it begins a game with, and its first random word.

    So a game depends only on the players and its number.
    """
    memory, begun = at(player.context.memory, U0), at(fresh, U0)
    for i in range(len(fresh)):
        memory[i] = begun[i]
    player.context.rng[0] = word


@inline
def happens(rng: Words, share: Word) -> bool:
    """Draw whether an event of this probability (`threshold`) happens; one of probability 0 draws no random word."""
    return share != U0 and bool(next_word(rng) < share)


@inline
def random_move(game: GameWorkspace, n_moves: Word, rng: Words) -> Word:
    """Draw one of the first n_moves moves of the list."""
    return game.moves[below(rng, n_moves)]


@inline
def searched(player: CompiledPlayer, state: Words) -> tuple[Score, Word]:
    """Return the score of a state and the player's move; it searches unless an oracle's distances decide."""
    out = at(player.out, U0)
    player.out[slots.STATISTICS] = U0
    player.context.control[slots.LIMIT] = slots.BY_NONE
    # Without an oracle, move_by_distance is not called: passing the context takes as long as a short search.
    if player.context.oracle.size != U0:
        found, score = move_by_distance(player.context, state, out)
        if found:
            return score, player.out[slots.OUT_MOVE]
    score = player.search(player.context, state, at(player.limits, U0), out)
    return score, player.out[slots.OUT_MOVE]


@inline
def _busy(game: GameWorkspace) -> Whole:
    """Return the processor time of this thread, in nanoseconds; 0 if it is not measured."""
    return np.int64(processor_nanoseconds()) if game.clocks[slots.MEASURED] != 0 else np.int64(0)


@inline
def choose(game: GameWorkspace, player: CompiledPlayer, n_moves: Word) -> Word:
    """Return the player's move. An only move, a book move, or a move by an oracle's distances needs no search."""
    player.out[slots.STATISTICS] = U0
    if n_moves == U1:
        return game.moves[0]
    place = by_book(game, player)
    if place != U0:
        return player.book[place]
    side = np.uint64(game.counters[slots.PLIES]) & U1
    player.context.control[slots.BUDGET] = budget(game, side)
    busy = _busy(game)
    began = nanoseconds()
    _, m = searched(player, at(game.states, U0))
    spent = nanoseconds() - began
    stop_clock(game, side, spent)
    game.clocks[np.uint64(slots.SEARCH_TIME) + side] += spent
    game.clocks[np.uint64(slots.SEARCHES) + side] += 1
    if game.clocks[slots.MEASURED] != 0:
        control = player.context.control
        game.clocks[np.uint64(slots.PROCESSOR_TIME) + side] += _busy(game) - busy + control[slots.ELSEWHERE]
        control[slots.ELSEWHERE] = 0
    return m


@bare_kernel
def think(player: CompiledPlayer, state: WordArray) -> Score:
    """Return the score of a state and write the answer into player.out, as `searched` does."""
    return searched(player, at(state, U0))[0]


Task = TypeVar("Task")
Find = Callable[[GameWorkspace, CompiledPlayer, Word, Task], tuple[int, Word]]
"""How a player finds its move: find(game, player, n_moves, task) returns (RUNNING, the move), or, to end the game with
another code, (this code, anything). `ply` hands the task on. numba compiles a `ply` for each such function."""


@inline
def ply(
    game: GameWorkspace, first: CompiledPlayer, second: CompiledPlayer, parity: int, find: "Find[Task]", task: Task
) -> int:
    """Play one ply of a game that has begun; `first` moves at plies of this parity.

    Returns RUNNING if a move was played, which is then the last one in game.played. Otherwise returns STOPPED or the
    final code: the game was over, `find` ended it, or the player loses it, because it was too late (TIMEOUT) or
    answered with an illegal move (ILLEGAL).
    """
    # 1. The legal moves. The game may be over by the rules, or drawn.
    n, code = legal(game)
    if code != RUNNING:
        return code
    # 2. The move.
    player = first if (game.counters[slots.PLIES] & 1) == parity else second
    code, m = find(game, player, n, task)
    # 3. A search that was stopped has no answer: whatever it wrote must not be played.
    if first.context.control[slots.STOP] | second.context.control[slots.STOP]:
        return STOPPED
    if code != RUNNING:
        return code
    # 4. The clocks, before the move: it comes too late even if it is illegal.
    if game.clocks[slots.TIME_LEFT] < 0 or game.clocks[slots.TIME_LEFT + 1] < 0:
        return TIMEOUT
    if not is_legal(game, n, m):
        return ILLEGAL
    # 5. The next position.
    advance(game, m)
    return RUNNING


@inline
def _chosen_or_random(game: GameWorkspace, player: CompiledPlayer, n_moves: Word, random: Word) -> tuple[int, Word]:
    """Draw a move with this probability, from the player's own random numbers; otherwise find it as `choose` does."""
    rng = at(player.context.rng, U0)
    if happens(rng, random):
        return RUNNING, random_move(game, n_moves, rng)
    return RUNNING, choose(game, player, n_moves)


@bare_kernel
def play_game(
    game: GameWorkspace, first: CompiledPlayer, second: CompiledPlayer, start: WordArray, opening: WordArray
) -> int:
    """Play one game after the legal moves of an opening; `first` moves at `start`. Returns the code of the final state.

    Afterwards the moves are in game.played, their number in game.counters[PLIES]. Returns RUNNING if a STOP flag was
    set. A searcher that answers with an illegal move or too late loses; that move is not played.
    """
    begin(game, at(start, U0))
    for m in opening:
        advance(game, m)
    code = RUNNING
    while code == RUNNING:
        code = ply(game, first, second, 0, _chosen_or_random, U0)  # no random moves
    return RUNNING if code == STOPPED else code


class Series(NamedTuple):
    """The games to play, and room for their results."""

    start: WordArray
    """The state in which each game begins."""
    parities: IntegerArray
    """For each game 0 if the first player moves at even plies, 1 if at odd ones."""
    fresh: tuple[WordArray, WordArray]
    """The searchers' memory at the beginning of each game."""
    stream: np.uint64
    """First random word of the first game's first player; that of the second player is APART further on, and so on."""
    random: np.uint64
    """A move is drawn at random if a random word is below this."""
    codes: IntegerArray
    """Code of each game's last state (game.py)."""
    plies: IntegerArray
    """Number of plies of each game."""
    keys: WordArray
    """A hash of who begins and of the moves, for each game."""


@bare_kernel
def play_series(game: GameWorkspace, first: CompiledPlayer, second: CompiledPlayer, series: Series) -> int:
    """Play games, each of which depends only on its players and their random words.

    A searcher that answers with an illegal move loses. Returns the number of finished games, which is smaller than the
    number of games in `series` if a STOP flag was set.
    """
    for g in range(len(series.parities)):
        seat(first, series.fresh[0], first_word(series.stream, 2 * g))
        seat(second, series.fresh[1], first_word(series.stream, 2 * g + 1))
        begin(game, at(series.start, U0))
        key = mix(U0, np.uint64(series.parities[g]))
        code = RUNNING
        while code == RUNNING:
            code = ply(game, first, second, series.parities[g], _chosen_or_random, series.random)
            if code == RUNNING:
                key = mix(key, game.played[np.uint64(game.counters[slots.PLIES]) - U1])
        if code == STOPPED:
            return g
        series.codes[g], series.plies[g], series.keys[g] = code, game.counters[slots.PLIES], finish(key)
    return len(series.parities)
