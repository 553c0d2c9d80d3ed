"""Patterns that are images of each other under the symmetries of the board share their weights."""

import itertools
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge_eval_patterns.groups import Pattern

Places = NDArray[np.int32]


@attrs.frozen(eq=False)
class Family:
    """A pattern and its images, each with the cells in the order of the first."""

    members: tuple[Pattern, ...]
    turns: tuple[tuple[int, ...], ...]
    """Symmetries that map the first member onto itself: turns[k][i] is the position of the image of its i-th cell."""

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self.members[0])

    def fold(self, states: int) -> Places:
        """Return the number of the weight of each configuration, for cells of `states` states each.

        A configuration is a number with a digit for each cell, the first cell's the lowest; images share a weight.
        """
        configurations = np.arange(states**self.size, dtype=np.int32)
        first = configurations
        for turn in self.turns:
            image, rest = np.zeros_like(configurations), configurations
            for position in turn:
                rest, digit = np.divmod(rest, states)
                image += (digit * states**position).astype(np.int32)
            first = np.minimum(first, image)
        return np.unique(first, return_inverse=True)[1].astype(np.int32) if self.turns else configurations


def families(patterns: Sequence[Pattern], images: Sequence[Sequence[int]]) -> tuple[Family, ...]:
    """Return the families of patterns. A pattern that has the cells of an earlier one, or of its image, is left out."""
    found: list[Family] = []
    seen: set[frozenset[int]] = set()
    for first in patterns:
        if frozenset(first) in seen:
            continue
        members: dict[frozenset[int], Pattern] = {}
        turns: set[tuple[int, ...]] = set()
        for image in itertools.chain([range(max(first) + 1)], images):
            turned = tuple(image[cell] for cell in first)
            if members.setdefault(frozenset(turned), turned) == first != turned:
                turns.add(tuple(first.index(cell) for cell in turned))
        seen.update(members)
        found.append(Family(tuple(members.values()), tuple(sorted(turns))))
    return tuple(found)
