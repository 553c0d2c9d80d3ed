"""The finished trials of an experiment, in a file of its folder."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from gameforge.errors import GameforgeError

TRIALS = "trials.jsonl"
WRONG_FIGURES = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What figures raise that are missing or of another kind."""


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
