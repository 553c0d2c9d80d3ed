"""PDN text as tokens with their places, and the drafts of games in which these are collected, still as text.

Besides PDN 3.0 this reads what is common in files: results as separators, `;` comments, several tags on a line, moves
on squares with letters, the spellings of moves in notation.py, and results with typographic dashes and fractions. A
move may be broken at the end of a line. A place is line << 20 | column. Only a few games of the file are in memory.
"""

import codecs
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
from gameforge_draughts.notation import BROKEN, DASHES, LETTERED, NUMBERED

LONGEST = 1 << 20
"""Limit of the length of a line and of a comment, in characters."""
ENCODING_HINT = "name the encoding of the file, such as latin-1 or utf-16"


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
RESULT = rf"{_HALF}(?:{_DASH}{_HALF})?|[01]{_DASH}[01]|[02]{_DASH}[02]|{_POINTS}|\*"
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
    | ({_PLUS}|{RESULT})(?![{DASHES}0-9xX:])                       # 3 a result, or the separator
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
_RESULT = re.compile(RESULT)
"""Also matches 1-1, which looks like a move."""
_TAGS = re.compile(rf'\[\s*{_NAME}\s*"')
_QUOTING_TAG = re.compile(rf'\[\s*({_NAME})\s*"([^\[]*)"\s*\]')
"""A tag whose value has quotes that are not protected."""
_WORDS = re.compile(r"[^\W\d_]{2}")
_ASIDE = re.compile(r'\(\s*[^\W\d_][^()\d"\[\]{}]*\)')
"""Words in parentheses that cannot be a variation."""
_AFTER_RESULT = re.compile(r'\([^()"\[\]{}]*\)')
_MOST_PROSE = 100
"""Maximum number of lines between games that are read as one comment."""
_PROSE = re.compile(r'[\s(]*[^\W\d_]{2}[^"\[\]{}]*')
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
                if text[0] == "1" == text[-1] and _RESULT.fullmatch(text):
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
                yield Kind.COMMENT, found[kind], place - 1, ""
            elif kind == Kind.COMMENT:
                yield kind, found[kind], place - 1, ""
            elif kind == Kind.RESULT and found[kind] == "*" and found.start(kind) == after_move:
                yield Kind.STAR, "*", place, ""
            elif kind == Kind.RESULT:
                after_result, between = found.end(), True
                yield kind, found[kind], place, ""
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
                if quoting and quoting[1].lower() not in _SETTLING:
                    yield Kind.TAG, f"{quoting[1]}\n{quoting[2]}", place, ""
                else:
                    yield kind, found[kind], place, ""


def _is_prose(line: str) -> bool:
    """Return whether a line between games is a title or a remark: it has words, and neither moves nor tags."""
    if _PROSE.fullmatch(line) is None or _MOVE_IN.search(line):
        return False
    return not line.lstrip(" (").lower().startswith(_SETTLING)


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


_DEEPEST = 100
"""Maximum depth of nested variations."""
_SETTLING = ("gametype", "fen", "setup")
"""Tags without which a game would be read as another one, in small letters."""
_ONLY_MOVE = 7
"""The annotation glyph of a move without which the game would be lost, or not won."""
_NO_LETTERS = re.compile(r"[\W\d_]+")


class Wrong(Exception):
    """A game has an error; the arguments are what is wrong, and the place."""


class Skipped(Exception):
    """A game is of a kind that is not read here, or says too little to be replayed; the argument is the reason."""


class Doubtful(Skipped):
    """The game has no tag GameType, and does not look like one of the expected kind."""


@attrs.define
class NoteDraft:
    """Comments, marks, glyphs and variations of one move."""

    before: list[str] = attrs.field(factory=list)
    marks: str = ""
    nags: list[int] = attrs.field(factory=list)
    comments: list[str] = attrs.field(factory=list)
    """Those before the first variation."""
    variations: "list[LineDraft]" = attrs.field(factory=list)


@attrs.define
class LineDraft:
    """The texts of moves, their places, and notes by index."""

    texts: list[str] = attrs.field(factory=list)
    places: list[int] = attrs.field(factory=list)
    notes: dict[int, NoteDraft] = attrs.field(factory=dict)
    after: list[str] = attrs.field(factory=list)
    """Comments that follow a variation."""

    def last(self) -> NoteDraft:
        """Return the note of the last move, or of the beginning."""
        return self.notes.setdefault(max(0, len(self.texts) - 1), NoteDraft())

    def comment(self, text: str) -> None:
        """Add a comment, in a form that PDN can hold."""
        note = self.last()
        into = note.variations[-1].after if note.variations else note.comments if self.texts else note.before
        if plain := plain_comment(text):
            into.append(plain)


@attrs.define
class GameDraft:
    """One game. If `left_out` is set, tokens are only searched for its end."""

    number: int
    known: Callable[[str], bool]
    """Returns whether games with this number in their tag GameType are read."""
    expected: str
    """Number of the kind that games without a tag GameType have."""
    tolerant: bool
    """Whether errors that leave the game readable are remarks."""
    tags: dict[str, str] = attrs.field(factory=dict)
    result: str = "*"
    fen: tuple[str, int] | None = None
    """Text and place of the tag FEN."""
    set_up: int = 0
    """Place of a tag SetUp that announces a FEN."""
    game_type: str = ""
    """Number of the kind in the tag GameType; "": there is no such tag."""
    first: str = ""
    """The first mover in the tag GameType, W or B; "": not stated."""
    lines: list[LineDraft] = attrs.field(factory=lambda: [LineDraft()])
    """The main line, followed by the variations that are open."""
    numbers: list[tuple[int, int]] = attrs.field(factory=list)
    """Numbers of moves in the main line: the index of the move, and the number before it."""
    remarks: list[tuple[str, int]] = attrs.field(factory=list)
    """What is to be reported of a game that is read nevertheless: a sentence and a place."""
    left_out: bool = False
    is_open: bool = True
    """Whether moves can be added: the game is neither left out nor ended."""
    ended: bool = False
    """Whether its result was read; only comments can follow."""
    separated: bool = False
    """Whether `*` ended it, which a result may still follow."""
    starred: bool = False
    """Whether a `*` is glued to the last move, and what follows will tell whether it ends the game."""
    words: tuple[str, int] | None = None
    """Words before anything else of the game, and their place."""
    in_moves: bool = False
    """Whether moves have begun, so that a tag belongs to the next game."""
    torn: bool = False
    """Whether an error may have torn the game apart, so that the next tags may still belong to it."""
    begins: str = ""
    """The first tag of a torn game before this one, with which this one must begin, or its first tags may be lost."""
    depth: int = 0
    """Number of open parentheses."""
    first_tag: str = ""

    @property
    def is_new(self) -> bool:
        """Whether a whole game may take its place."""
        return self.is_empty and not (self.first_tag or self.begins or self.ended)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was read except, perhaps, a result."""
        return not (
            self.tags or self.fen or self.game_type or self.left_out or self.lines[0].texts or self.lines[0].notes
        )

    def ends_before(self, kind: int, text: str) -> bool:
        """Return whether a token belongs to the next game. A `*` may follow a result as separator."""
        if self.ended:
            more = kind == Kind.RESULT and (text == "*" or self.separated)
            return not more and kind not in (Kind.COMMENT, Kind.GLUED)
        if kind == Kind.TAG:
            return self.in_moves or bool(self.lines[0].texts) or text.partition("\n")[0] == self.first_tag
        return kind == Kind.BAD_TAG and self.in_moves and '"' in text

    def leave_out(self, *, for_error: bool) -> None:
        """Search for the end of the game only. for_error: it is of a kind that is read, but has an error."""
        self.torn = self.torn or (for_error and not (self.in_moves or self.lines[0].texts))
        self.left_out, self.is_open = True, False

    def interrupt(self, place: int) -> None:
        """Take a tag in the middle of a line of moves, which ends the game; raises Wrong."""
        if not (self.ended or self.left_out) and self.lines[0].places and self.lines[0].places[-1] >> 20 == place >> 20:
            self.torn = True
            raise Wrong("a tag stands between moves", place)

    def check_content(self) -> None:
        """Raise Wrong if there are only words, neither tags nor moves."""
        if self.words is not None and not (self.first_tag or self.lines[0].texts):
            raise Wrong(f"{self.words[0][:60]!r} is neither a move nor anything else of PDN", self.words[1])

    def check_begin(self) -> None:
        """Raise Wrong if the game may lack its first tags."""
        if self.begins and self.first_tag != self.begins and self.lines[0].places:
            raise Wrong("the game before this one is damaged, and may hold tags of this one", self.lines[0].places[0])

    def amiss(self, reason: str, place: int) -> None:
        """Note an error that leaves the game readable; raises Wrong unless the reader is tolerant."""
        if not self.tolerant:
            raise Wrong(reason, place)
        self.remarks.append((reason, place))

    def take(self, kind: int, text: str, place: int) -> None:
        """Take the next token, which is not a move of an open game; raises Wrong or Skipped."""
        self.in_moves = self.in_moves or kind == Kind.MOVE
        if kind == Kind.TAG and not self.first_tag:
            self.first_tag = text.partition("\n")[0]
        if kind == Kind.RESULT:
            self._result(text, place)
        elif kind == Kind.STAR:
            self.starred, self.is_open = True, False
        elif kind in (Kind.BEGIN, Kind.END):
            self._variation(kind, place)
        elif self.left_out:
            return
        elif kind == Kind.TAG:
            name, _, value = text.partition("\n")
            self._tag(name, re.sub(r"\\(.)", r"\1", value) if "\\" in value else value, place)
        elif kind in (Kind.COMMENT, Kind.GLUED):
            if kind == Kind.GLUED and self.is_empty:
                self.words = text, place
            self.lines[-1].comment(text)
        elif kind in (Kind.NAG, Kind.MARKS):
            self._annotation(kind, text, place)
        elif kind == Kind.BAD_TAG:
            self._bad_tag(text, place)
        elif kind == Kind.BAD:
            raise Wrong(text, place)
        elif text.startswith("/FEN"):
            raise Wrong("a position is set up between moves, so this is not the record of one game", place)
        elif text == "}":
            self.amiss("'}' closes no comment; comments cannot be nested", place)
        else:
            raise Wrong(f"{text.strip()!r} is neither a move nor anything else of PDN", place)

    def after_star(self, kind: int, number: str) -> None:
        """Decide what a `*` glued to a move is by the token that follows: the mark of an only move, or the end."""
        if kind in (Kind.COMMENT, Kind.GLUED):
            return
        self.starred, line = False, self.lines[-1]
        if kind == Kind.MOVE and not self.depth:
            is_reply = not self.left_out and bool(self.numbers) and self.numbers[-1][0] == len(line.texts) - 1
            is_mark = is_reply or int(number[:9] or 0) > 1
        else:
            is_mark = kind not in (Kind.TAG, Kind.BAD_TAG, Kind.RESULT)
        if not is_mark:
            self._result("*", 0)
        elif not self.left_out:
            line.last().nags.append(_ONLY_MOVE)
            self.is_open = True

    def _bad_tag(self, text: str, place: int) -> None:
        reason = f'{text.strip()!r} is neither a move nor anything else of PDN; a tag looks like [Event "name"]'
        name = _NO_LETTERS.sub("", text).lower()
        if self.in_moves or self.lines[0].texts or not name or name.startswith(_SETTLING):
            raise Wrong(reason, place)
        self.amiss(reason, place)

    def _result(self, text: str, place: int) -> None:
        if self.depth:
            if not self.left_out and text != "*":
                self.lines[-1].comment(text)
            return
        found = plain_result(text)
        if found != "*" and (self.separated or not self.ended):
            if self.result not in ("*", found) and not self.left_out:
                self.remarks.append((f"the game ends with {text}, but its tag Result is {self.result!r}", place))
            self.result = found
        self.ended, self.separated, self.is_open = True, found == "*" and not self.ended, False

    def _variation(self, kind: int, place: int) -> None:
        open_before = self.depth
        self.depth = open_before + 1 if kind == Kind.BEGIN else max(0, open_before - 1)
        if self.left_out:
            return
        if kind == Kind.END:
            if open_before == 0:
                raise Wrong("there is no variation to close", place)
            self.lines.pop()
        else:
            line = self.lines[-1]
            if self.depth > _DEEPEST:
                raise Wrong(f"variations are nested more than {_DEEPEST} deep", place)
            if not line.texts:
                raise Wrong("a variation must follow the move that it replaces, but there is none", place)
            line.last().variations.append(LineDraft())
            self.lines.append(line.last().variations[-1])

    def _annotation(self, kind: int, text: str, place: int) -> None:
        line = self.lines[-1]
        if not line.texts:
            raise Wrong(f"{text!r} does not follow a move", place)
        if kind == Kind.NAG:
            line.last().nags.append(int(text))
        else:
            line.last().marks += text.strip("()")

    def _tag(self, name: str, value: str, place: int) -> None:
        settling = name.lower()
        if settling == "gametype":
            number, *rest = (field.strip() for field in value.split(","))
            if number in ("", "?"):
                return
            if self.game_type not in ("", number):
                raise Wrong(f"two tags GameType disagree: {self.game_type} and {value}", place)
            self.game_type = number
            self.first = rest[0] if rest and rest[0] in ("W", "B") else ""
            if not self.known(number):
                raise Skipped(f"another game (GameType {value}; expected {self.expected})")
        elif settling == "fen":
            if self.fen is not None and self.fen[0] != value:
                raise Wrong(f"two tags FEN disagree: {self.fen[0]!r} and {value!r}", place)
            self.fen = value, place
        elif settling == "setup":
            self.set_up = place if value.strip() == "1" else 0
        elif settling == "result":
            self.result = plain_result(value)
        else:
            if self.tags.get(name, value) != value:
                self.remarks.append((f"the tag {name} occurs twice; {self.tags[name]!r} is lost", place))
            self.tags[name] = value

    def drop_points(self) -> None:
        """Drop what looks like a last move but is the result in points, such as `4-6`, that the tag Result states."""
        line = self.lines[0]
        if line.texts and line.texts[-1] == self.result:
            del line.texts[-1], line.places[-1]

    def check_numbers(self) -> None:
        """Compare the numbers of moves with their places in the game; raises Wrong if another game seems to begin."""
        if not self.numbers or self.numbers[-1][0] >= len(self.lines[0].texts):
            return
        index, begin = self.numbers[0]
        wrong = []
        for ways in range(3):  # pairs that begin with the first mover, or with the second, and plies
            if ways < 2:
                shift = begin - (index + ways) // 2
                misplaced = [pair for pair in self.numbers if pair[1] != (pair[0] + ways) // 2 + shift]
            else:
                misplaced = [pair for k, pair in enumerate(self.numbers) if pair != (index + k, begin + k)]
            if not misplaced:
                return
            wrong.append(misplaced[0])
        index, number = max(wrong)
        place, text = self.lines[0].places[index], self.lines[0].texts[index]
        if number == begin:
            raise Wrong(f"the number {number}. begins another game, but neither tags nor a result precede it", place)
        self.amiss(f"the number {number}. is wrong: {text} is ply {index + 1} of this game", place)


def plain_comment(text: str) -> str:
    """Return a comment as PDN can hold it: with single spaces and without braces."""
    return " ".join(text.split()).replace("{", "(").replace("}", ")")


_RESULTS = {"2-0": "1-0", "0-2": "0-1", "1-1": "1/2-1/2", "1/2": "1/2-1/2", "": "*", "?": "*"}
"""Results that count two points, and others that have a usual spelling."""
_JOINS = re.compile(rf"\s*[{DASHES}:]\s*")
_HALVES = re.compile("\u00bd|0[.,]5|1\\s*/\\s*2")


def plain_result(text: str) -> str:
    """Return a result in the spelling of PDN, or as it is if PDN has no word for it, such as `adjourned`."""
    plain = _HALVES.sub("1/2", _JOINS.sub("-", text.strip())) if _RESULT.fullmatch(text.strip()) else text.strip()
    return _RESULTS.get(plain, plain)
