"""Training games of a net against an opponent, played and learned from in batches by one kernel."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.abi import DRAW, LOSS, RUNNING, UNKNOWN, WIN
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import bare_kernel, inline
from gameforge.kernel.context import DRAW_MAX_PLIES, PLIES, STOP, CompiledEvaluator, CompiledPlayer, Integers, Words
from gameforge.kernel.game import ADJUDICATED, GameWorkspace, advance, begin, choose, legal
from gameforge.kernel.oracles import ask_oracles
from gameforge.kernel.random import below, next_word
from gameforge.kernel.seeds import APART
from gameforge_learn_td.td_rule import TDParameters, final_reward, first_board, next_board, next_known_board

_0, _32 = np.uint64(0), np.uint64(32)
_APART = np.uint64(APART)


class Batch(NamedTuple):
    """Games to play, and arrays for their results."""

    start: Words
    """State in which each game begins."""
    rewards: NDArray[np.float64]
    """[win, loss, draw for the player who moves at even plies, draw for the one who moves at odd plies]."""
    both: np.uint64
    """1 if the opponent learns, too, else 0."""
    adjudicate: np.uint64
    """1 if a game ends as soon as the learner's oracles know its result, else 0."""
    targets: np.uint64
    """1 if the values that a net's oracles know replace its predictions as targets, else 0."""
    fresh: Words
    """Searcher memory at the beginning of each game."""
    stream: np.uint64
    """First random word of the first game's first player; each further player's are APART words later."""
    opening_plies: np.int64
    """Number of random moves at the beginning of each game; no board before or after them is trained."""
    explore: np.uint64
    """Probability of a random move later in the game, in units of 2^-32."""
    chance: Words
    """chance[0]: random word of these random moves."""
    chances: np.uint64
    """chance[0] at the beginning of the first game; each further game's is 2 * APART later."""
    parities: Integers
    """0 for each game in which the learner moves at even plies, 1 for odd ones."""
    codes: Integers
    """Final code of each game (kernel/game.py)."""
    plies: Integers
    moves: Words
    """Moves of the games, with room for max_plies moves each."""
    ends: Words
    """Final state of each game."""


@bare_kernel
def train_games(
    game: GameWorkspace,
    learner: CompiledPlayer,
    opponent: CompiledPlayer,
    td: TDParameters,
    opponent_td: TDParameters,
    batch: Batch,
) -> int:
    """Play the games of a batch. Only boards after a net's own moves are trained.

    Returns the number of finished games: fewer than the batch has if the learner's STOP flag was set.
    """
    mine, other = learner.context.evaluator, opponent.context.evaluator
    both = batch.both != _0
    opening = batch.opening_plies
    room, words = np.int64(game.draws[DRAW_MAX_PLIES]), np.int64(game.rules.words)
    for g in range(len(batch.parities)):
        parity = batch.parities[g]
        _fresh(learner, batch, np.uint64(2 * g))
        _fresh(opponent, batch, np.uint64(2 * g + 1))
        batch.chance[0] = batch.chances + np.uint64(2 * g) * _APART
        begin(game, at(batch.start, _0))
        while True:
            n, code = legal(game)
            if code == RUNNING and batch.adjudicate != _0:
                known = ask_oracles(learner.context, at(game.states, _0))
                if known != UNKNOWN:
                    code = known + ADJUDICATED
            if code != RUNNING:
                break
            own = (game.counters[PLIES] & 1) == parity
            in_opening = game.counters[PLIES] < opening
            explored = in_opening or (batch.explore != _0 and next_word(batch.chance) >> _32 < batch.explore)
            # Not choose(game, learner if own else opponent, n): copying a player costs as much as a short search.
            if explored:
                m = game.moves[below(batch.chance, np.uint64(n))]
            elif own:
                m = choose(game, learner, n)
            else:
                m = choose(game, opponent, n)
            if learner.context.control[STOP] != 0:
                return g
            advance(game, m)
            if in_opening:
                continue
            first = explored or game.counters[PLIES] <= opening + 2
            known = UNKNOWN
            if own:
                if batch.targets != _0 and not first:
                    known = ask_oracles(learner.context, at(game.states, _0))
                _learn(game, mine, td, first, known, parity, batch.rewards)
            elif both:
                if batch.targets != _0 and not first:
                    known = ask_oracles(opponent.context, at(game.states, _0))
                _learn(game, other, opponent_td, first, known, 1 - parity, batch.rewards)
        _finish(game, mine, td, code, parity, opening, batch.rewards)
        if both:
            _finish(game, other, opponent_td, code, 1 - parity, opening, batch.rewards)
        plies = game.counters[PLIES]
        batch.codes[g], batch.plies[g] = code, plies
        for i in range(plies):
            batch.moves[g * room + i] = game.played[i]
        for i in range(words):
            batch.ends[g * words + i] = game.states[i]
    return len(batch.parities)


@inline
def _fresh(player: CompiledPlayer, batch: Batch, number: Any) -> None:
    """Reset memory and random numbers, so that a game depends only on the weights and its number."""
    memory = player.context.memory
    for i in range(len(memory)):
        memory[i] = batch.fresh[i]
    player.context.rng[0] = batch.stream + number * _APART


@inline
def _learn(
    game: GameWorkspace,
    evaluator: CompiledEvaluator,
    td: TDParameters,
    first: Any,
    known: Any,
    parity: Any,
    rewards: Any,
) -> None:
    """Train on the board after a move of the evaluator's player, who moves at plies of this parity.

    first: whether no earlier board should approach this one, because there is none or because the move was random.
    known: the result for the other player, who is to move, or UNKNOWN.
    """
    if first:
        first_board(evaluator, td, at(game.states, _0))
    elif known == UNKNOWN:
        next_board(evaluator, td, at(game.states, _0))
    else:
        reward = rewards[2 + parity] if known == DRAW else rewards[0] if known == LOSS else rewards[1]
        next_known_board(evaluator, td, at(game.states, _0), -evaluator.sign * reward)


@inline
def _finish(
    game: GameWorkspace,
    evaluator: CompiledEvaluator,
    td: TDParameters,
    code: Any,
    parity: Any,
    opening: Any,
    rewards: Any,
) -> None:
    """Train on the outcome, if the player who moves at plies of this parity has moved after the opening at all."""
    if game.counters[PLIES] <= opening + ((opening ^ parity) & 1):
        return
    if code & 3 == DRAW:
        reward = rewards[2 + parity]
    else:
        won = (code & 3 == WIN) == ((game.counters[PLIES] & 1) == parity)
        reward = rewards[0] if won else rewards[1]
    # The reward must be seen from the same side as the evaluator's output.
    final_reward(evaluator, td, -evaluator.sign * reward)
