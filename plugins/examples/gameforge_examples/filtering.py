"""Filter examples as in [Rezende2017], section 3.2: the winner's, without duplicates, split into training and test."""

from pathlib import Path
from typing import Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.config import unstructure
from gameforge.errors import GameforgeError
from gameforge_examples.folder import ExampleFolder, require_new, write_rows
from gameforge_examples.rows import Rows, joined

_MOST_VISITS = (1 << 32) - 1


@attrs.frozen(kw_only=True)
class Filter:
    """What is kept; the defaults are the paper's."""

    sides: Literal["winner", "both"] = attrs.field(default="winner", validator=attrs.validators.in_(("winner", "both")))
    """Of a match that somebody won: the examples at the winner's turns, or all."""
    draws: Literal["drop", "both"] = attrs.field(default="drop", validator=attrs.validators.in_(("drop", "both")))
    """Of a drawn match: none, or those of both sides."""
    duplicates: Literal["visits", "mean"] = attrs.field(
        default="visits", validator=attrs.validators.in_(("visits", "mean"))
    )
    """Of equal states: the one with most visits, the first of several; or one with the mean of all visits."""
    visits: int = attrs.field(default=1, validator=[attrs.validators.ge(1), attrs.validators.le(_MOST_VISITS)])
    """Examples with fewer are dropped: nothing was found out about them."""
    test: float = attrs.field(default=0.1, validator=[attrs.validators.gt(0), attrs.validators.lt(1)])
    """Share that is kept for tests, drawn at random."""
    seed: int = attrs.field(default=0, validator=attrs.validators.ge(0))

    def chosen(self, rows: Rows) -> NDArray[np.bool_]:
        """Which examples are kept before duplicates are looked for."""
        results = (1,) if self.sides == "winner" else (1, -1)
        wanted = (*results, 0) if self.draws == "both" else results
        kept: NDArray[np.bool_] = np.isin(rows["result"], wanted) & (rows["visits"] >= self.visits)
        return kept


def filter_examples(source: Path, out: Path, settings: Filter) -> ExampleFolder:
    """Write what is kept of the examples of `source` into the new folder `out`.

    Raises GameforgeError if `source` holds no examples, if `out` is there already, if too few are left to
    train and to test with, and if they all have one utility: there is nothing to learn from these.
    """
    there = ExampleFolder.read(source)
    require_new(out)
    rows = joined((shard[settings.chosen(shard)] for shard in there.shards()), there.words)
    wanted = len(rows)
    rows = _without_duplicates(rows, settings.duplicates)
    if len(rows) == 0:
        raise GameforgeError(
            f"{source}: none of its {there.examples} examples is left (sides {settings.sides}, draws {settings.draws}, "
            f"visits {settings.visits})"
        )
    if np.ptp(rows["utility"]) == 0:
        raise GameforgeError(
            f"{source}: the {len(rows)} examples that are left all have the utility {rows['utility'][0]:g}, "
            "so that there is nothing to learn",
            advice="keep both sides' examples",
            parameter="sides",
        )
    tests = round(settings.test * len(rows))
    if not 0 < tests < len(rows):
        raise GameforgeError(
            f"{source}: a share of {settings.test:g} of the {len(rows)} examples that are left leaves nothing to "
            f"{'test' if tests == 0 else 'train'} with"
        )
    rows["test"] = False
    rows["test"][np.random.default_rng(settings.seed).permutation(len(rows))[:tests]] = True
    made = {"by": "filter", "source": [dict(batch.made) for batch in there.batches], **unstructure(settings)}
    numbers = {"examples": there.examples, "wanted": wanted, "kept": len(rows), "test": tests}
    return write_rows(attrs.evolve(there, path=out, batches=()), rows, made, numbers)


def _without_duplicates(rows: Rows, rule: str) -> Rows:
    """One example of each state, in the order in which the states first came."""
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
