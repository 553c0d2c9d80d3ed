"""Text that cannot control the terminal, from text of any origin: names and tags of files above all."""

import re

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
