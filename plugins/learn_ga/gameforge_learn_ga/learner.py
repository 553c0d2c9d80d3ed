"""The learner `ga`: a genetic algorithm chooses features ([Neto2007]; [Neto2009], sections 5.1, 5.2 and 5.5)."""

import attrs

from gameforge.interfaces.learner import Trained, TrainingTask
from gameforge_learn_ga.settings import GASettings


@attrs.frozen(kw_only=True)
class GA(GASettings):
    """Individuals are choices among the features of the pipeline's feature map; a chromosome has a gene for each.

    A generation: a tournament decides the fitness of all; the best survive; they have children, each of
    which `inner` trains from scratch, while survivors keep their nets.
    """

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError if the feature map offers no choice, if `flips` is more than there are features,
        and what the inner learner raises."""
        from gameforge_learn_ga.genetic_search import GeneticSearch

        return GeneticSearch(self, task).run()
