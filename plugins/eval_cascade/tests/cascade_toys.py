"""Cascades of any structure, what they should give, and problems of the cascade literature."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from gameforge_eval_cascade.cascade import ACTIVATIONS, Layout
from gameforge_eval_cascade.descent import rows
from gameforge_eval_cascade.learner import CascadeLearner, Examples, Growth, digest_of
from numpy.typing import NDArray

from gameforge.interfaces.learner import LearnerState, Progress, Trained, TrainingTask

Reals = NDArray[np.float64]
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sigmoid": lambda x: 1 / (1 + np.exp(-2 * np.maximum(x, -300.0))),
    "tanh": np.tanh,
    "gaussian": lambda x: np.exp(-(x**2)),
    "symmetric gaussian": lambda x: 2 * np.exp(-(x**2)) - 1,
    "elliot": lambda x: x / 2 / (1 + abs(x)) + 0.5,
    "symmetric elliot": lambda x: x / (1 + abs(x)),
    "symmetric sin": np.sin,
    "symmetric cos": np.cos,
    "sin": lambda x: np.sin(x) / 2 + 0.5,
    "cos": lambda x: np.cos(x) / 2 + 0.5,
}
"""FANN's, with steepness 1 ([Nissen2007])."""


def random_net(form: Layout, units: int, seed: int, size: float = 0.5) -> NDArray[np.float32]:
    """A net with this number of units, whose activation functions take turns."""
    rng, vector = np.random.default_rng(seed), np.zeros(form.length, np.float32)
    vector[0], vector[1 : 1 + units] = units, np.arange(units) % len(ACTIVATIONS)
    weights = form.weights(vector)
    weights[: form.inputs + 1, : 1 + units] = rng.uniform(-size, size, (form.inputs + 1, 1 + units))
    hidden = np.triu(rng.uniform(-size, size, (units, units)), 1)
    weights[form.inputs + 1 :][:units, 1 : 1 + units] = hidden
    weights[form.inputs + 1 :][:units, 0] = rng.uniform(-size, size, units)
    return vector


def value(form: Layout, vector: Any, x: Any) -> float:
    """What the net gives, by the formula in cascade.py, in float64."""
    weights = form.weights(np.asarray(vector, np.float64))
    known = [*np.asarray(x, np.float64), 1.0]
    for unit in range(int(vector[0])):
        net = np.dot(weights[: len(known), 1 + unit], known)
        known.append(FUNCTIONS[ACTIVATIONS[int(vector[1 + unit])]](net))
    return math.tanh(np.dot(weights[: len(known), 0], known))


def two_spirals() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """194 points of two spirals that wind three times around each other (Lang and Witbrock 1988)."""
    points, targets = [], []
    for i in range(97):
        angle, radius = i * np.pi / 16, 6.5 * (104 - i) / 104
        for sign in (1, -1):
            points.append((sign * radius * math.sin(angle), sign * radius * math.cos(angle)))
            targets.append(sign)
    return np.array(points, np.float32), np.array(targets, np.float32)


def parity(bits: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """All words with this number of bits; the target is 1 if an odd number of bits is set."""
    words = (np.arange(1 << bits)[:, None] >> np.arange(bits)) & 1
    return words.astype(np.float32), np.where(words.sum(1) % 2, 1, -1).astype(np.float32)


Problem = tuple[NDArray[np.float32], NDArray[np.float32]]


class Grown:
    """A training on arrays, and everything that it reported."""

    def __init__(
        self, train: Problem, test: Problem, room: int, *, seed: int = 1, workers: int = 1,
        saved: LearnerState | None = None, **settings: Any,
    ) -> None:  # fmt: skip
        self.form = Layout(train[0].shape[1], room)
        initial = np.zeros(self.form.length, np.float32)
        self.sessions: list[Progress] = []
        self.states: list[LearnerState] = []
        task = TrainingTask(
            parts=None,  # type: ignore[arg-type]  # not used
            seed=np.random.SeedSequence(seed),
            game_finished=lambda game: None,
            session_finished=self.sessions.append,
            checkpoint=lambda state: self.states.append(state()),
            saved=saved,
            work=SimpleNamespace(workers=workers),  # type: ignore[arg-type]
        )
        parts = tuple(rows(*part, room) for part in (train, test))
        examples = Examples(parts[0], parts[1], digest_of(*parts))
        learner = CascadeLearner(examples="unread", **settings)  # type: ignore[arg-type]
        self.trained: Trained = Growth(learner, task, self.form, initial, examples).run()

    def figures(self, name: str) -> list[float]:
        return [float(progress.numbers[name]) for progress in self.sessions]

    def right(self, problem: Problem) -> float:
        """Share of the examples on the right side of 0."""
        signs = [value(self.form, self.trained.weights, x) for x in problem[0]]
        return float(np.mean(np.sign(signs) == problem[1]))
