"""The learner `ga`: a genetic algorithm chooses features ([Neto2007]; [Neto2009], sections 5.1, 5.2 and 5.5)."""

import attrs

from gameforge import GameforgeError
from gameforge.interfaces import Selectable, Trained, TrainingTask
from gameforge_learn_ga.genetics import GASettings


@attrs.frozen(kw_only=True)
class GA(GASettings):
    """Genetic selection of features: a chromosome has a gene for each feature of the pipeline's feature map.

    In each generation, a tournament measures the fitness of all individuals and the fittest survive. `inner` trains
    their children from scratch; survivors keep their nets.
    """

    def train(self, task: TrainingTask) -> Trained:
        """Run the genetic algorithm.

        Raises GameforgeError if the features are not selectable or fewer than `flips`, and the errors of the inner
        learner.
        """
        from gameforge_learn_ga.genetic_search import GeneticSearch

        features = self._features(task.parts.features)
        if task.work is None:
            raise GameforgeError("learner ga needs workers to train individuals, but the task has none")
        if self.flips > len(features.selectable):
            raise GameforgeError(
                f"learner ga: flips = {self.flips} is more than the {len(features.selectable)} features to choose from"
            )
        task.parts.trainable()
        return GeneticSearch(self, task, task.work, features).run()

    def _features(self, features: object) -> Selectable:
        """The features to choose from; GameforgeError if there are none."""
        if isinstance(features, Selectable):
            return features
        what = "it has none" if features is None else f"the features of {type(features).__name__} are not selectable"
        raise GameforgeError(f"learner ga: the pipeline needs a feature map to choose features from: {what}")
