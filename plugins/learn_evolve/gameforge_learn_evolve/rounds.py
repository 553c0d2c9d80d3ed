"""The course of the learner `roulette`: fitness of all, then the next population."""

import contextlib
import time
from typing import Any

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState, Progress, Trained, TrainingTask, Work
from gameforge.kernel.seeds import derived
from gameforge_learn_evolve.behaviour import euclidean
from gameforge_learn_evolve.fitness import opponent_of, results
from gameforge_learn_evolve.genome import Floats
from gameforge_learn_evolve.roulette import Roulette
from gameforge_learn_evolve.wheel import next_population

_DRAWN, _BORN, _PLAYED = range(3)
"""What random numbers are for: each purpose has its own in each generation."""


@attrs.define
class Standing:
    """All that changes in the course of a training."""

    population: list[Floats]
    generation: int = 0
    """Those that are over."""
    results: dict[int, tuple[int, int]] = attrs.field(factory=dict)
    """Wins and draws of those individuals of this generation that have played."""
    first_best: Floats | None = None
    """Of the first population."""

    def state(self) -> LearnerState:
        """A copy, for a checkpoint."""
        arrays: dict[str, Any] = {"population": np.array(self.population)}
        if self.first_best is not None:
            arrays["first best"] = self.first_best
        values = {"generation": self.generation, "results": [(i, *found) for i, found in self.results.items()]}
        return LearnerState(arrays=arrays, values=values)

    @classmethod
    def of(cls, saved: LearnerState, population: int, weights: int) -> "Standing":
        """What state() gave; GameforgeError if it is none of so many individuals with so many weights."""
        try:
            individuals = np.array(saved.arrays["population"], np.float32)
            if individuals.shape != (population, weights):
                raise ValueError(f"its population has the shape {individuals.shape}, not {population, weights}")
            played = {int(i): (int(wins), int(draws)) for i, wins, draws in saved.values["results"]}
            return cls(list(individuals), int(saved.values["generation"]), played, saved.arrays.get("first best"))
        except (KeyError, TypeError, ValueError) as error:
            raise GameforgeError(
                f"learner roulette: what was saved of it is not a training of this evaluator: {error}"
            ) from error


class Rounds:
    """One training, begun or taken up again."""

    def __init__(self, settings: Roulette, task: TrainingTask) -> None:
        vector, _ = task.parts.tunable()
        if task.work is None:
            raise GameforgeError("learner roulette: it needs workers for its games, and was given none")
        opponent_of(task.work.site, settings.opponent)
        self.settings, self.task = settings, task
        self.work: Work = task.work
        if task.saved is None:
            rng = self._rng(_DRAWN)
            self.at = Standing([task.parts.initial_weights(rng) for _ in range(settings.population)])
        else:
            self.at = Standing.of(task.saved, settings.population, vector.length)

    def run(self) -> Trained:
        at, settings = self.at, self.settings
        while True:
            fitness = self._fitness()
            best = int(np.argmax(fitness))
            if at.first_best is None:
                at.first_best = at.population[best]
            if at.generation + 1 == settings.generations:
                break
            rng = self._rng(_BORN, at.generation)
            at.population = next_population(
                at.population,
                fitness,
                settings.crossover,
                settings.mutation,
                lambda rng=rng: self.task.parts.initial_weights(rng),  # type: ignore[misc]
                rng,
            )
            at.generation, at.results = at.generation + 1, {}
            self.task.checkpoint(at.state)
        order = np.argsort(-np.array(fitness), kind="stable").tolist()
        return Trained(
            weights=at.population[best].copy(),
            initial_weights=at.first_best.copy(),
            generations=[(f"individual {i + 1}", at.population[i]) for i in order],
            summary={"games": settings.training_games, "best": best + 1, "fitness": fitness[best]},
        )

    def _rng(self, *purpose: int) -> np.random.Generator:
        return np.random.default_rng(derived(self.task.seed, *purpose))

    def _fitness(self) -> list[float]:
        """Of all individuals of this generation; goes on behind the results that are there, and tells."""
        at, settings = self.at, self.settings
        left = [i for i in range(settings.population) if i not in at.results]
        asked = [
            (
                settings.opponent,
                at.population[i],
                settings.games,
                settings.random_moves,
                derived(self.task.seed, _PLAYED, at.generation, i),
            )
            for i in left
        ]
        began = time.perf_counter()
        with contextlib.closing(self.work.each(results, asked)) as played:
            for place, found in played:
                at.results[left[place]] = found
                self.task.checkpoint(at.state)
        rate = len(left) * settings.games / max(time.perf_counter() - began, 1e-9)
        fitness = [wins + draws / 2 for wins, draws in (at.results[i] for i in range(settings.population))]
        self._tell(fitness, rate)
        return fitness

    def _tell(self, fitness: list[float], rate: float) -> None:
        """What the generation came to; the weights are those of its best individual."""
        at, settings = self.at, self.settings
        best = int(np.argmax(fitness))
        pairs = settings.population * (settings.population - 1)
        self.task.session_finished(
            Progress(
                session=at.generation + 1,
                sessions=settings.generations,
                games=settings.population * settings.games * (at.generation + 1),
                total=settings.training_games,
                weights=at.population[best],
                numbers={
                    "fitness": fitness[best],
                    "mean_fitness": sum(fitness) / len(fitness),
                    "diversity": float(euclidean(np.array(at.population, np.float64)).sum()) / pairs,
                    "games_per_second": rate,
                },
            )
        )
