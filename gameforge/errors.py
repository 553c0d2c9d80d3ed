"""The one exception for what a user can mend; the command line turns it into a sentence and exit code 2."""

import difflib
from collections.abc import Iterable


class GameforgeError(ValueError):
    """Bad input: one sentence that says what, where, and what is allowed."""


class NotCovered(GameforgeError):
    """An oracle was asked about a position that it does not know; the message gives the reason."""


def near(name: str, allowed: Iterable[str]) -> str:
    """` (did you mean ...?)` if one of the allowed names is close to `name`, else nothing."""
    close = difflib.get_close_matches(name, list(allowed), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
