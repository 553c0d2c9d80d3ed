"""What the servers of all protocols share: lines in and lines out."""

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Protocol, TextIO

from gameforge.errors import GameforgeError
from gameforge_engines.thinking import Thinker

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


def converse(
    lines: Lines, thinker: Thinker, take: Callable[[str, str], None], report: Callable[[Exception], None]
) -> None:
    """Let `take` execute each line, given as its first word and the rest, until `quit` or the end of the input.

    `report` receives what `take` raises. `quit` ends a search; at the end of the input, its answer is awaited.
    """
    try:
        for line in lines:
            command, _, rest = line.partition(" ")
            if command == "quit":
                thinker.stop()
                break
            if command:
                try:
                    take(command, rest.strip())
                except (GameforgeError, ValueError) as error:
                    report(error)
        thinker.finish()
    except BaseException:
        thinker.stop()
        raise


class Server(Protocol):
    """A protocol, served until the client leaves."""

    def serve(self) -> None: ...
