"""The learner `roulette` at work: measure the fitness of all individuals, draw the next population."""

import contextlib
import time

import numpy as np

from gameforge import GameforgeError, GameSeries, Parts, Player
from gameforge.interfaces import Progress, Site, Spec, Trained, TrainingTask, Work, config
from gameforge.kernel import FloatArray, derived, stream
from gameforge.storage import checkpoint
from gameforge_learn_evolve.genetics import next_population
from gameforge_learn_evolve.settings import RouletteSettings
from gameforge_learn_evolve.species import euclidean
from gameforge_learn_evolve.training_state import RouletteState

_DRAWN, _BORN, _PLAYED = range(3)
"""Purposes of random numbers; each has its own stream in each generation."""


class RouletteSearch:
    """One training, new or resumed from a checkpoint."""

    def __init__(self, settings: RouletteSettings, task: TrainingTask) -> None:
        vector, _ = task.parts.tunable()
        if task.work is None:
            raise GameforgeError("learner roulette needs workers to play its games, but the task has none")
        opponent_of(task.work.site, settings.opponent)
        self.settings, self.task = settings, task
        self.work: Work = task.work
        if task.saved is None:
            rng = self._rng(_DRAWN)
            first = [task.parts.initial_weights(rng) for _ in range(settings.population)]
            self.state = RouletteState(np.array(first))
        else:
            self.state = RouletteState.restored(task.saved, settings.population, vector.length, settings.games)

    def run(self) -> Trained:
        state, settings = self.state, self.settings
        while True:
            fitness = self._fitness()
            best = int(np.argmax(fitness))
            if state.first_best is None:
                state.first_best = state.population[best]
            if state.generation + 1 == settings.generations:
                break
            rng = self._rng(_BORN, state.generation)
            state.population = next_population(
                state.population,
                fitness,
                settings.crossover,
                settings.mutation,
                lambda rng=rng: self.task.parts.initial_weights(rng),  # type: ignore[misc]
                rng,
            )
            state.generation, state.results = state.generation + 1, []
            self.task.checkpoint(lambda: checkpoint.pack(state))
        order = np.argsort(-np.array(fitness), kind="stable").tolist()
        return Trained(
            weights=state.population[best].copy(),
            initial_weights=state.first_best.copy(),
            generations=[(f"individual {i + 1}", state.population[i]) for i in order],
            summary={"games": settings.training_games, "best": best + 1, "fitness": fitness[best]},
        )

    def _rng(self, *purpose: int) -> np.random.Generator:
        return np.random.default_rng(derived(self.task.seed, *purpose))

    def _fitness(self) -> list[float]:
        """Play the games that have no result yet, report the generation, and return the fitness of its individuals."""
        state, settings = self.state, self.settings
        played = {i for i, _, _ in state.results}
        left = [i for i in range(settings.population) if i not in played]
        arguments = [
            (
                settings.opponent,
                state.population[i],
                settings.games,
                settings.random_moves,
                derived(self.task.seed, _PLAYED, state.generation, i),
            )
            for i in left
        ]
        began = time.perf_counter()
        with contextlib.closing(self.work.each(results, arguments)) as finished:
            for place, (wins, draws) in finished:
                state.results.append((left[place], wins, draws))
                self.task.checkpoint(lambda: checkpoint.pack(state))
        rate = len(left) * settings.games / max(time.perf_counter() - began, 1e-9)
        points = {i: wins + draws / 2 for i, wins, draws in state.results}
        fitness = [points[i] for i in range(settings.population)]
        self._report(fitness, rate)
        return fitness

    def _report(self, fitness: list[float], rate: float) -> None:
        """Report the generation, with the weights of its best individual."""
        state, settings = self.state, self.settings
        best = int(np.argmax(fitness))
        pairs = settings.population * (settings.population - 1)
        self.task.session_finished(
            Progress(
                session=state.generation + 1,
                sessions=settings.generations,
                games=settings.population * settings.games * (state.generation + 1),
                total=settings.training_games,
                weights=state.population[best],
                numbers={
                    "fitness": fitness[best],
                    "mean_fitness": sum(fitness) / len(fitness),
                    "diversity": float(euclidean(np.array(state.population, np.float64)).sum()) / pairs,
                    "games_per_second": rate,
                },
            )
        )


def opponent_of(site: Site, evaluator: Spec) -> Player:
    """The pipeline's searcher with this evaluator and without oracles; GameforgeError if the evaluator has weights."""
    searcher = site.create("searcher", config.spec_from_settings(site.settings["searcher"], "searcher"))
    parts = Parts(site.parts.game, searcher, site.create("evaluator", evaluator))
    if parts.vector is not None:
        raise GameforgeError(
            f"learner roulette: the opponent {evaluator.use} has weights; choose one without weights, such as material"
        )
    return Player(parts, name="opponent")


def results(
    site: Site, evaluator: Spec, weights: FloatArray, games: int, random_moves: float, seed: np.random.SeedSequence
) -> tuple[int, int]:
    """(wins, draws) of an individual, which moves first in every other game."""
    series = GameSeries(Player(site.parts, weights), opponent_of(site, evaluator), random_moves)
    winners = series.play([i % 2 == 1 for i in range(games)], stream(seed), check=site.check).winners
    return int((winners == 0).sum()), int((winners == -1).sum())
