"""metrics.jsonl: the figures of a run, one JSON object a session, in which sessions and runs can be compared."""

import math
from collections.abc import Iterator, Mapping, Sequence
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
        self.append(row_of(progress))


def row_of(progress: Progress) -> Metrics:
    """Return the line of a session."""
    over = {} if progress.over == "games" else {"over": progress.over}
    return {"session": progress.session, "games": progress.games, **over, **progress.numbers}


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


_COUNTS = ("wins", "draws", "losses")
_RENAMED_OR_LEFT_OUT = frozenset(
    {
        *("session", "games", "loops", "cloned", "mean_plies", "balance"),
        *("distinct_games", "gate_distinct", "yardstick_distinct"),
        *_COUNTS,
    }
)
"""Metrics that `session_figures` reports under other names, or not at all."""
SCORE, LOOP_RATE, BALANCE = "score", "loop rate", "piece balance"
YARDSTICK = "yardstick "
"""Beginning of the names of the figures that measure the strength."""
ELO = f"{YARDSTICK}elo"
STRENGTH = (ELO, f"{YARDSTICK}score")
"""Two of them: the Elo difference, which is left out if it is infinite, and the score."""


def session_figures(metrics: Mapping[str, float | str]) -> dict[str, float]:
    """Convert the metrics of a session to figures that can be compared between sessions and runs.

    These are score and loop rate (0 to 1), piece balance and moves per game, then all other numbers of the learner by
    their own names. Numbers that are not finite are left out.
    """
    return {name: float(value) for name, value in _session_figures(metrics) if math.isfinite(value)}


def _session_figures(metrics: Mapping[str, float | str]) -> Iterator[tuple[str, float]]:
    numbers = {key: value for key, value in metrics.items() if isinstance(value, int | float)}
    games = sum(numbers[key] for key in _COUNTS) if all(key in numbers for key in _COUNTS) else 0
    if games:
        yield SCORE, (numbers["wins"] + numbers["draws"] / 2) / games
        if "loops" in numbers:
            yield LOOP_RATE, numbers["loops"] / games
    if "balance" in numbers:
        yield BALANCE, numbers["balance"]
    if "mean_plies" in numbers:
        yield "moves a game", numbers["mean_plies"] / 2
    for key, value in numbers.items():
        if key not in _RENAMED_OR_LEFT_OUT:
            yield figure_name(key), value


def figure_name(key: str) -> str:
    """Return the name of one of the learner's own figures: `games_per_second` becomes `games/s`."""
    return key.replace("_per_second", "/s").replace("_", " ")


def is_share(key: str) -> bool:
    """Whether a figure is between 0 and 1."""
    return key == LOOP_RATE or key.rpartition(" ")[2] == SCORE


def is_speed(key: str) -> bool:
    """Whether the metric of this name depends on the machine, as times and rates do."""
    return key.endswith("_per_second") or "seconds" in key
