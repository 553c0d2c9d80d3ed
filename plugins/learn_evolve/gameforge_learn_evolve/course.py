"""The course of an evolution: children, games of all, survival; at the end species, if these are asked for."""

import contextlib
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import Progress, Trained, TrainingTask, Work
from gameforge.kernel.seeds import derived
from gameforge.play.arena.contests import Pairing, contests, record
from gameforge_learn_evolve import survival
from gameforge_learn_evolve.behaviour import Matrix, behaviour, euclidean, mean_differences, random_boards
from gameforge_learn_evolve.genome import Floats, Genome, crossed, mutated
from gameforge_learn_evolve.learner import Evolve
from gameforge_learn_evolve.species import by_means, league, linked, plane
from gameforge_learn_evolve.standing import DRAW, LOOP, Individual, Standing
from gameforge_learn_evolve.tournament import gained, pairings

_DRAWN, _BORN, _PAIRED, _PLAYED, _BOARDS, _LEAGUE = range(6)
"""What random numbers are for: each purpose has its own in each generation."""


class Course:
    """One evolution, begun or taken up again."""

    def __init__(self, settings: Evolve, task: TrainingTask) -> None:
        self.vector, _ = task.parts.tunable()
        if task.work is None:
            raise GameforgeError("learner evolve: it needs workers for its games, and was given none")
        if settings.scheme == "crowding" and settings.population % 2:
            raise GameforgeError(
                f"learner evolve: population = {settings.population} is odd, but crowding takes parents in pairs"
            )
        if settings.species > settings.population:
            raise GameforgeError(
                f"learner evolve: species = {settings.species} is more than the {settings.population} individuals"
            )
        self.settings, self.task = settings, task
        self.work: Work = task.work
        self.at = Standing() if task.saved is None else Standing.of(task.saved, self.vector.length)
        self.boards = random_boards(task.parts.game, settings.boards, self._rng(_BOARDS))

    def run(self) -> Trained:
        at = self.at
        if not at.parents:
            rng = self._rng(_DRAWN)
            at.parents = [Individual(number, self._drawn(rng)) for number in range(1, self.settings.population + 1)]
        while at.generation < self.settings.generations:
            self._generation()
        best = max(at.parents, key=lambda one: one.points)
        kept = [(one.name, one.genome.weights) for one in at.parents]
        summary: dict[str, Any] = {"games": at.games, "best": best.number, "fitness": best.points}
        if self.settings.species:
            kept, species = self._species()
            summary |= {"games": at.games, "species": species}
        assert at.first_best is not None
        return Trained(
            weights=best.genome.weights.copy(),
            initial_weights=at.first_best.copy(),
            generations=kept,
            summary=summary,
        )

    def _species(self) -> tuple[list[tuple[str, Floats]], dict[str, Any]]:
        """(Their representatives, those with the most points of the last tournament first; what they are)."""
        at = self.at
        points = self.points_of(at.parents)
        distance = self.distances(points)
        if self.settings.clusters == "linkage":
            found = linked(distance, self.settings.species)
        else:
            found = by_means(points, distance, self.settings.species, self._rng(_LEAGUE, 2))
        pairs = league(found, self.settings.games, self._rng(_LEAGUE, 0))
        won = self._played(at.parents, pairs, derived(self.task.seed, _LEAGUE, 1))
        elected = [max(members, key=lambda i: (won[i], at.parents[i].points, -i)) for members in found]
        best_first = sorted(zip(elected, found, strict=True), key=lambda one: -at.parents[one[0]].points)
        places = plane(distance).round(4).tolist()
        digits = len(str(len(found)))
        kept = [
            (f"species {i:0{digits}} individual {at.parents[one].number}", at.parents[one].genome.weights)
            for i, (one, _) in enumerate(best_first, 1)
        ]
        return kept, {
            "representatives": [at.parents[one].number for one, _ in best_first],
            "members": [[at.parents[i].number for i in members] for _, members in best_first],
            "places": [[places[i] for i in members] for _, members in best_first],
        }

    def _rng(self, *purpose: int) -> np.random.Generator:
        return np.random.default_rng(derived(self.task.seed, *purpose))

    def _drawn(self, rng: np.random.Generator) -> Genome:
        weights = self.task.parts.initial_weights(rng)
        return Genome(weights, np.full_like(weights, self.settings.step))

    def _generation(self) -> None:
        """Children are born, all play, some stay."""
        at, settings = self.at, self.settings
        rng = self._rng(_BORN, at.generation)
        order = list(range(settings.population))
        if settings.scheme == "crowding":
            order = survival.pairs(settings.population, rng)
        born = settings.population * (at.generation + 1)
        children = [Individual(born + i, genome) for i, genome in enumerate(self._children(order, rng), 1)]
        everybody = at.parents + children
        began, before = time.perf_counter(), at.games
        pairs = pairings(len(everybody), settings.games, self._rng(_PAIRED, at.generation))
        won = self._played(everybody, pairs, derived(self.task.seed, _PLAYED, at.generation))
        rate = (at.games - before) / max(time.perf_counter() - began, 1e-9)
        everybody = [Individual(one.number, one.genome, new) for one, new in zip(everybody, won, strict=True)]
        if at.first_best is None:
            first = max(everybody[: settings.population], key=lambda one: one.points)
            at.first_best = first.genome.weights
        if settings.scheme == "crowding":
            stay = survival.crowded(order, won, self.distances(self.points_of(everybody)))
        else:
            stay = survival.best(won, settings.population)
        at.parents = [everybody[i] for i in stay]
        at.generation += 1
        results, at.results = at.results, []
        self._tell(results, rate, born, self.distances(self.points_of(at.parents)))
        self.task.checkpoint(at.state)

    def _children(self, order: Sequence[int], rng: np.random.Generator) -> list[Genome]:
        """As many as there are parents, those of each pair beside each other."""
        settings = self.settings
        genomes = [self.at.parents[i].genome for i in order]
        if settings.scheme == "crowding":
            for i in range(0, len(genomes), 2):
                if rng.random() < settings.crossover:
                    genomes[i : i + 2] = crossed(genomes[i], genomes[i + 1], rng)
        return [mutated(genome, self.vector, settings.mutation, rng) for genome in genomes]

    def _played(
        self, players: Sequence[Individual], pairs: Sequence[Pairing], seed: np.random.SeedSequence
    ) -> list[int]:
        """Points of all. Goes on behind the results that are there."""
        at, game = self.at, self.task.parts.game
        done = len(at.results)
        contenders = [one.contender for one in players]
        with contextlib.closing(contests(self.work, contenders, pairs, seed, done=done)) as played:
            for (first, second), contest in zip(pairs[done:], played, strict=True):
                at.games += 1
                told = record(
                    game,
                    contest,
                    phase="tournament",
                    number=at.games,
                    players=(players[first].name, players[second].name),
                    session=min(at.generation + 1, self.settings.generations),
                )
                drawn = LOOP if told.outcome.loop else DRAW
                at.results.append(drawn if contest.winner is None else contest.winner)
                self.task.game_finished(told)
                self.task.checkpoint(at.state)
        winners = [result if result < DRAW else None for result in at.results]
        return gained(pairs, winners, len(players))

    def points_of(self, individuals: Sequence[Individual]) -> Matrix:
        """Each as a point: what it says of the boards, or its weights."""
        nets = [one.genome.weights for one in individuals]
        if self.settings.distance == "weights":
            return np.array(nets, np.float64)
        return behaviour(self.task.parts, self.boards, nets)

    def distances(self, points: Matrix) -> Matrix:
        """Of each two of these."""
        return euclidean(points) if self.settings.distance == "weights" else mean_differences(points)

    def _tell(self, results: Sequence[int], rate: float, born: int, distance: Matrix) -> None:
        """What the generation came to; the weights are those of its best individual."""
        at, settings = self.at, self.settings
        best = max(at.parents, key=lambda one: one.points)
        others = len(at.parents) * (len(at.parents) - 1)
        self.task.session_finished(
            Progress(
                session=at.generation,
                sessions=settings.generations,
                games=at.games,
                total=settings.training_games,
                weights=best.genome.weights,
                numbers={
                    "best": best.number,
                    "fitness": best.points,
                    "mean_fitness": sum(one.points for one in at.parents) / len(at.parents),
                    "children": sum(one.number > born for one in at.parents),
                    "diversity": float(distance.sum()) / others,
                    "step": float(np.mean([one.genome.steps.mean() for one in at.parents])),
                    "tournament_draws": sum(result >= DRAW for result in results),
                    "tournament_loops": sum(result == LOOP for result in results),
                    "games_per_second": rate,
                },
            )
        )
