"""PDN text as tokens with their places, line by line: a file of any size in the memory of one line.

Besides PDN 3.0 this reads what is found in files: results as separators, `;` comments, tags on
one line, moves on lettered squares (which belong to other games). A place is line << 20 | column.
"""

import enum
import re
from collections import deque
from collections.abc import Iterator
from typing import TextIO

import attrs

LONGEST = 1 << 20
"""Characters that a line and a comment may have."""
ENCODING_HINT = "name the encoding of the file, such as latin-1 or utf-16"


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
    GLUED = 15
    """Words that follow a move without a space, as in `8-11Redoverstepped`."""
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
_TAGS = re.compile(r'\[\s*[A-Za-z_]\w*\s*"')
_WORDS = re.compile(r"[^\W\d_]{2}")
_UNDECODED = re.compile("[\udc80-\udcff]")
Token = tuple[int, str, int]
"""(Kind, text, place); the text of a tag is its name, a line break, and its value."""


def place_text(place: int) -> str:
    return f"line {place >> 20}, column {place % LONGEST}"


@attrs.define
class _Comment:
    """A comment that goes on over lines, until it is closed or given up."""

    place: int
    """Where it was opened."""
    parts: list[str]
    size: int
    lines: list[str] = attrs.field(factory=list)
    """What is to be read again if the comment turns out not to be one: the lines from the first with a tag on."""
    first: int = 0
    """Number of the first of them."""
    lost: bool = False
    """It was told that this is no comment; its end is still looked for."""


def tokens(stream: TextIO) -> Iterator[Token]:
    """All tokens of a file opened with errors="surrogateescape".

    A comment that is never closed, or in which tags and then another comment begin, is told as Kind.BAD; what
    follows is read from these tags on.
    """
    comment: _Comment | None = None
    again: deque[str] = deque()
    number = 0
    while True:
        line = again.popleft() if again else stream.readline(LONGEST)
        number += 1
        base, begin = number * LONGEST + 1, 0
        if len(line) == LONGEST:
            yield Kind.BAD, f"a line of {LONGEST:,} characters or more is no PDN", base
            return
        if not line.isascii() and (bad := _UNDECODED.search(line)):
            byte, encoding = ord(bad[0]) - 0xDC00, stream.encoding.removesuffix("-sig")
            yield Kind.BAD, f"byte 0x{byte:02X} is no {encoding}; {ENCODING_HINT}", base + bad.start()
        if comment is not None:
            reason, begin = _go_on(comment, line, number)
            if reason:
                yield Kind.BAD, reason, comment.place
                if comment.lines:
                    again.extendleft(reversed(comment.lines))
                    number, comment = comment.first - 1, None
                    continue
                comment.lost = True
            if line and begin < 0:
                continue
            if line and not comment.lost:
                yield Kind.COMMENT, " ".join(comment.parts), comment.place
            comment = None
        if not line:
            return
        if not begin and line[0] == "%":
            continue
        after_move = -1
        for found in _TOKEN.finditer(line, begin):
            kind = found.lastindex
            if kind is None:
                continue
            if kind == 2:
                after_move = found.end()
                yield 2, found[2], base + found.start(2)
            elif kind == Kind.OPEN:
                comment = _Comment(base + found.start(), [found[kind]], len(found[kind]))
            elif kind == Kind.REST:
                yield Kind.COMMENT, found[kind], base + found.start()
            elif kind == Kind.OTHER and found.start() == after_move and _WORDS.match(found[kind]):
                yield Kind.GLUED, found[kind], base + found.start()
            elif kind == Kind.TAG:
                yield kind, f"{found[6]}\n{found[7]}", base + found.start()
            else:
                yield kind, found[kind], base + found.start(kind)


def _go_on(comment: _Comment, line: str, number: int) -> tuple[str, int]:
    """Take the next line, empty at the end of the file: (why this is no comment, where other text begins or -1)."""
    begin = line.find("}") + 1 or -1
    if comment.lost:
        return "", 0 if _TAGS.match(line) else begin
    if not line:
        return "this comment is never closed", begin
    part = line if begin < 0 else line[: begin - 1]
    if comment.lines or _TAGS.match(line):
        comment.first = comment.first or number
        comment.lines.append(line)
        if "{" in part:
            return "this comment is not closed before the next game", begin
    comment.size += len(part)
    comment.parts.append(part)
    return (f"a comment of {LONGEST:,} characters or more is no PDN" if comment.size >= LONGEST else ""), begin
