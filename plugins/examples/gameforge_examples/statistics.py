"""Statistics of a folder of examples."""

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from gameforge_examples.folder import ExampleFolder
from gameforge_examples.rows import Rows

_TENTHS = np.linspace(-1, 1, 11)


@attrs.frozen(kw_only=True)
class Statistics:
    """Statistics of a folder: `batches` describes each batch, all other figures are of all batches together."""

    game: str
    rules: str
    batches: tuple[Mapping[str, Any], ...]
    """How each batch was made, whether it is finished, and its figures."""
    examples: int
    states: int
    """Number of distinct states."""
    unvisited: int
    """Number of examples without visits."""
    matches: int
    results: tuple[int, int, int]
    """Numbers of examples whose mover won, drew and lost."""
    test: int
    """Number of examples that are set aside for testing."""
    visits: tuple[int, int, int]
    """Minimum, median and maximum number of visits of the visited examples."""
    utility: float
    """Mean utility of the visited examples."""
    utilities: tuple[int, ...]
    """Numbers of visited examples in each of ten intervals of the utility from -1 to 1."""


def example_statistics(folder: ExampleFolder) -> Statistics:
    """Compute the statistics of a folder. Raises GameforgeError if a shard is damaged."""
    results, test, unvisited, total = np.zeros(3, np.int64), 0, 0, 0.0
    utilities = np.zeros(len(_TENTHS) - 1, np.int64)
    visits, states = [np.zeros(0, np.uint32)], [np.zeros((0, folder.words), np.uint64)]
    for rows in folder.shards():
        visited = _visited(rows)
        results += [np.count_nonzero(rows["result"] == result) for result in (1, 0, -1)]
        test += int(np.count_nonzero(rows["test"]))
        unvisited += len(rows) - len(visited)
        total += float(visited["utility"].sum(dtype=np.float64))
        utilities += np.histogram(visited["utility"], _TENTHS)[0]
        visits.append(np.array(visited["visits"]))
        states.append(np.unique(np.array(rows["state"]), axis=0))
    counts = np.concatenate(visits)
    return Statistics(
        game=folder.game,
        rules=folder.rules,
        batches=tuple(
            {"made": batch.made, "matches": batch.matches, "finished": batch.finished, **batch.numbers}
            for batch in folder.batches
        ),
        examples=folder.examples,
        states=len(np.unique(np.concatenate(states), axis=0)),
        unvisited=unvisited,
        matches=folder.matches,
        results=(int(results[0]), int(results[1]), int(results[2])),
        test=test,
        visits=(int(counts.min()), int(np.median(counts)), int(counts.max())) if len(counts) else (0, 0, 0),
        utility=total / len(counts) if len(counts) else 0.0,
        utilities=tuple(utilities.tolist()),
    )


def _visited(rows: Rows) -> Rows:
    found: Rows = rows[rows["visits"] > 0]
    return found
