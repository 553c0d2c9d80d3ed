"""Threads that play games, each in its own workspace.

Games with a batch evaluator are played at once, more of them than there are workers, so that they share its calls.
"""

import contextlib
import queue
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

from gameforge.arena.workspace import Crashes, TimeControl, Workspace
from gameforge.interfaces.games import GameRecord
from gameforge.kernel.parallel import Threads
from gameforge.play.gathering import Gathering
from gameforge.play.player import Player

Played = TypeVar("Played")
AT_ONCE = 32
"""Number of games that are played at once if they share the calls of a batch evaluator."""
_MEMORY = 1 << 30
"""Bytes that the memories of their searchers may take together; fewer games are played at once instead."""
_WORD = 8


def shares_calls(players: Sequence[Player]) -> bool:
    """Whether games between some of these players are better played at once: a player has a batch evaluator.

    But not if a player may move otherwise then, because it uses a clock or remembers its last game.
    """
    return any(player.parts.scores_batches for player in players) and all(player.parts.repeatable for player in players)


class GameThreads:
    """Threads that play games between some of several players; close it to end the games."""

    def __init__(
        self,
        players: Sequence[Player],
        games: int,
        workers: int = 1,
        *,
        clock: TimeControl | None = None,
        crashes: Crashes | None = None,
    ) -> None:
        """games: number of calls of `submit` that will follow. workers: number of threads that run at a time."""
        at_once, gathers = workers, clock is None and shares_calls(players)
        if gathers:
            size = _WORD * sum(player.parts.search.memory for player in players)
            at_once = max(workers, min(AT_ONCE, _MEMORY // max(1, size)))
        self.number = at_once = max(1, min(at_once, games))
        """Number of threads."""
        self._workspaces = [Workspace(*players, clock=clock, crashes=crashes) for _ in range(at_once)]
        self._gathering = Gathering(games, at_once, workers) if gathers and at_once > 1 else None
        self._free: queue.SimpleQueue[Workspace] = queue.SimpleQueue()
        for workspace in self._workspaces:
            self._free.put(workspace)
        self._at_work: dict[int, Workspace] = {}
        self._pool = Threads(at_once, "game")

    def submit(self, i: int, play: Callable[[Workspace], Played]) -> "Future[Played]":
        """Let a thread play game i, or some games one after the other, in a workspace."""
        return self._pool.submit(self._play, i, play)

    def unfinished(self, i: int) -> tuple[GameRecord, bool] | None:
        """Return the game that is being played for number i, as `Workspace.unfinished` does."""
        workspace = self._at_work.get(i)
        return None if workspace is None else workspace.unfinished()

    def close(self) -> None:
        """End all games, also those that have not begun."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for workspace in self._workspaces:
            workspace.stop()
        if self._gathering is not None:
            self._gathering.close()
        self._pool.abandon()

    def _play(self, i: int, play: Callable[[Workspace], Played]) -> Played:
        with contextlib.nullcontext() if self._gathering is None else self._gathering.game(i):
            workspace = self._at_work[i] = self._free.get()
            try:
                return play(workspace)
            finally:
                del self._at_work[i]
                self._free.put(workspace)
