"""Lines, tags, moves, comments and variations, which the text formats of games have in common.

```
[White "Ann"]
[Black "Bob"]
moves $6 {a comment} more moves (a variation)
```

A game is one line, or several with numbers of moves: a line continues the game above it if it begins with a number
other than 1, with the second move of a pair, or with nothing but a comment or a result. Lines that begin with `#` and
empty lines are ignored. A variation stands after the move that it replaces.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import attrs

from gameforge.config.outside import open_text
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord, Variation

_POSITION = "Position"
_SET_UP_TAGS = ("position", "fen", "setup")
"""Names of the tags that set up a position, in small letters."""
_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_NO_NAME = re.compile(r"\W")
_NO_LETTERS = re.compile(r"[\W\d_]+")
_LONGEST = 1 << 20
"""Limit of the length of a line and of a game, in characters."""
_DEEPEST = 100
"""Maximum depth of nested variations."""


def read_lines(path: Path, encoding: str) -> Iterator[str]:
    """Yield the lines of a file one by one; GameforgeError if it cannot be read as text of this encoding."""
    try:
        with open_text(path, encoding) as stream:
            while line := stream.readline(_LONGEST):
                if len(line) == _LONGEST:
                    raise GameforgeError(f"{path}: a line has more than {_LONGEST} characters")
                yield line
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeError as error:
        raise GameforgeError(
            f"{path} is not {encoding} text ({error}); name the encoding of the file, such as cp1252 or utf-16"
        ) from None


def read_tag(text: str) -> tuple[str, str] | None:
    """Read the name and the value of a tag; None if the text is not a tag."""
    tag = _TAG.fullmatch(text)
    return None if tag is None else (tag[1], re.sub(r"\\(.)", r"\1", tag[2]))


@attrs.frozen
class GameText:
    """A game or a variation as text: its moves, what is said about them, and its result."""

    moves: list[str]
    """As they are written."""
    comments: dict[int, str]
    """As in Annotations."""
    marks: dict[int, str]
    """As in Annotations."""
    result: str
    """"" if there is none."""
    board: str
    """The position in front of the moves; "" if there is none."""
    glyphs: dict[int, list[int]] = attrs.field(factory=dict)
    """As in Annotations."""
    variations: "dict[int, list[GameText]]" = attrs.field(factory=dict)
    """As in Annotations."""
    after: list[str] = attrs.field(factory=list)
    """Comments that follow this variation."""


@attrs.frozen
class LineFormat:
    """How a game writes its lines."""

    word: "re.Pattern[str]"
    """Matches the next word of a line. Its groups are `board`, `number`, `dots` (after the number), `move`, `mark`
    (after the move), `glyph`, `comment`, `open` and `close` (of a variation), `result` and `bad`, of which a game may
    lack `board`, `glyph`, `open` and `close`."""
    in_pairs: bool
    """Whether a number stands before each pair of moves, or before each move. Otherwise a pair may lack a move, such as
    a pass that is not written."""
    settling: tuple[str, ...] = ()
    """Beginnings of the names of tags without which a game would be read as another one, in small letters. With
    `position`, the games also have FEN, whose value they get as that of the tag Position."""

    @property
    def tags_that_settle(self) -> tuple[str, ...]:
        """`settling` and, with `position`, the tags that other programs have in its place."""
        return self.settling + (_SET_UP_TAGS if "position" in self.settling else ())

    def read(self, text: str) -> GameText:
        """Read the words of a game; GameforgeError at a word that is none, and at a number in the wrong place."""
        found = GameText([], {}, {}, "", "")
        lines = [found]  # the moves of the game, followed by the variations that are open
        numbers: list[tuple[int, int]] = []
        result = board = ""
        for word in self.word.finditer(text):
            groups, line = word.groupdict(), lines[-1]
            done = len(line.moves)
            if groups["bad"]:
                raise GameforgeError(f"move {done + 1}: {groups['bad'][:40]!r} is not a move, comment or result")
            if result and word[0].strip() and groups["comment"] is None:
                raise GameforgeError(f"{word[0]!r} follows the result; each game must be on its own line")
            if groups["move"]:
                if groups["mark"]:
                    line.marks[done] = groups["mark"]
                line.moves.append(groups["move"])
            elif groups["comment"] is not None:
                comment = " ".join(groups["comment"].split())
                if done - 1 in line.variations:
                    line.variations[done - 1][-1].after.append(comment)
                else:
                    line.comments[done] = f"{line.comments[done]} {comment}" if done in line.comments else comment
            elif groups.get("open") or groups.get("glyph"):
                if not done:
                    raise GameforgeError(f"{word[0].strip()!r} does not follow a move")
                if groups.get("glyph"):
                    line.glyphs.setdefault(done - 1, []).append(int(groups["glyph"]))
                    continue
                if len(lines) > _DEEPEST:
                    raise GameforgeError(f"variations are nested more than {_DEEPEST} deep")
                lines.append(GameText([], {}, {}, "", ""))
                line.variations.setdefault(done - 1, []).append(lines[-1])
            elif groups.get("close"):
                if len(lines) == 1 or not done:
                    raise GameforgeError(f"move {done + 1}: there is no variation to close")
                lines.pop()
            elif len(lines) > 1 and (groups["result"] or groups.get("board")):
                raise GameforgeError(f"{word[0].strip()!r} stands in a variation that is never closed")
            elif groups["number"] and len(lines) == 1:
                if not (len(groups["dots"]) > 1 and numbers and int(groups["number"]) == numbers[-1][1]):
                    numbers.append((done, int(groups["number"])))
            elif groups.get("board"):
                if done or board:
                    raise GameforgeError(f"move {done + 1}: a board may only stand in front of the moves")
                board = groups["board"]
            elif groups["result"]:
                result = groups["result"]
        if len(lines) > 1:
            raise GameforgeError(f"the variation after move {len(lines[-2].moves)} is never closed")
        self._check(numbers)
        return attrs.evolve(found, result=result, board=board)

    def _check(self, numbers: list[tuple[int, int]]) -> None:
        """Refuse numbers that do not count; they show that a move is missing, or that another game has begun."""
        steps = [after[0] - before[0] for before, after in itertools.pairwise(numbers)]
        most = 1 if self.in_pairs and steps and steps[-1] == 1 else 2
        for k, (done, number) in enumerate(numbers):
            if number != numbers[0][1] + k:
                raise GameforgeError(
                    f"move {done + 1}: its number {number}. is wrong; {numbers[0][1] + k}. must come here"
                )
            if k and not (most if self.in_pairs else 1) <= steps[k - 1] <= most:
                raise GameforgeError(f"move {done + 1}: {steps[k - 1]} moves before it have the number {number - 1}.")


ReadGame = Callable[[GameText, dict[str, str]], GameRecord]
"""Makes a record of a game and its tags; raises GameforgeError."""


@attrs.define
class _Lines:
    """The lines of a game that have been read."""

    format: LineFormat
    number: int
    """Of its first line."""
    parts: list[str] = attrs.field(factory=list)
    size: int = 0
    numbered: bool = False
    moves: int = 0
    """Number of moves after the last number."""
    by_plies: bool = False
    """Whether each move seems to have a number of its own."""
    commenting: bool = False
    """Whether a comment is open."""
    depth: int = 0
    """Number of open variations."""
    ended: bool = False
    bare: bool = False
    """Whether it has a board so far, and no moves."""

    def add(self, text: str) -> None:
        """Add a line, and note how it ends."""
        self.parts.append(text)
        self.size += len(text) + 1
        if self.commenting and "}" not in text:
            return
        text = text.partition("}")[2] if self.commenting else text
        self.commenting = text.rfind("{") > text.rfind("}")
        for word in self._outside(text[: text.rfind("{")] if self.commenting else text):
            self.bare = (self.bare and not word["move"]) or bool(word.groupdict().get("board"))
            if word["number"]:
                self.by_plies = self.by_plies or (self.numbered and self.moves == 1 and len(word["dots"]) == 1)
                self.numbered, self.moves = True, 1 if len(word["dots"]) > 1 else 0
            elif word["move"]:
                self.moves += 1
            elif word["result"]:
                self.ended = True

    def _outside(self, text: str) -> "Iterator[re.Match[str]]":
        """Yield the words of the next line that stand outside variations, and note how many of these it leaves open."""
        for word in self.format.word.finditer(text):
            groups = word.groupdict()
            if groups.get("open") or groups.get("close"):
                self.depth = max(0, self.depth + (1 if groups.get("open") else -1))
            elif not self.depth:
                yield word

    def takes(self, text: str) -> bool:
        """Return whether the next line belongs to this game."""
        if self.commenting or self.depth:
            return True
        words = [word for word in self._outside(text) if word[0].strip()]
        self.depth = 0
        spoken = [word for word in words if word["comment"] is None]
        if not spoken or self.ended:
            return not spoken
        first = spoken[0]
        if self.bare and (first["number"] or first["move"]):
            return True
        if first["number"]:
            return self.numbered and (int(first["number"]) > 1 or len(first["dots"]) > 1)
        if first["move"]:
            ahead = len([*itertools.takewhile(lambda word: not word["number"], spoken)])
            moves = sum(bool(word["move"]) for word in spoken[:ahead])
            return self.numbered and self.moves + moves <= (1 if self.by_plies else 2)
        return bool(first["result"] and (self.numbered or len(words) == 1))


def read_games_by_line(
    path: Path,
    lines: Iterable[tuple[int, str]],
    form: LineFormat,
    read_game: ReadGame,
    *,
    tolerant: bool,
    notice: Callable[[str], None],
) -> Iterator[GameRecord]:
    """Yield the games of a text, given by its lines with their numbers.

    tolerant: leave out what cannot be read, and report it to `notice`; otherwise, GameforgeError is raised.
    """
    tags: dict[str, str] = {}
    spoiled, begun = "", None
    first_tag = 0

    def left_out(error: str) -> None:
        if not tolerant:
            raise GameforgeError(error)
        notice(f"left out: {error}")

    def finished(game: _Lines) -> Iterator[GameRecord]:
        nonlocal tags, spoiled
        game_tags, lost, tags, spoiled = tags, spoiled, {}, ""
        try:
            if lost:
                raise GameforgeError(f"a game without {lost}")
            if "position" in form.settling:
                game_tags = _with_position(game_tags)
            record = read_game(form.read("\n".join(game.parts)), game_tags)
        except GameforgeError as error:
            left_out(f"{path}, line {game.number}: {error}")
        else:
            yield record

    for number, line in lines:
        text = line.strip()
        if begun is not None and (begun.commenting or not text.startswith(("[", "#"))) and text and begun.takes(text):
            begun.add(text)
            if begun.size > _LONGEST:
                raise GameforgeError(f"{path}, line {begun.number}: a game has more than {_LONGEST} characters")
            continue
        if not text or text.startswith("#"):
            continue
        if begun is not None:
            yield from finished(begun)
            begun = None
        if text.startswith("["):
            tag = read_tag(text)
            if tag is None:
                if _NO_LETTERS.sub("", text).lower().startswith(form.tags_that_settle or ("[",)):
                    spoiled = text[:60]
                left_out(f'{path}, line {number}: {text[:60]!r} is not a tag such as [White "Ann"]')
                continue
            if tags and tag[0] == next(iter(tags)):
                left_out(f"{path}, line {first_tag}: there are tags, but no moves")
                tags = {}
            first_tag = first_tag if tags else number
            tags[tag[0]] = tag[1]
            continue
        begun = _Lines(form, number)
        begun.add(text)
    if begun is not None:
        yield from finished(begun)
    elif tags:
        left_out(f"{path}, line {first_tag}: there are tags, but no moves")


def _with_position(tags: dict[str, str]) -> dict[str, str]:
    """Return tags with the tag Position in place of FEN, as files of other programs have it, and of SetUp.

    Raises GameforgeError if two tags contradict each other, or if SetUp announces a position that is missing.
    """
    found = {name.lower(): value.strip() for name, value in tags.items() if name.lower() in _SET_UP_TAGS}
    announced = found.pop("setup", "") == "1"
    positions = set(filter(None, found.values()))
    if len(positions) > 1:
        raise GameforgeError("the tags Position and FEN set up two positions")
    if announced and not positions:
        raise GameforgeError("the tag SetUp announces a position, but there is no tag FEN")
    others = {name: value for name, value in tags.items() if name.lower() not in _SET_UP_TAGS}
    return others | dict.fromkeys([_POSITION] if positions else [], "".join(positions))


def tag_text(name: str, value: str) -> str:
    """Write a tag in the form that `read_tag` reads."""
    escaped = " ".join(value.splitlines()).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{_NO_NAME.sub("_", name)} "{escaped}"]'


def comment_text(line: GameRecord | Variation, i: int) -> str:
    """Return the comment after the first i moves, in braces; "" if there is none."""
    return _braced(line.annotations.comments.get(i, ""))


def _braced(comment: str) -> str:
    text = " ".join(comment.replace("}", ")").split())
    return f"{{{text}}}" if text else ""


def notes_words(line: GameRecord | Variation, i: int, line_text: Callable[[Variation], str]) -> list[str]:
    """Return what is said after the first i moves: the mark, which may be "", glyphs, the comment and variations.

    line_text: returns the moves of a variation as text.
    """
    notes = line.annotations
    words = [*(f"${glyph}" for glyph in notes.glyphs.get(i - 1, ())), comment_text(line, i)]
    for other in notes.variations.get(i - 1, ()):
        words += [f"({line_text(other)})", _braced(other.after)]
    return [notes.marks.get(i - 1, ""), *filter(None, words)]
