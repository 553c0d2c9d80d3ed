"""The learner `cascade`: cascade-correlation ([Fahlman1990]) and Cascade-2 ([Nissen2007]).

It trains the output (outputs.py), then repeatedly adds a unit (candidates.py) and trains the output again.
"""

import contextlib
import functools
import hashlib
import math
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import LearnerState, Progress, Trained, TrainingTask, kinds, near
from gameforge.kernel import FloatArray, derived
from gameforge.storage import checkpoint
from gameforge_eval_cascade.candidates import Algorithm, Pool, pool, train_candidates
from gameforge_eval_cascade.cascade import ACTIVATIONS, Cascade, Layout, layout
from gameforge_eval_cascade.descent import Crew, Limits, Rows, Rule, Steps, add_unit, rows
from gameforge_eval_cascade.outputs import CandidateError, OutputError, errors_for_candidates, passed, train_outputs

STEEPNESSES = (0.25, 0.5, 0.75, 1.0)
_MOST_CANDIDATES = 4096


def _functions(
    instance: "CascadeLearner", attribute: "attrs.Attribute[tuple[str, ...]]", value: tuple[str, ...]
) -> None:
    if not value:
        raise GameforgeError(f"'{attribute.name}' must be one or more of {', '.join(ACTIVATIONS)}")
    for name in value:
        if name not in ACTIVATIONS:
            raise GameforgeError(
                f"'{attribute.name}': unknown activation function {name!r}{near(name, ACTIVATIONS)}; "
                f"choose among {', '.join(ACTIVATIONS)}"
            )


def _steepnesses(
    instance: "CascadeLearner", attribute: "attrs.Attribute[tuple[float, ...]]", value: tuple[float, ...]
) -> None:
    if not value or not all(math.isfinite(one) and one > 0 for one in value):
        raise GameforgeError(f"'{attribute.name}' must be one or more numbers above 0 (got {value!r})")


def _affordable(instance: "CascadeLearner", attribute: "attrs.Attribute[int]", value: int) -> None:
    if instance.candidates > _MOST_CANDIDATES:
        raise GameforgeError(
            f"activations x steepnesses x groups = {instance.candidates} candidates; at most {_MOST_CANDIDATES} allowed"
        )


_epochs = kinds.count(1, 1_000_000)
_still = kinds.count(0, 1_000_000)


@attrs.frozen(kw_only=True)
class CascadeLearner:
    """Adds hidden units to a net, one after the other, up to its maximum.

    For each unit, a pool of candidates is trained on the net's errors. The best candidate becomes a frozen unit, and
    the output's weights are trained again. The result is the net with the lowest test error ([Rezende2017], sections
    2.2 and 3.2). The defaults are those of FANN ([Nissen2007]).
    """

    examples: Path
    """Folder of examples with a test part."""
    algorithm: Algorithm = "cascade2"
    """Objective of the candidates. cascade2: reduction of the output's error. correlation: covariance with it."""
    rule: Rule = "irprop-"
    """How weights change: with or without taking a step back when the error grows."""
    activations: tuple[str, ...] = attrs.field(default=ACTIVATIONS, validator=_functions)
    """Activation functions of the candidates."""
    steepnesses: tuple[float, ...] = attrs.field(default=STEEPNESSES, validator=_steepnesses)
    """Steepnesses of each activation function among the candidates."""
    groups: int = attrs.field(default=2, validator=[kinds.count(1, 256), _affordable])
    """Candidates of each function and steepness, with different initial weights."""
    output_error: OutputError = "tanh"
    """Error function for training the output: FANN's tanh error function, or linear."""
    candidate_error: CandidateError = "difference"
    """Errors on which candidates are trained: half the difference of target and output, or FANN's, those of the
    output's own training."""
    multiplier: float = attrs.field(default=0.4, validator=kinds.positive())
    """Factor of a new unit's weight to the output."""
    output_epochs: int = attrs.field(default=150, validator=_epochs)
    """Maximum number of epochs. The next three: minimum number, epochs without a significant change that end the
    training, and share of the gain from which a change is significant."""
    output_least: int = attrs.field(default=50, validator=_still)
    """Minimum number of epochs of the output."""
    output_patience: int = attrs.field(default=12, validator=_epochs)
    """Epochs without a significant change that end the training of the output."""
    output_change: float = attrs.field(default=0.01, validator=kinds.between(0, 1))
    """Share of the gain so far from which a change of the output's error is significant."""
    candidate_epochs: int = attrs.field(default=150, validator=_epochs)
    """Maximum number of epochs of the candidates."""
    candidate_least: int = attrs.field(default=50, validator=_still)
    """Minimum number of epochs of the candidates."""
    candidate_patience: int = attrs.field(default=12, validator=_epochs)
    """Epochs without a significant change that end the training of the candidates."""
    candidate_change: float = attrs.field(default=0.01, validator=kinds.between(0, 1))
    """Share of the gain so far from which a change of the best candidate is significant."""
    increase: float = attrs.field(default=1.2, validator=kinds.between(1, 100))
    """Factor of a growing step; this and the next four are parameters of iRprop."""
    decrease: float = attrs.field(default=0.5, validator=kinds.positive(1))
    """Factor of a shrinking step."""
    first_step: float = attrs.field(default=0.1, validator=kinds.positive())
    """Initial size of a step."""
    least_step: float = attrs.field(default=0.0, validator=kinds.not_negative)
    """Minimum size of a step."""
    most_step: float = attrs.field(default=50.0, validator=kinds.positive())
    """Maximum size of a step."""

    @property
    def candidates(self) -> int:
        """Candidates in the pool."""
        return len(self.activations) * len(self.steepnesses) * self.groups

    @property
    def steps(self) -> Steps:
        return Steps(
            self.rule, self.increase, self.decrease, first=self.first_step, least=self.least_step, most=self.most_step
        )

    @property
    def output_limits(self) -> Limits:
        return Limits(self.output_epochs, self.output_least, self.output_patience, self.output_change)

    @property
    def candidate_limits(self) -> Limits:
        return Limits(self.candidate_epochs, self.candidate_least, self.candidate_patience, self.candidate_change)

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


def train(settings: CascadeLearner, task: TrainingTask) -> Trained:
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
        self, settings: CascadeLearner, task: TrainingTask, form: Layout, initial: FloatArray, examples: Examples
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
