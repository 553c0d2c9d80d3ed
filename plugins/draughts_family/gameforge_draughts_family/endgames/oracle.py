"""The oracle component `draughts-endings`: positions with few pieces, with distances to the end."""

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import numpy as np
from gameforge_retrograde.distance_file import value_at
from gameforge_retrograde.manifest import cache_folder

from gameforge import GameforgeError
from gameforge.interfaces import LOSS, Announce, OracleFunctions, Rules, State, kinds, silent
from gameforge.kernel import U0, U1, UNKNOWN, Words, popcount, slots
from gameforge_draughts_family.board import BLACK_TO_MOVE
from gameforge_draughts_family.endgames.indexer import LEAST_PIECES, MOST_PIECES, PIECES, number, require_endings
from gameforge_draughts_family.rules import FamilyRules

if TYPE_CHECKING:
    from gameforge_draughts_family.endgames.database import Database

_BLACK = np.uint64(BLACK_TO_MOVE)
_USUAL_PIECES = {"8x8": 4, "10x10": 3}


def probe(od: Words, s: Words, out: Words) -> np.int64:
    """Return the value for the side to move; write the distance to the end of the game. od: the file (database.py)."""
    out[slots.PROBE_DISTANCE] = out[slots.PROBE_CONVERSION] = U0
    own, opp = s[0], s[1]
    if opp == U0 or popcount(own | opp) > od[PIECES]:
        return np.int64(UNKNOWN)
    if own == U0:
        out[slots.PROBE_DISTANCE] = U1
        return np.int64(LOSS)
    return value_at(od, number(od, own, opp, s[2], s[3] & _BLACK), out)


def _without_path(instance: "DraughtsEndings", attribute: "attrs.Attribute[int]", value: int) -> None:
    if instance.path is not None:
        raise GameforgeError("'pieces' is for databases that are built on first use; a file has its own")


@attrs.frozen(kw_only=True)
class DraughtsEndings:
    """Exact values of positions with few pieces, with plies to the end; all rules of draws are ignored."""

    path: str | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.instance_of(str)))
    """Folder of a database, or its manifest; None: the database is solved on first use and kept in the cache folder."""
    pieces: int | None = attrs.field(
        default=None,
        validator=attrs.validators.optional(
            [kinds.whole(f"an integer from {LEAST_PIECES} to {MOST_PIECES}", LEAST_PIECES, MOST_PIECES), _without_path]
        ),
    )
    """Maximum number of pieces without a path; None: 4 on 8x8, 3 on 10x10."""

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        """Open or build the database.

        Raises GameforgeError if the endings of these rules cannot be solved, if the database is of another game, and
        if the files cannot be used.
        """
        from gameforge_draughts_family.endgames.database import read

        family = require_endings(rules)
        if self.path is not None:
            database = read(Path(self.path).expanduser(), family)
        else:
            database = _own(family, self.pieces or _USUAL_PIECES[family.settings().layout], announce, workers)
        return OracleFunctions(
            probe=probe,
            data=database.words,
            covers=f"positions with up to {database.pieces} pieces, with plies to the end",
            why_not=lambda state: _why_not(state, database.pieces),
        )


def _own(rules: FamilyRules, pieces: int, announce: Announce, workers: int) -> "Database":
    """Read the database of the cache folder, building it first if it is missing or damaged."""
    from gameforge_draughts_family.endgames.database import build, read, stem

    try:
        return read(cache_folder() / f"{stem(rules, pieces)}.json", rules)
    except GameforgeError:
        return read(build(rules, pieces, cache_folder(), announce, workers), rules)


def _why_not(state: State, pieces: int) -> str:
    if state[1] == 0:
        return "the side that has just moved has no pieces; such a position cannot arise"
    return f"it has {(state[0] | state[1]).bit_count()} pieces; this database covers up to {pieces}"
