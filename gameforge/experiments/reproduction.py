"""Experiments in a folder, where they can be interrupted and resumed.

experiment.json   name, parameters and scale of the experiment
trials.jsonl      one line per finished trial, with the state of the source; the experiment is resumed from it
seed-N/           runs and matches of the trials with seed N; they are resumed as well
results.json      the figures of every trial, and their summary
report.md         our tables beside the published ones
*.png             plots, if matplotlib is installed; or *.svg, *.pdf

The state of the source is a digest of the files of GameForge and of the plugins that are loaded.
"""

import contextlib
import functools
import hashlib
import importlib.metadata
import importlib.util
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from gameforge.config import Spec, unstructure
from gameforge.discovery.loading import Plugins
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.experiments.schedule import (
    OTHER_SOURCE,
    TRIALS,
    Key,
    Noticed,
    TrialResources,
    damage_named,
    finished_trials,
    mixed_sources,
    needed_before,
    read_trial,
    trial_keys,
)
from gameforge.experiments.seed_runs import require_scipy
from gameforge.experiments.trial import GameFinished
from gameforge.interfaces.experiment import Experiment, Report, Result, Scaled
from gameforge.play.plotting import FIGURES, figure_file
from gameforge.storage.files import write_atomically, write_json
from gameforge.storage.folder import Folder, ManifestFormat
from gameforge.storage.stored import JsonLog, length_of_lines, read_log

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXPERIMENT_FORMAT = ManifestFormat("experiment", "experiment.json", "gameforge-experiment", 1)
RESULTS, REPORT = "results.json", "report.md"

TrialFinished = Callable[[Result, float], None]
"""Called with the result of a trial and the seconds that it took."""


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
    *,
    seeds: int | None = None,
    workers: int = 1,
    scale: float = 1.0,
    executor: Executor | None = None,
    plots: Sequence[str] = (".png",),
    planned: Callable[[Experiment, list[Key], int], None] = lambda experiment, todo, done: None,
    trial_finished: TrialFinished = lambda result, seconds: None,
    game_finished: GameFinished = lambda game: None,
    noticed: Noticed = lambda key, text: None,
    warned: Callable[[str], None] = lambda text: None,
) -> Report:
    """Run an experiment in the folder `out`, or resume the one in it, and write its report.

    The figures depend neither on `workers` and `executor` nor on how often the experiment was interrupted.

    seeds: number of seeds, counted from 1; None takes the experiment's own number. scale: length of the trials; 1 is
    that of the published experiment. executor: does the learners' independent work in place of `workers` threads.
    plots: endings of the files of each plot (gameforge.play.plotting.FIGURES).
    planned: called once with the experiment, the trials that are left, and the number of finished trials.
    warned: called with a sentence if finished trials were run by another state of the source than those that are left.
    Raises GameforgeError if the folder holds other files, another experiment, or this one at another scale or from
    another version of GameForge, and if the scale is below the experiment's least one.
    """
    experiment = create_experiment(registry, spec)
    require_scipy("reports of experiments")
    seeds = experiment.seeds if seeds is None else seeds
    for name, value, least in (("seeds", seeds, 1), ("workers", workers, 1)):
        if value < least:
            raise GameforgeError(f"{name} = {value}: must be {least} or more")
    if not (math.isfinite(scale) and scale > 0):
        raise GameforgeError(f"scale = {scale}: must be a number above 0; 1 is as long as the published experiment")
    for suffix in plots:
        if suffix not in FIGURES:
            raise GameforgeError(f"plots = {suffix!r}: must be {', '.join(FIGURES[:-1])} or {FIGURES[-1]}")
    if isinstance(experiment, Scaled) and scale < experiment.least_scale:
        raise GameforgeError(
            f"scale = {scale}: {spec.use} is too short to mean anything below {experiment.least_scale:g}"
        )
    identity = _identity(experiment, spec, scale)
    wanted = trial_keys(experiment, seeds)
    with Folder(path=out, format=EXPERIMENT_FORMAT, identity=identity).open_or_resume():
        earlier = read_log(out / TRIALS, functools.partial(read_trial, conditions=experiment.conditions))
        results = {(result.seed, result.condition): result for result, _ in earlier}
        sources = {(result.seed, result.condition): source for result, source in earlier}
        todo = [key for key in wanted if key not in results]
        planned(experiment, todo, len(wanted) - len(todo))
        source = state_of_sources(registry.plugins)
        if todo and any(sources.get(key, source) != source for key in wanted):
            warned(OTHER_SOURCE)
        resources = TrialResources(
            registry=registry,
            folder=out,
            scale=scale,
            workers=workers,
            executor=executor,
            game_finished=game_finished,
            noticed=noticed,
        )
        trials = finished_trials(experiment, todo, results, resources)
        with JsonLog(out / TRIALS, length_of_lines(out / TRIALS, len(earlier))) as log, contextlib.closing(trials):
            log.flush()
            for result, seconds in trials:
                results[result.seed, result.condition] = result
                sources[result.seed, result.condition] = source
                log.append(_figures(result) | {"seconds": round(seconds, 1), "source": source})
                trial_finished(result, seconds)
        ordered = [results[key] for key in wanted]
        with damage_named(out / TRIALS, "make the report") if earlier else contextlib.nullcontext():
            report = experiment.report(ordered, scale)
            _write_report(out, experiment, spec, scale, seeds, ordered, report, plots, [sources[key] for key in wanted])
    return report


def seeds_text(seeds: int) -> str:
    return f"{seeds} seed{'' if seeds == 1 else 's'}"


def _identity(experiment: Experiment, spec: Spec, scale: float) -> dict[str, object]:
    return {
        "experiment": spec.use,
        "parameters": unstructure(experiment) if attrs.has(type(experiment)) else {},
        "scale": scale,
        "gameforge": importlib.metadata.version("gameforge"),
    }


def _figures(result: Result) -> dict[str, object]:
    return {"condition": result.condition, "seed": result.seed, "numbers": dict(result.numbers)}


def _write_report(
    out: Path,
    experiment: Experiment,
    spec: Spec,
    scale: float,
    seeds: int,
    results: list[Result],
    report: Report,
    plots: Sequence[str],
    sources: Sequence[str],
) -> None:
    """Write plots and results.json first, and report.md, which shows them, last."""
    drawn = [name for name, draw in report.figures.items() if _draw(out, name, draw, plots)]
    trials = [_figures(result) for result in results]
    described = {**_identity(experiment, spec, scale), "sources": dict(Counter(sources)), "seeds": seeds}
    write_json(out / RESULTS, {**described, "summary": dict(report.numbers), "trials": trials})
    scaled = (
        "" if scale == 1 else f" at scale {scale:g}: {'shorter' if scale < 1 else 'longer'} than what was published"
    )
    given = f" Parameters: `{spec}`." if spec.params else ""
    heading = f"# {experiment.title}\n\nPublished: {experiment.source}. Ours: {seeds_text(seeds)}{scaled}.{given}\n"
    mixed = mixed_sources(sources)
    if mixed:
        heading += f"\n{mixed}\n"
    images = "".join(f"\n![{name}]({name}{plots[0]})\n" for name in drawn)
    write_atomically(out / REPORT, f"{heading}\n{report.text.strip()}\n{images}".encode())


def _draw(out: Path, name: str, draw: Callable[["Figure"], None], plots: Sequence[str]) -> bool:
    """Draw a plot if matplotlib is installed, into a file with each of these endings; return whether it was drawn."""
    if importlib.util.find_spec("matplotlib") is None:
        return False
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    draw(figure)
    for suffix in plots:
        write_atomically(out / f"{name}{suffix}", figure_file(figure, suffix))
    return True


_DIGITS = 12


def state_of_sources(plugins: Plugins) -> str:
    """Return a short digest of all code, presets and weights, which changes with any of these files."""
    digest = hashlib.sha256()
    modules = [getattr(plugin, "__name__", type(plugin).__module__) for plugin in plugins.manager.get_plugins()]
    for package in sorted({"gameforge", *(module.partition(".")[0] for module in modules)}):
        for name, path in _files(package):
            digest.update(f"{package}/{name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:_DIGITS]


def _files(package: str) -> Iterator[tuple[str, Path]]:
    """The files of a package, or of a module that is a single file, with their names in it."""
    module = sys.modules[package]
    folders = sorted(getattr(module, "__path__", ()))
    if not folders and module.__file__:
        yield "", Path(module.__file__)
    for folder in map(Path, folders):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(folder).as_posix(), path
