"""The training of the learner `regress`: one fit, an epoch a session, resumable after each."""

import functools
import hashlib

import attrs
import numpy as np
from gameforge_examples.positions import Positions, read_positions

from gameforge import GameforgeError
from gameforge.interfaces import LearnerState, Progress, Trained, TrainingTask
from gameforge.kernel import FloatArray, derived
from gameforge.storage import kept, pack, unpack
from gameforge_learn_regress.data import require_slopes
from gameforge_learn_regress.fitting import Fit, FitState, Moments
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
    state = FitState.begin(initial) if task.saved is None else _restored(task.saved, len(initial), digest)

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
        task.checkpoint(functools.partial(_snapshot, state, digest))

    fitted = fit.run(state, 1 if task.work is None else task.work.workers, epoch_finished)
    return Trained(
        weights=fitted.weights,
        initial_weights=initial,
        summary={
            "train_positions": len(fit.train.targets),
            "test_positions": len(fit.test.targets),
            "epochs": fitted.epochs,
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


@attrs.frozen
class _Saved:
    """A fit as a checkpoint holds it, with the digest of its positions."""

    weights: FloatArray = attrs.field(metadata=kept("weights"))
    best: FloatArray = attrs.field(metadata=kept("weights"))
    mean: FloatArray = attrs.field(metadata=kept("weights"))
    square: FloatArray = attrs.field(metadata=kept("weights"))
    steps: int
    epoch: int
    lowest: float
    best_epoch: int
    positions: str


def _snapshot(state: FitState, digest: str) -> LearnerState:
    moments = state.moments
    return pack(
        _Saved(
            state.weights,
            state.best,
            moments.mean,
            moments.square,
            moments.steps,
            state.epoch,
            state.lowest,
            state.best_epoch,
            digest,
        )
    )


def _restored(state: LearnerState, weights: int, digest: str) -> FitState:
    """Restore a checkpoint; GameforgeError if it is of other positions or of another evaluator."""
    found = unpack(_Saved, state, "learner regress: the checkpoint does not match this fit", weights=weights)
    if found.positions != digest:
        raise GameforgeError("learner regress: the examples are not those with which the fit began")
    moments = Moments(found.mean, found.square, found.steps)
    return FitState(
        found.weights, found.best, moments, epoch=found.epoch, lowest=found.lowest, best_epoch=found.best_epoch
    )
