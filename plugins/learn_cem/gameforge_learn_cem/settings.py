"""Parameters of the learner `cem`."""

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from gameforge.config.validation import even, number, whole
from gameforge_learn_cem.ranges import Range, read_ranges


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
