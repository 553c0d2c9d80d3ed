"""Beyond the paper: the extended player's features, trained and played with another search or more knowledge.

Each changes the pipeline of the extended player. What is not printed there may also explain what is: a game that
is ended where the database knows its result is one reading of "anticipates the result of the game".
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from gameforge_ls_draughts.experiments.published import EXTENDED, NEURODRAUGHTS

SEARCHER = "alphabeta"
"""It tells near wins from far ones, and takes a position that recurs in its line for a draw."""


@attrs.frozen(kw_only=True)
class Variation:
    """A pipeline whose loops are counted."""

    name: str
    says: str
    features: str = EXTENDED
    """Whose features are trained."""
    searcher: str = ""
    """In place of minimax."""
    oracle: Mapping[str, Any] | None = None
    """In place of the experiment's database; empty: none."""
    adjudicate: bool = False
    cost: float = 1.0
    """Times that of a training of the paper's, about."""

    def player(self, depth: int, pieces: int) -> dict[str, Any]:
        """What searches and knows, as tables of a pipeline."""
        oracle = database(pieces) if self.oracle is None else self.oracle
        searcher = {"use": self.searcher or "minimax", "depth": depth}
        return {"searcher": searcher, "oracle": [dict(oracle)] if oracle else "none"}


def database(pieces: int) -> dict[str, Any]:
    """All endings with so many pieces: wins, losses and draws."""
    return {"use": "chinook", "pieces": pieces}


def variations(distances: Sequence[str]) -> Iterator[Variation]:
    """Names are conditions of the experiment. distances: databases with distances, a condition each."""
    yield Variation(
        name="alphabeta, NeuroDraughts",
        says="NeuroDraughts' features, no database; alphabeta to the same depth",
        features=NEURODRAUGHTS,
        searcher=SEARCHER,
        oracle={},
        cost=2.0,
    )
    yield Variation(
        name="alphabeta, no database", says="alphabeta to the same depth", searcher=SEARCHER, oracle={}, cost=2.0
    )
    yield Variation(
        name="alphabeta", says="alphabeta to the same depth, with the database", searcher=SEARCHER, cost=2.0
    )
    yield Variation(name="no database", says="minimax with the same features, without the database", oracle={})
    for pieces in (5, 6):
        yield Variation(name=f"{pieces} pieces", says=f"a database of {pieces} pieces", oracle=database(pieces))
    yield Variation(
        name="adjudicated", says="a training game ends where the database knows its result", adjudicate=True, cost=0.8
    )
    yield Variation(
        name="adjudicated, 6 pieces",
        says="the same with a database of 6 pieces",
        oracle=database(6),
        adjudicate=True,
        cost=0.7,
    )
    for path in distances:
        yield Variation(
            name=f"distances {Path(path).stem}",
            says=f"wins and losses by the distances of {Path(path).stem}",
            oracle={"use": "chinook", "path": path},
        )
