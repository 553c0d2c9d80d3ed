"""Parameters and conditions of the experiment `ls-draughts`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import attrs

from gameforge.api import game, oracle
from gameforge.errors import GameforgeError, NotCovered
from gameforge_ls_draughts.experiments.published import CONTROL, PLAYERS
from gameforge_ls_draughts.experiments.variations import MOST, Variation, database, variations

MATCHES, YEAR_2007 = "matches", "2007"
"""Conditions other than the players, their loop trainings and the variations."""
PUBLISHED_DEPTH = 5
DEFAULT_PIECES = 4
_ENDINGS = "W:W31,32:B1,2", "W:W30,31,32:B1", "W:W32:B1,2,3"
"""Quiet positions of all men against men: a database that knows these knows all endings of up to 4 pieces."""
_WON = "W:WK14,K15,K18:BK1"
"""A won ending, which has a distance in a database with distances."""

_at_least_1: Any = attrs.validators.ge(1)
_built: Any = attrs.validators.and_(attrs.validators.ge(2), attrs.validators.le(MOST))


def require_databases(paths: tuple[str, ...], parameter: str) -> None:
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


def require_paths(paths: tuple[str, ...], parameter: str) -> None:
    """Raise GameforgeError, which names the parameter, unless all paths exist: now, hours before they are needed."""
    missing = next((path for path in paths if not Path(path).exists()), None)
    if missing is not None:
        raise GameforgeError(f"{parameter}: no such file or folder: {missing}")


def require_different(paths: tuple[str, ...], parameter: str) -> None:
    """Raise GameforgeError, which names the parameter, if a database would be compared with itself."""
    seen: set[Path] = set()
    for path in paths:
        if (found := Path(path).resolve()) in seen:
            raise GameforgeError(f"{parameter}: {path} is named twice, and would be compared with itself")
        seen.add(found)


def _require_small_endings(path: str, name: str, why: str = "") -> None:
    """Raise GameforgeError unless the database of this parameter knows all endings of up to DEFAULT_PIECES pieces."""
    known = oracle("chinook", path=path)
    try:
        for text in _ENDINGS:
            known.probe(game("draughts").position(text))
    except NotCovered as error:
        raise GameforgeError(
            f"ls-draughts: {name}: {path} must know all endings of up to {DEFAULT_PIECES} pieces{why}: {error}"
        ) from error


def _require_distances(path: str) -> None:
    """Raise GameforgeError unless the database knows the distances of all endings of up to DEFAULT_PIECES pieces."""
    _require_small_endings(path, "distances")
    if oracle("chinook", path=path).probe(game("draughts").position(_WON)).distance is None:
        raise GameforgeError(f"ls-draughts: distances: {path} has no distances, only wins, losses and draws")


def loops_of(name: str) -> str:
    """Name of the condition in which a player's loops are counted."""
    return f"loops {name}"


@attrs.frozen(kw_only=True)
class LSDraughtsSettings:
    """Parameters of the experiment: databases, loop trainings and search depth."""

    pieces: int = attrs.field(default=DEFAULT_PIECES, validator=_built)
    """Pieces of the extended player's database; the paper had all endings of 6 pieces, 4 against 3 and 4 against 4."""
    databases: tuple[str, ...] = attrs.field(default=(), validator=attrs.validators.max_len(3))
    """Folders or files of databases that replace it, consulted in this order, such as 6 pieces, then 4 against 3. The
    first must know all endings of up to 4 pieces."""
    ties: Literal["first", "random"] = attrs.field(default="first", validator=attrs.validators.in_(("first", "random")))
    """Which of several best moves every player plays."""
    repeats: int = attrs.field(default=3, validator=_at_least_1)
    """Number of trainings from new weights in which each player's loops are counted; the paper made one."""
    beyond: bool = False
    """Also count loops with alphabeta, larger databases, and games that end where the database knows the result."""
    distances: tuple[str, ...] = ()
    """Databases with distances (manifests that `egdb build --format` wrote), for `beyond`."""
    depth: int = attrs.field(default=PUBLISHED_DEPTH, validator=_at_least_1)
    """Depth of every search, in plies."""

    def __attrs_post_init__(self) -> None:
        if self.distances and not self.beyond:
            raise GameforgeError("ls-draughts: distances need beyond=true, because they go beyond the paper")
        for name, paths in (("databases", self.databases), ("distances", self.distances)):
            require_paths(paths, f"ls-draughts: {name}")
        if self.databases and self.pieces != DEFAULT_PIECES:
            raise GameforgeError("ls-draughts: give pieces, for a database that is built, or databases, not both")
        names = [Path(path).stem for path in self.distances]
        twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if twice is not None:
            raise GameforgeError(
                f"ls-draughts: distances: two databases are named {twice}; the report needs different names"
            )
        if self.databases:
            require_different(self.databases, "ls-draughts: databases")
            first, *others = self.databases
            _require_small_endings(first, "databases", ", because it is the first")
            require_databases(tuple(others), "ls-draughts: databases")
        for path in self.distances:
            _require_distances(path)

    @property
    def known(self) -> list[dict[str, Any]]:
        """The extended player's databases, as settings of oracles."""
        if self.databases:
            return [{"use": "chinook", "path": path} for path in self.databases]
        return [database(self.pieces)]

    @property
    def variations(self) -> tuple[Variation, ...]:
        """The variations beyond the paper, by condition."""
        return tuple(variations(self.pieces, self.distances)) if self.beyond else ()

    @property
    def names(self) -> Iterator[str]:
        """The names of all conditions, in their order."""
        yield from (*PLAYERS, CONTROL)
        yield from map(loops_of, PLAYERS)
        yield from (MATCHES, YEAR_2007)
        yield from (one.name for one in self.variations)
