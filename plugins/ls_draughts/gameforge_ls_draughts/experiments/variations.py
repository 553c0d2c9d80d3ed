"""Beyond the paper: the extended player's features, trained and played with another search or more knowledge.

Each variation changes the pipeline of the extended player. One of them may explain the published figure: games that end
as soon as the database knows the result are one reading of "anticipates the result of the game".
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from gameforge_ls_draughts.experiments.published import EXTENDED, NEURODRAUGHTS

BLIND, SEEING = "alphabeta without draws", "alphabeta"
_SEARCHERS: Mapping[str, Mapping[str, Any]] = {
    "minimax": {"use": "minimax"},
    SEEING: {"use": "alphabeta", "quiescence": False, "selective": False, "convert": False},
    BLIND: {"use": "alphabeta", "quiescence": False, "draws": False, "selective": False},
}
"""Searchers that evaluate the same boards as minimax. alphabeta prefers near wins and, unless `draws` is off, scores a
position that recurs in its line as a draw."""


@attrs.frozen(kw_only=True)
class Variation:
    """A pipeline whose loops are counted."""

    name: str
    says: str
    features: str = EXTENDED
    """Whose features are trained."""
    searcher: str = "minimax"
    """One of _SEARCHERS."""
    oracle: Mapping[str, Any] | None = None
    """Replaces the experiment's database; empty: none."""
    adjudicate: bool = False
    cost: float = 1.0
    """Approximate cost relative to a training of the paper."""

    def player(self, depth: int, ties: str, known: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Searcher and oracles, as settings of a pipeline. known: the experiment's databases."""
        oracles = known if self.oracle is None else [self.oracle] if self.oracle else []
        return {
            "searcher": {**_SEARCHERS[self.searcher], "depth": depth, "ties": ties},
            "oracle": [dict(one) for one in oracles] or "none",
        }


MOST = 6
"""Pieces of the largest database that the experiment builds."""


def database(pieces: int) -> dict[str, Any]:
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
