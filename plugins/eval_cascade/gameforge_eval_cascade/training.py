"""The course of a training: outputs, then again and again a new unit and the outputs again."""

import contextlib
import functools
import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from gameforge_examples.folder import read_examples

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import Progress, Trained, TrainingTask
from gameforge.kernel.seeds import derived
from gameforge_eval_cascade.candidates import Pool, pool, train_candidates
from gameforge_eval_cascade.cascade import Cascade, layout
from gameforge_eval_cascade.layout import Floats, Layout
from gameforge_eval_cascade.outputs import passed, train_outputs
from gameforge_eval_cascade.rows import Crew, Rows, add_unit, rows
from gameforge_eval_cascade.standing import Standing

if TYPE_CHECKING:
    from gameforge_eval_cascade.learner import CascadeLearner

_WEIGHTS, _CANDIDATES = range(2)
"""Purposes of random numbers."""


def train(learner: "CascadeLearner", task: TrainingTask) -> Trained:
    """As of CascadeLearner."""
    parts = task.parts
    net, evaluator = parts.trainable()
    if not isinstance(evaluator, Cascade):
        raise GameforgeError(
            f"learner cascade builds nets of the evaluator cascade, not of {type(evaluator).__name__}",
            advice="choose cascade",
            parameter="evaluator",
        )
    form = layout(net)
    learnt, tested = (
        rows(part.inputs(net.features), part.targets(net.features.viewpoint), form.room)
        for part in read_examples(learner.examples, parts.game).split()
    )
    initial = evaluator.initial_weights(net, np.random.default_rng(derived(task.seed, _WEIGHTS)))
    return build(learner, task, form, initial, Examples(learnt, tested, digest_of(learnt, tested)))


def build(
    learner: "CascadeLearner", task: TrainingTask, form: Layout, initial: Floats, examples: "Examples"
) -> Trained:
    """Let a net without hidden units grow, or one that was saved."""
    standing = Standing(form=form, initial=initial, net=initial.copy())
    if task.saved is not None:
        standing = Standing.of(task.saved, form, examples.digest)
    with _crew(task) as crew:
        Growth(learner, task, standing, examples, crew).run()
    best = standing.best
    return Trained(
        weights=standing.copy(best),
        initial_weights=standing.initial,
        summary={
            "train_examples": len(examples.train.targets),
            "test_examples": len(examples.test.targets),
            "neurons": best,
            "train_mse": standing.train[best],
            "test_mse": standing.test[best],
        },
        generations=[(f"neurons {units}", standing.copy(units)) for units in range(len(standing.test))],
    )


@contextlib.contextmanager
def _crew(task: TrainingTask) -> Iterator[Crew]:
    """As many threads as there are workers, but no more than this machine has processors."""
    workers = min(1 if task.work is None else task.work.workers, os.cpu_count() or 1)
    with ThreadPoolExecutor(workers, thread_name_prefix="gameforge-cascade") as threads:
        yield Crew(threads, workers)


def digest_of(*parts: Rows) -> str:
    """Of the inputs and targets of examples."""
    digest = hashlib.sha256()
    for part in parts:
        for array in (part.starts, part.places, part.values, part.targets):
            digest.update(array.tobytes())
    return digest.hexdigest()


class Examples(NamedTuple):
    """What is learnt from, what is tested with, and the digest of both."""

    train: Rows
    test: Rows
    digest: str


class Growth:
    """A net that gets unit after unit until there is no more room."""

    def __init__(
        self, learner: "CascadeLearner", task: TrainingTask, standing: Standing, examples: Examples, crew: Crew
    ) -> None:
        self._learner, self._task, self._standing = learner, task, standing
        self._examples, self._crew = examples, crew
        self._outputs: Floats = np.zeros(0, np.float32)
        """The net's, for each example that is learnt from."""

    def run(self) -> None:
        standing, form = self._standing, self._standing.form
        for unit in range(standing.units):
            self._follow(unit)
        if standing.outputs:  # resumed
            self._outputs = passed(self._crew, self._examples.train, standing.units, standing.outputs[-1]).outputs
        else:
            self._train_outputs(form.weights(standing.net)[: form.inputs + 1, 0].copy(), {})
        candidates = pool(self._learner.activations, self._learner.steepnesses, self._learner.groups)
        while standing.units < form.room:
            self._add_unit(candidates)

    def _add_unit(self, candidates: Pool) -> None:
        learner, standing = self._learner, self._standing
        units = standing.units
        unit = train_candidates(
            self._crew,
            self._examples.train,
            units,
            (self._examples.train.targets - self._outputs) * np.float32(0.5),
            candidates,
            learner.algorithm,
            learner.steps,
            learner.candidate_limits,
            np.random.default_rng(derived(self._task.seed, _CANDIDATES, units)),
        )
        standing.add(unit.weights, unit.code)
        self._follow(units)
        output = np.append(standing.outputs[-1], np.float32(unit.output * learner.multiplier))
        self._train_outputs(output, {"candidate_epochs": unit.epochs, "candidate_score": unit.score})

    def _follow(self, unit: int) -> None:
        """Let a unit (from 0) of the net give what it gives for all examples."""
        form, net = self._standing.form, self._standing.net
        weights = np.ascontiguousarray(form.weights(net)[: form.inputs + 1 + unit, 1 + unit])
        for part in (self._examples.train, self._examples.test):
            add_unit(part, np.uint64(unit), weights, int(net[1 + unit]))

    def _train_outputs(self, output: Floats, numbers: dict[str, float | int]) -> None:
        """Train the output from these weights, and tell how the net is doing now."""
        learner, standing = self._learner, self._standing
        units = standing.units
        self._outputs, error, epochs = train_outputs(
            self._crew,
            self._examples.train,
            units,
            output,
            learner.output_error,
            learner.steps,
            learner.output_limits,
        )
        tested = passed(self._crew, self._examples.test, units, output).mse()
        standing.finished(output, error, tested)
        numbers = {"neurons": units, "train_mse": error, "test_mse": tested, "output_epochs": epochs} | numbers
        self._task.session_finished(
            Progress(
                session=units + 1,
                sessions=standing.form.room + 1,
                games=0,
                total=0,
                weights=standing.net,
                numbers=numbers,
                over="neurons",
            )
        )
        self._task.checkpoint(functools.partial(standing.state, self._examples.digest))
