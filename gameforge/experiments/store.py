"""Trials in a folder: the finished ones are kept, the others are run.

trials.jsonl   one line per finished trial, with the state of the source; the others are resumed from it
seed-N/        runs and matches of the trials with seed N; they are resumed as well

The state of the source is a digest of the files of GameForge and of the plugins that are loaded.
"""

import contextlib
import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs

from gameforge.discovery.loading import Plugins
from gameforge.discovery.registry import Registry
from gameforge.experiments.archive import Archive
from gameforge.experiments.schedule import (
    TRIALS,
    FailedTrial,
    FinishedTrial,
    Key,
    Resources,
    run_in_order,
    seconds_of,
    trial_keys,
)
from gameforge.interfaces.experiment import HasTrials
from gameforge.storage.folder import Folder
from gameforge.storage.stored import JsonLog, length_of_lines, read_as, read_log

Recognised = Callable[[FinishedTrial], FinishedTrial | None]
"""Returns a trial that a folder had kept with its present condition, or None if it is not wanted any more.

Raises GameforgeError for one that cannot be of the folder's experiment.
"""


def kept_trials(folder: Path, recognised: Recognised) -> dict[Key, FinishedTrial]:
    """Read the finished trials of a folder; none if it does not exist. Raises GameforgeError for a damaged line."""
    return {trial.key: trial for trial in _read(folder, recognised) if trial is not None}


def _raised(failed: FailedTrial) -> None:
    raise failed.error


def run_trials(
    trials: HasTrials,
    wanted: Sequence[Key],
    resources: Resources,
    *,
    registry: Registry,
    folder: Path,
    recognised: Recognised,
    archive: Archive | None = None,
    failed: Callable[[FailedTrial], None] = _raised,
    scale: float = 1.0,
) -> dict[Key, FinishedTrial]:
    """Run those of the wanted trials that a folder, which this process has locked, does not have yet.

    Returns all that it has then, except those that failed. The figures depend neither on the resources nor on how often
    the trials were interrupted.

    archive: trials that are taken instead of being run, as far as no missing trial needs their players. failed: called
    with every trial that fails. If it returns, the others go on; those that depend on it are left out.
    """
    lines = _read(folder, recognised)
    kept = {trial.key: trial for trial in lines if trial is not None}
    taken = archive.usable(trials, wanted, kept) if archive else []
    kept |= {trial.key: trial for trial in taken}
    todo = [key for key in wanted if key not in kept]
    left = {(seed, condition): seconds_of(trials, condition, scale) for seed, condition in todo}
    resources.planned(trials.title, left, len(wanted) - len(todo))
    source = state_of_sources(registry.plugins)
    if todo and any(kept[key].source != source for key in wanted if key in kept):
        resources.warned(OTHER_SOURCE)
    running = run_in_order(trials, todo, kept, resources, registry=registry, folder=folder, scale=scale)
    log = JsonLog(folder / TRIALS, length_of_lines(folder / TRIALS, len(lines)))
    with log, contextlib.closing(running):
        log.flush()
        for trial in taken:
            log.append(attrs.asdict(trial))
        for ended in running:
            if isinstance(ended, FailedTrial):
                failed(ended)
                continue
            finished = attrs.evolve(ended, source=source)
            kept[finished.key] = finished
            log.append(attrs.asdict(finished))
            resources.finished(finished)
    return kept


@contextlib.contextmanager
def trials_in(
    folder: Folder,
    trials: HasTrials,
    seeds: Sequence[int],
    resources: Resources,
    *,
    registry: Registry,
    recognised: Recognised,
    prepare: Callable[[], None] = lambda: None,
    archive: Archive | None = None,
    failed: Callable[[FailedTrial], None] = _raised,
    scale: float = 1.0,
) -> Iterator[list[FinishedTrial]]:
    """Run the trials that a folder lacks, new or resumed; yield all, seed by seed, while the folder is locked.

    prepare: called before the first trial. The other parameters are those of `run_trials`.
    """
    wanted = trial_keys(trials, seeds)
    with folder.open_or_resume():
        prepare()
        found = run_trials(
            *(trials, wanted, resources),
            registry=registry,
            folder=folder.path,
            recognised=recognised,
            archive=archive,
            failed=failed,
            scale=scale,
        )
        yield [found[key] for key in wanted if key in found]


def _read(folder: Path, recognised: Recognised) -> list[FinishedTrial | None]:
    return read_log(folder / TRIALS, lambda stored: recognised(read_as(FinishedTrial, stored)))


OTHER_SOURCE = (
    "finished trials in this folder were run by another state of the source code, which may change their figures; "
    "the report will say so. To run all trials by the present one, use another folder"
)


def mixed_sources(trials: Sequence[FinishedTrial]) -> str:
    """Return a sentence about trials that were not all run by one state of the source; empty if they were."""
    counted = Counter(f"`{trial.source}`" if trial.source else "an unknown one" for trial in trials)
    if len(counted) < 2:
        return ""
    states = ", ".join(f"{number} by {state}" for state, number in counted.items())
    return (
        f"**The {len(trials)} trials were run by different states of the source code** of GameForge or its plugins "
        f"({states}), which may change their figures."
    )


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
