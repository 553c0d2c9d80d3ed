"""Files that a command writes: it overwrites none unless the user asks for that."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from gameforge.cli.shared.option_name import as_option
from gameforge.errors import GameforgeError
from gameforge.storage.atomic import require_writable

Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]


def require_new(path: Path, force: bool) -> None:
    """Raise GameforgeError if the file cannot be written, or exists and may not be overwritten; in a terminal, ask."""
    if not force:
        _require_may_overwrite(path)
    require_writable(path)


def require_different(**files: Path | None) -> None:
    """Raise GameforgeError if two options, given by their parameters, name the same file."""
    named = [(as_option(parameter), path) for parameter, path in files.items() if path is not None]
    for i, (option, path) in enumerate(named):
        for other, same in named[:i]:
            if path.resolve() == same.resolve():
                raise GameforgeError(f"{other} and {option} name the same file, {path}; choose two files")


def require_suffix(option: str, path: Path, what: str, suffixes: Sequence[str]) -> None:
    """Raise GameforgeError unless the name of the file ends in one of the suffixes; what: such as "a PNG file"."""
    if path.suffix.lower() not in suffixes:
        *others, last = suffixes
        allowed = f"{', '.join(others)} or {last}" if others else last
        raise GameforgeError(f"{option} {path}: must be the name of {what}, ending in {allowed}")


def _require_may_overwrite(path: Path) -> None:
    """Raise GameforgeError if the file exists, unless the user, who is asked in a terminal, lets it be overwritten."""
    if not path.exists():
        return
    if path.is_file() and all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        if typer.confirm(f"{path} already exists. Overwrite it?"):
            return
        raise GameforgeError(f"{path} is unchanged")
    raise GameforgeError(f"{path} already exists; choose another file, or overwrite it with --force")
