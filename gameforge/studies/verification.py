"""What can be verified of studies and experiments: their figures must be those of the runs and matches beside them.

The runs and matches themselves are verified like all others (gameforge.training.verification).
"""

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from gameforge.arena.match_folder import read_match
from gameforge.config import Spec
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.experiments.reproduction import EXPERIMENT_FORMAT, RESULTS, by_condition, create_experiment
from gameforge.experiments.schedule import TRIALS, FinishedTrial, damage_named
from gameforge.experiments.seed_runs import require_scipy, seed_folder
from gameforge.experiments.tally import Tally
from gameforge.interfaces.learner import Numbers
from gameforge.storage.folder import Folder
from gameforge.storage.stored import parse_json, read_as, read_file, read_log
from gameforge.studies.trials import STUDY_FORMAT, LeagueMatch, Training, training_in
from gameforge.training.run_folder import RUN_FORMAT, pipeline_settings
from gameforge.training.verification import Check


def runs_to_repeat(path: Path, seed: int) -> Iterator[Path]:
    """Yield the folders of the runs in a folder, but of the runs of each study or experiment only one, which is drawn.

    The seed and the names of the runs determine which.
    """
    runs = sorted(file.parent for file in path.rglob(RUN_FORMAT.file))
    works = sorted({file.parent for one in (STUDY_FORMAT, EXPERIMENT_FORMAT) for file in path.rglob(one.file)})
    for work in works:
        own = [run for run in runs if run.is_relative_to(work)]
        runs = [run for run in runs if run not in own]
        if own:
            yield random.Random(seed).choice(own)
    yield from runs


def _study(path: Path, registry: Registry) -> str:
    folder = path.parent
    STUDY_FORMAT.require_unaltered(folder)
    trials = _trials(folder)
    for trial in trials:
        recorded = _match(folder, trial) if "first" in trial.numbers else _training(folder, trial)
        if text := Folder.difference(trial.numbers, json.loads(json.dumps(recorded))):
            raise _wrong(folder, trial, f"{text}, as in its folder")
    return f"study, {len(trials)} trials with the figures of their runs and matches"


def _training(folder: Path, trial: FinishedTrial) -> Numbers:
    """Return the figures of a training as its run has them."""
    training = read_as(Training, trial.numbers)
    home = seed_folder(folder, trial.seed)
    run = home / Path(training.run).name
    if training.run != f"{home.name}/{run.name}":
        raise _wrong(folder, trial, f"its run is said to be {training.run}, which is not in {home.name}")
    seed = pipeline_settings(run).get("seed")
    if seed != trial.seed:
        raise _wrong(folder, trial, f"its run was trained with the seed {seed}")
    figures = attrs.asdict(training)
    return attrs.asdict(training_in(run, {name for name, value in figures.items() if value is not None}))


def _match(folder: Path, trial: FinishedTrial) -> Numbers:
    """Return the figures of a match of a league as its folder has them."""
    match = read_as(LeagueMatch, trial.numbers)
    result = read_match(seed_folder(folder, trial.seed) / f"{match.first}-{match.second}")
    return attrs.asdict(attrs.evolve(match, tally=Tally.of(result)))


def _experiment(path: Path, registry: Registry) -> str:
    folder = path.parent
    EXPERIMENT_FORMAT.require_unaltered(folder)
    trials = _trials(folder)
    found = f"experiment, {len(trials)} trials"
    results = folder / RESULTS
    if not results.exists():
        return f"{found}, without a report"
    try:
        reported = read_as(_Results, parse_json(read_file(results)))
    except (OSError, ValueError) as error:
        raise GameforgeError(f"{results} is damaged: {error}") from error
    recorded = {trial.key: trial.numbers for trial in trials}
    for trial in reported.trials:
        if text := Folder.difference(recorded.get(trial.key, {}), trial.numbers):
            raise _wrong(folder, trial, f"{text}, as in {RESULTS}")
    about = EXPERIMENT_FORMAT.read_as(folder, _Experiment)
    require_scipy("reports of experiments")
    experiment = create_experiment(registry, Spec(about.experiment, about.parameters))
    with damage_named(folder, "make the report again"):
        summary = experiment.report(by_condition(reported.trials), about.scale).numbers
    if text := Folder.difference(reported.summary, json.loads(json.dumps(dict(summary)))):
        raise GameforgeError(f"{results}: {text}, which the trials give")
    return f"{found}, which give the summary of its report"


@attrs.frozen
class _Experiment:
    experiment: str
    parameters: Mapping[str, Any]
    scale: float


@attrs.frozen
class _Results:
    summary: Mapping[str, Any]
    trials: tuple[FinishedTrial, ...]


def _trials(folder: Path) -> list[FinishedTrial]:
    return read_log(folder / TRIALS, lambda stored: read_as(FinishedTrial, stored))


def _wrong(folder: Path, trial: FinishedTrial, what: str) -> GameforgeError:
    return GameforgeError(f"{folder / TRIALS}: {trial.condition}, seed {trial.seed}: {what}")


CHECKS: dict[str, Check] = {STUDY_FORMAT.format: _study, EXPERIMENT_FORMAT.format: _experiment}
"""For `gameforge.training.verification.verified`."""
