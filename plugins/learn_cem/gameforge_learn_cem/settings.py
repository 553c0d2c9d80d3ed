"""Parameters of the learner `cem`: the ranges of the tuned parameters, checked against a pipeline, and its settings."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeGuard

import attrs

from gameforge import GameforgeError
from gameforge.interfaces import config, kinds

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


def read_ranges(tune: Mapping[str, object]) -> dict[str, Range]:
    """Ranges by dotted key, from nested settings or dotted keys; GameforgeError for a value that is not a range."""
    found: dict[str, Range] = {}
    for key, given in config.flat(tune):
        if key in found:
            raise GameforgeError(f"{key} is given twice")
        found[key] = _range(key, given)
    return found


def _range(key: str, given: object) -> Range:
    ends = [config.parse_value(end) for end in given.split("..")] if isinstance(given, str) else given
    if not (isinstance(ends, Sequence) and len(ends) == 2 and all(map(is_number, ends))):
        raise GameforgeError(f"{key} = {given}: must be LOW..HIGH or [LOW, HIGH], two numbers")
    low, high = ends
    if low > high:
        raise GameforgeError(f"{key} = {given}: the lower end of the range must come first")
    if low == high:
        raise GameforgeError(f"{key} = {given}: the two ends of a range must differ")
    return low, high


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether this is a finite number, and not a truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _readable(instance: object, attribute: "attrs.Attribute[Any]", value: Mapping[str, Any]) -> None:
    read_ranges(value)


_share = kinds.positive(1)


@attrs.frozen(kw_only=True)
class CemSettings:
    """The tuned parameters, and the settings of the method."""

    tune: Mapping[str, Any] = attrs.field(factory=dict, validator=_readable)
    """Ranges of parameters by key, such as `searcher.cp`: `[low, high]`, or the string `low..high`."""
    iterations: int = attrs.field(default=10, validator=kinds.count(1))
    """Number of iterations; each draws, measures and selects samples."""
    samples: int = attrs.field(default=32, validator=kinds.count(2))
    """Samples per iteration."""
    games: int = attrs.field(default=16, validator=[kinds.count(2), kinds.even])
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
