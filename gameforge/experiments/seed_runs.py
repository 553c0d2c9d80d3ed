"""Runs of one pipeline with several seeds, in or below the folders `seed-N` of one folder, as one result."""

import re
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from gameforge.training.run_folder import FINISHED
from gameforge.training.run_report import YARDSTICK, RunReport

SHARES = frozenset({"score", "loop rate", f"{YARDSTICK}score"})
"""Figures between 0 and 1."""
_FOLDER = re.compile(r"seed-\d+")


def seed_folder(folder: Path, seed: int) -> Path:
    """Folder of the run, or of the trials, of a seed."""
    return folder / f"seed-{seed}"


@attrs.frozen
class SeedRuns:
    """Runs that differ in nothing but their seed; also a single run."""

    folder: Path
    """The folder of all of them, or that of the single run."""
    runs: tuple[RunReport, ...]

    @property
    def title(self) -> str:
        """The folder and, of several runs, their number."""
        return str(self.folder) if len(self.runs) == 1 else f"{self.folder} ({len(self.runs)} seeds)"

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings of the pipeline; without the seed if there are several."""
        return self.runs[0].settings if len(self.runs) == 1 else _without_seed(self.runs[0])

    @property
    def state(self) -> str:
        """The state of a single run, or how many of the runs are finished."""
        finished = sum(run.state == FINISHED for run in self.runs)
        return self.runs[0].state if len(self.runs) == 1 else f"{finished} of {len(self.runs)} finished"

    @property
    def games(self) -> int:
        """Training games of all runs."""
        return sum(run.games for run in self.runs)

    @property
    def figures(self) -> dict[str, list[float]]:
        """Each figure that all runs have, seed by seed."""
        each = [run.figures for run in self.runs]
        return {key: [one[key] for one in each] for key in each[0] if all(key in one for one in each)}


def seed_runs(found: Sequence[RunReport]) -> list[SeedRuns]:
    """Group runs that differ in nothing but their seed; every other run is on its own.

    They are in folders named `seed-N`, or have the same name in such folders, as the trials of an experiment.
    """
    groups: dict[tuple[Path, str], list[RunReport]] = {}
    for run in found:
        groups.setdefault(_shared(run), []).append(run)
    return [
        SeedRuns(key[0] if len(runs) > 1 else runs[0].folder, tuple(sorted(runs, key=_seed)))
        for key, runs in groups.items()
    ]


def _shared(run: RunReport) -> tuple[Path, str]:
    """What the runs of a group have in common: their folder without its seed, and their settings."""
    folder = run.folder
    if _FOLDER.fullmatch(folder.name):
        return folder.parent, repr(_without_seed(run))
    if _FOLDER.fullmatch(folder.parent.name):
        settings = repr(_without_seed(run)).replace(f"/{folder.parent.name}/", "/seed-N/")  # of files there
        return folder.parent.parent / folder.name, settings
    return folder, ""


def _without_seed(run: RunReport) -> dict[str, Any]:
    return {key: value for key, value in run.settings.items() if key != "seed"}


def _seed(run: RunReport) -> int:
    return int(run.settings.get("seed", 0))


def seed_interval(key: str, values: Sequence[float]) -> tuple[float, float]:
    """95 % interval of a figure's mean over seeds (Student's t), cut off at 0 and 1 for a share."""
    from gameforge.experiments.statistics import SHARE, UNBOUNDED, mean_interval

    return mean_interval(values, SHARE if key in SHARES else UNBOUNDED)


def figure_text(key: str, values: Sequence[float]) -> str:
    """A figure, or its mean over several seeds with the interval, or the remark that all seeds are equal."""
    mean = f"{statistics.fmean(values):.4g}"
    if len(values) == 1:
        return mean
    from gameforge.experiments.report import all_equal

    low, high = seed_interval(key, values)
    return f"{mean} ({all_equal(values) or f'{low:.4g} to {high:.4g}'})"
