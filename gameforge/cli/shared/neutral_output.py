"""Output that cannot control the terminal: text from files may hold escape sequences, tags and names above all."""

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # all controls but tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # controls of the direction of writing
    "\ud800-\udfff]"  # bytes that were not text
)


def printable(text: str) -> str:
    """The text with every control character but tab and line feed spelled out, as `\\x1b` for escape."""
    return text if text.isascii() and text.isprintable() else _CONTROL.sub(_spelled_out, text)


def _spelled_out(found: "re.Match[str]") -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


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
