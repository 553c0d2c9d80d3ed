"""PDN text as tokens with their places.

Besides PDN 3.0 this reads what is common in files: results as separators, `;` comments, several tags on a line, moves
on squares with letters, the spellings of moves in notation.py, and results with typographic dashes and fractions. A
move may be broken at the end of a line. A place is line << 20 | column. Only a few games of the file are in memory.
"""

import contextlib
import enum
import functools
import re
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import attrs

from gameforge import GameforgeError
from gameforge.storage import stored
from gameforge_draughts.notation import BROKEN, DASHES, LETTERED, NUMBERED

LONGEST = 1 << 20
"""Limit of the length of a line and of a comment, in characters."""
ENCODING_HINT = "name the encoding of the file, such as cp1252 or utf-16"


class Kind(enum.IntEnum):
    """Kinds of tokens; most values are the number of the group of _TOKEN that matched last."""

    MOVE = 2
    RESULT = 3
    COMMENT = 4
    OPEN = 5
    REST = 6
    TAG = 8
    PASTED_TAG = 9
    NAG = 10
    MARKS = 11
    BEGIN = 12
    END = 13
    BAD_TAG = 14
    """What begins like a tag, but is none."""
    BROKEN = 15
    NUMBER = 16
    OTHER = 17
    BAD = 18
    """An error; the text says what is wrong."""
    GLUED = 19
    """Words outside comments: glued to a move, in parentheses, after a result, or on lines between games."""
    GAME = 20
    """A whole game (plain_games.py); the text is its lines."""
    STAR = 21
    """A `*` glued to a move: the mark of an only move, or the end of the game."""


_HALF = "(?:1\\s*/\\s*2|0[.,]5|\u00bd)"
_DASH = rf"\s*[{DASHES}:]\s*"
_POINTS = rf"[1-9][0-9]?{_DASH}0|0{_DASH}[1-9][0-9]?"
_RESULT = rf"{_HALF}(?:{_DASH}{_HALF})?|[01]{_DASH}[01]|[02]{_DASH}[02]|{_POINTS}|\*"
"""Every spelling of a result, or the separator of games; points such as 10-0 cannot be a move."""
_PLUS = rf"1\+\s*[{DASHES}]?\s*1[{DASHES}]|1[{DASHES}]\s*[{DASHES}]?\s*1\+"
"""A draw in which one side is ahead, as in `1+ - 1-`."""
_NAME = r"[^\W\d][\w-]*"
_BLANK = "\ufeff\u200b\x1a"
"""What programs write that join files, copy from pages, or end files as DOS did."""
_USUAL = "[1-9][0-9]?[-x][1-9][0-9]?(?=[ ][0-9{])"
"""Most moves; with this first, and with the blank before a token as a part of it, the expression is twice as fast."""
_TOKEN = re.compile(
    rf"""
    [ ]?(?:
    (?:([0-9]+)\.+\s*)?({_USUAL}|(?!{_PLUS}){NUMBERED}|{LETTERED})  # 1 the number of a move, 2 it
    | ({_PLUS}|{_RESULT})(?![{DASHES}0-9xX:])                       # 3 a result, or the separator
    | \{{([^}}]*)\}} | \{{([^}}]*)$ | ;(.*)                 # 4 a comment, 5 one begun, 6 one to the end of the line
    | \[\s*({_NAME})\s*(?:"((?:[^"\\]|\\.)*)"|[“”„‟]([^“”„‟]*)[“”])\s*\]  # 7 the name of a tag, 8, 9 its value
    | \$([0-9]{{1,9}}) | (\([!?]+\)|[!?]+)                  # 10 an annotation glyph, 11 move strength
    | (\() | (\))                                          # 12, 13 a variation
    | (\[[^\]]*\]?)                                        # 14 a bad tag
    | ({BROKEN}) | ([0-9]+)\.+ | \.+                       # 15 half of a move, 16 a number alone, dots alone
    | ([^\s(){{}};\[{_BLANK}]+|\}})                        # 17 anything else
    )
    """,
    re.VERBOSE,
)
RESULT = re.compile(_RESULT)
"""Also matches 1-1, which looks like a move."""
SETTLING = ("gametype", "fen", "setup")
"""Tags without which a game would be read as another one, in small letters."""
_TAGS = re.compile(rf'\[\s*{_NAME}\s*"')
_QUOTING_TAG = re.compile(rf'\[\s*({_NAME})\s*"([^\[]*)"\s*\]')
"""A tag whose value has quotes that are not protected."""
_WORDS = re.compile(r"[^\W\d_]{2}")
_ASIDE = re.compile(r'\(\s*[^\W\d_][^()\d"\[\]{}]*\)')
"""Words in parentheses that cannot be a variation."""
ONLY_MOVE = 7
"""The annotation glyph of a move without which the game would be lost, or not won."""
_STARRED = "(*)"
"""Its mark, which is also written as a star alone."""
_AFTER_RESULT = re.compile(r'\([^()"\[\]{}]*\)')
_MOST_PROSE = 100
"""Maximum number of lines between games that are read as one comment."""
_PROSE = re.compile('[\\s(]*[^\\W\\d_]{2}[^"\\[\\]{}\udc80-\udcff]*')
_MOVE_IN = re.compile(rf"(?<![\w-])(?:{NUMBERED}|{LETTERED})(?![\w-])")
_UNDECODED = re.compile("[\udc80-\udcff]")
Token = tuple[int, str, int, str]
"""(Kind, text, place, number); the text of a tag is its name, a line break, and its value. Moves alone have numbers."""


def place_text(place: int) -> str:
    return f"line {place >> 20}, column {place % LONGEST}"


@attrs.define
class _Comment:
    """A comment over several lines, until it is closed or given up."""

    place: int
    """Place of its opening brace."""
    parts: list[str]
    size: int
    lines: list[str] = attrs.field(factory=list)
    """The lines from the first with a tag on, to be read again if this turns out not to be a comment."""
    first: int = 0
    """Number of the first of these lines."""
    lost: bool = False
    """Whether it was reported as an error, so that only its end is searched for."""


Whole = Callable[[str, Callable[[], str]], tuple[str, list[str]]]
"""Reads on from a line with a tag: returns a game to be read as a whole, or "", and the lines to be read again."""


def tokens(stream: TextIO, whole: Whole | None = None, number: int = 0) -> Iterator[Token]:
    """Yield the tokens of a file opened with errors="surrogateescape".

    whole: finds games that are yielded as Kind.GAME. number: the number of lines before the first. A comment that is
    never closed, or in which tags and then another comment begin, is reported as Kind.BAD; reading continues at these
    tags.
    """
    comment: _Comment | None = None
    again: deque[str] = deque()
    half, move_number, tried = "", "", 0
    between = True  # whether the last token may be the last of a game

    read_on = functools.partial(stream.readline, LONGEST)

    def more() -> str:
        return again.popleft() if again else read_on()

    while True:
        line = more()
        number += 1
        first = base = number * LONGEST + 1
        begin = 0
        if len(line) == LONGEST:
            yield Kind.BAD, f"the line has {LONGEST:,} characters or more, which PDN does not allow", base, ""
            return
        if not line.isascii() and (bad := _UNDECODED.search(line)):
            byte, encoding = ord(bad[0]) - 0xDC00, stream.encoding.removesuffix("-sig")
            yield Kind.BAD, f"byte 0x{byte:02X} is not {encoding}; {ENCODING_HINT}", base + bad.start(), ""
        if comment is not None:
            reason, begin = _continue(comment, line, number)
            if reason:
                yield Kind.BAD, reason, comment.place, ""
                if comment.lines:
                    again.extendleft(reversed(comment.lines))
                    number, comment = comment.first - 1, None
                    continue
                comment.lost = True
            if line and begin < 0:
                continue
            if line and not comment.lost:
                yield Kind.COMMENT, " ".join(comment.parts), comment.place, ""
            comment = None
        if half:
            if not line:
                yield Kind.OTHER, half, base, ""
            line, base, half = f"{half} {line}" if line else "", base - len(half) - 1, ""
        if not line:
            return
        if not begin and line[0] == "%":
            continue
        if between and not begin and base == first and _is_prose(line):
            lines = [line.strip()]
            while len(lines) < _MOST_PROSE and _is_prose(line := more()):
                lines.append(line.strip())
            between = len(lines) < _MOST_PROSE
            if between and line:
                again.appendleft(line)
            yield Kind.GLUED, " ".join(lines), base, ""
            number += len(lines) - 1
            continue
        if whole is not None and line[0] == "[" and number >= tried and base == first and not begin:
            text, rest = whole(line, more if again else read_on)
            again.extendleft(reversed(rest))
            if text:
                yield Kind.GAME, text, base, ""
                number, move_number, between = number + text.count("\n") - 1, "", True
                continue
            tried = number + len(rest)
        after_move = after_result = after_words = -1
        for found in _TOKEN.finditer(line, begin):
            kind = found.lastindex
            if kind is None or found.start(kind) < after_words:
                continue
            place = base + found.start(kind)
            if place < first:
                place = first
            if kind == 2:  # Kind.MOVE; an enum would cost more than the match
                text, after_move = found[2], found.end()
                if text[0] == "1" == text[-1] and RESULT.fullmatch(text):
                    after_result, between = after_move, True
                    yield Kind.RESULT, text, place, ""
                else:
                    between = False
                    yield 2, text, place, found[1] or move_number
                move_number = ""
            elif kind == Kind.NUMBER:
                move_number = found[kind]
            elif kind == Kind.BROKEN:
                half = found[kind].rstrip()
            elif kind == Kind.OPEN:
                comment = _Comment(place - 1, [found[kind]], len(found[kind]))
            elif kind == Kind.REST:
                # A semicolon begins a comment, but in `11-15; 23-19` it hides a move.
                hides = found.start(kind) - 1 == after_move and _MOVE_IN.search(found[kind])
                yield Kind.GLUED if hides else Kind.COMMENT, found[kind].strip(), place - 1, ""
            elif kind == Kind.COMMENT:
                yield kind, found[kind], place - 1, ""
            elif kind == Kind.RESULT and found[kind] == "*" and found.start(kind) == after_move:
                yield Kind.STAR, "*", place, ""
            elif kind == Kind.RESULT:
                after_result, between = found.end(), True
                yield kind, found[kind], place, ""
            elif kind == Kind.MARKS and found.start(kind) == after_move:
                after_move = found.end()
                yield kind, found[kind], place, ""
            elif kind == Kind.BEGIN and line.startswith(_STARRED, found.start(kind)):
                after_words, between = found.start(kind) + len(_STARRED), False
                yield Kind.NAG, f"{ONLY_MOVE}", place, ""
            elif kind == Kind.BEGIN and (aside := _aside(line, found.start(kind), after_result)):
                after_words = found.start(kind) + len(aside)
                after_result = after_words if after_result >= 0 else -1
                yield Kind.GLUED, aside[1:-1].strip(), place, ""
            elif kind == Kind.OTHER and after_result >= 0 and not line[after_result : found.start(kind)].strip():
                after_result = found.end()
                yield Kind.GLUED, found[kind], place, ""
            elif kind == Kind.OTHER and found.start(kind) == after_move and _WORDS.match(found[kind]):
                yield Kind.GLUED, found[kind], place, ""
            elif kind in (Kind.TAG, Kind.PASTED_TAG):
                move_number, between = "", False
                yield (
                    Kind.TAG,
                    f"{found[7]}\n{found[kind]}",
                    max(first, base + found.start() + (found[0][0] == " ")),
                    "",
                )
            else:
                between = False
                quoting = _QUOTING_TAG.fullmatch(found[kind]) if kind == Kind.BAD_TAG else None
                if quoting and quoting[1].lower() not in SETTLING:
                    yield Kind.TAG, f"{quoting[1]}\n{quoting[2]}", place, ""
                else:
                    yield kind, found[kind], place, ""


def _is_prose(line: str) -> bool:
    """Return whether a line between games is a title or a remark: it has words, and neither moves nor tags."""
    if len(line) >= LONGEST or _PROSE.fullmatch(line) is None or _MOVE_IN.search(line):
        return False
    return not line.lstrip(" (").lower().startswith(SETTLING)


def _aside(line: str, begin: int, after_result: int) -> str:
    """Return what begins with this parenthesis if it is no variation: words, or anything right after a result."""
    follows = after_result >= 0 and not line[after_result:begin].strip()
    found = (_AFTER_RESULT if follows else _ASIDE).match(line, begin)
    return found[0] if found else ""


def _continue(comment: _Comment, line: str, number: int) -> tuple[str, int]:
    """Add a line, which is empty at the end of the file, to a comment.

    Returns (why this is not a comment, or "", index of the text after it, or -1).
    """
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
    return (f"the comment has {LONGEST:,} characters or more" if comment.size >= LONGEST else ""), begin


@contextlib.contextmanager
def open_pdn(path: Path, encoding: str = "utf-8") -> Iterator[TextIO]:
    """Open a file for `tokens`; GameforgeError if it cannot be read, or if its bytes do not fit the encoding."""
    try:
        # Bytes that are not UTF-8 are reported with their place by `tokens`.
        stream = stored.open_text(path, encoding, "surrogateescape")
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from None
    with stream:
        try:
            yield stream
        except UnicodeError as error:
            raise GameforgeError(f"{path} is not {stream.encoding} text ({error}); {ENCODING_HINT}") from None
