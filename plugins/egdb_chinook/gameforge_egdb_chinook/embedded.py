"""The databases that the oracle builds itself if no path is given.

Up to 4 pieces, the values of all positions are solved in a second or two and stored with two bits each, so a probe is
a single lookup (store.py). With 5 or 6 pieces, Chinook's files are built in the cache folder, and so are databases of
distances. The cost is announced first, and an interrupted build is resumed.
"""

import time

from gameforge.interfaces.oracle import Announce
from gameforge.retrograde.manifest import cache_folder
from gameforge.storage.room import size_text
from gameforge_egdb_chinook import solver, store
from gameforge_egdb_chinook.build import Build, BuildInProgress
from gameforge_egdb_chinook.slices import positions
from gameforge_egdb_chinook.store import Words
from gameforge_egdb_chinook.target import Target, cost, target

SOLVED_PIECES = 4
"""Maximum number of pieces for which all values are solved in memory."""
BUILT_PIECES = 6
"""Maximum number of pieces for which Chinook's files are built."""
_PATIENCE = 0.5
"""Seconds between two checks whether another process has finished its build."""


def solved(pieces: int, announce: Announce, workers: int) -> Words:
    """Packed values of all positions with up to `pieces` pieces, from the cache or solved now.

    If several processes start at once, each of them solves, and one result is kept.
    """
    path = cache_folder() / f"solved-{pieces}.egdb"
    return store.load_or_build(
        path, store.SOLVED, pieces, positions(pieces), lambda: solver.solve(pieces, workers, announce)
    )


def built(format: str, pieces: int, announce: Announce, workers: int) -> Target:
    """The database in the cache folder, built first if it is missing. Other processes wait while one builds."""
    wanted = target(format, pieces, None, cache_folder())
    if not wanted.manifest_path.exists():
        needs = cost(wanted, workers, wanted.slices())
        costs = f"{max(1, round(needs.seconds / 60))} min, {size_text(needs.memory)} of memory, {size_text(needs.disk)}"
        kind = "" if format == "chinook" else f", with distances ({format})"
        what = (
            f"building all positions with up to {pieces} pieces{kind}, once: about {costs} of disk in {wanted.folder}"
        )
        announce(what, 0, 0)
    while True:
        try:
            Build(wanted, workers, None, announce).run()
        except BuildInProgress:
            announce(f"waiting for another process that is building {wanted.name}", 0, 0)
            time.sleep(_PATIENCE)
        else:
            return wanted
