"""Ranges of the tuned parameters: reading them, and checking them against a pipeline."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.config import flat, parse_value
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.learner import Site
from gameforge.play.pipeline import SETTABLE

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
