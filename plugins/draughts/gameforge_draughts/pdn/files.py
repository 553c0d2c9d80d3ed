"""PDN files as text streams."""

import codecs
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from gameforge.errors import GameforgeError
from gameforge_draughts.pdn.tokens import ENCODING_HINT


@contextlib.contextmanager
def open_pdn(path: Path, encoding: str = "utf-8") -> Iterator[TextIO]:
    """Open a file for `tokens`; GameforgeError if it cannot be read, or if its bytes do not fit the encoding."""
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        raise GameforgeError(f"unknown encoding {encoding!r}; try utf-8, latin-1 or utf-16") from None
    try:
        # Bytes that are not UTF-8 are reported with their place by `tokens`; a byte order mark is skipped.
        stream = path.open(encoding="utf-8-sig" if name == "utf-8" else name, errors="surrogateescape")
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from None
    with stream:
        try:
            yield stream
        except UnicodeError as error:
            raise GameforgeError(f"{path} is not {name} text ({error}); {ENCODING_HINT}") from None
