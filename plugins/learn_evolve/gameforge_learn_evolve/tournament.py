"""Pairings and points of a generation's tournament ([KimCho2007], section 3.1)."""

from collections.abc import Sequence

import numpy as np

from gameforge.play.arena.contests import Pairing

WIN, LOSS = 1, -2
"""Points of winner and loser; a draw brings none (docs/readings.md, "Points for a loss")."""


def pairings(number: int, games: int, rng: np.random.Generator) -> list[Pairing]:
    """Each player moves first in `games` games against random others, without repetition if there are enough."""
    pairs = []
    for i in range(number):
        others = np.delete(np.arange(number), i)
        drawn: list[int] = rng.choice(others, games, replace=games > len(others)).tolist()
        pairs += [(i, other) for other in drawn]
    return pairs


def gained(pairs: Sequence[Pairing], winners: Sequence[int | None], number: int) -> list[int]:
    """Points of each player. winners: 0 the first mover, 1 the second, None a draw."""
    found = [0] * number
    for pair, winner in zip(pairs, winners, strict=True):
        if winner is not None:
            found[pair[winner]] += WIN
            found[pair[1 - winner]] += LOSS
    return found
