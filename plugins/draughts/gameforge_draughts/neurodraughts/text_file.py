"""Small text files of NeuroDraughts."""

from pathlib import Path

from gameforge.errors import GameforgeError


def read_text(path: Path, what: str) -> str:
    """Read a text file; `what` names the kind of file in error messages."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise GameforgeError(f"cannot read the {what} {path}: {error.strerror or error}") from None
    except UnicodeError:
        raise GameforgeError(f"{what} {path} is not UTF-8 text") from None
