"""When long work whose output is redirected prints its next line of progress."""

import contextlib
import time
from collections.abc import Callable, Iterator

from gameforge.cli.shared.console import Console

_FIRST = 10.0
"""Seconds before the first line, and smallest time between two."""
_SHARE = 0.1
"""Smallest time between two lines, as a share of the time so far: a day of work gives about a hundred lines."""


class Paced:
    """Says when the next line of progress is due."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._began = self._last = clock()

    @property
    def seconds(self) -> float:
        """Time since the work began."""
        return self._clock() - self._began

    def due(self) -> bool:
        """Return whether a line is due, which the caller then prints."""
        now = self._clock()
        if now - self._last < max(_FIRST, _SHARE * (now - self._began)):
            return False
        self._last = now
        return True

    def printed(self) -> None:
        """Record that something else was printed, after which a line is not due for some time."""
        self._last = self._clock()


@contextlib.contextmanager
def reported(console: Console, what: str) -> Iterator[Callable[[str], None]]:
    """Show the state of some work as a status, or as lines now and then where the output is not a terminal.

    what: shown at first. Yields what is to be called with every new state.
    """
    lines = Paced()
    with console.status(what) as status:

        def report(state: str) -> None:
            if console.is_terminal:
                status.update(state)
            elif lines.due():
                console.print(state, soft_wrap=True)

        yield report
