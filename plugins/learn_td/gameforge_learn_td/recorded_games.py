"""Training on recorded games: games as sequences of positions, the TD rule over them, and the learner `expert` at work.

The learner follows [Lynch1997], sections 6.5 and 9.2.
"""

import functools
import hashlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import Game, GameforgeError, finished_games
from gameforge.interfaces import LearnerState, Progress, State, Trained, TrainingTask
from gameforge.kernel import (
    U0,
    U1,
    CompiledEvaluator,
    FloatArray,
    IntegerArray,
    WordArray,
    assembly,
    at,
    bare_kernel,
    interruptible,
    slots,
)
from gameforge.storage import checkpoint
from gameforge_learn_td.settings import ExpertSettings
from gameforge_learn_td.td_rule import TDParameters, final_reward, first_board, next_board


class Positions(NamedTuple):
    """Sequences of states; each holds the states after one side's moves in one game."""

    states: WordArray
    """All states, concatenated; `words` words each."""
    words: np.uint64
    ends: IntegerArray
    """ends[i]: index of the state that follows the last one of sequence i."""
    rewards: NDArray[np.float64]
    """Final reward of each sequence."""
    games: int
    left_out: int
    """Number of skipped games: those without a result, and drawn ones unless `draws`."""


@bare_kernel
def train_positions(
    evaluator: CompiledEvaluator, td: TDParameters, positions: Positions, control: IntegerArray
) -> float:
    """Train one epoch. Returns the sum of (reward - last prediction)^2, an incomplete one if control[STOP] was set."""
    words = positions.words
    eyes = -evaluator.sign  # as in game_kernels.py
    squares = 0.0
    here = U0
    for i in range(len(positions.ends)):
        if control[slots.STOP] != 0:
            break
        end = np.uint64(positions.ends[i])
        first_board(evaluator, td, at(positions.states, here * words))
        here += U1
        while here < end:
            next_board(evaluator, td, at(positions.states, here * words))
            here += U1
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


@attrs.define(kw_only=True)
class ExpertState:
    """Everything that changes during a training, and the digest of its games."""

    initial: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    net: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    epoch: int = 0
    """Finished epochs."""
    games: str

    @classmethod
    def restored(cls, state: LearnerState, digest: str, weights: int) -> "ExpertState":
        """Restore a checkpoint; GameforgeError if the games or the net differ."""
        if not {"epoch", "games"} <= state.values.keys():
            raise GameforgeError("learner expert: the checkpoint is damaged: it does not name its epoch and games")
        if state.values["games"] != digest:
            raise GameforgeError("learner expert: the game files have changed since this training began")
        mismatch = f"learner expert: the checkpoint does not match this network, which has {weights} weights"
        return checkpoint.unpack(cls, state, mismatch, weights=weights)


def train(settings: ExpertSettings, task: TrainingTask) -> Trained:
    """Train, or resume a training; raises the errors of the learner `expert`."""
    parts = task.parts
    net, _ = parts.trainable()
    positions = read_positions(settings.games, parts.game, settings.draws, (settings.draw_first, settings.draw_second))
    digest = hashlib.sha256(positions.states.tobytes() + positions.rewards.tobytes()).hexdigest()
    initial = parts.initial_weights(np.random.default_rng(task.seed))
    state = ExpertState(initial=initial, net=initial.copy(), games=digest)
    if task.saved is not None:
        state = ExpertState.restored(task.saved, digest, net.weights)
    initial, weights = state.initial, state.net
    evaluator = assembly.with_inputs_of_its_own(parts.evaluation)._replace(weights=weights)
    td, control = TDParameters.of(settings, net), np.zeros(slots.CONTROLS, np.int64)
    for epoch in range(state.epoch + 1, settings.epochs + 1):
        began = time.perf_counter()
        squares = interruptible(control, train_positions, evaluator, td, positions, control)
        seconds = time.perf_counter() - began
        if not np.isfinite(weights).all():
            raise GameforgeError(
                f"learner expert: the weights diverged in epoch {epoch}; lower rate1, rate2 or momentum"
            )
        error = float(np.sqrt(squares / len(positions.rewards)))
        numbers = {"error": error, "games_per_second": positions.games / max(seconds, 1e-9)}
        task.session_finished(
            Progress(
                session=epoch,
                sessions=settings.epochs,
                games=epoch * positions.games,
                total=settings.epochs * positions.games,
                weights=weights,
                numbers=numbers,
            )
        )
        state.epoch = epoch
        task.checkpoint(functools.partial(checkpoint.pack, state))
    states = len(positions.states) // int(positions.words)
    summary = {"games": positions.games, "positions": states, "left_out": positions.left_out}
    return Trained(weights=weights.copy(), initial_weights=initial, summary=summary | {"epochs": settings.epochs})
