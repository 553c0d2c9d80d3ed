"""The learner `ga`: a genetic algorithm chooses features ([Neto2007]; [Neto2009], sections 5.1, 5.2 and 5.5).

A generation trains new individuals, holds a tournament, keeps the fittest and creates their children (genetics.py).
`GeneticSearch` does this; `TrainingState` is what checkpoints hold. Workers, in threads or on other machines, train the
individuals and measure the speed of training.
"""

import contextlib
import time
from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from gameforge import Contender, GameforgeError, Parts, contests, duration_text
from gameforge.interfaces import GameRecord, LearnerState, Progress, Selectable, Site, Spec, Trained, TrainingTask, Work
from gameforge.kernel import FloatArray, derived
from gameforge.storage import checkpoint
from gameforge_learn_ga import genetics
from gameforge_learn_ga.genetics import GASettings, Genes


@attrs.frozen(kw_only=True)
class GA(GASettings):
    """Genetic selection of features: a chromosome has a gene for each feature of the pipeline's feature map.

    In each generation, a tournament measures the fitness of all individuals and the fittest survive. `inner` trains
    their children from scratch; survivors keep their nets.
    """

    def train(self, task: TrainingTask) -> Trained:
        """Run the genetic algorithm.

        Raises GameforgeError if the features are not selectable or fewer than `flips`, and the errors of the inner
        learner.
        """

        features = self._features(task.parts.features)
        if task.work is None:
            raise GameforgeError("learner ga needs workers to train individuals, but the task has none")
        if self.flips > len(features.selectable):
            raise GameforgeError(
                f"learner ga: flips = {self.flips} is more than the {len(features.selectable)} features to choose from"
            )
        task.parts.trainable()
        return GeneticSearch(self, task, task.work, features).run()

    def _features(self, features: object) -> Selectable:
        """The features to choose from; GameforgeError if there are none."""
        if isinstance(features, Selectable):
            return features
        what = "it has none" if features is None else f"the features of {type(features).__name__} are not selectable"
        raise GameforgeError(f"learner ga: the pipeline needs a feature map to choose features from: {what}")


@attrs.define(eq=False)
class Individual:
    """A subset of the features and, after its training, its net."""

    number: int
    """From 1, in the order in which individuals are created."""
    genes: Genes
    weights: FloatArray | None = None
    initial_weights: FloatArray | None = None
    fitness: int = 0
    """Points of the latest tournament."""

    @property
    def name(self) -> str:
        return f"individual {self.number}"


@attrs.frozen
class _Saved:
    """A search as a checkpoint holds it; the arrays are those of all individuals, by their numbers."""

    generation: int
    games: int
    played: int
    lookups: dict[str, int] = attrs.field(metadata=checkpoint.kept(name="asked"))
    individuals: list[tuple[int, int]]
    """Number and fitness of each."""
    best: list[int]
    genes: dict[int, Genes] = attrs.field(metadata=checkpoint.kept("genes"))
    weights: dict[int, FloatArray]
    """Missing before the training of an individual."""
    initial: dict[int, FloatArray]


@attrs.define
class TrainingState:
    """Everything that changes during a search."""

    generation: int = 0
    individuals: list[Individual] = attrs.field(factory=list)
    """Survivors, fittest first, then their children; empty before the first population is drawn."""
    best: list[Individual] = attrs.field(factory=list)
    """The fittest of each generation; the same object for as long as an individual remains the fittest."""
    games: int = 0
    """Training games so far."""
    played: int = 0
    """Tournament games so far."""
    lookups: dict[str, int] = attrs.field(factory=dict)
    """Oracle lookups in the training games so far, if the inner learner counts them."""

    @property
    def untrained(self) -> list[Individual]:
        return [one for one in self.individuals if one.weights is None]

    def snapshot(self) -> LearnerState:
        """A copy, for a checkpoint."""
        known = {one.number: one for one in [*self.individuals, *self.best]}
        return checkpoint.pack(
            _Saved(
                generation=self.generation,
                games=self.games,
                played=self.played,
                lookups=self.lookups,
                individuals=[(one.number, one.fitness) for one in self.individuals],
                best=[one.number for one in self.best],
                genes={n: one.genes for n, one in known.items()},
                weights={n: one.weights for n, one in known.items() if one.weights is not None},
                initial={n: one.initial_weights for n, one in known.items() if one.initial_weights is not None},
            )
        )

    @classmethod
    def restored(cls, state: LearnerState, genes: int) -> "TrainingState":
        """Restore the state that `snapshot` saved; GameforgeError if its chromosomes have another length."""
        mismatch = "learner ga: the checkpoint does not match these features"
        found = checkpoint.unpack(_Saved, state, mismatch, genes=genes)

        def individual(number: int, fitness: int = 0) -> Individual:
            if number not in found.genes:
                raise ValueError(f"the array 'genes {number}' is missing")
            return Individual(
                number, found.genes[number], found.weights.get(number), found.initial.get(number), fitness
            )

        with checkpoint.matching(mismatch):
            individuals = [individual(*entry) for entry in found.individuals]
            known = {one.number: one for one in individuals}
            best = [known.get(number) or individual(number) for number in found.best]
        return cls(found.generation, individuals, best, found.games, found.played, found.lookups)


_MEASURE_SECONDS = 2.0
"""Duration of the trial training from which the total time is estimated."""
_DRAWN, _TRAINED, _PAIRED, _PLAYED, _MEASURED = range(5)
"""Purposes of random numbers; each has its own stream in each generation."""


class GeneticSearch:
    """One search, new or resumed from a checkpoint."""

    def __init__(self, settings: GASettings, task: TrainingTask, work: Work, features: Selectable) -> None:
        self.settings, self.task, self.work, self.features = settings, task, work, features
        self.names: tuple[str, ...] = features.selectable
        self.state = TrainingState()
        if task.saved is not None:
            self.state = TrainingState.restored(task.saved, len(self.names))

    def run(self) -> Trained:
        state, settings = self.state, self.settings
        self._estimate()
        if not state.individuals:
            self._add(genetics.first_population(settings.population, len(self.names), settings, self._rng(_DRAWN, 0)))
        was_estimated = False
        while True:
            began, new = time.perf_counter(), len(state.untrained)
            self._tournament(self._train())
            if state.generation == settings.generations:
                break
            if new and not was_estimated:
                was_estimated = True
                self._estimate_again((time.perf_counter() - began) / new)
            state.generation += 1
            genes, fitness = [one.genes for one in state.individuals], [one.fitness for one in state.individuals]
            self._add(genetics.children(genes, fitness, settings, self._rng(_DRAWN, state.generation)))
            self.task.checkpoint(state.snapshot)
        best = state.individuals[0]
        assert best.weights is not None
        assert best.initial_weights is not None
        kept = [(one.name, one) for one in state.individuals]
        kept += [(f"best of generation {number}", one) for number, one in enumerate(state.best)]
        return Trained(
            weights=best.weights.copy(),
            initial_weights=best.initial_weights.copy(),
            features=self.features.selected(self._chosen(best)),
            generations=[(name, one.weights) for name, one in kept if one.weights is not None],
            generation_features=[self.features.selected(self._chosen(one)) for _, one in kept],
            summary={
                "games": state.games,
                "tournament_games": state.played,
                "best": best.number,
                "fitness": best.fitness,
                "features": list(self._chosen(best)),
                **state.lookups,
            },
        )

    def _estimate(self) -> None:
        """Estimate the remaining time from a short trial training, and report it; not if evaluations are counted."""
        state, settings, work = self.state, self.settings, self.work
        if self.task.parts.count is not None:
            return
        [some] = genetics.first_population(1, len(self.names), settings, self._rng(_MEASURED))
        names = self._chosen(Individual(0, some))
        arguments = (settings.inner, names, derived(self.task.seed, _MEASURED), _MEASURE_SECONDS)
        [(_, (rate, training_games))] = work.each(training_speed, [arguments])
        if not rate or not training_games:
            return
        later = settings.generations - state.generation
        individuals = len(state.untrained) + settings.population * (later + (not state.individuals))
        everybody = [settings.population * (1 + (g > 0)) for g in range(state.generation, settings.generations + 1)]
        games = sum(n * (n - 1 if settings.opponents == "all" else settings.games) for n in everybody)
        seconds = (individuals * training_games + games) / (rate * work.workers)
        self.task.notice(
            f"{rate:.0f} training games/s measured with a new net; {individuals:,} individuals x {training_games:,} "
            f"training games and {games:,} tournament games, {work.workers} at once: about {duration_text(seconds)}"
        )

    def _estimate_again(self, seconds: float) -> None:
        """Estimate the remaining time from the seconds per individual of a finished generation, and report it."""
        left = self.settings.generations - self.state.generation
        self.task.notice(
            f"{seconds:.2g} s for each individual of generation {self.state.generation}, including tournament games: "
            f"about {duration_text(seconds * self.settings.population * left)} for the remaining {left} generations"
        )

    def _chosen(self, one: Individual) -> tuple[str, ...]:
        return tuple(name for name, gene in zip(self.names, one.genes.tolist(), strict=True) if gene)

    def _rng(self, *purpose: int) -> np.random.Generator:
        return np.random.default_rng(derived(self.task.seed, *purpose))

    def _add(self, chromosomes: Sequence[genetics.Genes]) -> None:
        state = self.state
        born = self.settings.population * state.generation
        state.individuals = state.individuals + [Individual(born + i, genes) for i, genes in enumerate(chromosomes, 1)]

    def _train(self) -> float:
        """Train the individuals that have no net; returns the training games per second of all workers."""
        began, before = time.perf_counter(), self.state.games
        new = self.state.untrained
        arguments = [
            (self.settings.inner, self._chosen(one), derived(self.task.seed, _TRAINED, one.number)) for one in new
        ]
        with contextlib.closing(self.work.each(train_individual, arguments)) as trained:
            for i, training in trained:
                new[i].weights, new[i].initial_weights = training.weights, training.initial_weights
                self.state.games += training.games
                for key, count in training.lookups.items():
                    self.state.lookups[key] = self.state.lookups.get(key, 0) + count
                self.task.checkpoint(self.state.snapshot)
        return (self.state.games - before) / max(time.perf_counter() - began, 1e-9)

    def _tournament(self, rate: float) -> None:
        """Measure the fitness of all individuals in a new tournament; keep the fittest, best first."""
        state, settings = self.state, self.settings
        everybody = state.individuals
        paired = list(genetics.pairings(settings, len(everybody), self._rng(_PAIRED, state.generation)))
        contenders = [Contender(weights=one.weights, features=self._chosen(one)) for one in everybody]
        seed = derived(self.task.seed, _PLAYED, state.generation)
        records = [
            attrs.evolve(
                game,
                phase="tournament",
                number=state.played + i,
                players=(everybody[first].name, everybody[second].name),
                session=state.generation + 1,
            )
            for i, ((first, second, _), game) in enumerate(
                zip(paired, contests(self.work, contenders, [pair[:2] for pair in paired], seed), strict=True), 1
            )
        ]
        state.played += len(records)
        for game in records:
            self.task.game_finished(game)
        winners = [game.outcome.winner for game in records]
        for one, points in zip(everybody, genetics.scores(paired, winners, len(everybody)), strict=True):
            one.fitness = points
        kept = genetics.survivors([one.fitness for one in everybody], settings.population)
        state.individuals = [everybody[i] for i in kept]
        state.best.append(state.individuals[0])
        self._report(records, rate)

    def _report(self, records: Sequence[GameRecord], rate: float) -> None:
        """Report the generation, with the net of its best individual."""
        state, settings = self.state, self.settings
        best = state.individuals[0]
        assert best.weights is not None
        individuals = settings.population * (state.generation + 1)
        self.task.session_finished(
            Progress(
                session=state.generation + 1,
                sessions=settings.generations + 1,
                games=state.games,
                total=round(state.games / individuals * settings.population * (settings.generations + 1)),
                weights=best.weights,
                features=self.features.selected(self._chosen(best)),
                numbers={
                    "best": best.number,
                    "fitness": best.fitness,
                    "mean_fitness": sum(one.fitness for one in state.individuals) / len(state.individuals),
                    "features": int(best.genes.sum()),
                    "tournament_draws": sum(game.outcome.winner is None for game in records),
                    "tournament_loops": sum(game.outcome.loop for game in records),
                    "games_per_second": rate,
                },
            )
        )


COUNTED = ("probes", "hits")
"""Figures of inner learners that are added up over the individuals."""


@attrs.frozen(eq=False)
class Training:
    """The trained net of an individual."""

    weights: FloatArray
    initial_weights: FloatArray
    games: int
    """Training games."""
    lookups: Mapping[str, int]
    """Oracle lookups, `probes` and `hits`, if the inner learner counts them."""


class _Measured(Exception):
    """Ends a trial training as soon as its speed is known."""


def parts_of(site: Site, names: Sequence[str]) -> Parts:
    """The pipeline's parts, with only these features."""
    features = site.parts.features
    assert isinstance(features, Selectable)
    return site.parts.with_features(features.selected(names))


def train_individual(site: Site, inner: Spec, names: tuple[str, ...], seed: np.random.SeedSequence) -> Training:
    games = 0

    def game_finished(game: GameRecord) -> None:
        nonlocal games
        site.check()
        games += game.phase == "training"

    def session_finished(progress: Progress) -> None:
        site.check()

    task = TrainingTask(
        parts=parts_of(site, names), seed=seed, game_finished=game_finished, session_finished=session_finished
    )
    trained = site.create("learner", inner).train(task)
    lookups = {key: int(trained.summary[key]) for key in COUNTED if key in trained.summary}
    return Training(trained.weights, trained.initial_weights, games, lookups)


def training_speed(
    site: Site, inner: Spec, names: tuple[str, ...], seed: np.random.SeedSequence, seconds: float
) -> tuple[float, int]:
    """(training games per second of one worker, training games per individual or 0 if unknown).

    Trains an individual for this many seconds after its first game, which compiles the kernels. A training that ends
    earlier is measured in a second pass, because the first pass also spent time on compilation.
    """
    learner = site.create("learner", inner)
    parts = parts_of(site, names)
    games, began = 0, 0.0

    def game_finished(game: GameRecord) -> None:
        nonlocal games, began
        site.check()
        if not began:
            began = time.perf_counter()
        elif game.phase == "training":
            games += 1
            if time.perf_counter() - began > seconds:
                raise _Measured

    with contextlib.suppress(_Measured):
        for _ in range(2):
            games, began = 0, 0.0
            task = TrainingTask(
                parts=parts, seed=derived(seed), game_finished=game_finished, session_finished=lambda progress: None
            )
            learner.train(task)
    rate = games / (time.perf_counter() - began) if began else 0.0
    return rate, getattr(learner, "training_games", 0)
