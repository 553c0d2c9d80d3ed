"""The loop of the commands that read a person's input line by line."""

import contextlib
import io
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import Protocol

from gameforge.errors import GameforgeError

_WIDTH = 79
"""Columns of lists, so that terminals wrap no lines."""


class Dialog(Protocol):
    """What a person and a command say to each other."""

    @property
    def prompt(self) -> str: ...

    @property
    def over(self) -> bool:
        """Whether the person has left."""
        ...

    def take(self, line: str) -> None:
        """Execute a line of input. Invalid input raises GameforgeError and changes nothing."""
        ...


def require_input(command: str) -> None:
    """Raise GameforgeError if a command has no standard input; let characters that the terminal lacks be replaced."""
    if sys.stdin is None:
        raise GameforgeError(f"{command}: there is no standard input; run it in a terminal, or pipe lines to it")
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def converse(dialog: Dialog, before_input: Callable[[], None] = lambda: None) -> None:
    """Execute the person's lines until the person leaves or the input ends.

    Errors are printed, and Ctrl-C interrupts the execution of a line. `before_input` is called before each line.
    """
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - line editing and history for input()
    while not dialog.over:
        before_input()
        try:
            line = input(dialog.prompt)
        except EOFError:
            print()
            return
        if not sys.stdin.isatty():
            print(line)
        try:
            dialog.take(line)
        except KeyboardInterrupt:
            print("interrupted")
        except GameforgeError as error:
            print(f"error: {' '.join(str(error).split())}")


def in_lines(entries: Sequence[str], between: str) -> str:
    """Lay out entries in lines, without a line break inside an entry."""
    unbroken = between.join(entry.replace(" ", "\N{NO-BREAK SPACE}") for entry in entries)
    return textwrap.fill(unbroken, _WIDTH, break_on_hyphens=False).replace("\N{NO-BREAK SPACE}", " ")
