"""The learner `cem`: the cross-entropy method over parameters ([Rubinstein1999]; [Rezende2017], section 2.3).

The tuned parameters have ranges, which are checked against the pipeline. `CrossEntropySearch` draws samples, lets them
play, and updates mean and deviation; `TrainingState` is what checkpoints hold. The time of a search is estimated from
games that are measured with a time limit.
"""

import contextlib
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeGuard

import attrs
import numpy as np
from numpy.typing import NDArray

import gameforge as gf
from gameforge import GameforgeError
from gameforge.interfaces import GameRecord, Opening, Progress, Site, Trained, TrainingTask, Work, config, kinds, near
from gameforge.kernel import derived, stream
from gameforge_learn_cem.state import Distribution, KeptGame, TrainingState

Range = tuple[float, float]
"""The least and the greatest value."""


@attrs.frozen
class Parameter:
    """A numeric parameter of a component."""

    key: str
    """As `searcher.cp`."""
    low: float
    high: float
    whole: bool
    """Whether it is an integer."""

    def value(self, number: float) -> float | int:
        """The number as a value of this parameter: rounded if it is an integer."""
        return round(number) if self.whole else float(number)


def read_ranges(tune: Mapping[str, object]) -> dict[str, Range]:
    """Ranges by dotted key, from nested settings or dotted keys; GameforgeError for a value that is not a range."""
    found: dict[str, Range] = {}
    for key, given in config.flat(tune):
        if key in found:
            raise GameforgeError(f"{key} is given twice")
        found[key] = _range(key, given)
    return found


def _range(key: str, given: object) -> Range:
    ends = [config.parse_value(end) for end in given.split("..")] if isinstance(given, str) else given
    if not (isinstance(ends, Sequence) and len(ends) == 2 and all(map(is_number, ends))):
        raise GameforgeError(f"{key} = {given}: must be LOW..HIGH or [LOW, HIGH], two numbers")
    low, high = ends
    if low > high:
        raise GameforgeError(f"{key} = {given}: the lower end of the range must come first")
    if low == high:
        raise GameforgeError(f"{key} = {given}: the two ends of a range must differ")
    return low, high


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether this is a finite number, and not a truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _readable(instance: object, attribute: "attrs.Attribute[Any]", value: Mapping[str, Any]) -> None:
    read_ranges(value)


_share = kinds.positive(1)


@attrs.frozen(kw_only=True)
class Cem:
    """The cross-entropy method for numeric parameters of a pipeline.

    In each iteration, samples are drawn around the mean, each plays a match against the mean, and mean and deviation
    move towards those of the best samples.
    """

    tune: Mapping[str, Any] = attrs.field(factory=dict, validator=_readable)
    """Ranges of parameters by key, such as `searcher.cp`: `[low, high]`, or the string `low..high`."""
    iterations: int = attrs.field(default=10, validator=kinds.count(1))
    """Number of iterations; each draws, measures and selects samples."""
    samples: int = attrs.field(default=32, validator=kinds.count(2))
    """Samples per iteration."""
    games: int = attrs.field(default=16, validator=[kinds.count(2), kinds.even])
    """Games of each sample's match against the mean."""
    elite: float = attrs.field(default=0.2, validator=_share)
    """Share of the best samples, which determine the next mean and deviation; at least two samples."""
    smoothing: float = attrs.field(default=0.7, validator=_share)
    """Weight of the elite's mean and deviation against the old ones."""
    distribution: Literal["gaussian", "uniform"] = "gaussian"
    """gaussian: truncated to the range; initially the middle of the range is the mean, half its width the deviation.
    uniform: around the mean, the deviation is half of its width."""
    openings: str = "random:4"
    """Openings of the matches: random:PLIES, a set of the game or a file; the same for all samples of an iteration."""

    @property
    def ranges(self) -> Mapping[str, Range]:
        """The ranges of `tune` by dotted key."""
        return read_ranges(self.tune)

    @property
    def training_games(self) -> int:
        """Games of the whole training."""
        return self.iterations * self.samples * self.games

    def train(self, task: TrainingTask) -> Trained:
        """Tune the parameters.

        Raises GameforgeError if a parameter does not exist or is not a number, or if a component does not accept its
        range or the openings.
        """

        if task.work is None:
            raise GameforgeError("learner cem needs workers to play its matches, but the task has none")
        return CrossEntropySearch(self, task, task.work, parameters(self.ranges, task.work.site)).run()


def parameters(tuned: Mapping[str, Range], site: Site) -> list[Parameter]:
    """The tuned parameters; GameforgeError if the pipeline lacks one or does not accept its range."""
    there = site.parameters
    numbers = [key for key, value in there.items() if is_number(value)]
    known = f"numbers of this pipeline: {', '.join(numbers) or 'none'}"
    if not tuned:
        raise GameforgeError(
            f"learner cem: no parameter to tune is named; {known}",
            advice="name parameters and their ranges, KEY=LOW..HIGH,",
            parameter="tune",
        )
    found = []
    for key, (low, high) in tuned.items():
        if key not in there:
            raise GameforgeError(f"learner cem: this pipeline has no parameter {key}{near(key, numbers)}; {known}")
        now = there[key]
        if not is_number(now):
            raise GameforgeError(f"learner cem: {key} = {_shown(now)} is not a number; {known}")
        is_whole = type(now) is int
        if is_whole and not (low == round(low) and high == round(high)):
            raise GameforgeError(f"learner cem: {key} is an integer, but its range {low:g}..{high:g} is not")
        parameter = Parameter(key, low, high, is_whole)
        for end in (low, high):
            try:
                site.parts_with({key: parameter.value(end)})
            except GameforgeError as error:
                raise GameforgeError(f"learner cem: the range {low:g}..{high:g} is not allowed: {error}") from error
        found.append(parameter)
    return found


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


Settings = Mapping[str, float | int]
"""Values of the tuned parameters, by key."""
Floats = NDArray[np.float64]
_MEASURE_SECONDS = 2.0
_DRAWN, _OPENED, _PLAYED, _WEIGHTS, _MEASURED = range(5)
"""Purposes of random numbers; each has its own stream in each iteration."""
_LEAST_ELITE = 2
_JOB_SECONDS, _MOST_JOB_GAMES = 1.0, 16
"""Target duration of a job in seconds, and its maximum number of games."""


@attrs.frozen(eq=False, kw_only=True)
class _Matches:
    """Matches of an iteration: each sample plays the mean from every opening, once with each side."""

    samples: Floats
    """[sample, parameter]."""
    contenders: Sequence[gf.Contender]
    """The samples and the mean."""
    names: Sequence[str]
    """Names of the contenders."""
    pairings: Sequence[tuple[int, int]]
    openings: Sequence[Opening]


class CrossEntropySearch:
    """One search, new or resumed from a checkpoint."""

    def __init__(self, settings: Cem, task: TrainingTask, work: Work, parameters: Sequence[Parameter]) -> None:
        self.settings, self.task, self.work, self.parameters = settings, task, work, parameters
        first = [Distribution.over(settings.distribution, one.low, one.high) for one in self.parameters]
        self.state: TrainingState = (
            TrainingState(first) if task.saved is None else TrainingState.restored(task.saved, first)
        )
        self._openings()  # report what is wrong with them before any game is played
        if self.state.games:
            self._check_kept()

    def run(self) -> Trained:
        state, settings = self.state, self.settings
        seconds = self._estimate()
        while state.iteration < settings.iterations:
            self._iterate(max(1, min(_MOST_JOB_GAMES, int(_JOB_SECONDS / seconds))))
        mean = self._mean()
        deviations = {
            f"{one.key} deviation": law.deviation for one, law in zip(self.parameters, state.laws, strict=True)
        }
        return Trained(
            weights=self._contender(mean).weights,
            initial_weights=self._contender({}).weights,
            settings=mean,
            summary={"games": settings.training_games, **mean, **deviations},
        )

    def _check_kept(self) -> None:
        """Replay the games of the checkpoint; GameforgeError for one that contradicts the rules."""
        matches = self._matches()
        if len(self.state.games) > len(matches.pairings):
            raise gf.GameforgeError(f"learner cem: the checkpoint has more than {len(matches.pairings)} games")
        for number, (kept, opening) in enumerate(zip(self.state.games, matches.openings, strict=False), 1):
            try:
                self.task.check_game(kept.record(self.task.parts.game.rules, opening))
            except gf.GameforgeError as error:
                raise gf.GameforgeError(f"learner cem: game {number} of the checkpoint is damaged: {error}") from error

    def _estimate(self) -> float:
        """Measure the seconds per game, and report an estimate of the remaining time."""
        settings, state, work, one = self.settings, self.state, self.work, self._contender(self._mean())
        seed = stream(derived(self.task.seed, _MEASURED)) >> 1
        [(_, seconds)] = work.each(_seconds_per_game, [(one, seed)])
        games = (settings.iterations - state.iteration) * settings.samples * settings.games - len(state.games)
        self.task.notice(
            f"{seconds:.3g} s a game measured between two means; {games:,} games of {settings.iterations} iterations x "
            f"{settings.samples} samples x {settings.games} games, {work.workers} at once: about "
            f"{gf.duration_text(games * seconds / work.workers)}"
        )
        return max(seconds, 1e-9)

    def _iterate(self, job_games: int) -> None:
        state, settings = self.state, self.settings
        matches = self._matches()
        rate = self._play(matches, job_games)
        records = self._records(matches)
        for one in records:
            self.task.game_finished(one)
        points = [one.outcome.points(i % 2) for i, one in enumerate(records)]
        scores = np.reshape(points, (settings.samples, settings.games)).mean(axis=1) / 2
        best = np.argsort(-scores, kind="stable")[: max(_LEAST_ELITE, round(settings.elite * settings.samples))]
        elite = matches.samples[best]
        state.laws = [law.towards(values, settings.smoothing) for law, values in zip(state.laws, elite.T, strict=True)]
        state.iteration += 1
        state.games = []
        self._report(records, points, scores[best], rate)
        self.task.checkpoint(state.snapshot)

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

    def _play(self, matches: _Matches, job_games: int) -> float:
        """Play the remaining games; returns the games per second of all workers."""
        state = self.state
        began, before = time.perf_counter(), len(state.games)
        seed = derived(self.task.seed, _PLAYED, state.iteration)
        left = gf.contests(
            *(self.work, matches.contenders, matches.pairings, seed),
            openings=matches.openings,
            done=before,
            games_per_piece=job_games,
        )
        with contextlib.closing(left) as played:
            for game in played:
                state.games.append(KeptGame.of(game, self.task.parts.game.rules))
                self.task.checkpoint(state.snapshot)
        return (len(state.games) - before) / max(time.perf_counter() - began, 1e-9)

    def _records(self, matches: _Matches) -> list[GameRecord]:
        before = self.state.iteration * len(matches.pairings)
        return [
            kept.record(
                *(self.task.parts.game.rules, opening),
                phase="training",
                number=before + i + 1,
                players=(matches.names[first], matches.names[second]),
                session=self.state.iteration + 1,
                learner=i % 2,
            )
            for i, (kept, opening, (first, second)) in enumerate(
                zip(self.state.games, matches.openings, matches.pairings, strict=True)
            )
        ]

    def _contender(self, values: Settings) -> gf.Contender:
        """The player with these parameters; its weights, if any, are initial ones drawn from the seed."""
        parts = self.work.site.parts_with(values)
        rng = np.random.default_rng(derived(self.task.seed, _WEIGHTS))
        return gf.Contender(settings=values, weights=None if parts.vector is None else parts.initial_weights(rng))

    def _samples(self) -> Floats:
        """Samples [sample, parameter]; whole parameters are rounded."""
        rng = np.random.default_rng(derived(self.task.seed, _DRAWN, self.state.iteration))
        drawn = [law.draw(self.settings.samples, rng) for law in self.state.laws]
        rounded = [np.rint(values) if one.whole else values for one, values in zip(self.parameters, drawn, strict=True)]
        return np.stack(rounded, axis=1)

    def _values(self, numbers: Sequence[float] | Floats) -> Settings:
        return {one.key: one.value(number) for one, number in zip(self.parameters, numbers, strict=True)}

    def _mean(self) -> Settings:
        return self._values([law.mean for law in self.state.laws])

    def _openings(self) -> list[Opening]:
        """Openings of the iteration, the same for all samples."""
        seed = stream(derived(self.task.seed, _OPENED, self.state.iteration))
        return list(gf.match_openings(self.task.parts.game, self.settings.openings, self.settings.games // 2, seed))

    def _report(self, records: Sequence[GameRecord], points: Sequence[int], elite: Floats, rate: float) -> None:
        state, settings, mean = self.state, self.settings, self._mean()
        numbers: dict[str, float | int | bool] = {}
        for one, law in zip(self.parameters, state.laws, strict=True):
            numbers |= {one.key: law.mean, f"{one.key} deviation": law.deviation}
        numbers |= {"best_score": float(elite.max()), "elite_score": float(elite.mean())}
        numbers |= {"wins": points.count(2), "draws": points.count(1), "losses": points.count(0)}
        numbers |= {"loops": sum(record.outcome.loop for record in records)}
        numbers |= {"mean_plies": sum(len(record.codes) for record in records) / len(records)}
        self.task.session_finished(
            Progress(
                session=state.iteration,
                sessions=settings.iterations,
                games=state.iteration * len(records),
                total=settings.training_games,
                weights=self._contender(mean).weights,
                settings=mean,
                numbers=numbers | {"games_per_second": rate},
            )
        )


def _text(values: Settings) -> str:
    return ", ".join(f"{key} {value:.4g}" for key, value in values.items())


def _seconds_per_game(site: Site, contender: gf.Contender, seed: int) -> float:
    return contender.seconds_per_game(site, seed, _MEASURE_SECONDS)
