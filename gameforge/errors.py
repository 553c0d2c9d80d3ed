"""The one exception for what a user can mend; the command line turns it into a sentence and exit code 2."""

import difflib
from collections.abc import Callable, Iterable


def as_argument(parameter: str) -> str:
    """A parameter as a caller in Python writes it: `out=...`."""
    return f"{parameter}=..."


class GameforgeError(ValueError):
    """Bad input: one sentence that says what is wrong, where, and what is allowed.

    Where a parameter of the called function mends it, `advice` says how and `parameter` names it:
    `GameforgeError("runs/a holds another run", advice="choose another folder", parameter="out")` reads
    "runs/a holds another run; choose another folder with out=..." in Python, and "... with --out" on the command line.
    """

    def __init__(self, message: str, *, advice: str = "", parameter: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.parameter = parameter

    def __str__(self) -> str:
        return self.sentence()

    def sentence(self, named: Callable[[str], str] = as_argument) -> str:
        """The whole sentence; `named` writes the name of the parameter."""
        return f"{self.message}; {self.advice} with {named(self.parameter)}" if self.advice else self.message


class NotCovered(GameforgeError):
    """An oracle was asked about a position that it does not know; the message gives the reason."""


def near(name: str, allowed: Iterable[str]) -> str:
    """` (did you mean ...?)` if one of the allowed names is close to `name`, else nothing."""
    close = difflib.get_close_matches(name, list(allowed), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
