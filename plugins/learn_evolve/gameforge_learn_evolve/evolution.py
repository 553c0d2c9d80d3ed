"""The learner `evolve`, which evolves an evaluator's weights through games ([Chellapilla2001]; [KimCho2007]).

`Evolve` is the component with its parameters. `Evolution` creates children, lets all play, and keeps the survivors;
finally it finds species, on request. `TrainingState` is what checkpoints hold. The genetics come last: mutation, which
is self-adaptive as in [Chellapilla2001], crossover, and the points and survivors of a tournament ([KimCho2007], section
3.1).
"""

import contextlib
import functools
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs
import numpy as np

from gameforge import Contender, GameforgeError, contests
from gameforge.interfaces import (
    Illustration,
    LearnerState,
    Panel,
    Progress,
    Trained,
    TrainingTask,
    WeightVector,
    Work,
    kinds,
)
from gameforge.kernel import FloatArray, derived
from gameforge.storage import checkpoint
from gameforge_learn_evolve import species

WIN, LOSS = 1, -2
"""Points of winner and loser; a draw brings none (docs/readings.md, "Points for a loss")."""
DRAW, LOOP = 2, 3
"""Results of drawn games (0 and 1 name the winner); LOOP is a draw that the game counts as a loop."""
_DRAWN, _BORN, _PAIRED, _PLAYED, _BOARDS, _LEAGUE = range(6)
"""Purposes of random numbers; each has its own stream in each generation."""
_POPULATION, _FIRST_BEST = checkpoint.kept("population", "weights"), checkpoint.kept("weights", name="first best")


@attrs.frozen(kw_only=True)
class Evolve:
    """Evolution of the weights of the pipeline's evaluator, with self-adaptive step sizes of the mutations.

    In each generation, parents have children, all individuals play each other, and the survivors become the next
    parents. A win brings 1 point, a loss costs 2 ([Chellapilla2001]; with species [KimCho2007], section 3.1). The
    defaults are those of Anaconda.
    """

    signed = ("fitness", "mean_fitness")

    population: int = attrs.field(default=15, validator=kinds.at_least(2))
    """Number of parents, and of their children."""
    generations: int = attrs.field(default=840, validator=kinds.at_least(1))
    """Number of generations."""
    games: int = attrs.field(default=5, validator=kinds.at_least(1))
    """Games in which each individual moves first in a generation, against random opponents."""
    scheme: Literal["best", "crowding"] = "best"
    """Who survives. best: the best of parents and children. crowding: of each pair of parents, the parent or
    the more similar child, whichever has more points (deterministic crowding, [Mahfoud1995])."""
    mutation: float = attrs.field(default=1.0, validator=kinds.share)
    """Probability that a weight of a child mutates."""
    stepped: Literal["drawn", "always"] = "drawn"
    """When weights that move by whole steps, such as the king's value K, move. drawn: with the probability `mutation`,
    like all others. always: in every child, as in the text of [KimCho2007], section 3.1."""
    step: float = attrs.field(default=0.05, validator=kinds.above(0))
    """Initial standard deviation of mutations; each weight has its own, which is inherited and mutates itself."""
    crossover: float = attrs.field(default=1.0, validator=kinds.share)
    """With scheme `crowding`: probability that the children of a pair exchange all genes after a random place."""
    distance: Literal["behaviour", "weights"] = "behaviour"
    """Distance of two individuals. behaviour: mean absolute difference of their scores of some boards. weights:
    Euclidean."""
    boards: int = attrs.field(default=200, validator=kinds.at_least(1))
    """Number of boards for the behaviour, drawn from random games."""
    species: int = attrs.field(default=0, validator=kinds.at_least(0))
    """Number of species in the last generation, each of which elects a representative in a league; 0: none."""
    clusters: Literal["linkage", "means"] = "linkage"
    """How species are found. linkage: by single linkage. means: by k-means, with the number of clusters, `species`
    at most, that fits best."""

    @property
    def training_games(self) -> int:
        """Number of games of all generations, without the leagues of the species."""
        return 2 * self.population * self.games * self.generations

    def train(self, task: TrainingTask) -> Trained:
        """Evolve the weights.

        Raises GameforgeError if the evaluator has no weights, if the population is odd with scheme `crowding`, or if
        `species` exceeds the population.
        """
        return Evolution(self, task).run()

    def illustration(self, summary: Mapping[str, Any]) -> Illustration:
        """A map of the species, if the training was asked to find species."""
        if "species" not in summary:
            return Illustration()
        return Illustration(
            panels=[Panel(draw=functools.partial(species.draw, summary["species"]), inches=species.MAP_INCHES)]
        )


@attrs.frozen(eq=False)
class Genome:
    """Inherited properties of an individual: weights and the step sizes of their mutations."""

    weights: FloatArray
    steps: FloatArray
    """Standard deviation of each weight's mutations."""


@attrs.frozen(eq=False)
class Individual:
    """A genome with the points of its latest tournament."""

    number: int
    """From 1, in the order in which individuals are created."""
    genome: Genome
    points: int = 0

    @property
    def name(self) -> str:
        return f"individual {self.number}"


@attrs.define
class TrainingState:
    """Everything that changes during an evolution."""

    numbers: list[tuple[int, int]] = attrs.field(factory=list, metadata=checkpoint.kept(name="parents"))
    """Number and points of each parent."""
    weights: FloatArray = attrs.field(factory=lambda: np.zeros((0, 0), np.float32), metadata=_POPULATION)
    steps: FloatArray = attrs.field(factory=lambda: np.zeros((0, 0), np.float32), metadata=_POPULATION)
    generation: int = 0
    """Finished generations."""
    results: list[int] = attrs.field(factory=list)
    """Results of this generation's games so far, or of the species' leagues."""
    games: int = 0
    """Games of all generations so far."""
    first_best: FloatArray | None = attrs.field(default=None, metadata=_FIRST_BEST)
    """Weights of the best of the first parents."""

    @property
    def parents(self) -> list[Individual]:
        """The parents of the next generation; none before the first."""
        genomes = map(Genome, self.weights, self.steps)
        return [
            Individual(number, genome, points) for (number, points), genome in zip(self.numbers, genomes, strict=True)
        ]

    @parents.setter
    def parents(self, parents: Sequence[Individual]) -> None:
        self.numbers = [(one.number, one.points) for one in parents]
        self.weights = np.array([one.genome.weights for one in parents])
        self.steps = np.array([one.genome.steps for one in parents])

    @classmethod
    def restored(cls, state: LearnerState, population: int, weights: int) -> "TrainingState":
        """Restore the state of a checkpoint; GameforgeError if the numbers of individuals or weights differ."""
        mismatch = "learner evolve: the checkpoint does not match this evaluator"
        found = checkpoint.unpack(cls, state, mismatch, population=population, weights=weights)
        with checkpoint.matching(mismatch):
            if len(found.numbers) != population:
                raise ValueError(f"parents: expected {population}, got {len(found.numbers)}")
            if not set(found.results) <= {0, 1, DRAW, LOOP}:
                raise ValueError("its results are not those of games")
            if found.generation and found.first_best is None:
                raise ValueError("the array 'first best' is missing")
        return found


class Evolution:
    """One evolution, new or resumed from a checkpoint."""

    def __init__(self, settings: Evolve, task: TrainingTask) -> None:
        self.vector, _ = task.parts.tunable()
        if task.work is None:
            raise GameforgeError("learner evolve needs workers to play its games, but the task has none")
        if settings.scheme == "crowding" and settings.population % 2:
            raise GameforgeError(
                f"learner evolve: population = {settings.population} is odd; scheme = crowding needs an even number"
            )
        if settings.species > settings.population:
            raise GameforgeError(
                f"learner evolve: species = {settings.species} is more than the {settings.population} individuals"
            )
        self.settings, self.task = settings, task
        self.work: Work = task.work
        self.state = TrainingState()
        if task.saved is not None:
            self.state = TrainingState.restored(task.saved, settings.population, self.vector.length)
        self.boards = species.random_boards(task.parts.game, settings.boards, self._rng(_BOARDS))

    def run(self) -> Trained:
        state = self.state
        if not state.parents:
            rng = self._rng(_DRAWN)
            state.parents = [Individual(number, self._drawn(rng)) for number in range(1, self.settings.population + 1)]
        while state.generation < self.settings.generations:
            self._generation()
        parents = state.parents
        best = max(parents, key=lambda one: one.points)
        kept = [(one.name, one.genome.weights) for one in parents]
        summary: dict[str, object] = {"games": state.games, "best": best.number, "fitness": best.points}
        if self.settings.species:
            kept, found = self._species()
            summary |= {"games": state.games, "species": found}
        assert state.first_best is not None
        return Trained(
            weights=best.genome.weights.copy(),
            initial_weights=state.first_best.copy(),
            generations=kept,
            summary=summary,
        )

    def _species(self) -> tuple[list[tuple[str, FloatArray]], dict[str, object]]:
        """(representatives, most points in the last tournament first; summary of the species)."""
        parents = self.state.parents
        points = self.points_of(parents)
        distance = self.distances(points)
        if self.settings.clusters == "linkage":
            found = species.linked(distance, self.settings.species)
        else:
            found = species.by_means(points, distance, self.settings.species, self._rng(_LEAGUE, 2))
        pairs = species.league(found, self.settings.games, self._rng(_LEAGUE, 0))
        won = self._played(parents, pairs, derived(self.task.seed, _LEAGUE, 1))
        elected = [max(members, key=lambda i: (won[i], parents[i].points, -i)) for members in found]
        best_first = sorted(zip(elected, found, strict=True), key=lambda one: -parents[one[0]].points)
        places = species.plane(distance).round(4).tolist()
        digits = len(str(len(found)))
        kept = [
            (f"species {i:0{digits}} individual {parents[one].number}", parents[one].genome.weights)
            for i, (one, _) in enumerate(best_first, 1)
        ]
        return kept, {
            "representatives": [parents[one].number for one, _ in best_first],
            "members": [[parents[i].number for i in members] for _, members in best_first],
            "places": [[places[i] for i in members] for _, members in best_first],
        }

    def _rng(self, *purpose: int) -> np.random.Generator:
        return np.random.default_rng(derived(self.task.seed, *purpose))

    def _drawn(self, rng: np.random.Generator) -> Genome:
        weights = self.task.parts.initial_weights(rng)
        return Genome(weights, np.full_like(weights, self.settings.step))

    def _generation(self) -> None:
        """Create children, let all play, and keep the survivors."""
        state, settings = self.state, self.settings
        rng = self._rng(_BORN, state.generation)
        order = list(range(settings.population))
        if settings.scheme == "crowding":
            order = random_pairs(settings.population, rng)
        born = settings.population * (state.generation + 1)
        children = [Individual(born + i, genome) for i, genome in enumerate(self._children(order, rng), 1)]
        everybody = state.parents + children
        began, before = time.perf_counter(), state.games
        pairs = species.pairings(len(everybody), settings.games, self._rng(_PAIRED, state.generation))
        won = self._played(everybody, pairs, derived(self.task.seed, _PLAYED, state.generation))
        rate = (state.games - before) / max(time.perf_counter() - began, 1e-9)
        everybody = [Individual(one.number, one.genome, new) for one, new in zip(everybody, won, strict=True)]
        if state.first_best is None:
            first = max(everybody[: settings.population], key=lambda one: one.points)
            state.first_best = first.genome.weights
        if settings.scheme == "crowding":
            stay = crowded(order, won, self.distances(self.points_of(everybody)))
        else:
            stay = survivors(won, settings.population)
        state.parents = [everybody[i] for i in stay]
        state.generation += 1
        results, state.results = state.results, []
        self._report(results, rate, born, self.distances(self.points_of(state.parents)))
        self.task.checkpoint(lambda: checkpoint.pack(state))

    def _children(self, order: Sequence[int], rng: np.random.Generator) -> list[Genome]:
        """As many children as there are parents; the children of a pair are adjacent."""
        settings = self.settings
        parents = self.state.parents
        genomes = [parents[i].genome for i in order]
        if settings.scheme == "crowding":
            for i in range(0, len(genomes), 2):
                if rng.random() < settings.crossover:
                    genomes[i : i + 2] = crossed(genomes[i], genomes[i + 1], rng)
        always = settings.stepped == "always"
        return [mutated(genome, self.vector, settings.mutation, rng, always_stepped=always) for genome in genomes]

    def _played(
        self, players: Sequence[Individual], pairs: Sequence[tuple[int, int]], seed: np.random.SeedSequence
    ) -> list[int]:
        """Play the games that have no result yet; returns the points of all players."""
        state = self.state
        done = len(state.results)
        if done > len(pairs):
            raise GameforgeError(f"learner evolve: the checkpoint has {done} results of {len(pairs)} games")
        contenders = [Contender(weights=one.genome.weights) for one in players]
        with contextlib.closing(contests(self.work, contenders, pairs, seed, done=done)) as played:
            for (first, second), game in zip(pairs[done:], played, strict=True):
                state.games += 1
                record = attrs.evolve(
                    game,
                    phase="tournament",
                    number=state.games,
                    players=(players[first].name, players[second].name),
                    session=min(state.generation + 1, self.settings.generations),
                )
                drawn = LOOP if record.outcome.loop else DRAW
                state.results.append(drawn if record.outcome.winner is None else record.outcome.winner)
                self.task.game_finished(record)
                self.task.checkpoint(lambda: checkpoint.pack(state))
        winners = [result if result < DRAW else None for result in state.results]
        return gained(pairs, winners, len(players))

    def points_of(self, individuals: Sequence[Individual]) -> species.Matrix:
        """Each individual as a point: its scores of the boards, or its weights."""
        nets = [one.genome.weights for one in individuals]
        if self.settings.distance == "weights":
            return np.array(nets, np.float64)
        return species.behaviour(self.task.parts, self.boards, nets)

    def distances(self, points: species.Matrix) -> species.Matrix:
        """Distances between all points."""
        return species.euclidean(points) if self.settings.distance == "weights" else species.mean_differences(points)

    def _report(self, results: Sequence[int], rate: float, born: int, distance: species.Matrix) -> None:
        """Report the generation, with the weights of its best individual."""
        state, settings, parents = self.state, self.settings, self.state.parents
        best = max(parents, key=lambda one: one.points)
        others = len(parents) * (len(parents) - 1)
        self.task.session_finished(
            Progress(
                session=state.generation,
                sessions=settings.generations,
                games=state.games,
                total=settings.training_games,
                weights=best.genome.weights,
                numbers={
                    "best": best.number,
                    "fitness": best.points,
                    "mean_fitness": sum(one.points for one in parents) / len(parents),
                    "children": sum(one.number > born for one in parents),
                    "diversity": float(distance.sum()) / others,
                    "step": float(np.mean([one.genome.steps.mean() for one in parents])),
                    "tournament_draws": sum(result >= DRAW for result in results),
                    "tournament_loops": sum(result == LOOP for result in results),
                    "games_per_second": rate,
                },
            )
        )


def mutated(
    one: Genome, vector: WeightVector, probability: float, rng: np.random.Generator, *, always_stepped: bool = False
) -> Genome:
    """A copy in which each weight is changed with this probability.

    s' = s exp(tau N), w' = w + s' N' with independent normal N and N' for each weight, tau = 1 / sqrt(2 sqrt(n)) for n
    weights. Stepped weights, such as the king's value K, move a step down, stay, or move a step up; always_stepped: in
    every copy, not only if they are drawn.
    """
    weights, steps = one.weights.copy(), one.steps.copy()
    free = np.ones(vector.length, np.bool_)
    free[[*(stepped.place for stepped in vector.stepped), *vector.unused]] = False
    tau = 1 / math.sqrt(2 * math.sqrt(np.count_nonzero(free)))
    chosen = rng.random(vector.length) < probability
    changed = free & chosen
    n = np.count_nonzero(changed)
    steps[changed] *= np.exp(tau * rng.standard_normal(n)).astype(np.float32)
    weights[changed] += steps[changed] * rng.standard_normal(n, np.float32)
    for stepped in vector.stepped:
        if always_stepped or chosen[stepped.place]:
            moved = weights[stepped.place] + stepped.step * int(rng.integers(-1, 2))
            weights[stepped.place] = min(max(moved, stepped.low), stepped.high)
    return Genome(weights, steps)


def crossed(one: Genome, other: Genome, rng: np.random.Generator) -> tuple[Genome, Genome]:
    """Two children by one-point crossover of weights and steps."""
    n = len(one.weights)
    cut = int(rng.integers(1, n)) if n > 1 else n

    def child(head: Genome, tail: Genome) -> Genome:
        return Genome(
            np.concatenate([head.weights[:cut], tail.weights[cut:]]),
            np.concatenate([head.steps[:cut], tail.steps[cut:]]),
        )

    return child(one, other), child(other, one)


def gained(pairs: Sequence[tuple[int, int]], winners: Sequence[int | None], number: int) -> list[int]:
    """Points of each player. winners: 0 the first mover, 1 the second, None a draw."""
    found = [0] * number
    for pair, winner in zip(pairs, winners, strict=True):
        if winner is not None:
            found[pair[winner]] += WIN
            found[pair[1 - winner]] += LOSS
    return found


def survivors(points: Sequence[int], number: int) -> list[int]:
    """Indices of the individuals with the most points, best first; on ties the earlier, so parents before children."""
    return sorted(range(len(points)), key=lambda i: (-points[i], i))[:number]


def random_pairs(number: int, rng: np.random.Generator) -> list[int]:
    """A random order in which the individuals at 0 and 1, 2 and 3, ... form pairs."""
    order: list[int] = rng.permutation(number).tolist()
    return order


def crowded(order: Sequence[int], points: Sequence[int], distance: species.Matrix) -> list[int]:
    """Indices of the survivors by deterministic crowding ([Mahfoud1995]).

    The children of the parents order[2 i], order[2 i + 1] have the indices n + 2 i, n + 2 i + 1 for n parents. Each
    child is matched with one of its parents so that the sum of the distances is minimal; it replaces this parent
    if it has more points.
    """
    stay = list(range(len(order)))
    for i in range(0, len(order), 2):
        one, other = order[i], order[i + 1]
        first, second = len(order) + i, len(order) + i + 1
        straight = distance[one, first] + distance[other, second]
        if distance[one, second] + distance[other, first] < straight:
            first, second = second, first
        for parent, child in ((one, first), (other, second)):
            if points[child] > points[parent]:
                stay[parent] = child
    return stay
