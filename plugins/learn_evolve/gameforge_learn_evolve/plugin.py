"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "learner",
            "evolve",
            "gameforge_learn_evolve.evolution:Evolve",
            "Evolution of an evaluator's weights through games among the individuals, optionally with species",
        ),
        Component(
            "learner",
            "roulette",
            "gameforge_learn_evolve.roulette:Roulette",
            "Genetic algorithm for an evaluator's weights, with many games against one opponent",
        ),
    ]
