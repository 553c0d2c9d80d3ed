"""Interface of experiments, which `gameforge reproduce NAME` runs to compare a published result with our own.

An experiment consists of trials, one for each condition and seed. Trials depend only on those that their
experiment names (`Staged`), so that several can run at once, and finished ones need not be repeated.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import attrs

if TYPE_CHECKING:
    from gameforge.experiments.trial import Trial


@attrs.frozen
class Result:
    """A finished trial."""

    condition: str
    seed: int
    numbers: Mapping[str, Any]
    """What `Experiment.run` returned, as JSON holds it: lists for tuples, strings for keys."""


@attrs.frozen(kw_only=True)
class Report:
    """The results of an experiment."""

    text: str
    """Markdown, below the title: tables beside the published ones, and what agrees."""
    numbers: Mapping[str, Any]
    """The same for programs; JSON-able."""
    figures: Mapping[str, Callable[[Any], None]] = attrs.field(factory=dict)
    """By file name without suffix: a function that draws into a matplotlib Figure."""


@runtime_checkable
class Experiment(Protocol):
    """An experiment component; its parameters are those of the component string."""

    @property
    def title(self) -> str:
        """One line: what is measured."""
        ...

    @property
    def source(self) -> str:
        """Where it was published."""
        ...

    @property
    def seeds(self) -> int:
        """Default number of seeds."""
        ...

    @property
    def conditions(self) -> Mapping[str, float]:
        """Names of the conditions, and the estimated seconds of one core for a trial at scale 1."""
        ...

    def run(self, trial: "Trial") -> Mapping[str, Any]:
        """The trial's figures, JSON-able; they depend on condition, seed and scale alone."""
        ...

    def report(self, results: Sequence[Result], scale: float) -> Report:
        """The report; results are ordered by seed, then by condition."""
        ...


@runtime_checkable
class Staged(Protocol):
    """An experiment with conditions that need the results of others."""

    @property
    def after(self) -> Mapping[str, Sequence[str]]:
        """By condition: those that must finish, for the same seed, before its trial begins."""
        ...


@runtime_checkable
class Costed(Protocol):
    """An experiment whose cost is not in proportion to the scale."""

    def seconds(self, condition: str, scale: float) -> float:
        """Estimated seconds of one core for a trial of this condition."""
        ...
