"""The drafts of games: tags, moves and notes as text, collected from the tokens of a PDN file (pdn_parsing.py)."""

import re
from collections.abc import Callable

import attrs

from gameforge_draughts.notation import DASHES
from gameforge_draughts.pdn_parsing import ONLY_MOVE, RESULT, SETTLING, Kind

_DEEPEST = 100
"""Maximum depth of nested variations."""
FOREIGN_TAGS = {"Bianco": "White", "Nero": "Black", "Risultato": "Result"}
"""Names of tags in files of the Italian federation."""
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

    @property
    def is_remark(self) -> bool:
        """Whether only comments were read, which stand in the file and belong to no game."""
        return not (self.first_tag or self.lines[0].texts or self.ended or self.starred)

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
            line.last().nags.append(ONLY_MOVE)
            self.is_open = True

    def _bad_tag(self, text: str, place: int) -> None:
        reason = f'{text.strip()!r} is neither a move nor anything else of PDN; a tag looks like [Event "name"]'
        name = _NO_LETTERS.sub("", text).lower()
        if self.in_moves or self.lines[0].texts or not name or name.startswith(SETTLING):
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
        name = FOREIGN_TAGS.get(name, name)
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
_JOINS = re.compile(rf"(?:(?<!\s)\s+)?[{DASHES}:]\s*")
_HALVES = re.compile("\u00bd|0[.,]5|1\\s*/\\s*2")


def plain_result(text: str) -> str:
    """Return a result in the spelling of PDN, or as it is if PDN has no word for it, such as `adjourned`."""
    plain = _HALVES.sub("1/2", _JOINS.sub("-", text.strip())) if RESULT.fullmatch(text.strip()) else text.strip()
    return _RESULTS.get(plain, plain)
