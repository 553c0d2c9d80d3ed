"""Interface of experiments, which `gameforge reproduce NAME` runs to compare a published result with our own.

An experiment consists of trials, one for each condition and seed. A trial depends on another only if the experiment
says so (`Staged`). Therefore several can run at once, and an interrupted experiment repeats no finished trial.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import attrs

from gameforge.interfaces.learner import Numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gameforge.experiments.trial import Trial


@attrs.frozen
class Result:
    """A finished trial."""

    condition: str
    """The name of its condition."""
    seed: int
    """Its random seed."""
    numbers: Numbers
    """The result of `Experiment.run` after a round trip through JSON: tuples are lists, keys are strings."""


@attrs.frozen(kw_only=True)
class Report:
    """The results of an experiment."""

    text: str
    """The report in Markdown, without its title: our figures beside the published ones, and which agree."""
    numbers: Numbers
    """The same figures for programs, JSON-serialisable."""
    figures: Mapping[str, "Callable[[Figure], None]"] = attrs.field(factory=dict)
    """Functions that draw into a matplotlib Figure, by file name without suffix."""


@runtime_checkable
class Experiment(Protocol):
    """An experiment component."""

    @property
    def title(self) -> str:
        """What is measured, in one line."""
        ...

    @property
    def source(self) -> str:
        """Where it was published."""
        ...

    @property
    def seeds(self) -> int:
        """The default number of seeds."""
        ...

    @property
    def conditions(self) -> Mapping[str, float]:
        """For each condition, the estimated duration of a trial at scale 1, in seconds of one core."""
        ...

    def run(self, trial: "Trial") -> Mapping[str, object]:
        """Run a trial and return its figures, JSON-serialisable. They depend on condition, seed and scale only."""
        ...

    def report(self, results: Sequence[Result], scale: float) -> Report:
        """Make the report; results are ordered by seed, then by condition."""
        ...


@runtime_checkable
class Staged(Protocol):
    """An experiment in which some conditions need the results of others."""

    @property
    def after(self) -> Mapping[str, Sequence[str]]:
        """For each condition, the conditions whose trials with the same seed must finish first."""
        ...


@runtime_checkable
class Costed(Protocol):
    """An experiment whose cost is not proportional to the scale."""

    def seconds(self, condition: str, scale: float) -> float:
        """Estimate the duration of a trial of this condition, in seconds of one core."""
        ...


@runtime_checkable
class Scaled(Protocol):
    """An experiment whose figures mean nothing if it is too short."""

    @property
    def least_scale(self) -> float:
        """The smallest scale that is accepted."""
        ...
