"""Parameters and conditions of the experiment `ls-draughts`, and its variations, which go beyond the paper.

Each variation trains the extended player's features, and plays, with another search or more knowledge. One of them may
explain the published figure: games that end as soon as the database knows the result are one reading of "anticipates
the result of the game".
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import attrs

from gameforge import GameforgeError
from gameforge.interfaces import kinds
from gameforge_ls_draughts.databases import (
    SMALL,
    require_databases,
    require_different,
    require_distances,
    require_further,
    require_paths,
    require_small_endings,
)
from gameforge_ls_draughts.published import CONTROL, EXTENDED, NEURODRAUGHTS, PLAYERS

MATCHES, YEAR_2007 = "matches", "2007"
"""Conditions other than the players, their loop trainings and the variations."""
MOST = 6
"""Pieces of the largest database that the experiment builds."""
PUBLISHED_DEPTH = 5
_built = kinds.within(2, MOST)
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
