"""The player that a protocol serves: its game, its time, and a search in a thread of its own."""

import threading
import time
from collections.abc import Callable

import attrs

from gameforge.errors import GameforgeError
from gameforge.kernel.game import LAG, MOVES_TO_GO
from gameforge.play.game import Move
from gameforge.play.player import Analysis, Player

_STOP_SECONDS = 0.002
"""Interval at which a search is asked again to stop, in case it had not begun."""
_NS = 1e-9


@attrs.frozen(kw_only=True)
class Found:
    """The result of a search, or of a choice that needed none."""

    move: Move
    seconds: float
    analysis: Analysis | None = None
    """None for an only move and for a move from a book."""


def clock_budget(left: float, increment: float = 0.0, moves: int = 0) -> float:
    """Return the seconds to spend on a move with this time on the clock; moves: until the next control, 0: unknown."""
    planned = left / (moves + 1 if moves else MOVES_TO_GO) + 0.75 * increment
    return max(0.001, min(planned, left - LAG * _NS))


class Thinker:
    """A player, the position that it looks at, and at most one search at a time."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.position = player.game.position()
        self._thread: threading.Thread | None = None

    def choose(self, seconds: float | None = None) -> Found:
        """Choose a move in the current position; GameforgeError if the game is over."""
        position, began = self.position, time.perf_counter()
        if position.outcome is not None:
            raise GameforgeError(f"the game is over: {position.outcome.reason}")
        known = position.legal_moves[0] if len(position.codes) == 1 else self.player.book_move(position)
        if known is not None:
            return Found(move=known, seconds=time.perf_counter() - began)
        analysis = self.player.analyse(position, seconds=seconds)
        return Found(move=analysis.move, analysis=analysis, seconds=time.perf_counter() - began)

    def start(self, seconds: float | None, done: Callable[[Found], None], failed: Callable[[Exception], None]) -> None:
        """Choose a move in another thread, which then calls `done` or `failed`."""
        self.stop()

        def work() -> None:
            try:
                found = self.choose(seconds)
            except Exception as error:  # reported by the protocol; the engine must not die
                failed(error)
            else:
                done(found)

        self._thread = threading.Thread(target=work, name="gameforge-engine")
        self._thread.start()

    def finish(self) -> None:
        """Wait until the search, if there is one, has reported its answer."""
        if self._thread is not None:
            self._thread.join()

    def stop(self) -> None:
        """End the search, if there is one, and wait until its answer has been reported."""
        while self._thread is not None and self._thread.is_alive():
            self.player.stop()
            self._thread.join(_STOP_SECONDS)
        self._thread = None
