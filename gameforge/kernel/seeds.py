"""Seeds derived by purpose, so that random numbers depend neither on the order of work nor on interruptions."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.random import SeedSequence

APART = 0xD1342543DE82EF95
"""Step between the first random words of players in kernels; it is odd, so that 2^64 of them differ."""


def derived(seed: "SeedSequence", *purpose: int) -> "SeedSequence":
    """Derive the seed for one purpose, which is given as numbers: (kind of purpose, generation, ...)."""
    import numpy as np

    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *purpose))


def stream(seed: "SeedSequence") -> int:
    """Return the first random word of a series of games."""
    return int(seed.generate_state(1, "uint64")[0])


def words_of_game(stream: int, number: int) -> tuple[int, int]:
    """Return the first random words of both players in a game of the series; games are numbered from 0."""
    first = (stream + 2 * number * APART) % (1 << 64)
    return first, (first + APART) % (1 << 64)
