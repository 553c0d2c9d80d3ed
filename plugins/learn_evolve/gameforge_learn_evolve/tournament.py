"""Who plays whom, and what it brings (sheet 05, section 4)."""

from collections.abc import Sequence

import numpy as np

from gameforge.play.arena.contests import Pairing

WIN, LOSS = 1, -2
"""Points of both players of a game; a draw brings none."""


def pairings(number: int, games: int, rng: np.random.Generator) -> list[Pairing]:
    """Each of these begins so many games, against random others, different ones as long as there are enough."""
    pairs = []
    for i in range(number):
        others = np.delete(np.arange(number), i)
        drawn: list[int] = rng.choice(others, games, replace=games > len(others)).tolist()
        pairs += [(i, other) for other in drawn]
    return pairs


def gained(pairs: Sequence[Pairing], winners: Sequence[int | None], number: int) -> list[int]:
    """Points of each of these. winners: 0 who began, 1 the other, None a draw."""
    found = [0] * number
    for pair, winner in zip(pairs, winners, strict=True):
        if winner is not None:
            found[pair[winner]] += WIN
            found[pair[1 - winner]] += LOSS
    return found
