"""Parameters of the learner `cem`: the ranges of the tuned parameters, checked against a pipeline, and its settings."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs

from gameforge import SETTABLE, GameforgeError
from gameforge.interfaces import Site, even, flat, near, number, parse_value, whole

Range = tuple[float, float]
"""The least and the greatest value."""


@attrs.frozen
class Parameter:
    """A numeric parameter of a component."""

    key: str
    """As `searcher.cp`."""
    low: float
    high: float
    whole: bool
    """Whether it is an integer."""

    def value(self, number: float) -> float | int:
        """The number as a value of this parameter: rounded if it is an integer."""
        return round(number) if self.whole else float(number)


def read_ranges(tune: Mapping[str, Any]) -> dict[str, Range]:
    """Ranges by dotted key, from nested settings or dotted keys; GameforgeError for a value that is not a range."""
    found: dict[str, Range] = {}
    for key, given in flat(tune):
        if key in found:
            raise GameforgeError(f"{key} is given twice")
        found[key] = _range(key, given)
    return found


def _range(key: str, given: Any) -> Range:
    ends = [parse_value(end) for end in given.split("..")] if isinstance(given, str) else given
    if not (isinstance(ends, Sequence) and len(ends) == 2 and all(map(_is_number, ends))):
        raise GameforgeError(f"{key} = {given}: must be LOW..HIGH or [LOW, HIGH], two numbers")
    low, high = ends
    if low > high:
        raise GameforgeError(f"{key} = {given}: the lower end of the range must come first")
    if low == high:
        raise GameforgeError(f"{key} = {given}: the two ends of a range must differ")
    return low, high


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def parameters(tuned: Mapping[str, Range], site: Site) -> list[Parameter]:
    """The tuned parameters; GameforgeError if the pipeline lacks one or does not accept its range."""
    there = {key: value for key, value in flat(site.settings) if key.partition(".")[0] in SETTABLE}
    numbers = [key for key, value in there.items() if _is_number(value)]
    known = f"numbers of this pipeline: {', '.join(numbers) or 'none'}"
    if not tuned:
        raise GameforgeError(
            f"learner cem: no parameter to tune is named; {known}",
            advice="name parameters and their ranges, KEY=LOW..HIGH,",
            parameter="tune",
        )
    found = []
    for key, (low, high) in tuned.items():
        if key not in there:
            raise GameforgeError(f"learner cem: this pipeline has no parameter {key}{near(key, numbers)}; {known}")
        now = there[key]
        if not _is_number(now):
            raise GameforgeError(f"learner cem: {key} = {_shown(now)} is not a number; {known}")
        is_whole = type(now) is int
        if is_whole and not (low == round(low) and high == round(high)):
            raise GameforgeError(f"learner cem: {key} is an integer, but its range {low:g}..{high:g} is not")
        parameter = Parameter(key, low, high, is_whole)
        for end in (low, high):
            try:
                site.parts_with({key: parameter.value(end)})
            except GameforgeError as error:
                raise GameforgeError(f"learner cem: the range {low:g}..{high:g} is not allowed: {error}") from error
        found.append(parameter)
    return found


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _readable(instance: Any, attribute: "attrs.Attribute[Any]", value: Mapping[str, Any]) -> None:
    read_ranges(value)


_share = number("a number above 0, 1 at most", 0, 1, above=True)


@attrs.frozen(kw_only=True)
class CemSettings:
    """The tuned parameters, and the settings of the method."""

    tune: Mapping[str, Any] = attrs.field(factory=dict, validator=_readable)
    """Ranges of parameters by key, such as `searcher.cp`: `[low, high]`, or the string `low..high`."""
    iterations: int = attrs.field(default=10, validator=whole("1 or more", 1))
    """Number of iterations; each draws, measures and selects samples."""
    samples: int = attrs.field(default=32, validator=whole("2 or more", 2))
    """Samples per iteration."""
    games: int = attrs.field(default=16, validator=[whole("2 or more", 2), even])
    """Games of each sample's match against the mean."""
    elite: float = attrs.field(default=0.2, validator=_share)
    """Share of the best samples, which determine the next mean and deviation; at least two samples."""
    smoothing: float = attrs.field(default=0.7, validator=_share)
    """Weight of the elite's mean and deviation against the old ones."""
    distribution: Literal["gaussian", "uniform"] = "gaussian"
    """gaussian: truncated to the range; initially the middle of the range is the mean, half its width the deviation.
    uniform: around the mean, the deviation is half of its width."""
    openings: str = "random:4"
    """Openings of the matches: random:PLIES, a set of the game or a file; the same for all samples of an iteration."""

    @property
    def ranges(self) -> Mapping[str, Range]:
        """The ranges of `tune` by dotted key."""
        return read_ranges(self.tune)

    @property
    def training_games(self) -> int:
        """Games of the whole training."""
        return self.iterations * self.samples * self.games
