"""The learner `cascade`: cascade-correlation ([Fahlman1990]) and Cascade-2 ([Nissen2007]).

It trains the output, then repeatedly adds a unit and trains the output again.
"""

import contextlib
import functools
import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import LearnerState, Progress, Trained, TrainingTask
from gameforge.kernel import FloatArray, derived
from gameforge.storage import checkpoint
from gameforge_eval_cascade.candidates import Pool, pool, train_candidates
from gameforge_eval_cascade.cascade import Cascade, Layout, layout
from gameforge_eval_cascade.descent import Crew, Rows, add_unit, rows
from gameforge_eval_cascade.outputs import errors_for_candidates, passed, train_outputs
from gameforge_eval_cascade.settings import CascadeSettings


@attrs.frozen(kw_only=True)
class CascadeLearner(CascadeSettings):
    """Adds hidden units to a net, one after the other, up to its maximum.

    For each unit, a pool of candidates is trained on the net's errors. The best candidate becomes a frozen unit, and
    the output's weights are trained again. The result is the net with the lowest test error ([Rezende2017], sections
    2.2 and 3.2).
    """

    def train(self, task: TrainingTask) -> Trained:
        """Train a net; raises GameforgeError if the evaluator is not a cascade or the examples are not suitable."""
        return train(self, task)


@attrs.define(eq=False, kw_only=True)
class TrainingState:
    """The net, and the output's weights and errors after each of its units."""

    initial: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    net: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    outputs: FloatArray = attrs.field(metadata=checkpoint.kept(None, "rows"))
    """outputs[n]: weights of inputs, bias and n units, filled up with zeros."""
    train: list[float] = attrs.field(factory=list)
    """train[n]: MSE with n units."""
    test: list[float] = attrs.field(factory=list)
    examples: str
    """Digest of the examples."""

    @property
    def units(self) -> int:
        return int(self.net[0])

    @property
    def best(self) -> int:
        """Number of units of the net with the lowest test error; the smallest net on ties."""
        return int(np.argmin(self.test))

    def add(self, form: Layout, weights: FloatArray, code: int) -> None:
        """Add a hidden unit whose weight to the output is 0."""
        unit = self.units + 1
        form.weights(self.net)[: len(weights), unit] = weights
        self.net[0], self.net[unit] = unit, code

    def finished(self, form: Layout, output: FloatArray, train: float, test: float) -> None:
        """Record the output's weights and the errors for the current number of units."""
        form.weights(self.net)[: len(output), 0] = output
        self.outputs = np.vstack([self.outputs, np.pad(output, (0, form.rows - len(output)))])
        self.train.append(train)
        self.test.append(test)

    def copy(self, form: Layout, units: int) -> FloatArray:
        """The net as it was with this number of units."""
        net = np.zeros_like(self.net)
        net[0], net[1 : 1 + units] = units, self.net[1 : 1 + units]
        rows, weights = form.inputs + 1 + units, form.weights(net)
        weights[:rows, 1 : 1 + units] = form.weights(self.net)[:rows, 1 : 1 + units]
        weights[:rows, 0] = self.outputs[units, :rows]
        return net

    @classmethod
    def restored(cls, state: LearnerState, form: Layout, examples: str) -> "TrainingState":
        """Restore the state of a checkpoint; GameforgeError if it belongs to other examples or another net."""
        mismatch = "learner cascade: the checkpoint does not match this network"
        found = checkpoint.unpack(cls, state, mismatch, weights=form.length, rows=form.rows)
        if found.examples != examples:
            raise GameforgeError("learner cascade: the examples have changed since this training began")
        form.check(found.net)
        # A checkpoint is written after the output's training, so each number of units has its errors.
        if not len(found.outputs) == len(found.train) == len(found.test) == found.units + 1:
            raise GameforgeError("learner cascade: the checkpoint is damaged: its lists differ in length")
        return found


_WEIGHTS, _CANDIDATES = range(2)
"""Purposes of random numbers."""


def train(settings: CascadeSettings, task: TrainingTask) -> Trained:
    """Train, or resume a training; raises the errors of the learner `cascade`."""
    from gameforge_examples.folder import read_examples

    parts = task.parts
    net, evaluator = parts.trainable()
    if not isinstance(evaluator, Cascade):
        raise GameforgeError(
            f"learner cascade needs the evaluator cascade, not {type(evaluator).__name__}",
            advice="choose cascade",
            parameter="evaluator",
        )
    form = layout(net)
    learnt, tested = (
        rows(part.inputs(net.features), part.targets(net.features.viewpoint), form.room)
        for part in read_examples(settings.examples, parts.game).split()
    )
    initial = evaluator.initial_weights(net, np.random.default_rng(derived(task.seed, _WEIGHTS)))
    return Growth(settings, task, form, initial, Examples(learnt, tested, digest_of(learnt, tested))).run()


@contextlib.contextmanager
def _crew(task: TrainingTask) -> Iterator[Crew]:
    """One thread per worker, but not more than this machine has processors."""
    workers = min(1 if task.work is None else task.work.workers, os.cpu_count() or 1)
    with ThreadPoolExecutor(workers, thread_name_prefix="gameforge-cascade") as threads:
        yield Crew(threads, workers)


def digest_of(*parts: Rows) -> str:
    """Digest of the inputs and targets of examples."""
    digest = hashlib.sha256()
    for part in parts:
        for array in (part.starts, part.places, part.values, part.targets):
            digest.update(array.tobytes())
    return digest.hexdigest()


class Examples(NamedTuple):
    """Training and test examples, and the digest of both."""

    train: Rows
    test: Rows
    digest: str


class Growth:
    """The training of one net, new or resumed: adds units up to the maximum."""

    def __init__(
        self, settings: CascadeSettings, task: TrainingTask, form: Layout, initial: FloatArray, examples: Examples
    ) -> None:
        """initial: the weights of a net without hidden units."""
        self._settings, self._task, self._form, self._examples = settings, task, form, examples
        if task.saved is None:
            outputs = np.zeros((0, form.rows), np.float32)
            self._state = TrainingState(initial=initial, net=initial.copy(), outputs=outputs, examples=examples.digest)
        else:
            self._state = TrainingState.restored(task.saved, form, examples.digest)
        self._outputs: FloatArray = np.zeros(0, np.float32)
        """The net's output for each training example."""

    def run(self) -> Trained:
        state, form = self._state, self._form
        with _crew(self._task) as crew:
            self._grow(crew)
        best = state.best
        return Trained(
            weights=state.copy(form, best),
            initial_weights=state.initial,
            summary={
                "train_examples": len(self._examples.train.targets),
                "test_examples": len(self._examples.test.targets),
                "neurons": best,
                "train_mse": state.train[best],
                "test_mse": state.test[best],
            },
            generations=[(f"neurons {units}", state.copy(form, units)) for units in range(len(state.test))],
        )

    def _grow(self, crew: Crew) -> None:
        state, form = self._state, self._form
        # Step 1. Hidden units are frozen, so their values for all examples are computed once, also after a resumption.
        for unit in range(state.units):
            self._compute_unit(unit)
        # Step 2. The output without hidden units. A resumed training has its weights and needs only its values.
        if len(state.outputs):
            self._outputs = passed(crew, self._examples.train, state.units, self._last_output()).outputs
        else:
            self._train_outputs(crew, form.weights(state.net)[: form.inputs + 1, 0].copy(), {})
        # Step 3. Add units. Which net is returned is decided at the end, since a test error that rises may fall again.
        candidates = pool(self._settings.activations, self._settings.steepnesses, self._settings.groups)
        while state.units < form.room:
            self._add_unit(crew, candidates)

    def _add_unit(self, crew: Crew, candidates: Pool) -> None:
        settings, state = self._settings, self._state
        units, last = state.units, self._last_output()
        # Step 1. Train the candidates. Their random numbers depend on the number of units alone, so that a resumed
        # training draws the same ones.
        unit = train_candidates(
            crew,
            self._examples.train,
            units,
            errors_for_candidates(
                self._examples.train.targets, self._outputs, settings.candidate_error, settings.output_error
            ),
            candidates,
            settings.algorithm,
            settings.steps,
            settings.candidate_limits,
            np.random.default_rng(derived(self._task.seed, _CANDIDATES, units)),
        )
        # Step 2. Freeze the best candidate as a unit.
        state.add(self._form, unit.weights, unit.code)
        self._compute_unit(units)
        # Step 3. Train the output, from its last weights on. The multiplier shrinks the unit's weight to the output,
        # which was found with all other weights fixed.
        output = np.append(last, np.float32(unit.output * settings.multiplier))
        self._train_outputs(crew, output, {"candidate_epochs": unit.epochs, "candidate_score": unit.score})

    def _last_output(self) -> FloatArray:
        """The output's weights of inputs, bias and the units so far."""
        state = self._state
        return state.outputs[-1, : self._form.inputs + 1 + state.units].copy()

    def _compute_unit(self, unit: int) -> None:
        """Compute the values of a unit (numbered from 0) for all examples."""
        form, net = self._form, self._state.net
        weights = np.ascontiguousarray(form.weights(net)[: form.inputs + 1 + unit, 1 + unit])
        for part in (self._examples.train, self._examples.test):
            add_unit(part, np.uint64(unit), weights, int(net[1 + unit]))

    def _train_outputs(self, crew: Crew, output: FloatArray, numbers: dict[str, float | int]) -> None:
        """Train the output, starting from these weights, and report the errors of the net."""
        settings, state = self._settings, self._state
        units = state.units
        self._outputs, error, epochs = train_outputs(
            crew,
            self._examples.train,
            units,
            output,
            settings.output_error,
            settings.steps,
            settings.output_limits,
        )
        # The test examples have no part in the training; their error chooses the net.
        tested = passed(crew, self._examples.test, units, output).mse()
        state.finished(self._form, output, error, tested)
        numbers = {"neurons": units, "train_mse": error, "test_mse": tested, "output_epochs": epochs} | numbers
        self._task.session_finished(
            Progress(
                session=units + 1,
                sessions=self._form.room + 1,
                games=0,
                total=0,
                weights=state.net,
                numbers=numbers,
                over="neurons",
            )
        )
        self._task.checkpoint(functools.partial(checkpoint.pack, state))
