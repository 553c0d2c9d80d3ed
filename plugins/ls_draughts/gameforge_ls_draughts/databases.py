"""Checks of the databases that an experiment is given, before its work, which may take hours, begins."""

import functools
import itertools
from collections.abc import Sequence
from pathlib import Path

from gameforge import GameforgeError, game, oracle
from gameforge.interfaces import NotCovered

SMALL = 4
"""Pieces of the endings that the first of several databases must know."""
_ENDINGS = "W:W31,32:B1,2", "W:W30,31,32:B1", "W:W32:B1,2,3"
"""Quiet positions of all men against men: a database that knows these knows all endings of up to SMALL pieces."""
_WON = "W:WK14,K15,K18:BK1"
"""A won ending, which has a distance in a database with distances."""
_LARGEST = 8
"""Pieces of the largest databases that can be read."""


def require_databases(paths: Sequence[str], parameter: str) -> None:
    """Raise GameforgeError, which names the parameter, unless each path is a database of draughts that can be read."""
    require_paths(paths, parameter)
    require_different(paths, parameter)
    for path in paths:
        try:
            oracle("chinook", path=path).probe(game("draughts").position(_WON))
        except NotCovered:
            pass
        except GameforgeError as error:
            raise GameforgeError(f"{parameter}: {error.message}") from error


def require_paths(paths: Sequence[str], parameter: str) -> None:
    """Raise GameforgeError, which names the parameter, unless all paths exist: now, hours before they are needed."""
    missing = next((path for path in paths if not Path(path).exists()), None)
    if missing is not None:
        raise GameforgeError(f"{parameter}: no such file or folder: {missing}")


def require_different(paths: Sequence[str], parameter: str) -> None:
    """Raise GameforgeError, which names the parameter, if a database would be compared with itself."""
    seen: set[Path] = set()
    for path in paths:
        if (found := Path(path).resolve()) in seen:
            raise GameforgeError(f"{parameter}: {path} is named twice, and would be compared with itself")
        seen.add(found)


def require_further(paths: Sequence[str], parameter: str, pieces: int = 0) -> None:
    """Raise GameforgeError, which names the parameter, if a database knows nothing that those before it do not know.

    paths: databases in the order in which they are consulted. pieces: all endings of up to this number are known
    before.
    """
    known = {text for text, count in _material().items() if count <= pieces}
    for path in paths:
        database = oracle("chinook", path=path)
        found = {text for text in _material() if database.get(game("draughts").position(text)) is not None}
        if found <= known:
            raise GameforgeError(
                f"{parameter}: {path} knows no ending that the databases before it do not know, and would never be used"
            )
        known |= found


@functools.cache
def _material() -> dict[str, int]:
    """A quiet position, and its number of pieces, for each material and side to move of up to _LARGEST pieces.

    The pieces stand on the first two ranks of their sides, where none can be captured.
    """
    found = {}
    for men, kings, other_men, other_kings in itertools.product(range(_LARGEST), repeat=4):
        pieces = men + kings + other_men + other_kings
        if men + kings and other_men + other_kings and pieces <= _LARGEST:
            white = [*map(str, range(32, 32 - men, -1)), *(f"K{32 - men - i}" for i in range(kings))]
            black = [*map(str, range(1, 1 + other_men)), *(f"K{1 + other_men + i}" for i in range(other_kings))]
            for side in "WB":
                found[f"{side}:W{','.join(white)}:B{','.join(black)}"] = pieces
    return found


def require_small_endings(path: str, name: str, why: str = "") -> None:
    """Raise GameforgeError unless the database of this parameter knows all endings of up to SMALL pieces."""
    known = oracle("chinook", path=path)
    try:
        for text in _ENDINGS:
            known.probe(game("draughts").position(text))
    except NotCovered as error:
        raise GameforgeError(
            f"ls-draughts: {name}: {path} must know all endings of up to {SMALL} pieces{why}: {error}"
        ) from error


def require_distances(path: str) -> None:
    """Raise GameforgeError unless the database knows the distances of all endings of up to SMALL pieces."""
    require_small_endings(path, "distances")
    if oracle("chinook", path=path).probe(game("draughts").position(_WON)).distance is None:
        raise GameforgeError(f"ls-draughts: distances: {path} has no distances, only wins, losses and draws")
