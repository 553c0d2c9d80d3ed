"""The exception for errors that the user can fix; the command line prints it and exits with code 2.

Messages about missing packages also need the name of the distribution, which has its one place here.
"""

import difflib
from collections.abc import Callable, Iterable

DISTRIBUTION = "gameforge"
"""Name under which pip installs GameForge: that of `pyproject.toml`, which may differ from the name of the module."""


def pip_install(extra: str) -> str:
    """Return the command that installs what an extra needs: `pip install 'gameforge[plot]'`."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def as_argument(parameter: str) -> str:
    """Write a parameter as a Python caller does: `out=...`."""
    return f"{parameter}=..."


_MOST_LETTERS = 2000


def shortened(message: str) -> str:
    """Return a message without its middle if it quotes a very long text, whatever the text is."""
    if len(message) <= _MOST_LETTERS:
        return message
    return f"{message[: _MOST_LETTERS // 2]} [...] {message[-_MOST_LETTERS // 2 :]}"


class GameforgeError(ValueError):
    """An error that the user can fix. The message is one sentence: what is wrong, where, and what is allowed.

    A very long message loses its middle, since it may quote what somebody else wrote.

    If a parameter of the called function fixes it, `parameter` names that parameter and `advice` says what to do:
    `GameforgeError("runs/a holds another run", advice="choose another folder", parameter="out")` reads
    "runs/a holds another run; choose another folder with out=..." in Python, and "... with --out" on the command line.
    """

    def __init__(self, message: str, *, advice: str = "", parameter: str = "") -> None:
        self.message = shortened(message)
        super().__init__(self.message)
        self.advice = advice
        self.parameter = parameter

    def __str__(self) -> str:
        return self.sentence()

    def sentence(self, named: Callable[[str], str] = as_argument) -> str:
        """Return the whole sentence; `named` formats the name of the parameter."""
        return f"{self.message}; {self.advice} with {named(self.parameter)}" if self.advice else self.message


class NotCovered(GameforgeError):
    """An oracle does not cover the position that it was probed for; the message gives the reason."""


class UnknownComponent(GameforgeError):
    """No plugin that is installed or loaded has a component of this name."""


class ComponentError(GameforgeError):
    """A component raised an exception that is not a GameforgeError, its `__cause__`; the message names both."""


def near(name: str, allowed: Iterable[str]) -> str:
    """Return ` (did you mean ...?)` with the allowed name that is closest to `name`, or "" if none is close."""
    close = difflib.get_close_matches(name, list(allowed), n=1) if len(name) <= _MOST_LETTERS else ()
    return f" (did you mean {close[0]!r}?)" if close else ""
