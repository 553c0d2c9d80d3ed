"""Text files of games with tags, a game a line: what their formats share, whatever the game.

[White "Ann"]
[Black "Bob"]
moves {a comment} more moves
"""

import re
from collections.abc import Iterator
from pathlib import Path

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord

_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_NO_NAME = re.compile(r"\W")
_LONGEST_LINE = 1 << 20


def read_lines(path: Path, encoding: str) -> Iterator[str]:
    """The lines of a file, of which only one is in memory; GameforgeError if it cannot be read as such text."""
    try:
        with path.open(encoding="utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding) as stream:
            while line := stream.readline(_LONGEST_LINE):
                if len(line) == _LONGEST_LINE:
                    raise GameforgeError(f"{path}: a line has more than {_LONGEST_LINE} characters")
                yield line
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeError as error:
        raise GameforgeError(f"{path} is no {encoding} text: {error}") from None
    except LookupError:
        raise GameforgeError(f"encoding {encoding!r} is not known; utf-8, latin-1 and utf-16 are") from None


def read_tag(text: str) -> tuple[str, str] | None:
    """Name and value of a tag; None if the text is none."""
    tag = _TAG.fullmatch(text)
    return None if tag is None else (tag[1], re.sub(r"\\(.)", r"\1", tag[2]))


def tag_text(name: str, value: str) -> str:
    """A tag as read_tag reads it."""
    escaped = " ".join(value.splitlines()).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{_NO_NAME.sub("_", name)} "{escaped}"]'


def comment_text(game: GameRecord, i: int) -> str:
    """What is said after the first i moves, in braces; "" if nothing is."""
    text = " ".join(game.annotations.comments.get(i, "").replace("}", ")").split())
    return f"{{{text}}}" if text else ""
