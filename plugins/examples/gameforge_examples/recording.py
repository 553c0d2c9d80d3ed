"""Kernels that play whole games and record them: every move of each search, or positions with what is known of them."""

from typing import Any, NamedTuple

import numpy as np

from gameforge.interfaces import DRAW, RUNNING, STATISTICS, WIN
from gameforge.kernel import (
    ADJUDICATED,
    APART,
    ILLEGAL,
    U0,
    U1,
    U2,
    U3,
    UNKNOWN,
    CompiledPlayer,
    GameWorkspace,
    IntegerArray,
    WordArray,
    advance,
    answer,
    at,
    bare_kernel,
    begin,
    below,
    inline,
    is_legal,
    kernel,
    legal,
    next_word,
    oracles,
    seat,
    slots,
    static_score,
)

_STATISTICS = np.uint64(STATISTICS)
MOVE_WORDS = 3
"""Number of words in a row after those of the state."""


@bare_kernel
def begin_at(game: GameWorkspace, start: WordArray) -> None:
    """Set up a game that begins at a state."""
    begin(game, at(start, U0))


@bare_kernel
def play_recording(
    game: GameWorkspace,
    first: CompiledPlayer,
    second: CompiledPlayer,
    max_rows: np.uint64,
    rows: WordArray,
    filled: IntegerArray,
) -> Any:
    """Continue a game; `first` moves at even plies. Every move is searched, even if it is the only legal one.

    Writes a row for each move that a search counted: the state after it, its visits, the bits of its value (float64,
    for the side that makes it), and the plies of the game before it. filled[0] is the number of rows. Returns the code
    of the final state, or RUNNING if `rows` has no room for the next search or if a STOP flag was set.
    """
    rules = game.rules
    data, size = at(rules.data, U0), rules.words + U3
    filled[0] = 0
    while True:
        n, code = legal(game)
        row = np.uint64(filled[0])
        if code != RUNNING or row + n > max_rows:
            return code
        player = second if game.counters[slots.PLIES] & 1 else first
        state, out = at(game.states, U0), player.out
        out[_STATISTICS] = U0
        player.search(player.context, state, at(player.limits, U0), at(out, U0))
        if first.context.control[slots.STOP] | second.context.control[slots.STOP]:
            return RUNNING
        for i in range(out[_STATISTICS]):
            found, to = answer.statistics_of(i), row * size
            rules.play(data, state, out[found], at(rows, to))
            rows[to + rules.words] = out[found + U1]
            rows[to + rules.words + U1] = out[found + U2]
            rows[to + rules.words + U2] = np.uint64(game.counters[slots.PLIES])
            row += U1
        filled[0] = np.int64(row)
        advance(game, out[slots.OUT_MOVE])


@kernel
def input_rows(features: Any, data: WordArray, words: np.uint64, states: WordArray, inputs: np.uint64, x: Any) -> None:
    """Write the features of states, which are stored one after another, into x[states, inputs]."""
    for i in range(np.uint64(len(states)) // words):
        features(at(data, U0), at(states, i * words), at(x, i * inputs))


_APART = np.uint64(APART)
_STREAMS = np.uint64(3)
"""Random words that a game begins with: one for each player, one for its random moves."""
_ATTEMPTS = 1000
POSITION_WORDS = 2
"""Number of words in a row after those of the state: the bits of the score (float64); the plies, with EXACT or not."""
EXACT = np.uint64(1 << 32)
"""Set in the last word of a row where the score is what an oracle knows."""
NO_OPENING = -1
"""Code of a game whose random plies ended it, however often they were drawn."""


class PositionGames(NamedTuple):
    """The games to play, and room for their results."""

    start: WordArray
    """The state in which each game begins."""
    fresh: tuple[WordArray, WordArray]
    """The memory of both searchers at the beginning of a game."""
    stream: np.uint64
    """The random words of the first game begin here."""
    rng: WordArray
    """State of the generator of random moves."""
    random_plies: np.uint64
    """Random moves at the beginning of a game."""
    random: np.uint64
    """A later move is drawn at random where a random word is below this."""
    greedy: np.uint64
    """After a search, the greedy move is played instead where a random word is below this."""
    quiet: np.uint64
    """1: positions with a noisy move are left out."""
    adjudicate: np.uint64
    """1: a game ends where the players' oracles know the result."""
    codes: IntegerArray
    """Final code of each game (kernel/game.py)."""
    plies: IntegerArray
    ends: IntegerArray
    """Number of rows after each game."""


@bare_kernel
def play_positions(
    game: GameWorkspace, first: CompiledPlayer, second: CompiledPlayer, games: PositionGames, rows: WordArray
) -> int:
    """Play games; `first` moves at even plies. Each game depends on the players and its random words alone.

    A row is written for each position after the random plies that was searched or that an oracle knows, and in which
    no move is noisy (with `games.quiet`): the state, the bits of its score for the side to move, and its ply.
    Positions with one legal move are not searched, nor are those in which a random move is played; books are not
    consulted.

    Returns the number of finished games. They are fewer than asked for if `rows` may not hold the next game, if the
    STOP flag of `first` was set (the players share it), or after a game with the code ILLEGAL or NO_OPENING.
    """
    rules, control = game.rules, first.context.control
    data, state, size = at(rules.data, U0), at(game.states, U0), rules.words + np.uint64(POSITION_WORDS)
    room = np.uint64(len(rows)) // size
    rng = at(games.rng, U0)
    asks = first.context.oracle.size != U0
    row = U0
    for g in range(len(games.codes)):
        if row + np.uint64(game.draws[slots.DRAW_MAX_PLIES]) > room:
            return g
        word = games.stream + np.uint64(g) * _STREAMS * _APART
        seat(first, games.fresh[0], word)
        seat(second, games.fresh[1], word + _APART)
        games.rng[0] = word + _APART + _APART
        code = _open(game, games, rng)
        while code == RUNNING:
            n, code = legal(game)
            if code != RUNNING:
                break
            known = oracles.ask_oracles(first.context, state) if asks else UNKNOWN
            quiet = game.counters[slots.PLIES] > 0
            if quiet and games.quiet != U0 and rules.has_noisy != U0:
                quiet = rules.noisy(data, state, at(game.moves, U0), n) == U0
            if known != UNKNOWN:
                if quiet:
                    score = 0.0 if known == DRAW else 1.0 if known == WIN else -1.0
                    _keep(game, rows, row * size, score, EXACT)
                    row += U1
                if games.adjudicate != U0:
                    code = known + ADJUDICATED
                    break
            if n == U1:
                m = game.moves[0]
            elif games.random != U0 and next_word(rng) < games.random:
                m = game.moves[below(rng, n)]
            else:
                # Not one call with first or second: copying a player costs as much as a short search.
                if game.counters[slots.PLIES] & 1:
                    score, m = _searched(game, second)
                else:
                    score, m = _searched(game, first)
                if control[slots.STOP]:
                    return g
                if not is_legal(game, n, m):
                    code = ILLEGAL
                    break
                if quiet and known == UNKNOWN:
                    _keep(game, rows, row * size, score, U0)
                    row += U1
                if games.greedy != U0 and next_word(rng) < games.greedy:
                    m = _greedy(game, first, n)  # the players differ in their memory alone
            advance(game, m)
        games.codes[g], games.plies[g], games.ends[g] = code, game.counters[slots.PLIES], row
        if code in (ILLEGAL, NO_OPENING):
            return g + 1
    return len(games.codes)


@inline
def _open(game: GameWorkspace, games: PositionGames, rng: Any) -> Any:
    """Play the random plies; RUNNING, or NO_OPENING if all attempts end the game."""
    for _ in range(_ATTEMPTS):
        begin(game, at(games.start, U0))
        n, code = legal(game)
        for _ in range(games.random_plies):
            if code != RUNNING:
                break
            advance(game, game.moves[below(rng, n)])
            n, code = legal(game)
        if code == RUNNING:
            return RUNNING
    return NO_OPENING


@inline
def _searched(game: GameWorkspace, player: CompiledPlayer) -> Any:
    """(score, move) that the player finds."""
    state, out = at(game.states, U0), at(player.out, U0)
    player.out[STATISTICS] = U0
    if player.context.oracle.size != U0:
        found, score = oracles.move_by_distance(player.context, state, out)
        if found:
            return score, out[slots.OUT_MOVE]
    score = player.search(player.context, state, at(player.limits, U0), out)
    return score, out[slots.OUT_MOVE]


@inline
def _greedy(game: GameWorkspace, player: CompiledPlayer, n: Any) -> Any:
    """The move after which the opponent's static score is lowest: the evaluator errs most where it chooses itself."""
    rules = game.rules
    data, state, child = at(rules.data, U0), at(game.states, U0), at(game.states, rules.words)
    best, lowest = game.moves[0], np.inf
    for i in range(n):
        rules.play(data, state, game.moves[i], child)
        score = static_score(player.context.evaluator, child)
        if score < lowest:
            best, lowest = game.moves[i], score
    return best


@inline
def _keep(game: GameWorkspace, rows: WordArray, place: Any, score: float, flag: Any) -> None:
    """Write a row for the present position."""
    words = game.rules.words
    for i in range(words):
        rows[place + i] = game.states[i]
    rows[place + words] = np.float64(score).view(np.uint64)
    rows[place + words + U1] = np.uint64(game.counters[slots.PLIES]) | flag
