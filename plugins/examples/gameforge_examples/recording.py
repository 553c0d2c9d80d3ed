"""Kernels that play whole games and record them: every move of each search, or positions with what is known of them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gameforge import kernel
from gameforge.interfaces import DRAW, RUNNING, WIN
from gameforge.kernel import (
    U0,
    U1,
    U2,
    U3,
    GameWorkspace,
    Word,
    WordArray,
    Words,
    answer,
    at,
    gameplay,
    inline,
    oracles,
    slots,
)

_STATISTICS = np.uint64(slots.STATISTICS)
MOVE_WORDS = 3
"""Number of words in a row after those of the state."""


@kernel.bare_kernel
def begin_at(game: GameWorkspace, start: WordArray) -> None:
    """Set up a game that begins at a state."""
    gameplay.begin(game, at(start, U0))


class Recording(NamedTuple):
    """Room for rows, one for each move that a search counted.

    A row holds the state after the move, its visits, the bits of its value (float64, for the side that makes it), and
    the plies of the game before it.
    """

    rows: WordArray
    filled: kernel.IntegerArray
    """filled[0]: number of rows."""


FULL = -2
"""Returned by play_recording if there is no room for the rows of the next search. Like NO_OPENING, it must differ from
STOPPED and from all codes of results."""


@inline
def _searched_and_recorded(
    game: GameWorkspace, player: kernel.CompiledPlayer, n_moves: Word, recording: Recording
) -> tuple[int, Word]:
    """Search, even an only move, and write what the search counted."""
    rules, rows, out = game.rules, recording.rows, player.out
    data, size = at(rules.data, U0), rules.words + U3
    row = np.uint64(recording.filled[0])
    if (row + n_moves) * size > np.uint64(len(rows)):
        return FULL, U0
    state = at(game.states, U0)
    out[_STATISTICS] = U0
    player.search(player.context, state, at(player.limits, U0), at(out, U0))
    if player.context.control[slots.STOP]:
        return gameplay.STOPPED, U0
    for i in range(out[_STATISTICS]):
        found, to = answer.statistics_of(i), row * size
        rules.play(data, state, out[found], at(rows, to))
        rows[to + rules.words] = out[found + U1]
        rows[to + rules.words + U1] = out[found + U2]
        rows[to + rules.words + U2] = np.uint64(game.counters[slots.PLIES])
        row += U1
    recording.filled[0] = np.int64(row)
    return RUNNING, out[slots.OUT_MOVE]


@kernel.bare_kernel
def play_recording(
    game: GameWorkspace, first: kernel.CompiledPlayer, second: kernel.CompiledPlayer, recording: Recording
) -> int:
    """Continue a game; `first` moves at even plies. Every move is searched, even if it is the only legal one.

    Returns the code of the final state, FULL, or STOPPED if a STOP flag was set.
    """
    recording.filled[0] = 0
    code = RUNNING
    while code == RUNNING:
        code = gameplay.ply(game, first, second, 0, _searched_and_recorded, recording)
    return code


@kernel.kernel
def input_rows(
    features: Callable[[Words, Words, kernel.Floats], None],
    data: WordArray,
    words: np.uint64,
    states: WordArray,
    inputs: np.uint64,
    x: kernel.FloatArray,
) -> None:
    """Write the features of states, which are stored one after another, into x[states, inputs]."""
    for i in range(np.uint64(len(states)) // words):
        features(at(data, U0), at(states, i * words), at(x, i * inputs))


_STREAMS = 3
"""Random words that a game begins with: one for each player, one for its random moves."""
_ATTEMPTS = 1000
POSITION_WORDS = 2
"""Number of words in a row after those of the state: the bits of the score (float64); the plies, with EXACT or not."""
EXACT = np.uint64(1 << 32)
"""Set in the last word of a row where the score is what an oracle knows."""
NO_OPENING = -3
"""Code of a game whose random plies ended it, however often they were drawn."""


class PositionGames(NamedTuple):
    """The games to play, and room for their results."""

    starts: WordArray
    """[openings * words]: the states in which the games begin, in turn by their numbers."""
    fresh: tuple[WordArray, WordArray]
    """The memory of both searchers at the beginning of a game."""
    stream: np.uint64
    """The random words of game number 0 begin here."""
    first: int
    """Number of the first of these games."""
    rng: WordArray
    """State of the generator of random moves."""
    random_plies: np.uint64
    """Random moves at the beginning of a game."""
    further_plies: np.uint64
    """At most this number of further ones."""
    even: kernel.Score
    """They are drawn again if the score after them is farther from 0."""
    random: np.uint64
    """A later move is drawn at random where a random word is below this."""
    greedy: np.uint64
    """After a search, the greedy move is played instead where a random word is below this."""
    quiet: np.uint64
    """1: positions with a noisy move are left out."""
    margin: kernel.Score
    """Positions whose score is farther from 0 are left out."""
    left_out: np.uint64
    """A position is left out where a random word is below this."""
    adjudicate: np.uint64
    """1: a game ends where the players' oracles know the result."""
    codes: kernel.IntegerArray
    """Final code of each game (kernel/game.py)."""
    plies: kernel.IntegerArray
    ends: kernel.IntegerArray
    """Number of rows after each game."""
    rows: WordArray
    """For each position the state, the bits of its score for the side to move, and its ply, with EXACT or not."""
    filled: kernel.IntegerArray
    """filled[0]: number of rows."""


@inline
def _keep(game: GameWorkspace, games: PositionGames, score: kernel.Score, flag: Word) -> None:
    """Write a row for the present position, unless its score is outside the margin or it is left out by chance."""
    if min(abs(score), 1.0) > games.margin or gameplay.happens(at(games.rng, U0), games.left_out):
        return
    words, rows = game.rules.words, games.rows
    place = np.uint64(games.filled[0]) * (words + np.uint64(POSITION_WORDS))
    for i in range(words):
        rows[place + i] = game.states[i]
    rows[place + words] = np.float64(score).view(np.uint64)
    rows[place + words + U1] = np.uint64(game.counters[slots.PLIES]) | flag
    games.filled[0] += 1


@inline
def _greedy(game: GameWorkspace, player: kernel.CompiledPlayer, n_moves: Word, m: Word) -> Word:
    """The move after which the opponent's static score is lowest: the evaluator errs most where it chooses itself.

    An illegal move m is returned as it is, so that the game ends with it.
    """
    rules = game.rules
    data, state, child = at(rules.data, U0), at(game.states, U0), at(game.states, rules.words)
    best, lowest, is_legal = m, np.inf, False
    for i in range(n_moves):
        is_legal |= game.moves[i] == m
        rules.play(data, state, game.moves[i], child)
        score = kernel.static_score(player.context.evaluator, child)
        if score < lowest:
            best, lowest = game.moves[i], score
    return best if is_legal else m


@inline
def _searched_or_random(
    game: GameWorkspace, player: kernel.CompiledPlayer, n_moves: Word, games: PositionGames
) -> tuple[int, Word]:
    """Find a move, and keep the position with its score.

    Neither books nor clocks are consulted, and an only move comes before the random ones.
    """
    rules, state, rng = game.rules, at(game.states, U0), at(games.rng, U0)
    # 1. Positions with noisy moves are left out, and the first one, which has no side that just moved.
    quiet = game.counters[slots.PLIES] > 0
    if quiet and games.quiet != U0 and rules.has_noisy != U0:
        quiet = rules.noisy(at(rules.data, U0), state, at(game.moves, U0), n_moves) == U0
    # 2. What an oracle knows needs no search.
    known = oracles.ask_oracles(player.context, state) if player.context.oracle.size != U0 else kernel.UNKNOWN
    if known != kernel.UNKNOWN:
        if quiet:
            _keep(game, games, 0.0 if known == DRAW else 1.0 if known == WIN else -1.0, EXACT)
        if games.adjudicate != U0:
            return known + gameplay.ADJUDICATED, U0
    # 3. Moves without a score, which is why their positions are not kept.
    if n_moves == U1:
        return RUNNING, game.moves[0]
    if gameplay.happens(rng, games.random):
        return RUNNING, gameplay.random_move(game, n_moves, rng)
    # 4. The search, whose score is kept even if its move is not played.
    score, m = gameplay.searched(player, state)
    if quiet and known == kernel.UNKNOWN:
        _keep(game, games, score, U0)
    if gameplay.happens(rng, games.greedy):
        m = _greedy(game, player, n_moves, m)
    return RUNNING, m


@inline
def _open(game: GameWorkspace, player: kernel.CompiledPlayer, games: PositionGames, number: int) -> int:
    """Begin the game of this number, and play its random plies; RUNNING, or NO_OPENING if no attempt will do.

    An attempt will not do that ends the game, or after which the player's score is too far from 0.
    """
    rng, words = at(games.rng, U0), game.rules.words
    start = np.uint64(number) % (np.uint64(len(games.starts)) // words) * words
    for _ in range(_ATTEMPTS):
        gameplay.begin(game, at(games.starts, start))
        n, code = gameplay.legal(game)
        plies = games.random_plies
        if games.further_plies != U0:
            plies += kernel.below(rng, games.further_plies + U1)
        for _ in range(plies):
            if code != RUNNING:
                break
            gameplay.advance(game, gameplay.random_move(game, n, rng))
            n, code = gameplay.legal(game)
        if code == RUNNING and (
            games.even >= 1.0 or abs(gameplay.searched(player, at(game.states, U0))[0]) <= games.even
        ):
            return RUNNING
    return NO_OPENING


@kernel.bare_kernel
def play_positions(
    game: GameWorkspace, first: kernel.CompiledPlayer, second: kernel.CompiledPlayer, games: PositionGames
) -> int:
    """Play games; `first` moves at even plies. Each game depends on the players and its random words alone.

    A row is written for each position after the random plies that was searched or that an oracle knows, and in which
    no move is noisy (with `games.quiet`). Positions with one legal move are not searched, nor are those in which a
    random move is played; books are not consulted.

    Returns the number of finished games. They are fewer than asked for if the rows may not hold the next game, if the
    STOP flag of `first` was set (the players share it), or after a game with the code ILLEGAL or NO_OPENING.
    """
    room = np.uint64(len(games.rows)) // (game.rules.words + np.uint64(POSITION_WORDS))
    games.filled[0] = 0
    for g in range(len(games.codes)):
        if np.uint64(games.filled[0] + game.draws[slots.DRAW_MAX_PLIES]) > room:
            return g
        streams = _STREAMS * (games.first + g)
        gameplay.seat(first, games.fresh[0], gameplay.first_word(games.stream, streams))
        gameplay.seat(second, games.fresh[1], gameplay.first_word(games.stream, streams + 1))
        games.rng[0] = gameplay.first_word(games.stream, streams + 2)
        code = _open(game, first, games, games.first + g)
        while code == RUNNING:
            code = gameplay.ply(game, first, second, 0, _searched_or_random, games)
        if code == gameplay.STOPPED:
            return g
        games.codes[g], games.plies[g], games.ends[g] = code, game.counters[slots.PLIES], games.filled[0]
        if code in (gameplay.ILLEGAL, NO_OPENING):
            return g + 1
    return len(games.codes)


@kernel.bare_kernel
def judge_positions(
    game: GameWorkspace,
    player: kernel.CompiledPlayer,
    fresh: WordArray,
    states: WordArray,
    scores: NDArray[np.float64],
) -> None:
    """Write the score of each state for its side to move; a STOP flag leaves the rest as it is."""
    for i in range(np.uint64(len(scores))):
        state = at(states, i * game.rules.words)
        gameplay.begin(game, state)
        gameplay.seat(player, fresh, U0)
        scores[i], _ = gameplay.searched(player, state)
        if player.context.control[slots.STOP]:
            return
