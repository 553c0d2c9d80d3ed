"""Interface of experiments: what `gameforge reproduce NAME` runs to set a published result beside our own.

An experiment consists of trials, one for each condition and seed. Trials depend on no others but those that
their experiment names (`Staged`), so they run at the same time where they can, and what is finished need not
be done again.
"""

import graphlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import attrs

from gameforge.errors import GameforgeError, near

if TYPE_CHECKING:
    from gameforge.trial import Trial


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


def seconds_of(experiment: Experiment, condition: str, scale: float) -> float:
    """Seconds of one core that a trial of this condition takes, about."""
    if isinstance(experiment, Costed):
        return experiment.seconds(condition, scale)
    return experiment.conditions[condition] * scale


def needed_before(experiment: Experiment) -> Mapping[str, tuple[str, ...]]:
    """By condition: which it comes after. GameforgeError if these are unknown, or come after each other in a ring."""
    stages = experiment.after if isinstance(experiment, Staged) else {}
    known = list(experiment.conditions)
    for condition, before in stages.items():
        for name in (condition, *before):
            if name not in known:
                raise GameforgeError(
                    f"{type(experiment).__name__}.after names {name!r}, which is no condition{near(name, known)}; "
                    f"conditions: {', '.join(known)}"
                )
    try:
        graphlib.TopologicalSorter(stages).prepare()
    except graphlib.CycleError as error:
        ring = " after ".join(map(repr, error.args[1][::-1]))
        raise GameforgeError(f"{type(experiment).__name__}.after goes in a ring: {ring}") from error
    return {condition: tuple(stages.get(condition, ())) for condition in known}
