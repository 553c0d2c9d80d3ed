"""The oracle component `endings`: positions of the moving phase with few men, with distances to the end."""

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import numpy as np
from gameforge_retrograde.distance_file import value_at
from gameforge_retrograde.manifest import cache_folder

from gameforge import GameforgeError
from gameforge.interfaces import LOSS, Announce, OracleFunctions, Rules, State, kinds, silent
from gameforge.kernel import U0, U1, UNKNOWN, Words, popcount, slots
from gameforge_morris.board import LEAST_MEN
from gameforge_morris.endgames.indexer import MEN, MOST_MEN, number
from gameforge_morris.features import require_morris
from gameforge_morris.rules import Morris

if TYPE_CHECKING:
    from gameforge_morris.endgames.database import Database

_LEAST_MEN = np.uint64(LEAST_MEN)


def probe(od: Words, s: Words, out: Words) -> np.int64:
    """Return the value for the side to move; write the distance to the end of the game. od: the file (database.py)."""
    out[slots.PROBE_DISTANCE] = out[slots.PROBE_CONVERSION] = U0
    own, opp = popcount(s[0]), popcount(s[1])
    if s[2] > U1 or own > od[MEN] or opp > od[MEN] or opp < _LEAST_MEN:
        return np.int64(UNKNOWN)
    if own < _LEAST_MEN:
        out[slots.PROBE_DISTANCE] = U1
        return np.int64(LOSS)
    return value_at(od, number(od, s[0], s[1]), out)


@attrs.frozen(kw_only=True)
class Endings:
    """Exact values, with flying; draws by repetition and by the length of the game are not considered."""

    path: str | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.instance_of(str)))
    """Folder of a database, or its manifest; None: the database is solved on first use and kept in the cache folder."""
    men: int = attrs.field(default=MOST_MEN, validator=kinds.whole(f"{LEAST_MEN} or {MOST_MEN}", LEAST_MEN, MOST_MEN))
    """Maximum number of men of each side, if there is no path."""

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        """Open or build the database.

        Raises GameforgeError if the rules are not those of morris with flying, or if the files cannot be used.
        """
        from gameforge_morris.endgames.database import read

        require_morris(rules, "the oracle endings")
        if isinstance(rules, Morris) and not rules.flying:
            raise GameforgeError("the oracle endings has values for morris with flying=true only")
        database = read(Path(self.path).expanduser()) if self.path is not None else _own(self.men, announce)
        men = database.men
        covers = f"positions of the moving phase with up to {men} men of each side, with plies to the end"
        return OracleFunctions(
            probe=probe, data=database.words, covers=covers, why_not=lambda state: _why_not(state, men)
        )


def _own(men: int, announce: Announce) -> "Database":
    """Read the database of the cache folder, building it first if it is missing or damaged."""
    from gameforge_morris.endgames.database import build, read

    try:
        return read(cache_folder() / f"morris{men}.json")
    except GameforgeError:
        return read(build(men, cache_folder(), announce))


def _why_not(state: State, men: int) -> str:
    own, opp = state[0].bit_count(), state[1].bit_count()
    if state[2] > 1:
        return f"men are still being placed; this database covers the moving phase with up to {men} men of each side"
    if opp < LEAST_MEN:
        return "the side that has just moved has fewer than three men; such a position cannot arise"
    return f"{own} men against {opp}; this database covers up to {men} of each side"
