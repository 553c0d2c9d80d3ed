"""The learner `cem`: the cross-entropy method over parameters ([Rubinstein1999]; [Rezende2017], section 2.3)."""

import attrs

from gameforge.interfaces import Trained, TrainingTask
from gameforge_learn_cem.settings import CemSettings


@attrs.frozen(kw_only=True)
class Cem(CemSettings):
    """The cross-entropy method for numeric parameters of a pipeline.

    In each iteration, samples are drawn around the mean, each plays a match against the mean, and mean and deviation
    move towards those of the best samples.
    """

    def train(self, task: TrainingTask) -> Trained:
        """Tune the parameters.

        Raises GameforgeError if a parameter does not exist or is not a number, or if a component does not accept its
        range or the openings.
        """
        from gameforge_learn_cem.cross_entropy import CrossEntropySearch

        return CrossEntropySearch(self, task).run()
