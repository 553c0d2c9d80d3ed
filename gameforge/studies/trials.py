"""The trials of a study: a training of each variant with each seed, and the matches of a league.

study.json      the manifest: base pipeline, budget and measure, which all trials share
study.toml      the whole study, as it was run last
trials.jsonl    one line per finished trial (gameforge.experiments.store)
seed-N/         the runs of the trials with seed N, and their matches

A trial is known by its pipeline and its seed. So variants and seeds can be added, removed and renamed, and only trials
that are new are run. Where a trial fails, the others go on; it is tried again when the study is run again.

Each run has a file clock.jsonl beside its metrics, since times are not part of what a seed determines.
"""

import json
import time
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import attrs

from gameforge.arena.match_folder import read_match
from gameforge.discovery.registry import Registry
from gameforge.experiments.schedule import TRIALS, FinishedTrial, Key, wrong_trial
from gameforge.experiments.seed_runs import seed_folder
from gameforge.experiments.tally import Tally
from gameforge.experiments.trial import Trial
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import Numbers, Progress
from gameforge.storage.files import write_atomically
from gameforge.storage.folder import Folder, ManifestFormat
from gameforge.storage.stored import JsonLog, read_as, read_log
from gameforge.studies.budget import Budget
from gameforge.studies.measures import League, Opponents
from gameforge.studies.variants import Variant, settings_digest
from gameforge.training.run import Run
from gameforge.training.run_folder import pipeline_settings, read_metrics, run_manifest
from gameforge.training.spending import EVALUATIONS, read_processor_time

STUDY_FORMAT = ManifestFormat("study", "study.json", "gameforge-study", 2, log=TRIALS, step="trial")
DEFINITION = "study.toml"


@attrs.frozen(kw_only=True)
class Training:
    """The figures of a variant's training."""

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
    evaluations: int | None = None
    """Evaluations of the training; None if the budget does not limit them."""
    processor_seconds: float | None = None
    """Processor time of the training; None if the budget does not limit it."""


@attrs.frozen(kw_only=True)
class LeagueMatch:
    """The figures of a match between two trained players of the same seed."""

    first: str
    """Digest of the pipeline of the first player."""
    second: str
    """Digest of the pipeline of the second player."""
    tally: Tally
    """The match, for the first player."""


@attrs.frozen
class Finished:
    """What a study has finished."""

    trainings: Mapping[Key, Training]
    """By seed and name of the variant."""
    matches: Mapping[Key, LeagueMatch]
    """By seed and name of the match."""

    def of(self, variant: Variant) -> dict[int, Training]:
        """Return the trainings of a variant by seed, in the order of the seeds."""
        return {seed: self.trainings[seed, name] for seed, name in sorted(self.trainings) if name == variant.name}

    def league(self, variant: Variant) -> list[tuple[int, str, Tally]]:
        """Return the matches of a variant, in the order of the seeds: seed, the opponent's digest, and the tally."""
        found = []
        for seed, name in sorted(self.matches):
            match = self.matches[seed, name]
            if match.first == variant.digest:
                found.append((seed, match.second, match.tally))
            elif match.second == variant.digest:
                found.append((seed, match.first, match.tally.turned))
        return found


class StudyTrials:
    """The trials of a study: a training of each variant, then the matches of the league."""

    def __init__(
        self,
        title: str,
        variants: Sequence[Variant],
        league: League | None,
        opponents: Opponents | None,
        budget: Budget | None,
    ) -> None:
        """league: the round robin; None: the opponents measure each trained player."""
        self.title, self.variants, self.budget = title, tuple(variants), budget
        self._trained = {variant.name: variant for variant in variants}
        self._league, self._opponents = league, opponents
        ordered = sorted(variants, key=lambda variant: variant.digest)  # so that no match depends on their order
        pairs = combinations(ordered, 2) if league else ()
        self._paired = {f"{first.name} against {second.name}": (first, second) for first, second in pairs}
        self._names = {(one.digest,): name for name, one in self._trained.items()} | {
            (first.digest, second.digest): name for name, (first, second) in self._paired.items()
        }

    @property
    def conditions(self) -> Mapping[str, float]:
        """The variants, and the matches of each seed's league; their durations are not known."""
        return dict.fromkeys([*self._trained, *self._paired], 0.0)

    @property
    def after(self) -> Mapping[str, Sequence[str]]:
        """A match needs both its players."""
        return {name: (first.name, second.name) for name, (first, second) in self._paired.items()}

    def run(self, trial: Trial) -> Numbers:
        """Run a trial."""
        if trial.condition in self._trained:
            return self._train(trial, self._trained[trial.condition])
        return self._play(trial, *self._paired[trial.condition])

    def recognised(self, trial: FinishedTrial) -> FinishedTrial | None:
        """Return a stored trial with the name that its variant or match has now; None if it has been removed.

        Raises GameforgeError if its figures are damaged.
        """
        digests: tuple[str, ...]
        if "first" in trial.numbers:
            match = read_as(LeagueMatch, trial.numbers)
            digests = match.first, match.second
        else:
            digests = (read_as(Training, trial.numbers).digest,)
        name = self._names.get(digests)
        return None if name is None else attrs.evolve(trial, condition=name)

    def finished(self, trials: Sequence[FinishedTrial]) -> Finished:
        """Return the figures of these trials."""
        return Finished(
            {one.key: read_as(Training, one.numbers) for one in trials if one.condition in self._trained},
            {one.key: read_as(LeagueMatch, one.numbers) for one in trials if one.condition in self._paired},
        )

    def _train(self, trial: Trial, variant: Variant) -> Numbers:
        pipeline = variant.pipeline.with_seed(trial.seed)
        yardstick = None if self._opponents is None else self._opponents.yardstick(pipeline)
        evaluations = None if self.budget is None else self.budget.evaluations
        seconds = None if self.budget is None else self.budget.processor_seconds
        run = trial.run(
            pipeline,
            variant.folder,
            yardstick=yardstick,
            subscribers=[Clock()],
            evaluations=evaluations,
            processor_seconds=seconds,
        )
        wanted = {
            "tally": self._opponents is not None,
            "evaluations": evaluations is not None,
            "processor_seconds": seconds is not None,
        }
        training = training_in(run.folder, {name for name, is_wanted in wanted.items() if is_wanted})
        return attrs.asdict(attrs.evolve(training, digest=variant.digest))

    def _play(self, trial: Trial, first: Variant, second: Variant) -> Numbers:
        assert self._league is not None, "only a league has matches"
        runs = [str(trial.earlier[variant.name]["run"]) for variant in (first, second)]
        players = [trial.player(run.rpartition("/")[2]) for run in runs]
        result = trial.match(players[0], players[1], self._league.games, f"{first.digest}-{second.digest}")
        return attrs.asdict(LeagueMatch(first=first.digest, second=second.digest, tally=Tally.of(result)))


def training_in(run: Path, measured: Collection[str]) -> Training:
    """Return the figures of a training as its run has them; measured: which of those that may be missing it has.

    Raises GameforgeError if the run is damaged.
    """
    times, sessions = read_clock(run), read_metrics(run)
    strength = read_as(_Strength, run_manifest(run).get("strength")) if "tally" in measured else None
    return Training(
        digest=settings_digest(pipeline_settings(run)),
        run=f"{run.parent.name}/{run.name}",
        games=int(sessions[-1]["games"]) if sessions else 0,
        tally=None if strength is None else strength.tally,
        seconds=times[-1].seconds if times else 0.0,
        evaluations=int(sessions[-1][EVALUATIONS]) if "evaluations" in measured else None,
        processor_seconds=read_processor_time(run) if "processor_seconds" in measured else None,
    )


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


def study_checked(path: Path, registry: Registry) -> str:
    """Say what holds of a study, by its manifest; GameforgeError if a figure is not that of its run or match.

    The runs and matches are verified like all others (gameforge.training.verification).
    """
    folder = path.parent
    STUDY_FORMAT.require_unaltered(folder)
    trials = read_log(folder / TRIALS, lambda stored: read_as(FinishedTrial, stored))
    for trial in trials:
        recorded = _own_match(folder, trial) if "first" in trial.numbers else _own_training(folder, trial)
        if text := Folder.difference(trial.numbers, json.loads(json.dumps(recorded))):
            raise wrong_trial(folder, trial, f"{text}, as in its folder")
    return f"study, {len(trials)} trials with the figures of their runs and matches"


def _own_training(folder: Path, trial: FinishedTrial) -> Numbers:
    """Return the figures of a training as its run has them."""
    training = read_as(Training, trial.numbers)
    home = seed_folder(folder, trial.seed)
    run = home / Path(training.run).name
    if training.run != f"{home.name}/{run.name}":
        raise wrong_trial(folder, trial, f"its run is said to be {training.run}, which is not in {home.name}")
    seed = pipeline_settings(run).get("seed")
    if seed != trial.seed:
        raise wrong_trial(folder, trial, f"its run was trained with the seed {seed}")
    figures = attrs.asdict(training)
    return attrs.asdict(training_in(run, {name for name, value in figures.items() if value is not None}))


def _own_match(folder: Path, trial: FinishedTrial) -> Numbers:
    """Return the figures of a match of a league as its folder has them."""
    match = read_as(LeagueMatch, trial.numbers)
    result = read_match(seed_folder(folder, trial.seed) / f"{match.first}-{match.second}")
    return attrs.asdict(attrs.evolve(match, tally=Tally.of(result)))
