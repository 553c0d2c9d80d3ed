"""The kernels that play the training games and learn from them, in batches.

Both play the same games (`_play_games`) and differ in what is learned: `train_games` trains a net by NeuroDraughts'
procedure (td_rule.py), `train_games_by_rule` any evaluator by the rules of trainee.py.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gameforge.interfaces import DRAW, LOSS, RUNNING, WIN
from gameforge.kernel import (
    U0,
    U1,
    U2,
    UNKNOWN,
    CompiledEvaluator,
    CompiledPlayer,
    GameWorkspace,
    IntegerArray,
    Score,
    Word,
    WordArray,
    answer,
    at,
    bare_kernel,
    gameplay,
    inline,
    oracles,
    slots,
)
from gameforge_learn_td.td_rule import TDParameters, final_reward, first_board, next_board, next_known_board
from gameforge_learn_td.trainee import (
    TD,
    TDLEAF,
    TREESTRAP,
    UNKNOWN_VALUE,
    Trainee,
    forget,
    learn_board,
    learn_leaf,
    learn_tree,
    reach_outcome,
)


class Batch(NamedTuple):
    """Games to play, and arrays for their results."""

    start: WordArray
    """State in which each game begins."""
    rewards: NDArray[np.float64]
    """[win, loss, draw for the player who moves at even plies, draw for the one who moves at odd plies]."""
    learners: np.uint64
    """0: no player learns, 1: the first one, 2: both."""
    adjudicate: np.uint64
    """1 if a game ends as soon as the players' oracles know its result, else 0."""
    rule: np.uint64
    """The rule by which any evaluator is trained (trainee.py); not read by the procedure of NeuroDraughts."""
    used: np.uint64
    """Words of a search's stack before the nodes that it hands out."""
    score: NDArray[np.float64]
    """score[0]: that of the search that found the last move, or UNKNOWN_VALUE."""
    targets: np.uint64
    """1 if the values that a net's oracles know replace its predictions as targets, else 0."""
    fresh: WordArray
    """Searcher memory at the beginning of each game."""
    first: int
    """Number of the first game in its phase, from 0."""
    stream: np.uint64
    """The random words of the phase's players (gameplay.first_word), two for each game."""
    opening_plies: np.int64
    """Number of random moves at the beginning of each game; no board before or after them is trained."""
    explore: np.uint64
    """A later move is drawn at random if a random word is below this."""
    chance: WordArray
    """chance[0]: random word of these random moves."""
    chances: np.uint64
    """The random words from which chance[0] begins in each game, as of `stream`; every other one is used."""
    parities: IntegerArray
    """0 for each game in which the first player moves at even plies, 1 for odd ones."""
    codes: IntegerArray
    """Final code of each game (kernel/game.py)."""
    plies: IntegerArray
    moves: WordArray
    """Moves of the games, with room for max_plies moves each."""
    ends: WordArray
    """Final state of each game."""


@inline
def _learn(
    game: GameWorkspace,
    evaluator: CompiledEvaluator,
    td: TDParameters,
    first: bool,
    known: int,
    parity: int,
    rewards: NDArray[np.float64],
) -> None:
    """Train on the board after a move of the evaluator's player, who moves at plies of this parity.

    first: whether no earlier board should approach this one, because there is none or because the move was random.
    known: the result for the other player, who is to move, or UNKNOWN.
    """
    if first:
        first_board(evaluator, td, at(game.states, U0))
    elif known == UNKNOWN:
        next_board(evaluator, td, at(game.states, U0))
    else:
        reward = rewards[2 + parity] if known == DRAW else rewards[0] if known == LOSS else rewards[1]
        next_known_board(evaluator, td, at(game.states, U0), -evaluator.sign * reward)


@inline
def _reward(game: GameWorkspace, code: int, parity: int, rewards: NDArray[np.float64]) -> Score:
    """The reward of the player who moves at plies of this parity."""
    if code & 3 == DRAW:
        return rewards[2 + parity]
    won = (code & 3 == WIN) == ((game.counters[slots.PLIES] & 1) == parity)
    return rewards[0] if won else rewards[1]


@inline
def _finish(
    game: GameWorkspace, evaluator: CompiledEvaluator, td: TDParameters, code: int, parity: int, batch: Batch
) -> None:
    """Train on the outcome, if the player who moves at plies of this parity has moved after the opening at all."""
    opening = batch.opening_plies
    if game.counters[slots.PLIES] <= opening + ((opening ^ parity) & 1):
        return
    # The reward must be seen from the same side as the evaluator's output.
    final_reward(evaluator, td, -evaluator.sign * _reward(game, code, parity, batch.rewards))


@inline
def _adjudicated(game: GameWorkspace, player: CompiledPlayer, batch: Batch) -> int:
    """Return the code of a game that is to be adjudicated, else RUNNING."""
    if batch.adjudicate != U0:
        known = oracles.ask_oracles(player.context, at(game.states, U0))
        if known != UNKNOWN:
            return known + gameplay.ADJUDICATED
    return RUNNING


@inline
def _explored_or_chosen(
    game: GameWorkspace, player: CompiledPlayer, n_moves: Word, task: tuple[Batch, bool]
) -> tuple[int, Word]:
    """End the game if it is to be adjudicated; otherwise find a move, at random where this ply is explored."""
    batch, explored = task
    code = _adjudicated(game, player, batch)
    if code != RUNNING:
        return code, U0
    if explored:
        return RUNNING, gameplay.random_move(game, n_moves, at(batch.chance, U0))
    return RUNNING, gameplay.choose(game, player, n_moves)


@inline
def _explored_or_searched(
    game: GameWorkspace, player: CompiledPlayer, n_moves: Word, task: tuple[Batch, bool]
) -> tuple[int, Word]:
    """Find a move as `_explored_or_chosen` does, and keep the score of the search, if there is one, in batch.score."""
    batch, explored = task
    batch.score[0] = UNKNOWN_VALUE
    code = _adjudicated(game, player, batch)
    if code != RUNNING:
        return code, U0
    if explored:
        return RUNNING, gameplay.random_move(game, n_moves, at(batch.chance, U0))
    if n_moves == U1:
        return RUNNING, game.moves[0]
    place = gameplay.by_book(game, player)
    if place != U0:
        return RUNNING, player.book[place]
    if batch.rule == TREESTRAP:  # in case that an oracle's distances decide without a search
        answer.begin_handing_out(player.context.stack)
    score, m = gameplay.searched(player, at(game.states, U0))
    batch.score[0] = score
    return RUNNING, m


@inline
def _learn_board(
    game: GameWorkspace,
    player: CompiledPlayer,
    td: TDParameters,
    first: bool,
    explored: bool,
    parity: int,
    batch: Batch,
) -> None:
    """Train a net on the board after its own move, as NeuroDraughts does."""
    known = UNKNOWN
    if batch.targets != U0 and not first:
        known = oracles.ask_oracles(player.context, at(game.states, U0))
    _learn(game, player.context.evaluator, td, first, known, parity, batch.rewards)


@inline
def _learn_by_rule(
    game: GameWorkspace, player: CompiledPlayer, t: Trainee, first: bool, explored: bool, parity: int, batch: Batch
) -> None:
    """Train any evaluator on what its own move leaves to learn from; a random move ends the sequence of positions."""
    if explored:
        forget(t)
    if batch.rule == TD:
        known, rewards = UNKNOWN, batch.rewards
        if batch.targets != U0 and not first:
            known = oracles.ask_oracles(player.context, at(game.states, U0))
        value = UNKNOWN_VALUE
        if known != UNKNOWN:
            value = rewards[2 + parity] if known == DRAW else rewards[0] if known == LOSS else rewards[1]
        learn_board(game, player.context.evaluator, t, value)
    elif batch.score[0] != UNKNOWN_VALUE:
        if batch.rule == TDLEAF:
            learn_leaf(game, player, t, batch.score[0])
        else:
            learn_tree(player, t, batch.used)


@inline
def _finish_by_rule(
    game: GameWorkspace, evaluator: CompiledEvaluator, t: Trainee, code: int, parity: int, batch: Batch
) -> None:
    """Train on the outcome, unless there is no prediction to correct."""
    reach_outcome(evaluator, t, _reward(game, code, parity, batch.rewards))


@bare_kernel
def train_games(
    game: GameWorkspace,
    learner: CompiledPlayer,
    opponent: CompiledPlayer,
    td: TDParameters,
    opponent_td: TDParameters,
    batch: Batch,
) -> int:
    """Play the games of a batch, and train a net as NeuroDraughts does; returns the number of finished games."""
    return _play_games(game, learner, opponent, td, opponent_td, batch, _explored_or_chosen, _learn_board, _finish)


@bare_kernel
def train_games_by_rule(
    game: GameWorkspace,
    learner: CompiledPlayer,
    opponent: CompiledPlayer,
    td: Trainee,
    opponent_td: Trainee,
    batch: Batch,
) -> int:
    """Play the games of a batch, and train any evaluator by batch.rule; returns the number of finished games."""
    return _play_games(
        game, learner, opponent, td, opponent_td, batch, _explored_or_searched, _learn_by_rule, _finish_by_rule
    )


Training = TypeVar("Training", TDParameters, Trainee)
Learn = Callable[[GameWorkspace, CompiledPlayer, Training, bool, bool, int, Batch], None]
Finish = Callable[[GameWorkspace, CompiledEvaluator, Training, int, int, Batch], None]


@inline
def _play_games(
    game: GameWorkspace,
    learner: CompiledPlayer,
    opponent: CompiledPlayer,
    td: Training,
    opponent_td: Training,
    batch: Batch,
    find: "gameplay.Find[tuple[Batch, bool]]",
    learn: "Learn[Training]",
    finish: "Finish[Training]",
) -> int:
    """Play the games of a batch. Only what follows a player's own moves is learned from.

    A searcher that answers with an illegal move loses. Returns the number of finished games: fewer than the batch has
    if the learner's STOP flag was set.
    """
    mine, other = learner.context.evaluator, opponent.context.evaluator
    opening = batch.opening_plies
    room, words = np.int64(game.draws[slots.DRAW_MAX_PLIES]), np.int64(game.rules.words)
    for g in range(len(batch.parities)):
        parity = batch.parities[g]
        number = 2 * (batch.first + g)
        gameplay.seat(learner, batch.fresh, gameplay.first_word(batch.stream, number))
        gameplay.seat(opponent, batch.fresh, gameplay.first_word(batch.stream, number + 1))
        batch.chance[0] = gameplay.first_word(batch.chances, number)
        gameplay.begin(game, at(batch.start, U0))
        while True:
            plies = game.counters[slots.PLIES]
            # Drawn before anyone knows whether the game goes on: the next game has random words of its own.
            explored = plies < opening or gameplay.happens(at(batch.chance, U0), batch.explore)
            code = gameplay.ply(game, learner, opponent, parity, find, (batch, explored))
            if code != RUNNING:
                break
            if batch.learners == U0 or plies < opening:
                continue
            first = explored or plies < opening + 2
            if (plies & 1) == parity:
                learn(game, learner, td, first, explored, parity, batch)
            elif batch.learners == U2:
                learn(game, opponent, opponent_td, first, explored, 1 - parity, batch)
        if code == gameplay.STOPPED:
            return g
        if batch.learners != U0:
            finish(game, mine, td, code, parity, batch)
        if batch.learners == U2:
            finish(game, other, opponent_td, code, 1 - parity, batch)
        plies = game.counters[slots.PLIES]
        batch.codes[g], batch.plies[g] = code, plies
        for i in range(plies):
            batch.moves[g * room + i] = game.played[i]
        for i in range(words):
            batch.ends[g * words + i] = game.states[i]
    return len(batch.parities)
