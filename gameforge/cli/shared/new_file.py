"""Files that a command writes: it overwrites none unless the user asks for that."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from gameforge.errors import GameforgeError

Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]


def require_new(path: Path, force: bool) -> None:
    """Raise GameforgeError if the file exists, unless it may be overwritten; in a terminal, ask."""
    if force or not path.exists():
        return
    if path.is_file() and all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        if typer.confirm(f"{path} already exists. Overwrite it?"):
            return
        raise GameforgeError(f"{path} is unchanged")
    raise GameforgeError(f"{path} already exists; choose another file, or overwrite it with --force")
