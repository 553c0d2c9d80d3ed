"""The course of the method: draw samples, let them play, move mean and deviation."""

import contextlib
import time
from collections.abc import Mapping, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.interfaces.learner import Progress, Trained, TrainingTask, Work
from gameforge.kernel.seeds import derived, stream
from gameforge.play.arena.contests import Contender, Pairing, contests, record
from gameforge.play.arena.openings import match_openings
from gameforge.training.duration import span
from gameforge_learn_cem.distribution import Distribution
from gameforge_learn_cem.learner import Cem
from gameforge_learn_cem.ranges import Parameter, parameters
from gameforge_learn_cem.speed import seconds_a_game
from gameforge_learn_cem.standing import Standing

Settings = Mapping[str, float | int]
"""Values of the tuned parameters, by key."""
Floats = NDArray[np.float64]
_MEASURE_SECONDS = 2.0
_DRAWN, _OPENED, _PLAYED, _WEIGHTS, _MEASURED = range(5)
"""What random numbers are for: each purpose has its own in each iteration."""
_LEAST_ELITE = 2
_JOB_SECONDS, _MOST_A_JOB = 1.0, 16
"""Length of a piece of work, in seconds and in games."""


@attrs.frozen(eq=False, kw_only=True)
class _Matches:
    """Those of an iteration: of each sample against the mean, pairs of games with an opening and both sides."""

    samples: Floats
    """[sample, parameter]."""
    contenders: Sequence[Contender]
    """The samples and the mean."""
    names: Sequence[str]
    """Theirs."""
    pairings: Sequence[Pairing]
    openings: Sequence[Opening]


class Course:
    """One run of the method, begun or taken up again."""

    def __init__(self, settings: Cem, task: TrainingTask) -> None:
        if task.work is None:
            raise GameforgeError("learner cem: it needs workers for its matches, and was given none")
        self.settings: Cem = settings
        self.task: TrainingTask = task
        self.work: Work = task.work
        self.parameters: Sequence[Parameter] = parameters(settings.ranges, self.work.site)
        first = [Distribution.over(settings.distribution, one.low, one.high) for one in self.parameters]
        self.at: Standing = Standing(first) if task.saved is None else Standing.of(task.saved, first)
        self._openings()  # what is wrong with them is told before anything is done

    def run(self) -> Trained:
        at, settings = self.at, self.settings
        seconds = self._estimate()
        while at.iteration < settings.iterations:
            self._iterate(max(1, min(_MOST_A_JOB, int(_JOB_SECONDS / seconds))))
        mean = self._mean()
        deviations = {f"{one.key} deviation": law.deviation for one, law in zip(self.parameters, at.laws, strict=True)}
        return Trained(
            weights=self._contender(mean).weights,
            initial_weights=self._contender({}).weights,
            settings=mean,
            summary={"games": settings.training_games, **mean, **deviations},
        )

    def _estimate(self) -> float:
        """Seconds of a game; tells how long what is left will take."""
        settings, at, work, one = self.settings, self.at, self.work, self._contender(self._mean())
        seed = stream(derived(self.task.seed, _MEASURED)) >> 1
        [(_, seconds)] = work.each(seconds_a_game, [(one.settings, one.weights, seed, _MEASURE_SECONDS)])
        games = (settings.iterations - at.iteration) * settings.samples * settings.games - len(at.games)
        self.task.notice(
            f"{seconds:.3g} s a game measured between two means; {games:,} games of {settings.iterations} iterations x "
            f"{settings.samples} samples x {settings.games} games, {work.workers} at once: about "
            f"{span(games * seconds / work.workers)}"
        )
        return max(seconds, 1e-9)

    def _iterate(self, a_job: int) -> None:
        at, settings = self.at, self.settings
        matches = self._matches()
        rate = self._play(matches, a_job)
        records = self._records(matches)
        for one in records:
            self.task.game_finished(one)
        points = [one.outcome.points(i % 2) for i, one in enumerate(records)]
        scores = np.reshape(points, (settings.samples, settings.games)).mean(axis=1) / 2
        best = np.argsort(-scores, kind="stable")[: max(_LEAST_ELITE, round(settings.elite * settings.samples))]
        elite = matches.samples[best]
        at.laws = [law.towards(values, settings.smoothing) for law, values in zip(at.laws, elite.T, strict=True)]
        at.iteration += 1
        at.games = []
        self._tell(records, points, scores[best], rate)
        self.task.checkpoint(at.state)

    def _matches(self) -> _Matches:
        settings, samples = self.settings, self._samples()
        values = [self._values(sample) for sample in samples]
        pairs = [(one, settings.samples) for one in range(settings.samples) for _ in range(settings.games // 2)]
        openings = self._openings()
        return _Matches(
            samples=samples,
            contenders=[self._contender(one) for one in (*values, self._mean())],
            names=[f"sample {i} ({_text(one)})" for i, one in enumerate(values, 1)] + [f"mean ({_text(self._mean())})"],
            pairings=[pairing for pair in pairs for pairing in (pair, pair[::-1])],
            openings=[opening for opening in openings for _ in range(2)] * settings.samples,
        )

    def _play(self, matches: _Matches, a_job: int) -> float:
        """Play what is left of them; games a second of all workers."""
        at = self.at
        began, before = time.perf_counter(), len(at.games)
        seed = derived(self.task.seed, _PLAYED, at.iteration)
        left = contests(
            *(self.work, matches.contenders, matches.pairings, seed),
            openings=matches.openings,
            done=before,
            a_job=a_job,
        )
        with contextlib.closing(left) as played:
            for game in played:
                at.games.append(game)
                self.task.checkpoint(at.state)
        return (len(at.games) - before) / max(time.perf_counter() - began, 1e-9)

    def _records(self, matches: _Matches) -> list[GameRecord]:
        before = self.at.iteration * len(matches.pairings)
        return [
            record(
                *(self.task.parts.game, contest, opening),
                phase="training",
                number=before + i + 1,
                players=(matches.names[first], matches.names[second]),
                session=self.at.iteration + 1,
                learner=i % 2,
            )
            for i, (contest, opening, (first, second)) in enumerate(
                zip(self.at.games, matches.openings, matches.pairings, strict=True)
            )
        ]

    def _contender(self, values: Settings) -> Contender:
        """The player with these parameters; an evaluator with weights has the first that the seed gives."""
        parts = self.work.site.parts_with(values)
        rng = np.random.default_rng(derived(self.task.seed, _WEIGHTS))
        return Contender(settings=values, weights=None if parts.vector is None else parts.initial_weights(rng))

    def _samples(self) -> Floats:
        """[sample, parameter]; integers are rounded."""
        rng = np.random.default_rng(derived(self.task.seed, _DRAWN, self.at.iteration))
        drawn = [law.draw(self.settings.samples, rng) for law in self.at.laws]
        rounded = [np.rint(values) if one.whole else values for one, values in zip(self.parameters, drawn, strict=True)]
        return np.stack(rounded, axis=1)

    def _values(self, numbers: Sequence[float] | Floats) -> Settings:
        return {one.key: one.value(number) for one, number in zip(self.parameters, numbers, strict=True)}

    def _mean(self) -> Settings:
        return self._values([law.mean for law in self.at.laws])

    def _openings(self) -> list[Opening]:
        """Of the iteration, the same for all samples."""
        seed = stream(derived(self.task.seed, _OPENED, self.at.iteration))
        return match_openings(self.task.parts.game, self.settings.openings, self.settings.games // 2, seed)

    def _tell(self, records: Sequence[GameRecord], points: Sequence[int], elite: Floats, rate: float) -> None:
        at, settings, mean = self.at, self.settings, self._mean()
        numbers: dict[str, float | int | bool] = {}
        for one, law in zip(self.parameters, at.laws, strict=True):
            numbers |= {one.key: law.mean, f"{one.key} deviation": law.deviation}
        numbers |= {"best_score": float(elite.max()), "elite_score": float(elite.mean())}
        numbers |= {"wins": points.count(2), "draws": points.count(1), "losses": points.count(0)}
        numbers |= {"loops": sum(record.outcome.loop for record in records)}
        numbers |= {"mean_plies": sum(len(record.moves) for record in records) / len(records)}
        self.task.session_finished(
            Progress(
                session=at.iteration,
                sessions=settings.iterations,
                games=at.iteration * len(records),
                total=settings.training_games,
                weights=self._contender(mean).weights,
                settings=mean,
                numbers=numbers | {"games_per_second": rate},
            )
        )


def _text(values: Settings) -> str:
    return ", ".join(f"{key} {value:.4g}" for key, value in values.items())
