"""Recorded games as sequences of positions, and the TD rule over them in one kernel."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import bare_kernel
from gameforge.kernel.context import STOP, CompiledEvaluator, Integers, Words
from gameforge.play.finished_games import finished_games
from gameforge.play.game import Game
from gameforge_learn_td.td_rule import TDParameters, final_reward, first_board, next_board

_0, _1 = np.uint64(0), np.uint64(1)


class Positions(NamedTuple):
    """Sequences of states; each holds the states after one side's moves in one game."""

    states: Words
    """All states, concatenated; `words` words each."""
    words: np.uint64
    ends: Integers
    """ends[i]: index of the state that follows the last one of sequence i."""
    rewards: NDArray[np.float64]
    """Final reward of each sequence."""
    games: int
    left_out: int
    """Number of skipped games: those without a result, and drawn ones unless `draws`."""

    @property
    def number(self) -> int:
        """Number of states."""
        return len(self.states) // int(self.words)


@bare_kernel
def train_positions(evaluator: CompiledEvaluator, td: TDParameters, positions: Positions, control: Integers) -> float:
    """Train one epoch. Returns the sum of (reward - last prediction)^2, an incomplete one if control[STOP] was set."""
    words = positions.words
    eyes = -evaluator.sign  # as in training_games.py
    squares = 0.0
    here = _0
    for i in range(len(positions.ends)):
        if control[STOP] != 0:
            break
        end = np.uint64(positions.ends[i])
        first_board(evaluator, td, at(positions.states, here * words))
        here += _1
        while here < end:
            next_board(evaluator, td, at(positions.states, here * words))
            here += _1
        reward = eyes * positions.rewards[i]
        squares += (reward - td.prediction[0]) ** 2
        final_reward(evaluator, td, reward)
    return squares


def read_positions(paths: Sequence[Path], game: Game, draws: bool, draw_rewards: tuple[float, float]) -> Positions:
    """Read the finished games of files, in order; drawn games only with `draws`.

    Raises GameforgeError if a file cannot be read or has no games with a result, or if no games are left.
    """
    states: list[State] = []
    ends: list[int] = []
    rewards: list[float] = []
    games = left_out = 0
    for path in paths:
        finished = 0
        for one in finished_games(path, game):
            if one is None:
                left_out += 1
                continue
            finished += 1
            if one.winner is None and not draws:
                left_out += 1
                continue
            games += 1
            for side, boards in enumerate(one.boards):
                if boards:
                    states += boards
                    ends.append(len(states))
                    rewards.append(draw_rewards[side] if one.winner is None else 1.0 if one.winner == side else -1.0)
        if not finished:
            raise GameforgeError(f"learner.games: {path} has no games with a result, so there is nothing to learn from")
    if not ends:
        raise GameforgeError("learner.games: all games are drawn, and draws = false skips drawn games")
    return Positions(
        states=np.array(states, np.uint64).reshape(-1),
        words=np.uint64(game.functions.words),
        ends=np.array(ends, np.int64),
        rewards=np.array(rewards, np.float64),
        games=games,
        left_out=left_out,
    )
