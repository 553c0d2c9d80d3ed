"""How long games take: a piece of work that is broken off when enough is known."""

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gameforge.arena.table import Table
from gameforge.game import Position
from gameforge.learning import Site
from gameforge.players import Player
from gameforge.playouts import playouts
from gameforge.rules import Opening

_RANDOM_GAMES = 64
_LEAST_SEARCHES = 2
_WATCH_SECONDS = 0.1


def seconds_a_game(
    site: Site, settings: Mapping[str, Any], weights: NDArray[np.float32] | None, seed: int, seconds: float
) -> float:
    """Of one worker, for a player with these parameters against itself; measured for about so many seconds.

    Where no game is finished by then, it is the time a move, of two moves or more, times the moves of random games.
    """
    player = Player(site.parts_with(settings), weights)
    table = Table(player, player)
    start = Opening("", player.game.rules.initial())
    spent, searches, games = 0.0, 0, 0
    with _broken_off(site, table, seconds):
        began = ended = time.perf_counter()
        while True:
            played = table.play_opening(start, False, (seed + 2 * games, seed + 2 * games + 1))
            site.check()
            if played.code == 0:  # broken off
                break
            games, ended = games + 1, time.perf_counter()
            if games == 1:  # kernels are ready now
                began = ended
            if ended - began > seconds:
                break
            spent, searches = spent + sum(played.seconds), searches + sum(played.searches)
    if games > 1:
        return (ended - began) / (games - 1)
    spent, searches = spent + sum(played.seconds), searches + sum(played.searches)
    plies = playouts(Position(player.game, start.start), _RANDOM_GAMES, seed=seed).plies / _RANDOM_GAMES
    return spent / max(searches, 1) * plies


@contextlib.contextmanager
def _broken_off(site: Site, table: Table, seconds: float) -> Iterator[None]:
    """The table is stopped after so many seconds of searches, two of which are finished; or if nobody waits."""
    over = threading.Event()

    def watch() -> None:
        began = 0.0
        while not over.wait(_WATCH_SECONDS):
            searches = int(table.game.clocks[2:].sum())
            began = began or (time.perf_counter() if searches else 0.0)
            try:
                site.check()
            except BaseException:
                table.stop()
            if searches >= _LEAST_SEARCHES and time.perf_counter() - began > seconds:
                table.stop()

    watcher = threading.Thread(target=watch, name="gameforge-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
