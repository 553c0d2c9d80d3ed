"""The learners `regress` and `selfplay`, which fit an evaluator to positions with values."""

import functools
from collections.abc import Mapping
from typing import Any

import attrs

from gameforge.interfaces import Illustration, Panel, Trained, TrainingTask
from gameforge_learn_regress.settings import RegressSettings, SelfplaySettings


class _Calibrated:
    """A learner whose runs are illustrated by the calibration of the last fit."""

    def illustration(self, summary: Mapping[str, Any]) -> Illustration:
        """The calibration of the last fit."""
        from gameforge_learn_regress.fitting import INCHES, draw_calibration

        if "calibration" not in summary:
            return Illustration()
        drawn = functools.partial(draw_calibration, summary["calibration"])
        return Illustration(panels=[Panel(draw=drawn, inches=INCHES)])


@attrs.frozen(kw_only=True)
class Regress(RegressSettings, _Calibrated):
    """Fits an evaluator to positions with values: a net, or one that offers terms or a gradient.

    An epoch is a session. The result is the weights with the lowest loss on positions of games that are kept from
    training.
    """

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError if the evaluator has no weights, or neither terms nor a gradient; for folders without
        examples, or with those of another game; if there is nothing to learn from; and if the loss is not a number."""
        from gameforge_learn_regress.fitting import regress

        return regress(self, task)


@attrs.frozen(kw_only=True)
class Selfplay(SelfplaySettings, _Calibrated):
    """Trains an evaluator from scratch, in generations.

    A generation: the best player so far plays against itself; its evaluator is fitted, as by `regress`, to the
    positions of the last generations; the candidate takes its place if it wins a match against it; the best player is
    measured by a match against a fixed opponent. The result is the last player that was accepted.
    """

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError if the evaluator has no weights, or neither terms nor a gradient; for a teacher or a
        yardstick with weights; and if there is nothing to learn from."""
        from gameforge_learn_regress.generations import Generations

        return Generations(self, task).run()
