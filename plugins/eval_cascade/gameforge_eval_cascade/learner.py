"""The learner `cascade`: cascade-correlation ([Fahlman1990]) and Cascade-2 ([Nissen2007])."""

import attrs

from gameforge.interfaces.learner import Trained, TrainingTask
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
        from gameforge_eval_cascade.training import train

        return train(self, task)
