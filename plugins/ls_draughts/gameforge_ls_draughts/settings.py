"""Parameters and conditions of the experiment `ls-draughts`, its variations, and checks of the databases it is given.

A variation goes beyond the paper: it trains the extended player's features, and plays, with another search or more
knowledge. One of them may explain the published figure: games that end as soon as the database knows the result are one
reading of "anticipates the result of the game".

Databases are checked before the work, which may take hours, begins.
"""

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import attrs

from gameforge import GameforgeError, game, oracle
from gameforge.interfaces import NotCovered, kinds
from gameforge_ls_draughts.published import CONTROL, EXTENDED, NEURODRAUGHTS, PLAYERS

MATCHES, YEAR_2007 = "matches", "2007"
"""Conditions other than the players, their loop trainings and the variations."""
MOST = 6
"""Pieces of the largest database that the experiment builds."""
PUBLISHED_DEPTH = 5
_built = kinds.within(2, MOST)
SMALL = 4
"""Pieces of the endings that the first of several databases must know."""
_ENDINGS = "W:W31,32:B1,2", "W:W30,31,32:B1", "W:W32:B1,2,3"
"""Quiet positions of all men against men: a database that knows these knows all endings of up to SMALL pieces."""
_WON = "W:WK14,K15,K18:BK1"
"""A won ending, which has a distance in a database with distances."""
_LARGEST = 8
"""Pieces of the largest databases that can be read."""
BLIND, SEEING = "alphabeta without draws", "alphabeta"
_SEARCHERS: Mapping[str, Mapping[str, object]] = {
    "minimax": {"use": "minimax"},
    SEEING: {"use": "alphabeta", "quiescence": False, "selective": False, "convert": False},
    BLIND: {"use": "alphabeta", "quiescence": False, "draws": False, "selective": False},
}
"""Searchers that evaluate the same boards as minimax. alphabeta prefers near wins and, unless `draws` is off, scores a
position that recurs in its line as a draw."""


def loops_of(name: str) -> str:
    """Name of the condition in which a player's loops are counted."""
    return f"loops {name}"


@attrs.frozen(kw_only=True)
class Variation:
    """A pipeline whose loops are counted."""

    name: str
    says: str
    features: str = EXTENDED
    """Whose features are trained."""
    searcher: str = "minimax"
    """One of _SEARCHERS."""
    oracle: Mapping[str, object] | None = None
    """Replaces the experiment's database; empty: none."""
    adjudicate: bool = False
    cost: float = 1.0
    """Approximate cost relative to a training of the paper."""

    def player(self, depth: int, ties: str, known: Sequence[Mapping[str, object]]) -> dict[str, object]:
        """Searcher and oracles, as settings of a pipeline. known: the experiment's databases."""
        oracles = known if self.oracle is None else [self.oracle] if self.oracle else []
        return {
            "searcher": {**_SEARCHERS[self.searcher], "depth": depth, "ties": ties},
            "oracle": [dict(one) for one in oracles] or "none",
        }


def database(pieces: int) -> dict[str, object]:
    """Settings of the database of all endings with up to this many pieces: wins, losses and draws."""
    return {"use": "chinook", "pieces": pieces}


def variations(known: int, distances: Sequence[str]) -> Iterator[Variation]:
    """The variations by name, which is also the name of a condition of the experiment.

    known: pieces of the experiment's own database. distances: databases with distances, one condition each.
    """
    for features, whose in ((NEURODRAUGHTS, f"{NEURODRAUGHTS}, "), (EXTENDED, "")):
        yield Variation(
            name=f"{whose}{SEEING}, no database",
            says="alphabeta to the same depth, without the database",
            features=features,
            searcher=SEEING,
            oracle={},
            cost=2.0,
        )
    yield Variation(name=SEEING, says="the same with the database", searcher=SEEING, cost=2.0)
    yield Variation(name=BLIND, says="the same, without recognising repetitions in its line", searcher=BLIND, cost=2.0)
    yield Variation(name="no database", says="minimax with the same features, without the database", oracle={})
    for pieces in sorted({4, 5, MOST} - {known}):
        yield Variation(name=pieces_of(pieces), says=f"a database of {pieces} pieces", oracle=database(pieces))
    for pieces in sorted({known, MOST}):
        yield Variation(
            name=f"adjudicated, {pieces_of(pieces)}",
            says=f"a training game ends where a database of {pieces} pieces knows its result",
            oracle=database(pieces),
            adjudicate=True,
            cost=0.8,
        )
    for path in distances:
        yield Variation(
            name=f"distances {Path(path).stem}",
            says=f"wins and losses by the distances of {Path(path).stem}",
            oracle={"use": "chinook", "path": path},
        )


def pieces_of(number: int) -> str:
    """Name of the condition with a database of this many pieces."""
    return f"{number} pieces"


@attrs.frozen(kw_only=True)
class LSDraughtsSettings:
    """Parameters of the experiment: databases, loop trainings and search depth."""

    pieces: int = attrs.field(default=SMALL, validator=_built)
    """Pieces of the extended player's database; the paper had all endings of 6 pieces, 4 against 3 and 4 against 4."""
    databases: tuple[str, ...] = attrs.field(default=(), validator=attrs.validators.max_len(3))
    """Folders or files of databases that replace it, consulted in this order, such as 6 pieces, then 4 against 3. The
    first must know all endings of up to 4 pieces."""
    ties: Literal["first", "random"] = attrs.field(default="first", validator=attrs.validators.in_(("first", "random")))
    """Which of several best moves every player plays."""
    repeats: int = attrs.field(default=3, validator=kinds.at_least(1))
    """Number of trainings from new weights in which each player's loops are counted; the paper made one."""
    beyond: bool = False
    """Also count loops with alphabeta, larger databases, and games that end where the database knows the result."""
    distances: tuple[str, ...] = ()
    """Databases with distances (manifests that `egdb build --format` wrote), for `beyond`."""
    depth: int = attrs.field(default=PUBLISHED_DEPTH, validator=kinds.at_least(1))
    """Depth of every search, in plies."""

    def __attrs_post_init__(self) -> None:
        if self.distances and not self.beyond:
            raise GameforgeError("ls-draughts: distances need beyond=true, because they go beyond the paper")
        for name, paths in (("databases", self.databases), ("distances", self.distances)):
            require_paths(paths, f"ls-draughts: {name}")
        if self.databases and self.pieces != SMALL:
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
            require_small_endings(first, "databases", ", because it is the first")
            require_databases(others, "ls-draughts: databases")
            require_further(self.databases, "ls-draughts: databases")
        for path in self.distances:
            require_distances(path)

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
        opened = oracle("chinook", path=path)
        found = {text for text in _material() if opened.get(game("draughts").position(text)) is not None}
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
