"""Asking on the terminal whether a program that a file names may be started, and remembering the answer.

The answer holds for the same component with the same texts, while the files that these name have the same content.
"""

import contextlib
import os
import stat
import sys
from pathlib import Path

import platformdirs
import typer

from gameforge.discovery.consent import Program
from gameforge.errors import GameforgeError
from gameforge.play.terminal import printable
from gameforge.storage.files import write_atomically

_PRIVATE = 0o600


def ask_to_start(program: Program, origin: str) -> bool:
    """Return whether the person at the terminal agrees, or has agreed before; without a terminal, nobody does."""
    digest = program.lasting_digest
    if digest in _remembered():
        return True
    if not _on_terminal():
        return False
    named = f"{origin or 'A file'} names a program, which would run with all your rights: {program.spec}"
    if not typer.confirm(f"{printable(named)}\nStart it?", err=True):
        return False
    with contextlib.suppress(GameforgeError):  # the answer then holds for this command alone
        write_atomically(_file(), "".join(f"{one}\n" for one in sorted({*_remembered(), digest})).encode(), _PRIVATE)
    return True


def _on_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _file() -> Path:
    return platformdirs.user_state_path("gameforge", ensure_exists=True) / "allowed-programs"


def _remembered() -> set[str]:
    """Return the digests of programs to which this user has agreed; a file that others can write counts for nothing."""
    try:
        with _file().open(encoding="ascii") as file:
            about = os.fstat(file.fileno())
            others = about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
            windows = not hasattr(os, "getuid")  # there, the mode does not say who can write
            own = windows or (about.st_uid == os.getuid() and not others)
            return set(file.read().split()) if own else set()
    except (OSError, UnicodeDecodeError):
        return set()
