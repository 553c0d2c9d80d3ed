"""The learner `gumbel`, which trains a policy and a value by self-play with tree search."""

import attrs

from gameforge.interfaces import Trained, TrainingTask
from gameforge_learn_gumbel.settings import GumbelSettings


@attrs.frozen(kw_only=True)
class Gumbel(GumbelSettings):
    """AlphaZero with Gumbel search [Danihelka2022], in generations.

    A generation: the evaluator plays games against itself, guided by tree search; its policy is then fitted to the
    improved policies of the searches, and its score to the results of the games and the values of the searches. The
    result is the evaluator after the last generation.
    """

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError for an evaluator without a policy to train, for a searcher that counts no visits, and
        if the loss is not a number."""
        from gameforge_learn_gumbel.training import Training

        return Training(self, task).run()
