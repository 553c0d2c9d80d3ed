"""Interface of experiments: what `gameforge reproduce NAME` runs to set a published result beside our own.

An experiment consists of trials, one for each condition and seed. Trials depend on no others but those that
their experiment names (`Staged`), so they run at the same time where they can, and what is finished need not
be done again.
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
    """What an experiment came to."""

    text: str
    """Markdown, below the title: the tables beside the published ones, and what agrees."""
    numbers: Mapping[str, Any]
    """The same for programs; JSON-able."""
    figures: Mapping[str, Callable[[Any], None]] = attrs.field(factory=dict)
    """By file name without ending: draws into a matplotlib Figure."""


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
        """So many seeds are taken unless somebody asks for another number."""
        ...

    @property
    def conditions(self) -> Mapping[str, float]:
        """Names of the conditions, and about how many seconds of one core a trial takes at scale 1."""
        ...

    def run(self, trial: "Trial") -> Mapping[str, Any]:
        """The trial's figures, JSON-able; they depend on condition, seed and scale alone."""
        ...

    def report(self, results: Sequence[Result], scale: float) -> Report:
        """Of trials in the order of their seeds, for each seed in the order of the conditions."""
        ...


@runtime_checkable
class Staged(Protocol):
    """An experiment some of whose conditions need what others made."""

    @property
    def after(self) -> Mapping[str, Sequence[str]]:
        """By condition: those which must be finished for the same seed before its trial begins."""
        ...


@runtime_checkable
class Costed(Protocol):
    """An experiment whose cost is not in proportion to the scale."""

    def seconds(self, condition: str, scale: float) -> float:
        """About how many seconds of one core a trial of this condition takes."""
        ...
