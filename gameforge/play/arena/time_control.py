"""Time controls of matches: a clock for each side, or a fixed time per move."""

import re

import attrs

from gameforge.config.validation import number
from gameforge.errors import GameforgeError

_CLOCK = re.compile(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?")
_SECOND = 1_000_000_000
"""Nanoseconds."""


@attrs.frozen(kw_only=True)
class TimeControl:
    """How much time the players have; a player that exceeds it loses the game. Results depend on the machine."""

    base: float = attrs.field(default=0.0, validator=number("0 or more", 0, 1e6))
    """Seconds on each clock at the start of a game; 0: there are no clocks."""
    increment: float = attrs.field(default=0.0, validator=number("0 or more", 0, 1e6))
    """Seconds added to a clock after each move."""
    per_move: float = attrs.field(default=0.0, validator=number("0 or more", 0, 1e6))
    """Seconds for each move, instead of clocks; 0: not fixed. A tenth of a second more is tolerated."""

    def __attrs_post_init__(self) -> None:
        if bool(self.base) == bool(self.per_move):
            raise GameforgeError("clock: expected the seconds of a clock or those of a move, more than 0, and not both")

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Parse a clock: `60` or `60+0.6`, seconds and increment."""
        found = _CLOCK.fullmatch(text.strip())
        if found is None or not float(found[1]):
            raise GameforgeError(
                f"clock {text!r}: expected SECONDS or SECONDS+INCREMENT, such as 60+0.6, with more than 0 seconds"
            )
        return cls(base=float(found[1]), increment=float(found[2] or 0))

    @property
    def nanoseconds(self) -> tuple[int, int, int]:
        """Base, increment and time per move."""
        return round(self.base * _SECOND), round(self.increment * _SECOND), round(self.per_move * _SECOND)
