"""A fit: epochs of Adam over shuffled batches, until the loss on positions of other games stops falling."""

import contextlib
import math
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import attrs
import numpy as np
from gameforge_examples.positions import Positions
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.kernel.seeds import derived
from gameforge.play.parts import Parts
from gameforge_learn_regress.adam import Moments, step
from gameforge_learn_regress.calibration import calibration
from gameforge_learn_regress.data import SHARDS, Data, data_of
from gameforge_learn_regress.settings import FitSettings
from gameforge_learn_regress.targets import targets

Floats = NDArray[np.float32]
_SPLIT, _ORDER, _BATCHES = range(3)
"""Purposes of random numbers."""
_LEAST_STEPS, _LEAST_BATCH = 50, 32
"""Steps that an epoch has if its batches can be made small enough for that."""


@attrs.define(eq=False)
class FitState:
    """All that changes in the course of a fit."""

    weights: Floats
    best: Floats
    moments: Moments
    epoch: int = 0
    """Epochs that are over."""
    lowest: float = math.inf
    """Validation loss of `best`."""
    best_epoch: int = 0

    @classmethod
    def begin(cls, initial: Floats) -> "FitState":
        return cls(initial.copy(), initial.copy(), Moments.of(len(initial)))


@attrs.frozen(eq=False)
class Fitted:
    """The result of a fit."""

    weights: Floats
    epochs: int
    train_loss: float
    test_loss: float
    """Of the weights that are returned, as kernels read them."""
    calibration: Mapping[str, Any]
    """Of the validation positions (calibration.py)."""


class Fit:
    """Fits an evaluator to positions; depends on these, the settings and the seed, not on the number of threads.

    Raises GameforgeError if there are no positions, only one, or only those of one game, if all have the same target
    value, and if the loss is not a number.
    """

    def __init__(
        self, settings: FitSettings, parts: Parts, positions: Positions, seed: np.random.SeedSequence, where: str
    ) -> None:
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
        with _threads(workers) as pool:
            while state.epoch < settings.epochs and state.epoch - state.best_epoch < settings.patience:
                train = self._epoch(state, pool)
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
            epochs=state.epoch,
            train_loss=self._loss(self.train, weights),
            test_loss=self._loss(self.test, weights),
            calibration=calibration(predicted, self._results, self.test.importance),
        )

    def _epoch(self, state: FitState, pool: Executor | None) -> float:
        """One pass over all batches; the mean loss of each before its step."""
        settings = self._settings
        rate = settings.rate * settings.decay**state.epoch
        order = np.random.default_rng(derived(self._seed, _BATCHES, state.epoch)).permutation(len(self._batches))
        loss = 0.0
        for i in order:
            first, end = self._batches[i]
            loss += sum(self._gradient(state.weights, first, end, pool))
            stepped = state.weights[self._stepped]
            self._step(state, rate, pool)
            state.weights[self._stepped] = stepped  # not even the penalty may change them
        return loss / self._total

    def _gradient(self, w: Floats, first: int, end: int, pool: Executor | None) -> list[float]:
        """Losses of the shards of a batch; their gradients are added up in _step."""
        cuts = [first + (end - first) * shard // SHARDS for shard in range(SHARDS + 1)]
        jobs = [(w, cuts[i], cuts[i + 1], i, self._gradients[i]) for i in range(SHARDS)]
        if pool is None:
            return [self.train.add_gradient(*job) for job in jobs]
        return [done.result() for done in [pool.submit(self.train.add_gradient, *job) for job in jobs]]

    def _step(self, state: FitState, rate: float, pool: Executor | None) -> None:
        """A step by the gradients; every position counts the same, also those of a last, smaller batch."""
        moments = state.moments
        share, penalty = len(self._batches) / self._total, self._settings.weight_decay / self._total
        scales = np.float32(share), np.float32(penalty), *moments.rates(rate)
        common = (state.weights, moments.mean, moments.square, self._gradients, *scales)
        n = len(state.weights)
        if pool is None:
            step(*common, np.uint64(0), np.uint64(n))
            return
        cuts = [np.uint64(n * i // SHARDS) for i in range(SHARDS + 1)]
        for done in [pool.submit(step, *common, cuts[i], cuts[i + 1]) for i in range(SHARDS)]:
            done.result()

    @staticmethod
    def _loss(data: Data, w: Floats) -> float:
        """Mean cross-entropy."""
        p = np.clip(data.predict(w).astype(np.float64), 1e-7, 1 - 1e-7)
        y = data.targets
        losses = -(y * np.log(p) + (1 - y) * np.log(1 - p))
        return float(np.average(losses, weights=data.importance))


@contextlib.contextmanager
def _threads(workers: int) -> Iterator[Executor | None]:
    """A pool for the shards of a batch; None for one thread."""
    threads = min(workers, SHARDS, os.cpu_count() or 1)
    if threads < 2:
        yield None
        return
    with ThreadPoolExecutor(threads, thread_name_prefix="gameforge-regress") as pool:
        yield pool
