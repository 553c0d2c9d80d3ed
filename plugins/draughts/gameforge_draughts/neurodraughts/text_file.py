"""Reading the small text files of NeuroDraughts."""

from pathlib import Path

from gameforge.errors import GameforgeError


def read_text(path: Path, what: str) -> str:
    """The text of a file; `what` says in errors which sort of file was asked for."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise GameforgeError(f"cannot read the {what} {path}: {error.strerror or error}") from None
    except UnicodeError:
        raise GameforgeError(f"{what} {path}: is no text") from None
