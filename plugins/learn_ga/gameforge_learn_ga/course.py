"""The course of the algorithm: train the new individuals, tournament, survival, children."""

import contextlib
import time
from collections.abc import Sequence

import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.features import Selectable
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import Progress, Trained, TrainingTask, Work
from gameforge.kernel.seeds import derived
from gameforge.play.arena.contests import Contender, contests, record
from gameforge.training.duration import span
from gameforge_learn_ga import genetics, jobs
from gameforge_learn_ga.learner import GA
from gameforge_learn_ga.standing import Individual, Standing

_MEASURE_SECONDS = 2.0
"""Of the training that is made to estimate how long all will take."""
_DRAWN, _TRAINED, _PAIRED, _PLAYED, _MEASURED = range(5)
"""What random numbers are for: each purpose has its own in each generation."""


class Course:
    """One run of the algorithm, begun or taken up again."""

    def __init__(self, settings: GA, task: TrainingTask) -> None:
        features = task.parts.features
        if not isinstance(features, Selectable):
            what = "there is no feature map" if features is None else f"{type(features).__name__} offers no choice"
            raise GameforgeError(f"learner ga: there are no features to choose from, {what}")
        if task.work is None:
            raise GameforgeError("learner ga: it needs workers for its individuals, and was given none")
        self.features: Selectable = features
        self.names: tuple[str, ...] = features.selectable
        if settings.flips > len(self.names):
            raise GameforgeError(
                f"learner ga: flips = {settings.flips} is more than the {len(self.names)} features to choose from"
            )
        task.parts.trainable()
        self.settings: GA = settings
        self.task: TrainingTask = task
        self.work: Work = task.work
        self.at: Standing = Standing() if task.saved is None else Standing.of(task.saved, len(self.names))

    def run(self) -> Trained:
        at, settings = self.at, self.settings
        self._estimate(self.work)
        if not at.individuals:
            rng = self._rng(_DRAWN, 0)
            self._add(genetics.random_population(settings.population, len(self.names), rng))
        told = False
        while True:
            began, new = time.perf_counter(), len(at.untrained)
            self._tournament(self.work, self._train(self.work))
            if at.generation == settings.generations:
                break
            if new and not told:
                told = True
                self._estimate_again((time.perf_counter() - began) / new)
            at.generation += 1
            parents = at.individuals
            fitness = [one.fitness for one in parents]
            self._add(
                genetics.children([one.genes for one in parents], fitness, settings, self._rng(_DRAWN, at.generation))
            )
            self.task.checkpoint(at.state)
        best = at.individuals[0]
        assert best.weights is not None
        assert best.initial_weights is not None
        kept = [(one.name, one) for one in at.individuals]
        kept += [(f"best of generation {number}", one) for number, one in enumerate(at.best)]
        return Trained(
            weights=best.weights.copy(),
            initial_weights=best.initial_weights.copy(),
            features=self.features.selected(self._chosen(best)),
            generations=[(name, one.weights) for name, one in kept if one.weights is not None],
            generation_features=[self.features.selected(self._chosen(one)) for _, one in kept],
            summary={
                "games": at.games,
                "tournament_games": at.played,
                "best": best.number,
                "fitness": best.fitness,
                "features": list(self._chosen(best)),
                **at.asked,
            },
        )

    def _estimate(self, work: Work) -> None:
        """Tell how long what is left will take: measured with a training of its own, which is broken off."""
        at, settings = self.at, self.settings
        some = genetics.random_population(1, len(self.names), self._rng(_MEASURED))[0]
        names = self._chosen(Individual(0, some))
        asked = (settings.inner, names, derived(self.task.seed, _MEASURED), _MEASURE_SECONDS)
        [(_, (rate, training_games))] = work.each(jobs.speed, [asked])
        if not rate or not training_games:
            return
        later = settings.generations - at.generation
        individuals = len(at.untrained) + settings.population * (later + (not at.individuals))
        everybody = [settings.population * (1 + (g > 0)) for g in range(at.generation, settings.generations + 1)]
        games = sum(n * (n - 1 if settings.opponents == "all" else settings.games) for n in everybody)
        seconds = (individuals * training_games + games) / (rate * work.workers)
        self.task.notice(
            f"{rate:.0f} training games/s measured with a new net; {individuals:,} individuals x {training_games:,} "
            f"training games and {games:,} tournament games, {work.workers} at once: about {span(seconds)}"
        )

    def _estimate_again(self, seconds: float) -> None:
        """Tell how long the rest will take if an individual takes as long as those of one generation did."""
        left = self.settings.generations - self.at.generation
        self.task.notice(
            f"{seconds:.2g} s for each individual of generation {self.at.generation}, its tournament games included: "
            f"about {span(seconds * self.settings.population * left)} for the {left} generations that are left"
        )

    def _chosen(self, one: Individual) -> tuple[str, ...]:
        return tuple(name for name, gene in zip(self.names, one.genes.tolist(), strict=True) if gene)

    def _rng(self, *purpose: int) -> np.random.Generator:
        return np.random.default_rng(derived(self.task.seed, *purpose))

    def _add(self, chromosomes: Sequence[genetics.Genes]) -> None:
        at = self.at
        born = self.settings.population * at.generation
        at.individuals = at.individuals + [Individual(born + i, genes) for i, genes in enumerate(chromosomes, 1)]

    def _train(self, work: Work) -> float:
        """Train the nets of those that have none; training games a second of all workers."""
        began, before = time.perf_counter(), self.at.games
        new = self.at.untrained
        asked = [(self.settings.inner, self._chosen(one), derived(self.task.seed, _TRAINED, one.number)) for one in new]
        with contextlib.closing(work.each(jobs.train, asked)) as trained:
            for i, training in trained:
                new[i].weights, new[i].initial_weights = training.weights, training.initial_weights
                self.at.games += training.games
                for key, count in training.asked.items():
                    self.at.asked[key] = self.at.asked.get(key, 0) + count
                self.task.checkpoint(self.at.state)
        return (self.at.games - before) / max(time.perf_counter() - began, 1e-9)

    def _tournament(self, work: Work, rate: float) -> None:
        """Everybody gets a new fitness; the best survive, fittest first."""
        at, settings = self.at, self.settings
        everybody = at.individuals
        paired = list(genetics.pairings(settings, len(everybody), self._rng(_PAIRED, at.generation)))
        contenders = [Contender(weights=one.weights, features=self._chosen(one)) for one in everybody]
        seed = derived(self.task.seed, _PLAYED, at.generation)
        records = [
            record(
                self.task.parts.game,
                contest,
                phase="tournament",
                number=at.played + i,
                players=(everybody[first].name, everybody[second].name),
                session=at.generation + 1,
            )
            for i, ((first, second, _), contest) in enumerate(
                zip(paired, contests(work, contenders, [pair[:2] for pair in paired], seed), strict=True), 1
            )
        ]
        at.played += len(records)
        for game in records:
            self.task.game_finished(game)
        winners = [game.outcome.winner for game in records]
        for one, points in zip(everybody, genetics.scores(paired, winners, len(everybody)), strict=True):
            one.fitness = points
        kept = genetics.survivors([one.fitness for one in everybody], settings.population)
        at.individuals = [everybody[i] for i in kept]
        at.best.append(at.individuals[0])
        self._tell(records, rate)

    def _tell(self, records: Sequence[GameRecord], rate: float) -> None:
        """What the generation came to; the net is that of its best individual."""
        at, settings = self.at, self.settings
        best = at.individuals[0]
        assert best.weights is not None
        individuals = settings.population * (at.generation + 1)
        self.task.session_finished(
            Progress(
                session=at.generation + 1,
                sessions=settings.generations + 1,
                games=at.games,
                total=round(at.games / individuals * settings.population * (settings.generations + 1)),
                weights=best.weights,
                features=self.features.selected(self._chosen(best)),
                numbers={
                    "best": best.number,
                    "fitness": best.fitness,
                    "mean_fitness": sum(one.fitness for one in at.individuals) / len(at.individuals),
                    "features": int(best.genes.sum()),
                    "tournament_draws": sum(game.outcome.winner is None for game in records),
                    "tournament_loops": sum(game.outcome.loop for game in records),
                    "games_per_second": rate,
                },
            )
        )
