"""The learner `expert`: the same TD rule over games that others have played (seed 004, sections 6.5 and 9.2)."""

import functools
import hashlib
import time
from pathlib import Path

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState, Progress, Trained, TrainingTask
from gameforge.kernel.assembly import check, with_inputs_of_its_own
from gameforge.kernel.compile.launch import interruptible
from gameforge.kernel.context import CONTROLS
from gameforge_learn_td.positions import read_positions, train_positions
from gameforge_learn_td.rule_parameters import Floats, RuleParameters, at_least_1, reward


@attrs.frozen(kw_only=True)
class Expert(RuleParameters):
    """TD(lambda) over the games of files, `epochs` times in their order.

    As NeuroDraughts' XTRAIN: a game is two trainings, the positions after the first mover's moves and
    then those after the second's, each ended by the reward of its side.
    """

    games: tuple[Path, ...] = attrs.field(validator=attrs.validators.min_len(1))
    """Files of games or of training positions, as the rules read them."""
    epochs: int = attrs.field(default=10, validator=at_least_1)
    draws: bool = True
    """Also train drawn games."""
    draw_first: float = attrs.field(default=0.0, validator=reward)
    """Reward of a draw for the first mover; a win is 1, a loss -1."""
    draw_second: float = attrs.field(default=0.0, validator=reward)

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError if the evaluator has no weights to train, for files that cannot be read or
        without a finished game, and if training diverges."""
        parts = task.parts
        net, _ = parts.trainable()
        positions = read_positions(self.games, parts.game, self.draws, (self.draw_first, self.draw_second))
        digest = hashlib.sha256(positions.states.tobytes() + positions.rewards.tobytes()).hexdigest()
        initial = parts.initial_weights(np.random.default_rng(task.seed))
        weights, done = initial.copy(), 0
        if task.saved is not None:
            initial, weights, done = _taken_up(task.saved, digest, net.weights)
        evaluator = with_inputs_of_its_own(parts.evaluation)._replace(weights=weights)
        td, control = self.td_parameters(net), np.zeros(CONTROLS, np.int64)
        for epoch in range(done + 1, self.epochs + 1):
            began = time.perf_counter()
            squares = interruptible(control, train_positions, evaluator, td, positions, control)
            check(evaluator)
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
                    sessions=self.epochs,
                    games=epoch * positions.games,
                    total=self.epochs * positions.games,
                    weights=weights,
                    numbers=numbers,
                )
            )
            task.checkpoint(functools.partial(_state, initial, weights, epoch, digest))
        summary = {"games": positions.games, "positions": positions.number, "left_out": positions.left_out}
        return Trained(weights=weights.copy(), initial_weights=initial, summary=summary | {"epochs": self.epochs})


def _state(initial: Floats, weights: Floats, epoch: int, digest: str) -> LearnerState:
    """What a checkpoint keeps."""
    return LearnerState(arrays={"initial": initial, "net": weights.copy()}, values={"epoch": epoch, "games": digest})


def _taken_up(saved: LearnerState, digest: str, weights: int) -> tuple[Floats, Floats, int]:
    """(initial weights, weights, epochs done) of a state; GameforgeError if it is of other games or another net."""
    try:
        nets = [np.array(saved.arrays[name], np.float32) for name in ("initial", "net")]
        epoch, games = int(saved.values["epoch"]), saved.values["games"]
    except (KeyError, TypeError, ValueError) as error:
        raise GameforgeError(f"learner expert: what was saved of it is damaged: {error}") from error
    if games != digest:
        raise GameforgeError("learner expert: the files of games are not those with which this training began")
    if any(array.shape != (weights,) for array in nets):
        raise GameforgeError(f"learner expert: what was saved of it is not of a net with {weights} weights")
    return nets[0], nets[1], epoch
