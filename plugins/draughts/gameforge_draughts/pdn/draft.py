"""A game of a PDN file while it is being read: tokens in, texts with their places out."""

import re

import attrs

from gameforge_draughts.pdn.notes import plain_comment
from gameforge_draughts.pdn.tokens import Kind

GAME_TYPE = "21"
"""English draughts, before the first comma of the tag GameType."""
_RESULTS = {"2-0": "1-0", "0-2": "0-1", "1-1": "1/2-1/2", "0-0": "*"}
"""Two-point results; in 0-0 neither side has won."""
_DEEPEST = 100
"""Variations in variations."""
_HELD = ("Result", "GameType", "SetUp", "Setup", "FEN")
"""Tags that fields hold instead."""


class Wrong(Exception):
    """(what is wrong, place)."""


class Skipped(Exception):
    """The game cannot be one of English draughts, or tells too little to be played; says why."""


class Doubtful(Skipped):
    """The game has no tag GameType, and does not look like English draughts."""


@attrs.define
class NoteDraft:
    """What stands beside one move."""

    before: list[str] = attrs.field(factory=list)
    marks: str = ""
    nags: list[int] = attrs.field(factory=list)
    comments: list[str] = attrs.field(factory=list)
    variations: "list[LineDraft]" = attrs.field(factory=list)


@attrs.define
class LineDraft:
    """Texts of moves, where they stand, and notes by index."""

    texts: list[str] = attrs.field(factory=list)
    places: list[int] = attrs.field(factory=list)
    notes: dict[int, NoteDraft] = attrs.field(factory=dict)

    def last(self) -> NoteDraft:
        """The note of the last move, or of the beginning."""
        return self.notes.setdefault(max(0, len(self.texts) - 1), NoteDraft())

    def comment(self, text: str) -> None:
        """Add a comment, in the form in which every comment can be written."""
        note = self.last()
        (note.comments if self.texts else note.before).append(plain_comment(text))


@attrs.define
class GameDraft:
    """One game. Once `left_out` is set, only its end is looked for."""

    number: int
    tags: dict[str, str] = attrs.field(factory=dict)
    result: str = "*"
    fen: tuple[str, int] | None = None
    """Text and place."""
    is_ours: bool = False
    """Whether a tag GameType says that this is English draughts."""
    lines: list[LineDraft] = attrs.field(factory=lambda: [LineDraft()])
    """The main line, then the variations that are open in it."""
    left_out: bool = False
    is_open: bool = True
    """Takes moves: neither left out nor ended."""
    ended: bool = False
    """Its result was read; only comments can follow."""
    in_moves: bool = False
    """Something else than tags and comments was read."""
    depth: int = 0
    """Open parentheses."""

    @property
    def is_empty(self) -> bool:
        """Nothing was read but perhaps a result."""
        return not (
            self.tags or self.fen or self.is_ours or self.left_out or self.lines[0].texts or self.lines[0].notes
        )

    def ends_before(self, kind: int, text: str) -> bool:
        """Whether this token belongs to the next game. `*` may follow a result as the separator."""
        if self.ended:
            return kind != Kind.COMMENT and (kind != Kind.RESULT or text != "*")
        return kind == Kind.TAG and (self.in_moves or bool(self.lines[0].texts))

    def leave_out(self) -> None:
        self.left_out, self.is_open = True, False

    def take(self, kind: int, text: str, place: int) -> None:
        """The next token; raises Wrong or Skipped."""
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
        elif kind == Kind.MOVE:
            self.lines[-1].texts.append(text)
            self.lines[-1].places.append(place)
        elif kind in (Kind.COMMENT, Kind.GLUED):
            self.lines[-1].comment(text)
        elif kind in (Kind.NAG, Kind.MARKS):
            self._annotation(kind, text, place)
        elif kind == Kind.LETTERS:
            if not self.is_ours:
                raise Doubtful(f"not this game, its squares have letters ({text})")
            raise Wrong(f"{text!r} is not a move such as 11-15 or 22x15", place)
        elif kind == Kind.BAD:
            raise Wrong(text, place)
        elif text.startswith("/FEN"):
            raise Wrong("a position is set up between moves; that is not the record of one game", place)
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
                raise Wrong(f"variations are open {_DEEPEST} deep, more cannot be", place)
            if not line.texts:
                raise Wrong("a variation stands behind the move that it replaces, here is none", place)
            line.last().variations.append(LineDraft())
            self.lines.append(line.last().variations[-1])

    def _annotation(self, kind: int, text: str, place: int) -> None:
        line = self.lines[-1]
        if not line.texts:
            raise Wrong(f"{text!r} stands behind no move", place)
        if kind == Kind.NAG:
            line.last().nags.append(int(text))
        else:
            line.last().marks += text.strip("()")

    def _tag(self, name: str, value: str, place: int) -> None:
        if name == "GameType":
            self.is_ours = value.split(",")[0].strip() == GAME_TYPE
            if not self.is_ours:
                raise Skipped(f"not this game, its GameType is {value}, not {GAME_TYPE}")
        elif name == "FEN":
            self.fen = value, place
        elif name == "Result":
            self.result = _RESULTS.get(value, value) if value in (*_RESULTS, "1-0", "0-1", "1/2-1/2") else "*"
        elif name not in _HELD:
            self.tags[name] = value
