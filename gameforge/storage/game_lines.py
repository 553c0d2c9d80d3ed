"""Lines, tags and comments, which the text formats of games have in common.

```
[White "Ann"]
[Black "Bob"]
moves {a comment} more moves
```
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord

_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_NO_NAME = re.compile(r"\W")
_LONGEST_LINE = 1 << 20


def read_lines(path: Path, encoding: str) -> Iterator[str]:
    """Yield the lines of a file one by one; GameforgeError if it cannot be read as text of this encoding."""
    try:
        with path.open(encoding="utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding) as stream:
            while line := stream.readline(_LONGEST_LINE):
                if len(line) == _LONGEST_LINE:
                    raise GameforgeError(f"{path}: a line has more than {_LONGEST_LINE} characters")
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


ReadGame = Callable[[str, dict[str, str], str], GameRecord]
"""Reads a game from its line and its tags. The last argument is the place, with which all errors begin."""


def read_games_by_line(
    path: Path, encoding: str, read_game: ReadGame, *, tolerant: bool, notice: Callable[[str], None]
) -> Iterator[GameRecord]:
    """Yield the games of a file in which each game is one line below its tags; lines that begin with `#` are ignored.

    tolerant: leave out what cannot be read, and report it to `notice`; otherwise, GameforgeError is raised.
    """
    tags: dict[str, str] = {}
    for number, line in enumerate(read_lines(path, encoding), 1):
        where = f"{path}, line {number}"
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            if text.startswith("["):
                tag = read_tag(text)
                if tag is None:
                    raise GameforgeError(f'{where}: {text[:60]!r} is not a tag such as [White "Ann"]')
                tags[tag[0]] = tag[1]
                continue
            game_tags, tags = tags, {}
            game = read_game(text, game_tags, where)
        except GameforgeError as error:
            if not tolerant:
                raise
            notice(f"left out: {error}")
            continue
        yield game


def tag_text(name: str, value: str) -> str:
    """Write a tag in the form that `read_tag` reads."""
    escaped = " ".join(value.splitlines()).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{_NO_NAME.sub("_", name)} "{escaped}"]'


def comment_text(game: GameRecord, i: int) -> str:
    """Return the comment after the first i moves, in braces; "" if there is none."""
    text = " ".join(game.annotations.comments.get(i, "").replace("}", ")").split())
    return f"{{{text}}}" if text else ""
