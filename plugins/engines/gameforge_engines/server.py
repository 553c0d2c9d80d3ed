"""What the servers of all protocols share: lines in, lines out, and the settings that a client may change."""

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol, TextIO

import attrs

from gameforge.play.player import Player

LONGEST = 1 << 20
"""Maximum length of a line from a client, in characters; the rest of a longer line is ignored."""


class Lines:
    """Lines from a client and to it; any thread may write."""

    def __init__(self, source: TextIO | None = None, target: TextIO | None = None) -> None:
        self._source = sys.stdin if source is None else source
        self._target = sys.stdout if target is None else target
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[str]:
        while line := self._source.readline(LONGEST):
            text, whole = line.strip(), line.endswith("\n")
            while not whole and (rest := self._source.readline(LONGEST)):
                whole = rest.endswith("\n")
            yield text

    def write(self, text: str) -> None:
        with self._lock:
            self._target.write(text + "\n")
            self._target.flush()


@attrs.frozen(kw_only=True)
class Adjustable:
    """Settings of a player that a client may change, and how the changed player is made."""

    values: Mapping[str, str]
    """Names and current values."""
    changed: Callable[[Mapping[str, str]], Player]
    """Makes the player with these settings; GameforgeError for a value that is not allowed."""


class Server(Protocol):
    """A protocol, served until the client leaves."""

    def serve(self) -> None: ...
