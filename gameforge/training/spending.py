"""The processor time of a training that may use only so much of it.

What is counted is the time of this process, in all its threads, so nothing else may run in it meanwhile. Neither the
compilation of kernels nor the matches against the yardstick count. A training ends after the first session at whose end
its time is used up, with the player of this session. The file processor.json in the folder of the run keeps the time,
so that a resumed run does not begin at zero. It includes time whose work was lost in a kill.
"""

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path

import attrs

from gameforge.config import kinds
from gameforge.errors import GameforgeError
from gameforge.storage.stored import parse_json, read_as

_FILE = "processor.json"
_BEAT = 1.0
"""Smallest time between two records, in seconds."""


class TimeUsedUp(Exception):
    """Ends a training."""


@attrs.frozen
class _Spent:
    seconds: float = attrs.field(validator=kinds.not_negative)


def read_processor_time(folder: Path) -> float:
    """Return the processor seconds that a run has used; 0 if it has none recorded. GameforgeError if it is damaged."""
    path = folder / _FILE
    try:
        return read_as(_Spent, parse_json(path.read_bytes())).seconds
    except FileNotFoundError:
        return 0.0
    except (OSError, ValueError) as error:
        raise GameforgeError(f"{path} is damaged: {error}") from error


class ProcessorTime:
    """Counts the processor time of one training."""

    def __init__(self, folder: Path, limit: float) -> None:
        """folder: that of the run. limit: seconds after which the training is to end."""
        self._folder, self._limit = folder, limit
        self._zero = time.process_time() - read_processor_time(folder)
        self._pauses, self._paused_at = 0, 0.0
        self._compiles = False
        self._due = 0.0

    @property
    def seconds(self) -> float:
        """The time so far."""
        return (self._paused_at if self._pauses else time.process_time()) - self._zero

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Count nothing while the block runs."""
        self._pause()
        try:
            yield
        finally:
            self._go_on()

    def compiling(self, function: str | None, seconds: float) -> None:
        """Count nothing while the compiler works; a receiver for `on_compilation`."""
        if self._compiles != (function is not None):
            self._compiles = not self._compiles
            (self._pause if self._compiles else self._go_on)()

    def advance(self) -> None:
        """Record the time now and then; called as often as the training reports anything."""
        if time.monotonic() >= self._due:
            self._record()

    def session_finished(self, session: int) -> None:
        """Record the time; raises TimeUsedUp if nothing is left."""
        self._record()
        if self.seconds >= self._limit:
            raise TimeUsedUp(
                f"the training ends with session {session}: it has used {self.seconds:.1f} of {self._limit:g} "
                "processor seconds"
            )

    def _record(self) -> None:
        self._due = time.monotonic() + _BEAT
        temporary = self._folder / f"{_FILE}.tmp"  # need not survive a power cut, only a kill
        temporary.write_text(json.dumps(attrs.asdict(_Spent(round(self.seconds, 3)))) + "\n")
        temporary.replace(self._folder / _FILE)

    def _pause(self) -> None:
        if not self._pauses:
            self._paused_at = time.process_time()
        self._pauses += 1

    def _go_on(self) -> None:
        self._pauses -= 1
        if not self._pauses:
            self._zero += time.process_time() - self._paused_at
