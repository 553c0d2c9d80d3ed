"""The learner `ga`: a genetic algorithm chooses features ([Neto2007]; [Neto2009], sections 5.1, 5.2 and 5.5)."""

import attrs

from gameforge.interfaces import Trained, TrainingTask
from gameforge_learn_ga.settings import GASettings


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

        return GeneticSearch(self, task).run()
