"""Output that cannot control the terminal: text from files may hold escape sequences, tags and names above all."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast

from gameforge.play.printable import printable


class OutputFailed(Exception):
    """The standard output or the standard error cannot be written."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(reason)
        self.reason = reason


class _Output:
    """A text stream that raises OutputFailed if it fails, so that callers can tell this from the failure of a file."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with _failures():
            return self._stream.write(text)

    def flush(self) -> None:
        with _failures():
            self._stream.flush()


class _Neutral:
    """A text stream to which everything is written as `printable` text that its encoding can express."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = _Output(stream)
        """What rich writes to, colours included; gameforge.cli.shared.console neutralizes its text."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)

    def write(self, text: str) -> int:
        encoding = self.rich_proxied_file.encoding or "utf-8"
        neutral = printable(text).encode(encoding, "backslashreplace").decode(encoding)
        self.rich_proxied_file.write(neutral)
        return len(text)


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputFailed(error) from error


@contextlib.contextmanager
def neutral_output() -> Iterator[None]:
    """Neutralize what is printed to the standard output and the standard error."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (stream and cast(TextIO, _Neutral(stream)) for stream in before)  # None: it is closed
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
