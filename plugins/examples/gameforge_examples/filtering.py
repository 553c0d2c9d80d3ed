"""Filter examples: by side, without duplicates, split into training and test examples ([Rezende2017], section 3.2)."""

from pathlib import Path
from typing import Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import GameforgeError
from gameforge.interfaces import kinds
from gameforge_examples.folder import ExampleFolder, Rows, joined, open_batch

_MOST_VISITS = (1 << 32) - 1


@attrs.frozen(kw_only=True)
class Filter:
    """Which examples are kept; the defaults are those of [Rezende2017]."""

    sides: Literal["winner", "both"] = attrs.field(default="winner", validator=attrs.validators.in_(("winner", "both")))
    """In a match with a winner: keep the examples at the winner's turns, or all."""
    draws: Literal["drop", "both"] = attrs.field(default="drop", validator=attrs.validators.in_(("drop", "both")))
    """In a drawn match: drop all examples, or keep those of both sides."""
    duplicates: Literal["visits", "mean"] = attrs.field(
        default="visits", validator=attrs.validators.in_(("visits", "mean"))
    )
    """Of equal states: keep the first one with the most visits, or one with the mean utility over all visits."""
    visits: int = attrs.field(default=1, validator=kinds.within(1, _MOST_VISITS))
    """Minimum number of visits; examples with fewer are dropped."""
    test: float = attrs.field(default=0.1, validator=[attrs.validators.gt(0), attrs.validators.lt(1)])
    """Share of the examples that is set aside for testing, drawn at random."""
    seed: int = attrs.field(default=0, validator=kinds.at_least(0))

    def chosen(self, rows: Rows) -> NDArray[np.bool_]:
        """Select the examples that are kept before duplicates are removed."""
        results = (1,) if self.sides == "winner" else (1, -1)
        wanted = (*results, 0) if self.draws == "both" else results
        kept: NDArray[np.bool_] = np.isin(rows["result"], wanted) & (rows["visits"] >= self.visits)
        return kept


def filter_examples(source: Path, out: Path, settings: Filter) -> ExampleFolder:
    """Write the examples of `source` that pass the filter into the folder `out`, unless it holds them already.

    Raises GameforgeError if `source` holds no examples, if `out` holds anything else, if too few examples remain to
    train and to test with, or if all of them have the same utility, so that there is nothing to learn.
    """
    found = ExampleFolder.read(source)
    made = {"by": "filter", "source": [dict(batch.made) for batch in found.batches], **attrs.asdict(settings)}
    with open_batch(attrs.evolve(found, path=out, batches=()), made) as folder:
        if folder.batches[-1].finished:
            return folder
        kept = (shard[settings.chosen(shard)] for shard in found.shards())
        rows = joined(kept, found.words, exact=found.exact)
        wanted = len(rows)
        rows = _without_duplicates(rows, settings.duplicates)
        tests = _mark_tests(rows, source, found.examples, settings)
        return folder.fill(rows, {"examples": found.examples, "wanted": wanted, "kept": len(rows), "test": tests})


def _mark_tests(rows: Rows, source: Path, examples: int, settings: Filter) -> int:
    """Mark the rows that are set aside for testing; returns their number.

    Raises GameforgeError if too few rows remain, or all of them have the same utility.
    """
    if len(rows) == 0:
        raise GameforgeError(
            f"{source}: no example of {examples} passes the filter (sides {settings.sides}, draws {settings.draws}, "
            f"visits {settings.visits})"
        )
    if np.ptp(rows["utility"]) == 0:
        raise GameforgeError(
            f"{source}: the {len(rows)} examples that pass the filter all have the utility {rows['utility'][0]:g}, "
            "so there is nothing to learn",
            advice="keep both sides' examples",
            parameter="sides",
        )
    tests = round(settings.test * len(rows))
    if not 0 < tests < len(rows):
        raise GameforgeError(
            f"{source}: {len(rows)} examples pass the filter; a share of {settings.test:g} for testing leaves none to "
            f"{'test' if tests == 0 else 'train'} with"
        )
    rows["test"] = False
    rows["test"][np.random.default_rng(settings.seed).permutation(len(rows))[:tests]] = True
    return tests


def _without_duplicates(rows: Rows, rule: str) -> Rows:
    """Keep one example of each state, in the order in which the states first occur."""
    if len(rows) == 0:
        return rows
    _, first, which = np.unique(rows["state"], axis=0, return_index=True, return_inverse=True)
    which = which.reshape(-1)
    if rule == "mean":
        visits = np.bincount(which, rows["visits"])
        kept = rows[first]
        kept["utility"] = np.bincount(which, rows["visits"] * rows["utility"].astype(np.float64)) / visits
        kept["visits"] = np.minimum(visits, _MOST_VISITS)
        return kept[np.argsort(first)]
    order = np.lexsort((np.arange(len(rows)), -rows["visits"].astype(np.int64), which))
    best = order[np.flatnonzero(np.diff(which[order], prepend=-1))]
    return rows[best[np.argsort(first[which[best]])]]
