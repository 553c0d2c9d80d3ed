"""What a training may spend: evaluations, or processor time.

A training ends after the first session at whose end all of it is spent, with the player of this session. The matches
against the yardstick cost nothing.

Evaluations are the positions that the evaluator scores in the searches and games of the training. They are counted in
one thread, piece by piece of the learner's work, and kept in the checkpoints. So a training with the same seed ends
after the same session, however often it was interrupted.

Processor time is that of this process, in all its threads, so nothing else may run in it meanwhile. The compilation of
kernels does not count. The file processor.json in the folder of the run keeps the time, so that a resumed run does not
begin at zero. It includes time whose work was lost in a kill.
"""

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

import attrs

from gameforge.config import kinds
from gameforge.errors import GameforgeError
from gameforge.storage.stored import parse_json, read_as

if TYPE_CHECKING:
    from gameforge.kernel.counting import EvaluationCount

EVALUATIONS = "evaluations"
"""Name of the figure: the evaluations of a training until the end of a session."""
_FILE = "processor.json"
_BEAT = 1.0
"""Smallest time between two records, in seconds."""


class UsedUp(Exception):
    """Ends a training."""


class Spending(Protocol):
    """Follows what a training spends."""

    @property
    def figures(self) -> Mapping[str, int]:
        """Figures for the session that ends."""
        ...

    def paused(self) -> contextlib.AbstractContextManager[None]:
        """Count nothing while the block runs."""
        ...

    def compiling(self, function: str | None, seconds: float) -> None:
        """Hear of the compiler's work; a receiver for `on_compilation`."""
        ...

    def advance(self) -> None:
        """Called as often as the training reports anything."""
        ...

    def session_finished(self, session: int) -> None:
        """Raise UsedUp if nothing is left after a session."""
        ...

    def spent(self) -> int:
        """Return what a checkpoint keeps."""
        ...


class Evaluations:
    """Counts the evaluations of one training."""

    def __init__(self, count: "EvaluationCount", limit: int, before: int) -> None:
        """count: of the training's parts. limit: number of them after which it is to end. before: those until now."""
        self._count, self._limit, self._before = count, limit, before
        self._is_paused = False

    def spent(self) -> int:
        """Return their number so far."""
        return self._before if self._is_paused else self._before + self._count.total

    @property
    def figures(self) -> dict[str, int]:
        """Their number so far."""
        return {EVALUATIONS: self.spent()}

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Count nothing while the block runs."""
        self._before, self._is_paused = self.spent(), True
        try:
            yield
        finally:
            self._before, self._is_paused = self._before - self._count.total, False

    def compiling(self, function: str | None, seconds: float) -> None:
        """The compiler evaluates nothing."""

    def advance(self) -> None:
        """Nothing is recorded between checkpoints."""

    def session_finished(self, session: int) -> None:
        """Raise UsedUp if nothing is left; GameforgeError if nothing has been spent, since that would never change."""
        spent = self.spent()
        if not spent:
            raise GameforgeError(
                f"no position has been evaluated by the end of session {session}; if evaluations are limited, the "
                "searcher needs an evaluator"
            )
        if spent >= self._limit:
            raise UsedUp(
                f"the training ends with session {session}: it has used {spent:,} of {self._limit:,} evaluations"
            )


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

    figures: Mapping[str, int] = MappingProxyType({})
    """None: no seed determines the time."""

    def __init__(self, folder: Path, limit: float) -> None:
        """folder: that of the run. limit: seconds after which the training is to end."""
        self._folder, self._limit = folder, limit
        self._zero = time.process_time() - read_processor_time(folder)
        self._pauses, self._paused_at = 0, 0.0
        self._compiles = False
        self._due = 0.0

    def spent(self) -> int:
        """Return nothing: processor.json keeps the time."""
        return 0

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
        """Record the time; raises UsedUp if nothing is left."""
        self._record()
        if self.seconds >= self._limit:
            raise UsedUp(
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
