"""The learners `evolve` and `roulette`, which evolve the weights of an evaluator by games ([KimCho2007])."""

import functools
from collections.abc import Mapping
from typing import Any

import attrs

from gameforge.interfaces.learner import Illustration, Panel, Trained, TrainingTask
from gameforge_learn_evolve.settings import EvolveSettings, RouletteSettings


@attrs.frozen(kw_only=True)
class Evolve(EvolveSettings):
    """Individuals are weights of the pipeline's evaluator, each with the step sizes of its mutations.

    A generation: parents have children; all play each other; some survive. A win brings 1 point, a loss costs 2
    ([Chellapilla2001]; with species [KimCho2007], section 3.1).
    """

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError if the evaluator has no weights, if the number of parents is odd although they are
        paired, and if there are more species than individuals."""
        from gameforge_learn_evolve.evolution import Evolution

        return Evolution(self, task).run()

    def illustration(self, summary: Mapping[str, Any]) -> Illustration:
        """A map of the species, if the training has found some."""
        from gameforge_learn_evolve.species_plot import INCHES, draw_species

        if "species" not in summary:
            return Illustration()
        return Illustration(panels=[Panel(draw=functools.partial(draw_species, summary["species"]), inches=INCHES)])


@attrs.frozen(kw_only=True)
class Roulette(RouletteSettings):
    """Individuals are weights of the pipeline's evaluator.

    A generation: each plays the opponent, half of the games with each side; fitness is a point for a win and
    half a point for a draw. The best survives unchanged; the others are children of parents that are drawn
    with a probability in proportion to their fitness ([KimCho2007], section 3.3).
    """

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError if the evaluator has no weights, or if the opponent needs some."""
        from gameforge_learn_evolve.roulette_search import RouletteSearch

        return RouletteSearch(self, task).run()
