"""PDN text as tokens with their places, line by line: a file of any size in the memory of one line.

Besides PDN 3.0 this reads what is found in files: results as separators, `;` comments, tags on
one line, moves on lettered squares (which belong to other games). A place is line << 20 | column.
"""

import enum
import re
from collections.abc import Iterator
from typing import TextIO

LONGEST = 1 << 20
"""Characters that a line and a comment may have."""
ENCODING_HINT = "name the encoding of the file (--encoding), as latin-1 or utf-16"


class Kind(enum.IntEnum):
    """What a token is. Most values are the group of _TOKEN that ends it."""

    RESULT = 1
    MOVE = 2
    COMMENT = 3
    OPEN = 4
    REST = 5
    TAG = 7
    NAG = 8
    MARKS = 9
    BEGIN = 10
    END = 11
    LETTERS = 12
    OTHER = 13
    BAD = 14
    """The text says what is wrong."""


_TOKEN = re.compile(
    r"""
    (1/2-1/2 | (?:[01]-[01]|[02]-[02])(?![0-9x:-]) | \*)   # 1 a result, or the separator
    | (?:[0-9]+\.+\s*)? ([0-9]{1,3}(?:[-x:X][0-9]{1,3})+)  # 2 a move, its number before it
    | [0-9]+\.+ | \.+                                      # a number alone, dots of a missing move
    | \{([^}]*)\} | \{([^}]*)$ | ;(.*)                     # 3 a comment, 4 one begun, 5 one to the end of the line
    | \[\s*([A-Za-z_]\w*)\s*"((?:[^"\\]|\\.)*)"\s*\]       # 6, 7 a tag
    | \$([0-9]{1,3}) | (\([!?]+\)|[!?]+)                       # 8 an annotation glyph, 9 move strength
    | (\() | (\))                                          # 10, 11 a variation
    | (?:[0-9]+\.+\s*)?([a-n][0-9]+(?:[-x:]?[a-n][0-9]+)+) # 12 a move on lettered squares
    | (\[.*|[^\s(){};]+)                                   # 13 anything else
    """,
    re.VERBOSE,
)
_UNDECODED = re.compile("[\udc80-\udcff]")
Token = tuple[int, str, int]
"""(Kind, text, place); the text of a tag is its name, a line break, and its value."""


def place_text(place: int) -> str:
    return f"line {place >> 20}, column {place % LONGEST}"


def tokens(stream: TextIO) -> Iterator[Token]:
    """All tokens of a file opened with errors="surrogateescape"."""
    open_comment: list[str] | None = None
    opened = size = number = 0
    while line := stream.readline(LONGEST):
        number += 1
        base, begin = number * LONGEST + 1, 0
        if len(line) == LONGEST:
            yield Kind.BAD, f"a line of {LONGEST:,} characters or more is no PDN", base
            return
        if not line.isascii() and (bad := _UNDECODED.search(line)):
            byte, encoding = ord(bad[0]) - 0xDC00, stream.encoding.removesuffix("-sig")
            yield Kind.BAD, f"byte 0x{byte:02X} is no {encoding}; {ENCODING_HINT}", base + bad.start()
        if open_comment is not None:
            end = line.find("}")
            part = line if end < 0 else line[:end]
            size += len(part)
            if size < LONGEST:
                open_comment.append(part)
            if end < 0:
                continue
            if size < LONGEST:
                yield Kind.COMMENT, " ".join(open_comment), opened
            else:
                yield Kind.BAD, f"a comment of {LONGEST:,} characters or more is no PDN", opened
            open_comment, begin = None, end + 1
        elif line[0] == "%":
            continue
        for found in _TOKEN.finditer(line, begin):
            kind = found.lastindex
            if kind is None:
                continue
            if kind == 2:
                yield 2, found[2], base + found.start(2)
            elif kind == Kind.OPEN:
                open_comment, opened, size = [found[kind]], base + found.start(), 0
            elif kind == Kind.REST:
                yield Kind.COMMENT, found[kind], base + found.start()
            elif kind == Kind.TAG:
                yield kind, f"{found[6]}\n{found[7]}", base + found.start()
            else:
                yield kind, found[kind], base + found.start(kind)
    if open_comment is not None:
        yield Kind.BAD, "this comment is never closed", opened
