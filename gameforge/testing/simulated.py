"""Matches of players whose strength is known, without a game: what tests of statistics are tested on."""

from collections.abc import Sequence

import numpy as np

from gameforge.play.arena.elo import elo, expected_score, mean_and_variance, normalized_elo
from gameforge.play.arena.sprt import Sprt


def pair_shares(difference: float, draws: float, bias: float) -> list[float]:
    """Probabilities of the five results of a pair.

    difference: what the first player is stronger, in Elo if nothing were drawn. draws: share of drawn
    games. bias: Elo by which each opening favours one of its sides, the first in half of the openings,
    so that the two games of a pair differ.
    """
    shares = np.zeros(5)
    for lean in (bias, -bias):
        wins = [(1 - draws) * expected_score(difference + favour) for favour in (lean, -lean)]
        one, other = (np.array([1 - draws - win, draws, win]) for win in wins)
        shares += np.convolve(one, other) / 2
    found: list[float] = shares.tolist()
    return found


def true_elo(shares: Sequence[float], model: str = "logistic") -> float:
    """The Elo difference that a match of very many such pairs would show."""
    return elo(mean_and_variance(shares)[0]) if model == "logistic" else normalized_elo(shares)


def shares_of_elo(target: float, model: str, draws: float, bias: float) -> list[float]:
    """pair_shares of the difference that shows as this many Elo."""
    low, high = -2000.0, 2000.0
    for _ in range(60):
        middle = (low + high) / 2
        below = true_elo(pair_shares(middle, draws, bias), model) < target
        low, high = (middle, high) if below else (low, middle)
    return pair_shares(low, draws, bias)


def simulated_test(sprt: Sprt, shares: Sequence[float], rng: np.random.Generator, batch: int = 8) -> tuple[str, int]:
    """(accepted hypothesis, pairs needed) of one test; it looks after every `batch` pairs."""
    counts = np.zeros(5)
    while True:
        counts += rng.multinomial(batch, shares)
        accepted = sprt.accepted(counts.tolist())
        if accepted:
            return accepted, int(counts.sum())
