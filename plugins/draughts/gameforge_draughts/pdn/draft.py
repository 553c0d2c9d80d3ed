"""Drafts of the games of a PDN file: tokens are collected as text, with their places."""

import re
from collections.abc import Callable

import attrs

from gameforge_draughts.pdn.tokens import Kind

_RESULTS = {"2-0": "1-0", "0-2": "0-1", "1-1": "1/2-1/2", "0-0": "*"}
"""Results that count two points; 0-0 means that neither side has won."""
_DEEPEST = 100
"""Maximum depth of nested variations."""
_HELD = ("Result", "GameType", "SetUp", "Setup", "FEN")
"""Tags whose values are kept in fields of the draft."""


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
    variations: "list[LineDraft]" = attrs.field(factory=list)


@attrs.define
class LineDraft:
    """The texts of moves, their places, and notes by index."""

    texts: list[str] = attrs.field(factory=list)
    places: list[int] = attrs.field(factory=list)
    notes: dict[int, NoteDraft] = attrs.field(factory=dict)

    def last(self) -> NoteDraft:
        """Return the note of the last move, or of the beginning."""
        return self.notes.setdefault(max(0, len(self.texts) - 1), NoteDraft())

    def comment(self, text: str) -> None:
        """Add a comment, in a form that PDN can hold."""
        note = self.last()
        (note.comments if self.texts else note.before).append(plain_comment(text))


@attrs.define
class GameDraft:
    """One game. If `left_out` is set, tokens are only searched for its end."""

    number: int
    game_type: str
    """Number of the game's kind: that of its tag GameType, or of the expected kind."""
    lettered: Callable[[str], bool | None]
    """Returns whether squares may have letters in games of a kind; None if they cannot be read."""
    tags: dict[str, str] = attrs.field(factory=dict)
    result: str = "*"
    fen: tuple[str, int] | None = None
    """Text and place of the tag FEN."""
    is_ours: bool = False
    """Whether the game has a tag GameType whose games can be read."""
    first: str = ""
    """The first mover in the tag GameType, W or B; "": not stated."""
    lines: list[LineDraft] = attrs.field(factory=lambda: [LineDraft()])
    """The main line, followed by the variations that are open."""
    left_out: bool = False
    is_open: bool = True
    """Whether moves can be added: the game is neither left out nor ended."""
    ended: bool = False
    """Whether its result was read; only comments can follow."""
    in_moves: bool = False
    """Whether anything but tags and comments was read."""
    depth: int = 0
    """Number of open parentheses."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was read except, perhaps, a result."""
        return not (
            self.tags or self.fen or self.is_ours or self.left_out or self.lines[0].texts or self.lines[0].notes
        )

    def ends_before(self, kind: int, text: str) -> bool:
        """Return whether a token belongs to the next game. A `*` may follow a result as separator."""
        if self.ended:
            return kind != Kind.COMMENT and (kind != Kind.RESULT or text != "*")
        return kind == Kind.TAG and (self.in_moves or bool(self.lines[0].texts))

    def leave_out(self) -> None:
        self.left_out, self.is_open = True, False

    def take(self, kind: int, text: str, place: int) -> None:
        """Take the next token; raises Wrong or Skipped."""
        self.in_moves = self.in_moves or kind not in (Kind.TAG, Kind.COMMENT)
        if kind == Kind.RESULT:
            self._result(text)
        elif kind in (Kind.BEGIN, Kind.END):
            self._variation(kind, place)
        elif self.left_out:
            return
        elif kind == Kind.TAG:
            name, _, value = text.partition("\n")
            self._tag(name, re.sub(r"\\(.)", r"\1", value) if "\\" in value else value, place)
        elif kind == Kind.MOVE or (kind == Kind.LETTERS and self.lettered(self.game_type)):
            self.lines[-1].texts.append(text)
            self.lines[-1].places.append(place)
        elif kind in (Kind.COMMENT, Kind.GLUED):
            self.lines[-1].comment(text)
        elif kind in (Kind.NAG, Kind.MARKS):
            self._annotation(kind, text, place)
        elif kind == Kind.LETTERS:
            if not self.is_ours:
                raise Doubtful(f"looks like another game: its squares have letters ({text})")
            raise Wrong(f"{text!r} is not a move such as 11-15 or 22x15", place)
        elif kind == Kind.BAD:
            raise Wrong(text, place)
        elif text.startswith("/FEN"):
            raise Wrong("a position is set up between moves, so this is not the record of one game", place)
        else:
            tag = '; a tag looks like [Event "name"]' if text.startswith("[") else ""
            raise Wrong(f"{text.strip()!r} is neither a move nor anything else of PDN{tag}", place)

    def _result(self, text: str) -> None:
        if self.depth == 0:
            if not self.ended:
                self.result = self.result if text == "*" else _RESULTS.get(text, text)
            self.ended, self.is_open = True, False
        elif not self.left_out and text != "*":
            self.lines[-1].comment(text)

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
        if name == "GameType":
            number, *rest = (field.strip() for field in value.split(","))
            expected, self.game_type = self.game_type, number
            self.first = rest[0] if rest and rest[0] in ("W", "B") else ""
            self.is_ours = self.lettered(self.game_type) is not None
            if not self.is_ours:
                raise Skipped(f"another game (GameType {value}; expected {expected})")
        elif name == "FEN":
            self.fen = value, place
        elif name == "Result":
            self.result = _RESULTS.get(value, value) if value in (*_RESULTS, "1-0", "0-1", "1/2-1/2") else "*"
        elif name not in _HELD:
            self.tags[name] = value


def plain_comment(text: str) -> str:
    """Return a comment as PDN can hold it: with single spaces and without braces."""
    return " ".join(text.split()).replace("{", "(").replace("}", ")")
