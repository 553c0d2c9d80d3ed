"""Training with the learner `expert`: TD(lambda) over recorded games ([Lynch1997], sections 6.5 and 9.2)."""

import functools
import hashlib
import time

import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState, Progress, Trained, TrainingTask
from gameforge.kernel.assembly import with_inputs_of_its_own
from gameforge.kernel.compile.launch import interruptible
from gameforge.kernel.context import CONTROLS
from gameforge_learn_td.positions import read_positions, train_positions
from gameforge_learn_td.settings import ExpertSettings
from gameforge_learn_td.td_rule import td_parameters

Floats = NDArray[np.float32]


def train(settings: ExpertSettings, task: TrainingTask) -> Trained:
    """Train, or resume a training; raises the errors of the learner `expert`."""
    parts = task.parts
    net, _ = parts.trainable()
    positions = read_positions(settings.games, parts.game, settings.draws, (settings.draw_first, settings.draw_second))
    digest = hashlib.sha256(positions.states.tobytes() + positions.rewards.tobytes()).hexdigest()
    initial = parts.initial_weights(np.random.default_rng(task.seed))
    weights, done = initial.copy(), 0
    if task.saved is not None:
        initial, weights, done = _resumed(task.saved, digest, net.weights)
    evaluator = with_inputs_of_its_own(parts.evaluation)._replace(weights=weights)
    td, control = td_parameters(settings, net), np.zeros(CONTROLS, np.int64)
    for epoch in range(done + 1, settings.epochs + 1):
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
        task.checkpoint(functools.partial(_snapshot, initial, weights, epoch, digest))
    summary = {"games": positions.games, "positions": positions.number, "left_out": positions.left_out}
    return Trained(weights=weights.copy(), initial_weights=initial, summary=summary | {"epochs": settings.epochs})


def _snapshot(initial: Floats, weights: Floats, epoch: int, digest: str) -> LearnerState:
    """The state of the training, for a checkpoint."""
    return LearnerState(arrays={"initial": initial, "net": weights.copy()}, values={"epoch": epoch, "games": digest})


def _resumed(saved: LearnerState, digest: str, weights: int) -> tuple[Floats, Floats, int]:
    """(initial weights, weights, finished epochs) of a checkpoint; GameforgeError if the games or the net differ."""
    try:
        epoch, games = saved.value("epoch", int), saved.value("games", str)
    except ValueError as error:
        raise GameforgeError(f"learner expert: the checkpoint is damaged: {error}") from error
    if games != digest:
        raise GameforgeError("learner expert: the game files have changed since this training began")
    try:
        return saved.floats("initial", (weights,)), saved.floats("net", (weights,)), epoch
    except ValueError as error:
        raise GameforgeError(
            f"learner expert: the checkpoint does not match this network, which has {weights} weights: {error}"
        ) from error
