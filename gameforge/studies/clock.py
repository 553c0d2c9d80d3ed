"""The clock of a run: the seconds that its training has taken after each session, whatever interrupted it.

clock.jsonl   one object per session: `session`, `seconds`

The measurements of a run are part of its time. Results do not depend on this file.
"""

import json
import time
from pathlib import Path

import attrs

from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import Progress
from gameforge.storage.files import write_atomically
from gameforge.storage.stored import JsonLog, read_as, read_log
from gameforge.training.run import Run

CLOCK = "clock.jsonl"


@attrs.frozen
class Reading:
    """The seconds that the training had taken after a session."""

    session: int
    seconds: float


def read_clock(folder: Path) -> list[Reading]:
    """Read the clock of a run, session by session; empty if it has none. GameforgeError if it is damaged."""
    return read_log(folder / CLOCK, lambda stored: read_as(Reading, stored))


class Clock:
    """A subscriber to the events of a run that keeps its clock."""

    def __init__(self) -> None:
        self._before, self._began = 0.0, time.perf_counter()

    @hookimpl
    def gameforge_run_started(self, run: Run) -> None:
        kept = read_clock(run.folder)[: len(run.earlier)]
        lines = "".join(json.dumps(attrs.asdict(reading)) + "\n" for reading in kept)
        write_atomically(run.folder / CLOCK, lines.encode())
        self._before, self._began = kept[-1].seconds if kept else 0.0, time.perf_counter()

    @hookimpl
    def gameforge_checkpoint(self, run: Run, progress: Progress) -> None:
        seconds = round(self._before + time.perf_counter() - self._began, 3)
        path = run.folder / CLOCK
        with JsonLog(path, path.stat().st_size) as log:
            log.append({"session": progress.session, "seconds": seconds})
