"""metrics.jsonl: the figures of a run, one JSON object a session."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from gameforge.config import kinds, strictly
from gameforge.config.toml import Json
from gameforge.errors import GameforgeError
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import Progress
from gameforge.storage.stored import JsonLog, read_as, read_log

METRICS = "metrics.jsonl"
Metrics = dict[str, float | str]
"""A line of metrics.jsonl: the figures of a session by name, and `over`, the only text."""


class MetricsFile(JsonLog):
    """Writes the file while the run is running."""

    def __init__(self, folder: Path, lengths: Mapping[str, int]) -> None:
        super().__init__(folder / METRICS, lengths.get(METRICS, 0))

    @hookimpl
    def gameforge_checkpoint(self, progress: Progress) -> None:
        over = {} if progress.over == "games" else {"over": progress.over}
        self.append({"session": progress.session, "games": progress.games, **over, **progress.numbers})


def read_metrics(folder: Path, length: int | None = None) -> list[Metrics]:
    """Read the sessions of a run so far; a line that is still being written is skipped.

    length: number of bytes to read, such as those up to a checkpoint; None reads all. Raises GameforgeError if the file
    is missing or damaged.
    """
    path = folder / METRICS
    if not path.exists():
        raise GameforgeError(f"{folder} holds no metrics: there is no {METRICS}")
    return read_log(path, _session, length)


@attrs.frozen
class _Session:
    session: int
    games: int
    wins: float = attrs.field(default=0, validator=kinds.not_negative)
    draws: float = attrs.field(default=0, validator=kinds.not_negative)
    losses: float = attrs.field(default=0, validator=kinds.not_negative)
    over: str = "games"


def _session(row: Json) -> Metrics:
    """A line of metrics.jsonl: besides those of `_Session` its values are numbers."""
    over = read_as(_Session, row).over
    assert isinstance(row, dict), "read_as accepts nothing else"
    for key, value in row.items():
        if key != "over":
            strictly(value, bool | float, key)
    if over not in row:
        raise GameforgeError(f"over = {over!r}: must be the key of a number")
    return dict(row)


def table_rows(metrics: Sequence[Metrics]) -> list[Metrics]:
    """Return a row for each session, with its figures that are numbers or text."""
    return [{key: value for key, value in row.items() if isinstance(value, int | float | str)} for row in metrics]
