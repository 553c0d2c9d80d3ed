"""Which parameters are tuned, from where to where: as it is written, and what it means for the parts of a pipeline."""

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
    """A number of a component."""

    key: str
    """As `searcher.cp`."""
    low: float
    high: float
    whole: bool
    """Whether it is an integer."""

    def value(self, number: float) -> float | int:
        """The number as the component takes it."""
        return round(number) if self.whole else float(number)


def read_ranges(tune: Mapping[str, Any]) -> dict[str, Range]:
    """By dotted key, from tables in tables or keys with dots; GameforgeError for what is no range."""
    found: dict[str, Range] = {}
    for key, given in flat(tune):
        if key in found:
            raise GameforgeError(f"{key} stands there twice")
        found[key] = _range(key, given)
    return found


def _range(key: str, given: Any) -> Range:
    ends = [parse_value(end) for end in given.split("..")] if isinstance(given, str) else given
    if not (isinstance(ends, Sequence) and len(ends) == 2 and all(map(_is_number, ends))):
        raise GameforgeError(f"{key} = {given}: must be LOW..HIGH or [LOW, HIGH], two numbers")
    low, high = ends
    if low > high:
        raise GameforgeError(f"{key} = {given}: the range is upside down, the lower end comes first")
    if low == high:
        raise GameforgeError(f"{key} = {given}: there is nothing between the ends of the range")
    return low, high


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def parameters(tuned: Mapping[str, Range], site: Site) -> list[Parameter]:
    """What is tuned, held against the pipeline; GameforgeError for what it has not, or allows not."""
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
            raise GameforgeError(f"learner cem: this pipeline sets no {key}{near(key, numbers)}; {known}")
        now = there[key]
        if not _is_number(now):
            raise GameforgeError(f"learner cem: {key} = {_shown(now)} is no number; {known}")
        is_whole = type(now) is int
        if is_whole and not (low == round(low) and high == round(high)):
            raise GameforgeError(f"learner cem: {key} is an integer, the ends {low:g}..{high:g} of its range are not")
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
