"""Experiments in a folder, where they can be interrupted and resumed.

experiment.json   name, parameters and scale of the experiment
trials.jsonl      one line per finished trial (gameforge.experiments.store)
seed-N/           runs and matches of the trials with seed N
results.json      the figures of every trial, and their summary
report.md         our tables beside the published ones
tables.tex        the same tables for LaTeX
*.png             plots, if matplotlib is installed; or *.svg, *.pdf
"""

import contextlib
import importlib.metadata
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import attrs

from gameforge.config import Spec, unstructure
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.experiments.archive import read_archive
from gameforge.experiments.report import Report
from gameforge.experiments.schedule import TRIALS, FinishedTrial, Resources, damage_named, needed_before, wrong_trial
from gameforge.experiments.seed_runs import MOST_SEEDS, require_scipy
from gameforge.experiments.store import mixed_sources, trials_in
from gameforge.interfaces.experiment import Experiment, Scaled
from gameforge.interfaces.learner import Numbers
from gameforge.play.display import FIGURES
from gameforge.storage.files import write_json
from gameforge.storage.folder import Folder, ManifestFormat
from gameforge.storage.stored import parse_json, read_as, read_file, read_log

EXPERIMENT_FORMAT = ManifestFormat("experiment", "experiment.json", "gameforge-experiment", 1, log=TRIALS, step="trial")
RESULTS = "results.json"
_MOST_SCALE = 1_000
"""Most times the length of the published experiment; some of these take weeks."""


def create_experiment(registry: Registry, spec: Spec) -> Experiment:
    """Create the experiment that `spec` names.

    Raises GameforgeError if it is unknown, does not implement Experiment, or has invalid dependencies.
    """
    experiment = registry.create("experiment", spec)
    if not isinstance(experiment, Experiment):
        raise GameforgeError(f"experiment {spec.use!r}: {type(experiment).__name__} does not implement Experiment")
    needed_before(experiment)
    return experiment


def reproduce(
    out: Path,
    spec: Spec,
    registry: Registry,
    resources: Resources | None = None,
    *,
    seeds: int | None = None,
    scale: float = 1.0,
    plots: Sequence[str] = (".png",),
    archive: Path | None = None,
) -> Report:
    """Run an experiment in the folder `out`, or resume the one in it, and write its report.

    resources: what runs the trials; None takes one worker. seeds: number of seeds, counted from 1; None takes the
    experiment's own number. scale: length of the trials; 1 is that of the published experiment. plots: endings of the
    files of each plot (gameforge.play.display.FIGURES). archive: a file of finished trials, which are not run again
    (gameforge.experiments.archive).
    Raises GameforgeError if the archive is damaged or of another experiment, scale or version of GameForge, if the
    folder holds such an experiment or other files, and if the scale is below the experiment's least one.
    """
    experiment = create_experiment(registry, spec)
    require_scipy("reports of experiments")
    seeds = experiment.seeds if seeds is None else seeds
    if not 1 <= seeds <= MOST_SEEDS:
        raise GameforgeError(f"seeds = {seeds}: must be from 1 to {MOST_SEEDS:,}")
    if not 0 < scale <= _MOST_SCALE:
        raise GameforgeError(
            f"scale = {scale}: must be a number above 0, at most {_MOST_SCALE:,}; "
            "1 is as long as the published experiment"
        )
    for suffix in plots:
        if suffix not in FIGURES:
            raise GameforgeError(f"plots = {suffix!r}: must be {', '.join(FIGURES[:-1])} or {FIGURES[-1]}")
    if isinstance(experiment, Scaled) and scale < experiment.least_scale:
        raise GameforgeError(
            f"scale = {scale}: {spec.use} is too short to mean anything below {experiment.least_scale:g}"
        )
    identity = {
        "experiment": spec.use,
        "parameters": unstructure(experiment) if attrs.has(type(experiment)) else {},
        "scale": scale,
        "gameforge": importlib.metadata.version("gameforge"),
    }

    found_in = None if archive is None else read_archive(archive, EXPERIMENT_FORMAT)
    if found_in:
        found_in.require_same(identity)

    def known(trial: FinishedTrial) -> FinishedTrial:
        if trial.condition not in experiment.conditions:
            raise GameforgeError(f"the experiment has no condition {trial.condition!r}")
        return trial

    resumed = found_in is not None or (out / TRIALS).exists()
    with (
        trials_in(
            Folder(path=out, format=EXPERIMENT_FORMAT, identity=identity),
            *(experiment, range(1, seeds + 1), resources or Resources()),
            registry=registry,
            recognised=known,
            archive=found_in,
            scale=scale,
        ) as trials,
        damage_named(out, "make the report") if resumed else contextlib.nullcontext(),
    ):
        report = experiment.report(by_condition(trials), scale)
        _write_results(out, identity, seeds, trials, report)
        report.write(out, _heading(experiment, spec, scale, seeds, trials), plots)
    return report


def by_condition(trials: Sequence[FinishedTrial]) -> dict[str, list[Numbers]]:
    """Return the figures of each condition, in the order of the trials."""
    found: dict[str, list[Numbers]] = {}
    for trial in trials:
        found.setdefault(trial.condition, []).append(trial.numbers)
    return found


def seeds_text(seeds: int) -> str:
    return f"{seeds} seed{'' if seeds == 1 else 's'}"


def _write_results(
    out: Path, identity: dict[str, object], seeds: int, trials: Sequence[FinishedTrial], report: Report
) -> None:
    """Write results.json. It holds neither times nor the order of the trials, so it is the same for the same seeds."""
    sources = Counter(trial.source for trial in trials)
    figures = [{"condition": one.condition, "seed": one.seed, "numbers": dict(one.numbers)} for one in trials]
    summary = dict(report.numbers)
    write_json(out / RESULTS, {**identity, "sources": sources, "seeds": seeds, "summary": summary, "trials": figures})


def _heading(experiment: Experiment, spec: Spec, scale: float, seeds: int, trials: Sequence[FinishedTrial]) -> str:
    scaled = (
        "" if scale == 1 else f" at scale {scale:g}: {'shorter' if scale < 1 else 'longer'} than what was published"
    )
    given = f" Parameters: `{spec}`." if spec.params else ""
    mixed = mixed_sources(trials)
    return f"# {experiment.title}\n\nPublished: {experiment.source}. Ours: {seeds_text(seeds)}{scaled}.{given}\n" + (
        f"\n{mixed}\n" if mixed else ""
    )


def experiment_checked(path: Path, registry: Registry) -> str:
    """Say what holds of an experiment, by its manifest; GameforgeError if its trials do not give what is reported."""
    folder = path.parent
    EXPERIMENT_FORMAT.require_unaltered(folder)
    trials = read_log(folder / TRIALS, lambda stored: read_as(FinishedTrial, stored))
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
            raise wrong_trial(folder, trial, f"{text}, as in {RESULTS}")
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
    parameters: Numbers
    scale: float


@attrs.frozen
class _Results:
    summary: Numbers
    trials: tuple[FinishedTrial, ...]
