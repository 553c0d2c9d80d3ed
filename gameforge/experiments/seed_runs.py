"""Runs of one pipeline with several seeds, in or below the folders `seed-N` of one folder, as one result.

Their intervals need scipy; `require_scipy` asks whether it is installed without importing it or numpy. The plot has the
mean of each figure, with the band of its 95 % interval.
"""

import importlib.util
import math
import re
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from gameforge.config import strictly
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError, pip_install
from gameforge.interfaces.learner import Signed
from gameforge.play.display import CURVES_DPI, figure_file
from gameforge.storage.files import write_atomically
from gameforge.training.run_folder import BALANCE, FINISHED, figure_name, is_share
from gameforge.training.run_report import RunReport, curve, label_panel, learner_of, panels, x_label

MOST_SEEDS = 100_000
"""Most seeds of runs, a study or an experiment; each is at least one training."""
_FOLDER = re.compile(r"seed-\d+")


def seed_folder(folder: Path, seed: int) -> Path:
    return folder / f"seed-{seed}"


@attrs.frozen
class SeedRuns:
    """Runs that differ in nothing but their seed; also a single run."""

    folder: Path
    """The folder of all of them, or that of the single run."""
    runs: tuple[RunReport, ...]
    signed: frozenset[str] = frozenset()
    """Names of the learner's figures that can be negative."""

    @property
    def title(self) -> str:
        """The folder and, of several runs, their number."""
        return str(self.folder) if len(self.runs) == 1 else f"{self.folder} ({len(self.runs)} seeds)"

    @property
    def settings(self) -> Mapping[str, object]:
        """Settings of the pipeline; without the seed if there are several."""
        return self.runs[0].settings if len(self.runs) == 1 else _without_seed(self.runs[0])

    @property
    def state(self) -> str:
        """The state of a single run, or how many of the runs are finished."""
        finished = sum(run.state == FINISHED for run in self.runs)
        return self.runs[0].state if len(self.runs) == 1 else f"{finished} of {len(self.runs)} finished"

    @property
    def games(self) -> int:
        return sum(run.games for run in self.runs)

    @property
    def figures(self) -> dict[str, list[float]]:
        """Each figure that all runs have, seed by seed."""
        each = [run.figures for run in self.runs]
        return {key: [one[key] for one in each] for key in each[0] if all(key in one for one in each)}

    def interval(self, key: str, values: Sequence[float]) -> tuple[float, float]:
        """95 % interval of a figure's mean over seeds (Student's t), cut off where the figure cannot have values."""
        from gameforge.experiments.statistics import UNBOUNDED, Sample

        least, most = self._range(key)
        as_declared = least <= min(values) and max(values) <= most
        return Sample(values, (least, most) if as_declared else UNBOUNDED).interval

    def figure_text(self, key: str, values: Sequence[float]) -> str:
        """A figure, or its mean over several seeds with the interval, or the remark that all seeds are equal."""
        mean = f"{statistics.fmean(values):.4g}"
        if len(values) == 1:
            return mean
        from gameforge.experiments.statistics import Sample

        low, high = self.interval(key, values)
        return f"{mean} ({Sample(values).all_equal or f'{low:.4g} to {high:.4g}'})"

    def _range(self, key: str) -> tuple[float, float]:
        """Smallest and largest possible values of a figure (Progress.numbers)."""
        from gameforge.experiments.statistics import NOT_NEGATIVE, SHARE, UNBOUNDED

        if is_share(key):
            return SHARE
        tuned = self.runs[0].tuned_keys
        signed = {BALANCE, *self.signed, *tuned, *map(figure_name, tuned)}
        return UNBOUNDED if key in signed or key.endswith(" elo") else NOT_NEGATIVE


def seed_runs(found: Sequence[RunReport], registry: Registry) -> list[SeedRuns]:
    """Group runs that differ in nothing but their seed; every other run is on its own.

    registry: has their learners, which know which of their figures can be negative.
    They are in folders named `seed-N`, or have the same name in such folders, as the trials of an experiment.
    """
    groups: dict[tuple[Path, str], list[RunReport]] = {}
    for run in found:
        groups.setdefault(_shared(run), []).append(run)
    return [
        SeedRuns(
            folder=key[0] if len(runs) > 1 else runs[0].folder,
            runs=tuple(sorted(runs, key=_seed)),
            signed=_signed(runs[0], registry) if len(runs) > 1 else frozenset(),
        )
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


def _without_seed(run: RunReport) -> dict[str, object]:
    return {key: value for key, value in run.settings.items() if key != "seed"}


def _signed(run: RunReport, registry: Registry) -> frozenset[str]:
    learner = learner_of(run, registry)
    return frozenset(map(figure_name, learner.signed)) if isinstance(learner, Signed) else frozenset()


def _seed(run: RunReport) -> int:
    return int(strictly(run.settings.get("seed", 0), int, "seed"))


def require_scipy(what: str) -> None:
    """Raise GameforgeError, with what to install, if scipy is missing, which `what` needs."""
    if importlib.util.find_spec("scipy") is None:
        raise GameforgeError(f"{what} need scipy, which is not installed: {pip_install('report')}")


def mean_curve(found: SeedRuns, key: str) -> list[tuple[float, float, float, float]]:
    """(x, mean, low, high) of a figure after each session that all runs have finished and reported it for."""
    import numpy as np

    curves = [curve(run.metrics, key) for run in found.runs]
    points = []
    for i in range(min(len(x) for x, _ in curves)):
        values = [y[i] for _, y in curves]
        if not any(map(math.isnan, values)):
            x = float(np.mean([x[i] for x, _ in curves]))
            points.append((x, float(np.mean(values)), *found.interval(key, values)))
    return points


def plot_seeds(found: Sequence[SeedRuns], path: Path) -> None:
    """Write a PNG with a panel for each figure and a curve with a band for each group; needs matplotlib."""
    from matplotlib.figure import Figure

    runs = [run for one in found for run in one.runs]
    keys = panels(runs)
    figure = Figure(figsize=(10, 1 + 2.1 * len(keys)), layout="constrained")
    for axis, key in zip(figure.subplots(len(keys), 1, sharex=True, squeeze=False)[:, 0], keys, strict=True):
        for one in found:
            points = mean_curve(one, key)
            if points:
                x, mean, low, high = (list(column) for column in zip(*points, strict=True))
                axis.plot(x, mean, linewidth=1.3, marker=".", markersize=5, label=one.title)
                axis.fill_between(x, low, high, alpha=0.2, linewidth=0)
        label_panel(axis, key, key)
    figure.axes[0].legend(fontsize="small")
    figure.axes[-1].set_xlabel(x_label(runs))
    figure.suptitle("means over seeds; band: 95 % interval", fontsize="medium")
    write_atomically(path, figure_file(figure, path.suffix.lower(), CURVES_DPI))
