"""Training games of one net against a fixed opponent, whole batches inside the kernel."""

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.abi import DRAW, RUNNING, WIN
from gameforge.kernel.bits import at
from gameforge.kernel.context import STOP, Integers, PlayerTable, Words
from gameforge.kernel.game import GameTable, advance, begin, choose, legal
from gameforge.kernel.jit import kernel
from gameforge_learn_td.td_rule import TDTable, final_reward, first_board, next_board

_0 = np.uint64(0)


@kernel
def train_games(
    game: GameTable,
    learner: PlayerTable,
    opponent: PlayerTable,
    td: TDTable,
    rewards: NDArray[np.float64],
    start: Words,
    sides: Integers,
    codes: Integers,
    plies: Integers,
    moves: Words,
) -> int:
    """Play len(sides) games from `start`; the learner moves first where its side is 0.

    Only boards after the learner's own moves are trained. rewards: [win, loss, draw as first
    mover, draw as second]. Writes for each game the final code (kernel/game.py), the number of
    plies, and its moves, max_plies places a game. Returns how many games were finished; fewer
    than asked if the learner's STOP flag was set.
    """
    evaluator = learner.context.evaluator
    # The reward in the eyes of the feature map: its output may be seen from either side.
    eyes = -evaluator.sign
    room = np.int64(game.draws[2])
    for g in range(len(sides)):
        begin(game, at(start, _0))
        trained = 0
        while True:
            n, code = legal(game)
            if code != RUNNING:
                break
            mine = (game.counters[0] & 1) == sides[g]
            m = choose(game, learner if mine else opponent, n)
            if learner.context.control[STOP] != 0:
                return g
            advance(game, m)
            if mine:
                if trained == 0:
                    first_board(evaluator, td, at(game.states, _0))
                else:
                    next_board(evaluator, td, at(game.states, _0))
                trained += 1
        if trained > 0:
            if code & 3 == DRAW:
                reward = rewards[2 + sides[g]]
            else:
                to_move = game.counters[0] & 1
                won = (code & 3 == WIN) == (to_move == sides[g])
                reward = rewards[0] if won else rewards[1]
            final_reward(evaluator, td, eyes * reward)
        codes[g] = code
        plies[g] = game.counters[0]
        for i in range(game.counters[0]):
            moves[g * room + i] = game.played[i]
    return len(sides)
