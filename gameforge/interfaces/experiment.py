"""Interface of experiments, which `gameforge reproduce NAME` runs to compare a published result with our own.

An experiment consists of trials, one for each condition and seed. A trial depends on another only if the experiment
says so (`Staged`). Therefore several can run at once, and an interrupted experiment repeats no finished trial. A study
consists of trials as well.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from gameforge.interfaces.learner import Numbers

if TYPE_CHECKING:
    from gameforge.experiments.report import Report
    from gameforge.experiments.trial import Trial


class HasTrials(Protocol):
    """Trials by condition and seed: an experiment, or a study."""

    @property
    def title(self) -> str:
        """What is measured, in one line."""
        ...

    @property
    def conditions(self) -> Mapping[str, float]:
        """For each condition, the estimated duration of a trial at scale 1, in seconds of one core; 0: not known."""
        ...

    def run(self, trial: "Trial") -> Mapping[str, object]:
        """Run a trial and return its figures, JSON-serialisable. They depend on condition, seed and scale only."""
        ...


@runtime_checkable
class Experiment(HasTrials, Protocol):
    """An experiment component."""

    @property
    def source(self) -> str:
        """Where it was published."""
        ...

    @property
    def seeds(self) -> int:
        """The default number of seeds."""
        ...

    def report(self, results: Mapping[str, Sequence[Numbers]], scale: float) -> "Report":
        """Make the report.

        results: for each condition, the figures of its trials in the order of the seeds, 1 and up; as `run` returned
        them after a round trip through JSON: tuples are lists, keys are strings.
        """
        ...


@runtime_checkable
class Staged(Protocol):
    """Trials of which some conditions need the results of others."""

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
