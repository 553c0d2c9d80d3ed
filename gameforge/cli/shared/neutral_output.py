"""Output that cannot control the terminal: text from files may hold escape sequences, tags and names above all."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast

from gameforge.play.printable import printable


class _Neutral:
    """A text stream to which everything is written as `printable` text that its encoding can express."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream
        """What rich writes to, colours included; gameforge.cli.shared.console neutralizes its text."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)

    def write(self, text: str) -> int:
        encoding = self.rich_proxied_file.encoding or "utf-8"
        neutral = printable(text).encode(encoding, "backslashreplace").decode(encoding)
        self.rich_proxied_file.write(neutral)
        return len(text)


@contextlib.contextmanager
def neutral_output() -> Iterator[None]:
    """Neutralize what is printed to the standard output and the standard error."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (stream and cast(TextIO, _Neutral(stream)) for stream in before)  # None: it is closed
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
