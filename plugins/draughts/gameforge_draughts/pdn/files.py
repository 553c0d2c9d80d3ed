"""Opening PDN files."""

import codecs
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from gameforge.errors import GameforgeError
from gameforge_draughts.pdn.tokens import ENCODING_HINT


@contextlib.contextmanager
def open_pdn(path: Path, encoding: str = "utf-8") -> Iterator[TextIO]:
    """A file as `tokens` takes it; GameforgeError if there is none, or where its bytes are another encoding's."""
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        raise GameforgeError(f"encoding {encoding!r} is not known; utf-8, latin-1 and utf-16 are") from None
    try:
        # a byte that is no UTF-8 is told with its place, where it is read; a mark at the beginning is no text
        stream = path.open(encoding="utf-8-sig" if name == "utf-8" else name, errors="surrogateescape")
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from None
    with stream:
        try:
            yield stream
        except UnicodeError as error:
            raise GameforgeError(f"{path} is no {name} ({error}); {ENCODING_HINT}") from None
