"""The line of moves that a tab keeps, when a request is cancelled while its thread replays moves."""

import threading
from typing import Any

from gameforge.web.channel import Channel


class Here:
    """A position that knows its moves; the move `slow` waits until it may go on."""

    def __init__(self, moves: tuple[str, ...], begun: threading.Event, go_on: threading.Event) -> None:
        self.moves, self._events = moves, (begun, go_on)

    def play(self, move: str) -> "Here":
        begun, go_on = self._events
        if move == "slow":
            begun.set()
            assert go_on.wait(60)
        return Here((*self.moves, move), begun, go_on)


def test_the_thread_of_a_cancelled_request_does_not_change_the_line_of_the_next() -> None:
    begun, go_on = threading.Event(), threading.Event()

    class OneGame:
        """Stands for the site and for its only game."""

        def game(self, name: str) -> "OneGame":
            return self

        def position(self, start: str | None) -> Here:
            return Here((), begun, go_on)

    site: Any = OneGame()
    socket: Any = None
    channel = Channel(site, socket)

    def asked(*moves: str) -> tuple[str, ...]:
        found: Any = channel._replay("any", None, moves)
        return tuple(found.moves)

    assert asked("a") == ("a",)
    cancelled = threading.Thread(target=asked, args=("a", "slow", "b"))
    cancelled.start()
    assert begun.wait(60)
    assert asked("a", "c") == ("a", "c")
    go_on.set()
    cancelled.join()
    assert asked("a", "c", "d") == ("a", "c", "d")
    assert asked("a", "slow", "b") == ("a", "slow", "b")
