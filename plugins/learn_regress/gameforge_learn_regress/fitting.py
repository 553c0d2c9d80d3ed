"""A fit: what positions should score, the epochs of Adam [Kingma2015], and the calibration of the result.

`Fit` runs epochs over shuffled batches until the loss on positions of other games stops falling. `regress` trains with
one fit, of which each epoch is a session that can be resumed.
"""

import contextlib
import functools
import hashlib
import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import attrs
import numpy as np
from gameforge_examples.positions import Positions, read_positions
from numpy.typing import NDArray

from gameforge import GameforgeError, Parts
from gameforge.interfaces import Progress, Trained, TrainingTask
from gameforge.kernel import FloatArray, derived, kernel
from gameforge.storage import checkpoint
from gameforge_learn_regress.data import SHARDS, Data, data_of, require_room, require_slopes
from gameforge_learn_regress.settings import FitSettings, RegressSettings

Doubles = NDArray[np.float64]
_SURE = 1e-6
"""Distance of a score from 0 and 1 below which it counts as this near."""
_SCALES = 1e-3, 1e3
_ROUNDS, _PRECISION = 100, 1e-9


def targets(positions: Positions, blend: float, calibrate: bool) -> FloatArray:
    """Expected result of each position for the side to move, 0 to 1; what an oracle knows needs no blending."""
    scores = positions.scores.astype(np.float64)
    if calibrate:
        for source in np.unique(positions.sources):
            here = (positions.sources == source) & ~positions.exact
            scores[here] = scaled(scores[here], score_scale(scores[here], positions.results[here].astype(np.float64)))
    blended = blend * positions.results + (1 - blend) * scores
    return np.where(positions.exact, positions.scores, blended).astype(np.float32)


def scaled(scores: Doubles, scale: float) -> Doubles:
    """Scores whose log-odds are multiplied."""
    return _expected(scale * _log_odds(scores))


def score_scale(scores: Doubles, results: Doubles) -> float:
    """Factor of the scores' log-odds with which they predict the results best (least cross-entropy).

    1 if it cannot be estimated: there are no scores, all of them are 1/2, or all results are alike.
    """
    odds = _log_odds(scores)
    if not len(odds) or not odds.any() or np.ptp(results) == 0:
        return 1.0
    low, high = _SCALES
    for _ in range(_ROUNDS):  # the slope of the loss rises with the factor
        middle = np.sqrt(low * high)
        slope = np.sum(odds * (_expected(middle * odds) - results))
        low, high = (low, middle) if slope > 0 else (middle, high)
        if high / low < 1 + _PRECISION:
            break
    return float(np.sqrt(low * high))


def _expected(odds: Doubles) -> Doubles:
    """1 / (1 + exp(-odds)), without overflow."""
    found: Doubles = (1 + np.tanh(odds / 2)) / 2
    return found


def _log_odds(scores: Doubles) -> Doubles:
    held = np.clip(scores, _SURE, 1 - _SURE)
    found: Doubles = np.log(held / (1 - held))
    return found


_BETA1, _BETA2, _EPSILON = 0.9, 0.999, np.float32(1e-8)


@kernel
def adam_step(
    w: FloatArray,
    mean: FloatArray,
    square: FloatArray,
    centre: FloatArray,
    gradients: NDArray[np.float32],
    share: np.float32,
    penalty: np.float32,
    rate: np.float32,
    unbias: np.float32,
    first: np.uint64,
    end: np.uint64,
) -> None:
    """One step of weights first to end.

    gradients[shards, weights] are added up in the order of the shards, multiplied by share, and set to 0. The penalty
    is penalty / 2 times the sum of the squared differences of the weights from the centre.
    """
    b1, b2 = np.float32(_BETA1), np.float32(_BETA2)
    c1, c2 = np.float32(1 - _BETA1), np.float32(1 - _BETA2)
    for shard in range(1, len(gradients)):
        for j in range(first, end):
            gradients[0, j] += gradients[shard, j]
            gradients[shard, j] = 0
    for j in range(first, end):
        g = gradients[0, j] * share + penalty * (w[j] - centre[j])
        gradients[0, j] = 0
        m = b1 * mean[j] + c1 * g
        v = b2 * square[j] + c2 * g * g
        mean[j], square[j] = m, v
        w[j] -= rate * m / (np.sqrt(v * unbias) + _EPSILON)


_SPLIT, _ORDER, _BATCHES = range(3)
"""Purposes of random numbers."""
_LEAST_STEPS, _LEAST_BATCH = 50, 32
"""Steps that an epoch has if its batches can be made small enough for that."""


@attrs.define(eq=False)
class FitState:
    """All that changes in the course of a fit."""

    weights: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    best: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    mean: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    """Adam's means of the gradients."""
    square: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    """Adam's means of their squares."""
    steps: int = 0
    """Adam's steps so far."""
    epoch: int = 0
    """Epochs that are over."""
    lowest: float = math.inf
    """Validation loss of `best`."""
    best_epoch: int = 0
    positions: str = ""
    """A digest of the positions, by which a resumed fit knows them."""

    @classmethod
    def begin(cls, initial: FloatArray, positions: str = "") -> "FitState":
        zeros = np.zeros(len(initial), np.float32)
        return cls(initial.copy(), initial.copy(), zeros, zeros.copy(), positions=positions)


@attrs.frozen(eq=False)
class Fitted:
    """The result of a fit."""

    weights: FloatArray
    train_loss: float
    test_loss: float
    """Of the weights that are returned, as kernels read them."""
    calibration: Mapping[str, list[int | float]]
    """Of the validation positions, as `calibration` returns it."""


class Fit:
    """Fits an evaluator to positions; depends on these, the settings and the seed, not on the number of threads.

    Raises GameforgeError if there are no positions, only one, or only those of one game, if all have the same target
    value, and if the loss is not a number.
    """

    def __init__(
        self,
        settings: FitSettings,
        parts: Parts,
        positions: Positions,
        seed: np.random.SeedSequence,
        where: str,
        centre: FloatArray | None = None,
    ) -> None:
        """centre: weights towards which the penalty pulls; None: 0."""
        self._settings, self._seed, self._where = settings, seed, where
        if not len(positions):
            raise GameforgeError(f"{where}: there are no positions")
        if len(positions) == 1:
            raise GameforgeError(f"{where}: there is only one position; at least two games are needed")
        aims = targets(positions, settings.blend, settings.calibrate)
        if np.ptp(aims) == 0:
            raise GameforgeError(
                f"{where}: all {len(positions):,} positions have the same target value, {round(float(aims[0]), 3):g}; "
                "there is nothing to learn"
            )
        train, test = self._split(positions)
        self.train: Data = data_of(parts, positions.chosen(train), aims[train])
        self.test: Data = data_of(parts, positions.chosen(test), aims[test])
        self._total = float(self.train.importance.sum(dtype=np.float64))
        self._results = positions.results[test]
        assert parts.vector is not None
        self._vector = parts.vector
        size = min(settings.batch, max(len(train) // _LEAST_STEPS, _LEAST_BATCH))
        self._batches = [(first, min(first + size, len(train))) for first in range(0, len(train), size)]
        self._centre = np.zeros(self._vector.length, np.float32) if centre is None else centre
        self._gradients = np.zeros((SHARDS, self._vector.length), np.float32)
        self._stepped = [one.place for one in self._vector.stepped]

    def _split(self, positions: Positions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Places of those that are trained with, in random order, and of those of some other games."""
        games = np.unique(positions.games)
        if len(games) < 2:
            raise GameforgeError(
                f"{self._where}: all positions come from one game; at least two games are needed, one of them for "
                "validation"
            )
        kept = min(max(1, round(self._settings.validation * len(games))), len(games) - 1)
        chosen = np.random.default_rng(derived(self._seed, _SPLIT)).permutation(games)[:kept]
        tests = np.isin(positions.games, chosen)
        train = np.random.default_rng(derived(self._seed, _ORDER)).permutation(np.flatnonzero(~tests))
        return train, np.flatnonzero(tests)

    def run(
        self,
        state: FitState,
        workers: int = 1,
        epoch_finished: Callable[[FitState, float, float], None] = lambda state, train, test: None,
    ) -> Fitted:
        """Train until the validation loss stops falling, or for all epochs.

        epoch_finished is called after each epoch with the state, the training loss and the validation loss.
        """
        settings = self._settings
        with _threads(workers) as each:
            while state.epoch < settings.epochs and state.epoch - state.best_epoch < settings.patience:
                train = self._epoch(state, each)
                test = self._loss(self.test, state.weights)
                if not math.isfinite(train + test):
                    raise GameforgeError(
                        f"{self._where}: the loss is not a number in epoch {state.epoch + 1}; lower the rate, or check "
                        "the evaluator"
                    )
                state.epoch += 1
                if test < state.lowest:
                    state.lowest, state.best_epoch = test, state.epoch
                    state.best[:] = state.weights
                epoch_finished(state, train, test)
        weights = self._vector.rounded(state.best)
        predicted = self.test.predict(weights)
        return Fitted(
            weights=weights,
            train_loss=self._loss(self.train, weights),
            test_loss=self._loss(self.test, weights),
            calibration=calibration(predicted, self._results, self.test.importance),
        )

    def _epoch(self, state: FitState, each: "_Each") -> float:
        """One pass over all batches; the mean loss of each before its step."""
        settings = self._settings
        rate = settings.rate * settings.decay**state.epoch
        order = np.random.default_rng(derived(self._seed, _BATCHES, state.epoch)).permutation(len(self._batches))
        loss = 0.0
        for i in order:
            first, end = self._batches[i]
            # The gradients of the shards are added up in the step.
            cuts = [first + (end - first) * shard // SHARDS for shard in range(SHARDS + 1)]
            shards = [(state.weights, cuts[i], cuts[i + 1], i, self._gradients[i]) for i in range(SHARDS)]
            loss += sum(each(self.train.add_gradient, shards))
            stepped = state.weights[self._stepped]
            self._step(state, rate, each)
            state.weights[self._stepped] = stepped  # not even the penalty may change them
        return loss / self._total

    def _step(self, state: FitState, rate: float, each: "_Each") -> None:
        """A step by the gradients; every position counts the same, also those of a last, smaller batch."""
        state.steps += 1
        share, penalty = len(self._batches) / self._total, self._settings.weight_decay / self._total
        unbiased = rate / (1 - _BETA1**state.steps), 1 / (1 - _BETA2**state.steps)
        scales = map(np.float32, (share, penalty, *unbiased))
        common = (state.weights, state.mean, state.square, self._centre, self._gradients, *scales)
        cuts = [np.uint64(len(state.weights) * i // SHARDS) for i in range(SHARDS + 1)]
        each(adam_step, [(*common, *part) for part in itertools.pairwise(cuts)])

    @staticmethod
    def _loss(data: Data, w: FloatArray) -> float:
        """Mean cross-entropy."""
        p = np.clip(data.predict(w).astype(np.float64), 1e-7, 1 - 1e-7)
        y = data.targets
        losses = -(y * np.log(p) + (1 - y) * np.log(1 - p))
        return float(np.average(losses, weights=data.importance))


_Each = Callable[[Callable[..., object], Iterable[tuple[object, ...]]], list[Any]]
"""Calls a function for each tuple of arguments; returns the results in their order."""


@contextlib.contextmanager
def _threads(workers: int) -> Iterator[_Each]:
    """Call functions for the shards of a batch in as many threads as make sense."""
    threads = min(workers, SHARDS, os.cpu_count() or 1)
    if threads < 2:
        yield lambda function, arguments: list(itertools.starmap(function, arguments))
        return
    with ThreadPoolExecutor(threads, thread_name_prefix="gameforge-regress") as pool:
        yield lambda function, arguments: [
            done.result() for done in [pool.submit(function, *these) for these in arguments]
        ]


BINS = 20
INCHES = 4.0
"""Height of the picture."""
_LARGEST_DOT = 120.0


def calibration(predicted: FloatArray, results: FloatArray, importance: FloatArray) -> dict[str, list[Any]]:
    """Columns of a table, a row for each twentieth of expected results: number of positions, and both means.

    Results are 1 for a win of the side to move, 1/2 for a draw, 0 for a loss.
    """
    bins = np.minimum((predicted * BINS).astype(np.int64), BINS - 1)
    counts = np.bincount(bins, importance, BINS)
    there = counts > 0
    sums = [np.bincount(bins, importance * x.astype(np.float64), BINS) for x in (predicted, results)]
    means = [total[there] / counts[there] for total in sums]
    return {
        "positions": np.rint(counts[there]).astype(np.int64).tolist(),
        "predicted": means[0].round(4).tolist(),
        "actual": means[1].round(4).tolist(),
    }


def draw_calibration(columns: Mapping[str, Any], axis: Any) -> None:
    """Draw actual over predicted results into matplotlib's axes; dots are as large as their share."""
    most = max(columns["positions"])
    sizes = [max(8.0, _LARGEST_DOT * n / most) for n in columns["positions"]]
    axis.plot((0, 1), (0, 1), color="#888888", linewidth=0.8)
    axis.plot(columns["predicted"], columns["actual"], color="C0", linewidth=1.0)
    axis.scatter(columns["predicted"], columns["actual"], s=sizes, color="C0")
    axis.set(xlim=(0, 1), ylim=(0, 1), xlabel="predicted result", ylabel="actual result")
    axis.set_title("calibration on positions of games that were not trained with", fontsize="small")
    axis.grid(alpha=0.3)


_WEIGHTS, _FIT = range(2)
"""Purposes of random numbers."""


def regress(settings: RegressSettings, task: TrainingTask) -> Trained:
    """Fit, or resume a fit; the errors are those of the learner `regress`."""
    parts = task.parts
    require_slopes(parts)
    require_room("learner regress", parts.tunable()[0])
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
