"""How long a game of a player against itself takes: learners estimate the time of a training by it."""

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gameforge.arena.workspace import Workspace
from gameforge.interfaces.games import Opening
from gameforge.interfaces.learner import Site
from gameforge.kernel import slots
from gameforge.kernel.compile.clock import SECOND
from gameforge.play.game import Position
from gameforge.play.perft import playouts
from gameforge.play.player import Player

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RANDOM_GAMES = 64
_LEAST_SEARCHES = 2
_WATCH_SECONDS = 0.1


def seconds_per_game(
    site: Site, settings: Mapping[str, object], weights: "NDArray[np.float32] | None", seed: int, seconds: float
) -> float:
    """Return the seconds per game of one worker, for a player with these parameters against itself.

    The measurement takes about `seconds`. It is a function for `Work.each`.

    If no game finishes in time, the result is the time per move, of two moves or more, times the length of random
    games.
    """
    parts = site.parts_with(settings)
    parts.count = None  # how often it evaluates depends on the time
    player = Player(parts, weights)
    workspace = Workspace(player, player)
    start = Opening("", player.game.rules.initial())
    games = 0
    with _time_limit(site, workspace, seconds) as clocks:
        began = ended = time.perf_counter()
        while ended - began <= seconds:
            played = workspace.play(start, False, (seed + 2 * games, seed + 2 * games + 1))
            site.check()
            if not played.finished:  # interrupted
                break
            games, ended = games + 1, time.perf_counter()
            if games == 1:  # kernels are ready now
                began = ended
    if games > 1:
        return (ended - began) / (games - 1)
    plies = playouts(Position(player.game, start.start), _RANDOM_GAMES, seed=seed).plies / _RANDOM_GAMES
    nanoseconds, searches = clocks
    return nanoseconds / SECOND / searches * plies


@contextlib.contextmanager
def _time_limit(site: Site, workspace: Workspace, seconds: float) -> Iterator[list[int]]:
    """Stop the workspace after this many seconds of searching and two finished searches, or if the work is cancelled.

    Yields [nanoseconds of the searches that finished in the last game by then, their number].
    """
    over = threading.Event()
    found = [0, 1]

    def watch() -> None:
        began = 0.0
        while not over.wait(_WATCH_SECONDS):
            clocks = workspace.game.clocks.tolist()
            searches = sum(clocks[slots.SEARCHES : slots.PROCESSOR_TIME])
            began = began or (time.perf_counter() if searches else 0.0)
            try:
                site.check()
            except BaseException:
                workspace.stop()
            if searches >= _LEAST_SEARCHES and time.perf_counter() - began > seconds:
                found[:] = sum(clocks[slots.SEARCH_TIME : slots.SEARCHES]), searches
                workspace.stop()
                return

    watcher = threading.Thread(target=watch, name="gameforge-watch", daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        over.set()
        watcher.join()
