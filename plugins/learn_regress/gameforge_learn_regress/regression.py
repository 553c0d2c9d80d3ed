"""The training of the learner `regress`: one fit, an epoch a session, resumable after each."""

import functools
import hashlib

import attrs
import numpy as np
from gameforge_examples.positions import Positions, read_positions

from gameforge import GameforgeError
from gameforge.interfaces import Progress, Trained, TrainingTask
from gameforge.kernel import derived
from gameforge.storage import checkpoint
from gameforge_learn_regress.data import require_slopes
from gameforge_learn_regress.fitting import Fit, FitState
from gameforge_learn_regress.settings import RegressSettings

_WEIGHTS, _FIT = range(2)
"""Purposes of random numbers."""


def regress(settings: RegressSettings, task: TrainingTask) -> Trained:
    """Fit, or resume a fit; the errors are those of the learner `regress`."""
    parts = task.parts
    require_slopes(parts)
    where = f"examples {', '.join(map(str, settings.folders))}"
    positions = read_positions(settings.folders, parts.game, merged=settings.merged, images=settings.images)
    digest = _digest(positions)
    initial = parts.initial_weights(np.random.default_rng(derived(task.seed, _WEIGHTS)))
    fit = Fit(settings, parts, positions, derived(task.seed, _FIT), where)
    state = FitState.begin(initial, digest)
    if task.saved is not None:
        mismatch = "learner regress: the checkpoint does not match this fit"
        state = checkpoint.unpack(FitState, task.saved, mismatch, weights=len(initial))
        if state.positions != digest:
            raise GameforgeError("learner regress: the examples are not those with which the fit began")

    def epoch_finished(state: FitState, train: float, test: float) -> None:
        task.session_finished(
            Progress(
                session=state.epoch,
                sessions=settings.epochs,
                games=0,
                total=0,
                weights=state.weights,
                numbers={"epoch": state.epoch, "train_loss": train, "test_loss": test, "best": test == state.lowest},
                over="epoch",
            )
        )
        task.checkpoint(functools.partial(checkpoint.pack, state))

    fitted = fit.run(state, 1 if task.work is None else task.work.workers, epoch_finished)
    return Trained(
        weights=fitted.weights,
        initial_weights=initial,
        summary={
            "train_positions": len(fit.train.targets),
            "test_positions": len(fit.test.targets),
            "epochs": state.epoch,
            "best_epoch": state.best_epoch,
            "train_loss": fitted.train_loss,
            "test_loss": fitted.test_loss,
            "calibration": dict(fitted.calibration),
        },
    )


def _digest(positions: Positions) -> str:
    """Tells the positions of a fit from others."""
    digest = hashlib.sha256()
    for array in attrs.asdict(positions, recurse=False).values():
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
