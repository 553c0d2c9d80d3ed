"""The finished trials of an experiment, in a file of its folder."""

import contextlib
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.experiment import Result
from gameforge.storage.stored import read_as

TRIALS = "trials.jsonl"
WRONG_FIGURES = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What figures raise that are missing or of another kind."""
OTHER_SOURCE = (
    "finished trials in this folder were run by another state of the source code, which may change their figures; "
    "the report will say so. To run all trials by the present one, use another folder"
)


@attrs.frozen
class _Origin:
    """Where a stored trial comes from."""

    source: str = ""
    """State of the source that ran it; empty if it is not known."""


def read_trial(stored: Any, conditions: Container[str]) -> tuple[Result, str]:
    """Read a line of trials.jsonl: (result, state of the source that ran the trial).

    Raises GameforgeError if the line is damaged or its condition unknown.
    """
    result = read_as(Result, stored)
    if result.condition not in conditions:
        raise GameforgeError(f"the experiment has no condition {result.condition!r}")
    return result, read_as(_Origin, stored).source


def mixed_sources(sources: Sequence[str]) -> str:
    """Return a sentence about trials that were not all run by one state of the source; empty if they were."""
    counted = Counter(f"`{source}`" if source else "an unknown one" for source in sources)
    if len(counted) < 2:
        return ""
    states = ", ".join(f"{number} by {state}" for state, number in counted.items())
    return (
        f"**The {len(sources)} trials were run by different states of the source code** of GameForge or its plugins "
        f"({states}), which may change their figures."
    )


@contextlib.contextmanager
def damage_named(
    trials: Path, what: str, errors: type[Exception] | tuple[type[Exception], ...] = Exception
) -> Iterator[None]:
    """Raise GameforgeError if one of the errors keeps `what` from being done with figures that were read from a file.

    Only the experiment knows which figures a trial has, so there is no schema for them.
    """
    try:
        yield
    except GameforgeError:
        raise
    except errors as error:
        raise GameforgeError(
            f"cannot {what} from the figures in {trials}; they may be damaged: {type(error).__name__}: {error}"
        ) from error
