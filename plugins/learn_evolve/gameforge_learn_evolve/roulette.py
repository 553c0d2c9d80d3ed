"""The learner `roulette`: a genetic algorithm for an evaluator's weights ([KimCho2007], section 3.3).

`Roulette` is the component with its parameters. `RouletteSearch` measures the fitness of all individuals and draws the
next population. `RouletteState` is what checkpoints hold.
"""

import contextlib
import time
from collections.abc import Callable, Sequence

import attrs
import numpy as np

from gameforge import GameforgeError, GameSeries, Parts, Player
from gameforge.interfaces import LearnerState, Progress, Site, Spec, Trained, TrainingTask, Work, kinds
from gameforge.kernel import FloatArray, derived, stream
from gameforge.storage import checkpoint
from gameforge_learn_evolve.species import euclidean

_DRAWN, _BORN, _PLAYED = range(3)
"""Purposes of random numbers; each has its own stream in each generation."""


@attrs.frozen(kw_only=True)
class Roulette:
    """Genetic algorithm for the weights of the pipeline's evaluator ([KimCho2007], section 3.3).

    In each generation, every individual plays the opponent, half of the games with each side; fitness is a point for a
    win and half a point for a draw. The fittest survives unchanged. The others are children of parents drawn with a
    probability in proportion to their fitness.
    """

    opponent: Spec = attrs.field(metadata={"component": "evaluator"})
    """Evaluator of the opponent, which uses the pipeline's searcher and no oracle."""
    population: int = attrs.field(default=50, validator=kinds.at_least(2))
    """Number of individuals."""
    generations: int = attrs.field(default=100, validator=kinds.at_least(1))
    """Number of generations, including the first one, which is drawn at random."""
    games: int = attrs.field(default=1000, validator=kinds.at_least(2))
    """Games that measure the fitness of an individual."""
    random_moves: float = attrs.field(default=0.1, validator=kinds.share)
    """Share of the moves of both players that are drawn at random."""
    crossover: float = attrs.field(default=0.8, validator=kinds.share)
    """Probability that two parents exchange what follows a random place; otherwise children are copies."""
    mutation: float = attrs.field(default=0.01, validator=kinds.share)
    """Probability that a weight of a child is drawn again, like the initial weights."""

    @property
    def training_games(self) -> int:
        """Games of the whole training."""
        return self.population * self.generations * self.games

    def train(self, task: TrainingTask) -> Trained:
        """Evolve the weights; raises GameforgeError if the evaluator has no weights or the opponent has some."""
        return RouletteSearch(self, task).run()


@attrs.define
class RouletteState:
    """Everything that changes during a training of `roulette`."""

    population: FloatArray = attrs.field(metadata=checkpoint.kept("population", "weights"))
    """[individuals, weights]."""
    generation: int = 0
    """Finished generations."""
    results: list[tuple[int, int, int]] = attrs.field(factory=list)
    """Index, wins and draws of each individual of this generation that has played."""
    first_best: FloatArray | None = attrs.field(default=None, metadata=checkpoint.kept("weights", name="first best"))
    """Weights of the best of the first population."""

    @classmethod
    def restored(cls, state: LearnerState, population: int, weights: int, games: int) -> "RouletteState":
        """Restore the state of a checkpoint; GameforgeError if it does not match these numbers."""
        mismatch = "learner roulette: the checkpoint does not match this evaluator"
        found = checkpoint.unpack(cls, state, mismatch, population=population, weights=weights)
        with checkpoint.matching(mismatch):
            for i, wins, draws in found.results:
                if not 0 <= i < population or min(wins, draws) < 0 or wins + draws > games:
                    raise ValueError(f"results: {[i, wins, draws]} is not a result of {games} games")
        return found


class RouletteSearch:
    """One training, new or resumed from a checkpoint."""

    def __init__(self, settings: Roulette, task: TrainingTask) -> None:
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
    searcher = site.create("searcher", Spec.from_settings(site.settings["searcher"], "searcher"))
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


def chances(fitness: Sequence[float]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Probabilities of being drawn as a parent: in proportion to fitness; uniform if all fitness is 0."""
    total = sum(fitness)
    return np.array([one / total if total else 1 / len(fitness) for one in fitness])


def next_population(
    population: FloatArray,
    fitness: Sequence[float],
    crossover: float,
    mutation: float,
    fresh: Callable[[], FloatArray],
    rng: np.random.Generator,
) -> FloatArray:
    """The best individual, unchanged, then children of pairs; fresh: draws weights like the initial ones.

    The population and the result are [individuals, weights].
    """
    n = len(population)
    share = chances(fitness)
    born = [population[int(np.argmax(fitness))]]
    while len(born) < n:
        one, other = (population[i] for i in rng.choice(n, 2, p=share))
        length = len(one)
        if rng.random() < crossover and length > 1:
            cut = int(rng.integers(1, length))
            one, other = np.concatenate([one[:cut], other[cut:]]), np.concatenate([other[:cut], one[cut:]])
        born += [np.where(rng.random(length) < mutation, fresh(), child) for child in (one, other)]
    return np.array(born[:n])
