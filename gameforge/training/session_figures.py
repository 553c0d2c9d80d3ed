"""The figures of a session, in which sessions and runs can be compared."""

import math
from collections.abc import Iterator, Mapping

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
