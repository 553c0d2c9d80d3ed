"""The databases that the oracle makes itself when no files are named.

Up to 4 pieces, a second or two of work: complete values, two bits each, so a probe is one look (store.py). With 5 or
6 pieces on request: Chinook's files, built into the cache folder; what that costs is told first, and a build that was
interrupted is continued.
"""

import time
from pathlib import Path

from gameforge.interfaces.oracle import Announce
from gameforge_egdb_chinook import solver, store
from gameforge_egdb_chinook.build import AnotherBuilds, Build
from gameforge_egdb_chinook.slices import positions
from gameforge_egdb_chinook.store import Words
from gameforge_egdb_chinook.target import cost, target

SOLVED_PIECES = 4
"""Most pieces of complete values."""
BUILT_PIECES = 6
"""Most pieces of files."""
_PATIENCE = 0.5
"""Seconds between two looks at a build of another process."""


def solved(pieces: int, announce: Announce, workers: int) -> Words:
    """Packed values of all positions; several processes may start at once, each solves and one result is kept."""
    path = store.folder() / f"solved-{pieces}.egdb"
    return store.kept(path, store.SOLVED, pieces, positions(pieces), lambda: solver.solve(pieces, workers, announce))


def built(pieces: int, announce: Announce, workers: int) -> Path:
    """The index file of the database in the cache folder, built if it is not there; one process builds, others wait."""
    wanted = target("chinook", pieces, None, store.folder())
    if not wanted.manifest_path.exists():
        needs = cost(wanted, workers, wanted.slices())
        costs = (
            f"{max(1, round(needs.seconds / 60))} min, {needs.memory / 1e9:.1f} GB of memory, {needs.disk / 1e9:.2f} GB"
        )
        what = f"building all positions with up to {pieces} pieces, once: about {costs} of disk in {wanted.folder}"
        announce(what, 0, 0)
    while True:
        try:
            Build(wanted, workers, None, announce).run()
        except AnotherBuilds:
            announce(f"waiting for another process, which builds {wanted.name}", 0, 0)
            time.sleep(_PATIENCE)
        else:
            return wanted.index_path
