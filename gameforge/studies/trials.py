"""The trials of a study in its folder, where they can be interrupted, resumed and extended.

study.json      the manifest: base pipeline, budget and measure, which all trials share
study.toml      the whole study, as it was run last
trials.jsonl    one line per finished trial
matches.jsonl   one line per finished match of a league
seed-N/         the runs of the trials with seed N, and their matches

A trial is known by its pipeline and its seed. So variants and seeds can be added, removed and renamed, and only trials
that are new are run. Where a trial fails, the others go on; it is tried again when the study is run again.

Each run has a file clock.jsonl beside its metrics, since times are not part of what a seed determines.
"""

import contextlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from itertools import combinations
from pathlib import Path

import attrs

from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.experiments.reproduction import state_of_sources
from gameforge.experiments.schedule import TRIALS, Key, Noticed, TrialResources, finished_trials
from gameforge.experiments.tally import Tally
from gameforge.experiments.trial import GameFinished, Trial
from gameforge.interfaces.experiment import Result
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import Numbers, Progress
from gameforge.storage.files import write_atomically
from gameforge.storage.folder import ManifestFormat
from gameforge.storage.stored import JsonLog, length_of_lines, read_as, read_log
from gameforge.studies.measures import League, Opponents
from gameforge.studies.variants import Variant
from gameforge.training.run import Run
from gameforge.training.run_folder import run_manifest

STUDY_FORMAT = ManifestFormat("study", "study.json", "gameforge-study", 1)
DEFINITION, MATCHES = "study.toml", "matches.jsonl"
FAILED = "failed"
"""Key of the figures of a trial that failed, with the reason; empty for a match whose players are missing."""


@attrs.frozen(kw_only=True)
class FinishedTrial:
    """A line of trials.jsonl."""

    variant: str
    """The name that the variant had."""
    seed: int
    """The random seed."""
    digest: str
    """Identifies the pipeline, the seed excepted."""
    run: str
    """The folder of the run, in that of the study."""
    games: int
    """Training games."""
    tally: Tally | None = None
    """The match against the fixed opponent; None in a league."""
    seconds: float = 0.0
    """Time of the training."""
    source: str = ""
    """State of the source that ran it."""


@attrs.frozen(kw_only=True)
class FinishedMatch:
    """A line of matches.jsonl: two trained players of the same seed."""

    first: str
    """Digest of the pipeline of the first player."""
    second: str
    """Digest of the pipeline of the second player."""
    seed: int
    """The random seed of both trainings."""
    tally: Tally
    """The match, for the first player."""
    seconds: float = 0.0
    """Its time."""
    source: str = ""
    """State of the source that played it."""


@attrs.frozen
class Failure:
    """A trial that failed."""

    variant: str
    seed: int
    why: str
    """What it raised, in a sentence."""

    def __str__(self) -> str:
        return f"{self.variant}, seed {self.seed}: {self.why}"


@attrs.frozen(kw_only=True)
class Resources:
    """What runs the trials, and who hears of them. No result depends on it."""

    workers: int = 1
    """Number of trials that run at once, and of threads for the learners' independent work."""
    executor: Executor | None = None
    """Does that work in place of the threads."""
    game_finished: GameFinished = lambda game: None
    trial_finished: Callable[[str, int, float, str], None] = lambda name, seed, seconds, failure: None
    """Called with the name of a trial or match, its seed, its seconds, and why it failed, or an empty text."""
    noticed: Noticed = lambda key, text: None


@attrs.define
class Trials:
    """What a study has finished: its trials and the matches of its league, as its folder keeps them."""

    folder: Path
    trials: list[FinishedTrial]
    matches: list[FinishedMatch]
    failures: list[Failure] = attrs.field(factory=list)
    """Trials that failed this time."""

    @classmethod
    def read(cls, folder: Path) -> "Trials":
        """Read what a folder keeps; nothing if it does not exist. Raises GameforgeError for a damaged line."""
        return cls(folder, read_log(folder / TRIALS, _trial), read_log(folder / MATCHES, _match))

    def of(self, variants: Sequence[Variant], seeds: Sequence[int]) -> "Trials":
        """Return those that belong to these variants and seeds."""
        digests = {variant.digest for variant in variants}
        trials = [one for one in self.trials if one.digest in digests and one.seed in seeds]
        matches = [one for one in self.matches if {one.first, one.second} <= digests and one.seed in seeds]
        return attrs.evolve(self, trials=trials, matches=matches)

    def results(self, variants: Sequence[Variant]) -> dict[Key, Result]:
        """Return them by seed and condition, as the schedule knows them."""
        names = {variant.digest: variant.name for variant in variants}
        trained = [(one.seed, names[one.digest], {"run": one.run}) for one in self.trials if one.digest in names]
        played: list[tuple[int, str, Numbers]] = [
            (one.seed, _versus(names[one.first], names[one.second]), {})
            for one in self.matches
            if one.first in names and one.second in names
        ]
        return {(seed, name): Result(name, seed, numbers) for seed, name, numbers in [*trained, *played]}


class StudyTrials:
    """The trials of a study, as the schedule runs them: a training of each variant, then the matches of the league."""

    def __init__(self, variants: Sequence[Variant], league: League | None, opponents: Opponents | None) -> None:
        """league: the round robin; None: the opponents measure each trained player."""
        self._variants = {variant.name: variant for variant in variants}
        self._league, self._opponents = league, opponents
        ordered = sorted(variants, key=lambda variant: variant.digest)  # so that no match depends on their order
        self._pairs = {_versus(a.name, b.name): (a, b) for a, b in combinations(ordered, 2)} if league else {}

    @property
    def conditions(self) -> Mapping[str, float]:
        """The variants, and the matches of each seed's league; their durations are not known."""
        return dict.fromkeys([*self._variants, *self._pairs], 0.0)

    @property
    def after(self) -> Mapping[str, Sequence[str]]:
        """A match needs both its players."""
        return {name: (first.name, second.name) for name, (first, second) in self._pairs.items()}

    def run(self, trial: Trial) -> Numbers:
        """Run a trial; the figures of one that fails are the reason."""
        try:
            if trial.condition in self._variants:
                return self._train(trial, self._variants[trial.condition])
            return self._play(trial, *self._pairs[trial.condition])
        except GameforgeError as error:
            return {FAILED: " ".join(str(error).split())}

    def line(self, result: Result, source: str) -> FinishedTrial | FinishedMatch:
        """Return what the folder keeps of a finished trial."""
        shared = {"seed": result.seed, "source": source, **result.numbers}
        if result.condition in self._variants:
            variant = self._variants[result.condition]
            return _trial({"variant": variant.name, "digest": variant.digest, **shared})
        first, second = self._pairs[result.condition]
        return _match({"first": first.digest, "second": second.digest, **shared})

    def _train(self, trial: Trial, variant: Variant) -> Numbers:
        pipeline = variant.pipeline.with_seed(trial.seed)
        yardstick = None if self._opponents is None else self._opponents.yardstick(pipeline)
        run = trial.run(pipeline, variant.folder, yardstick=yardstick, subscribers=[Clock()])
        times = read_clock(run.folder)
        sessions = run.sessions
        numbers: dict[str, object] = {
            "run": f"{run.folder.parent.name}/{run.folder.name}",
            "games": int(sessions[-1]["games"]) if sessions else 0,
            "seconds": times[-1].seconds if times else 0.0,
        }
        if self._opponents is None:
            return numbers
        strength = read_as(_Strength, run_manifest(run.folder).get("strength"))
        return {**numbers, "tally": strength.tally.numbers}

    def _play(self, trial: Trial, first: Variant, second: Variant) -> Numbers:
        assert self._league is not None, "only a league has matches"
        if any(FAILED in trial.earlier[variant.name] for variant in (first, second)):
            return {FAILED: ""}
        names = [str(trial.earlier[variant.name]["run"]).rpartition("/")[2] for variant in (first, second)]
        players = [trial.player(name) for name in names]
        result = trial.match(players[0], players[1], self._league.games, f"{first.digest}-{second.digest}")
        return {"tally": Tally.of(result).numbers}


def run_trials(
    folder: Path,
    experiment: StudyTrials,
    variants: Sequence[Variant],
    seeds: Sequence[int],
    registry: Registry,
    resources: Resources,
) -> Trials:
    """Run the trials that a folder, which this process has locked, does not have yet; return what it has then."""
    kept = Trials.read(folder)
    before = kept.results(variants)
    todo = [key for key in ((seed, name) for seed in seeds for name in experiment.conditions) if key not in before]
    source = state_of_sources(registry.plugins)
    shared = TrialResources(
        registry=registry,
        folder=folder,
        workers=resources.workers,
        executor=resources.executor,
        game_finished=resources.game_finished,
        noticed=resources.noticed,
    )
    running = finished_trials(experiment, todo, before, shared)
    with (
        contextlib.closing(running),
        JsonLog(folder / TRIALS, length_of_lines(folder / TRIALS, len(kept.trials))) as trials,
        JsonLog(folder / MATCHES, length_of_lines(folder / MATCHES, len(kept.matches))) as matches,
    ):
        for log in (trials, matches):
            log.flush()
        for result, seconds in running:
            failure = str(result.numbers.get(FAILED, ""))
            if FAILED not in result.numbers:
                line = experiment.line(result, source)
                if isinstance(line, FinishedTrial):
                    trials.append(attrs.asdict(line))
                    kept.trials.append(line)
                else:
                    line = attrs.evolve(line, seconds=round(seconds, 3))
                    matches.append(attrs.asdict(line))
                    kept.matches.append(line)
            elif failure:
                kept.failures.append(Failure(result.condition, result.seed, failure))
            resources.trial_finished(result.condition, result.seed, seconds, failure)
    return kept


@attrs.frozen(kw_only=True)
class _Strength:
    """The final match against the yardstick, as run.json has it."""

    wins: int
    draws: int
    losses: int
    loops: int
    distinct: int
    distinct_pairs: int
    pentanomial: tuple[int, ...]

    @property
    def tally(self) -> Tally:
        counts = attrs.asdict(self)
        return Tally(pairs=counts.pop("pentanomial"), **counts)


def _trial(stored: object) -> FinishedTrial:
    return read_as(FinishedTrial, stored)


def _match(stored: object) -> FinishedMatch:
    return read_as(FinishedMatch, stored)


def _versus(first: str, second: str) -> str:
    return f"{first} against {second}"


CLOCK = "clock.jsonl"


@attrs.frozen
class Reading:
    """The seconds that the training had taken after a session."""

    session: int
    seconds: float


def read_clock(folder: Path) -> list[Reading]:
    """Read the clock of a run, session by session; empty if it has none. GameforgeError if it is damaged."""
    return read_log(folder / CLOCK, lambda stored: read_as(Reading, stored))


class Clock:
    """A subscriber to the events of a run that keeps its clock."""

    def __init__(self) -> None:
        self._before, self._began = 0.0, time.perf_counter()

    @hookimpl
    def gameforge_run_started(self, run: Run) -> None:
        kept = read_clock(run.folder)[: len(run.earlier)]
        lines = "".join(json.dumps(attrs.asdict(reading)) + "\n" for reading in kept)
        write_atomically(run.folder / CLOCK, lines.encode())
        self._before, self._began = kept[-1].seconds if kept else 0.0, time.perf_counter()

    @hookimpl
    def gameforge_checkpoint(self, run: Run, progress: Progress) -> None:
        seconds = round(self._before + time.perf_counter() - self._began, 3)
        path = run.folder / CLOCK
        with JsonLog(path, path.stat().st_size) as log:
            log.append({"session": progress.session, "seconds": seconds})
