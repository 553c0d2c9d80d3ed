"""The final tournament, which decides which copy of a net is kept ([Neto2009], section 5.3)."""

import itertools
from collections.abc import Callable, Sequence
from typing import TypeVar

Candidate = TypeVar("Candidate")


def best_of(candidates: Sequence[Candidate], play: Callable[[Candidate, Candidate], int | None]) -> int:
    """Index of the candidate with the most wins after every ordered pair has played once; the latest on ties.

    `play(first, second)` returns the winner, 0 or 1, or None for a draw.
    """
    wins = [0] * len(candidates)
    for i, j in itertools.permutations(range(len(candidates)), 2):
        winner = play(candidates[i], candidates[j])
        if winner is not None:
            wins[(i, j)[winner]] += 1
    return max(range(len(candidates)), key=lambda i: (wins[i], i))
