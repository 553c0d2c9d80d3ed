"""Lines, tags, moves and comments, which the text formats of games have in common.

```
[White "Ann"]
[Black "Bob"]
moves {a comment} more moves
```

A game is one line, or several with numbers of moves: a line continues the game above it if it begins with a number
other than 1, with the second move of a pair, or with nothing but a comment or a result. Lines that begin with `#` and
empty lines are ignored.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord

_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_NO_NAME = re.compile(r"\W")
_NO_LETTERS = re.compile(r"[\W\d_]+")
_LONGEST = 1 << 20
"""Limit of the length of a line and of a game, in characters."""


def read_lines(path: Path, encoding: str) -> Iterator[str]:
    """Yield the lines of a file one by one; GameforgeError if it cannot be read as text of this encoding."""
    try:
        with path.open(encoding="utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding) as stream:
            while line := stream.readline(_LONGEST):
                if len(line) == _LONGEST:
                    raise GameforgeError(f"{path}: a line has more than {_LONGEST} characters")
                yield line
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeError as error:
        raise GameforgeError(f"{path} is not {encoding} text: {error}") from None
    except LookupError:
        raise GameforgeError(f"unknown encoding {encoding!r}; try utf-8, latin-1 or utf-16") from None


def read_tag(text: str) -> tuple[str, str] | None:
    """Read the name and the value of a tag; None if the text is not a tag."""
    tag = _TAG.fullmatch(text)
    return None if tag is None else (tag[1], re.sub(r"\\(.)", r"\1", tag[2]))


@attrs.frozen
class GameText:
    """A game as text: its moves, what is said about them, and its result."""

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


@attrs.frozen
class LineFormat:
    """How a game writes its lines."""

    word: "re.Pattern[str]"
    """Matches the next word of a line. Its groups are `board`, `number`, `dots` (after the number), `move`, `mark`
    (after the move), `comment`, `result` and `bad`, of which a game may lack `board`."""
    in_pairs: bool
    """Whether a number stands before each pair of moves, or before each move. Otherwise a pair may lack a move, such as
    a pass that is not written."""
    settling: tuple[str, ...] = ()
    """Beginnings of the names of tags without which a game would be read as another one, in small letters."""

    def read(self, text: str) -> GameText:
        """Read the words of a game; GameforgeError at a word that is none, and at a number in the wrong place."""
        found = GameText([], {}, {}, "", "")
        numbers: list[tuple[int, int]] = []
        result = board = ""
        for word in self.word.finditer(text):
            groups, done = word.groupdict(), len(found.moves)
            if groups["bad"]:
                raise GameforgeError(f"move {done + 1}: {groups['bad'][:40]!r} is not a move, comment or result")
            if result and word[0].strip() and groups["comment"] is None:
                raise GameforgeError(f"{word[0]!r} follows the result; each game must be on its own line")
            if groups["move"]:
                if groups["mark"]:
                    found.marks[done] = groups["mark"]
                found.moves.append(groups["move"])
            elif groups["comment"] is not None:
                comment = " ".join(groups["comment"].split())
                found.comments[done] = f"{found.comments[done]} {comment}" if done in found.comments else comment
            elif groups["number"]:
                if not (len(groups["dots"]) > 1 and numbers and int(groups["number"]) == numbers[-1][1]):
                    numbers.append((done, int(groups["number"])))
            elif groups.get("board"):
                if done or board:
                    raise GameforgeError(f"move {done + 1}: a board may only stand in front of the moves")
                board = groups["board"]
            elif groups["result"]:
                result = groups["result"]
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
    ended: bool = False
    bare: bool = False
    """Whether it has a board so far, and no moves."""

    def add(self, text: str) -> None:
        """Add a line, and note how it ends."""
        self.parts.append(text)
        self.size += len(text) + 1
        self.commenting = (text.rfind("{") > text.rfind("}")) if "}" in text or "{" in text else self.commenting
        for word in self.format.word.finditer(text):
            self.bare = (self.bare and not word["move"]) or bool(word.groupdict().get("board"))
            if word["number"]:
                self.by_plies = self.by_plies or (self.numbered and self.moves == 1 and len(word["dots"]) == 1)
                self.numbered, self.moves = True, 1 if len(word["dots"]) > 1 else 0
            elif word["move"]:
                self.moves += 1
            elif word["result"]:
                self.ended = True

    def takes(self, text: str) -> bool:
        """Return whether the next line belongs to this game."""
        if self.commenting:
            return True
        words = [word for word in self.format.word.finditer(text) if word[0].strip()]
        spoken = [word for word in words if word["comment"] is None]
        if not spoken or self.ended:
            return bool(words) and not spoken
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
                if _NO_LETTERS.sub("", text).lower().startswith(form.settling or ("[",)):
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


def tag_text(name: str, value: str) -> str:
    """Write a tag in the form that `read_tag` reads."""
    escaped = " ".join(value.splitlines()).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{_NO_NAME.sub("_", name)} "{escaped}"]'


def comment_text(game: GameRecord, i: int) -> str:
    """Return the comment after the first i moves, in braces; "" if there is none."""
    text = " ".join(game.annotations.comments.get(i, "").replace("}", ")").split())
    return f"{{{text}}}" if text else ""
