"""The learners `evolve` and `roulette`, which evolve an evaluator's weights through games ([KimCho2007]).

A run of `evolve` that found species is illustrated by a map of them.
"""

import functools
from collections.abc import Mapping
from typing import Any

import attrs

from gameforge.interfaces import Illustration, Panel, Trained, TrainingTask
from gameforge_learn_evolve.settings import EvolveSettings, RouletteSettings


@attrs.frozen(kw_only=True)
class Evolve(EvolveSettings):
    """Evolution of the weights of the pipeline's evaluator, with self-adaptive step sizes of the mutations.

    In each generation, parents have children, all individuals play each other, and the survivors become the next
    parents. A win brings 1 point, a loss costs 2 ([Chellapilla2001]; with species [KimCho2007], section 3.1).
    """

    signed = ("fitness", "mean_fitness")

    def train(self, task: TrainingTask) -> Trained:
        """Evolve the weights.

        Raises GameforgeError if the evaluator has no weights, if the population is odd with scheme `crowding`, or if
        `species` exceeds the population.
        """
        from gameforge_learn_evolve.evolution import Evolution

        return Evolution(self, task).run()

    def illustration(self, summary: Mapping[str, Any]) -> Illustration:
        """A map of the species, if the training was asked to find species."""
        if "species" not in summary:
            return Illustration()
        return Illustration(panels=[Panel(draw=functools.partial(draw_species, summary["species"]), inches=MAP_INCHES)])


@attrs.frozen(kw_only=True)
class Roulette(RouletteSettings):
    """Genetic algorithm for the weights of the pipeline's evaluator ([KimCho2007], section 3.3).

    In each generation, every individual plays the opponent, half of the games with each side; fitness is a point for a
    win and half a point for a draw. The fittest survives unchanged. The others are children of parents drawn with a
    probability in proportion to their fitness.
    """

    def train(self, task: TrainingTask) -> Trained:
        """Evolve the weights; raises GameforgeError if the evaluator has no weights or the opponent has some."""
        from gameforge_learn_evolve.roulette import RouletteSearch

        return RouletteSearch(self, task).run()


MAP_INCHES = 5.0


def draw_species(species: Mapping[str, Any], axis: Any) -> None:
    """Draw the species of a run's summary into matplotlib's axes.

    species: `representatives`, one number each; `members`, lists of numbers; `places`, lists of their (x, y).
    """
    columns = (species[key] for key in ("representatives", "members", "places"))
    for i, (representative, members, places) in enumerate(zip(*columns, strict=True)):
        x, y = zip(*places, strict=True)
        label = f"{representative}: {len(members)}"
        axis.scatter(x, y, s=18, color=f"C{i % 10}", label=label, marker="o" if i < 10 else "x")
        elected = members.index(representative)
        axis.scatter(x[elected], y[elected], s=160, color=f"C{i % 10}", marker="*", edgecolors="black", zorder=3)
    axis.set_aspect("equal", "datalim")
    title = "species of the last generation; distances show differences, stars representatives"
    axis.set_title(title, fontsize="small")
    axis.legend(
        title="representative: members",
        fontsize="small",
        title_fontsize="small",
        loc="center left",
        bbox_to_anchor=(1, 0.5),
    )
    axis.grid(alpha=0.3)
