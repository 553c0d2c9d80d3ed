"""Simulated matches between players of known strength, for testing match statistics without playing games."""

from collections.abc import Sequence

import numpy as np

from gameforge.arena.elo import Sprt, elo, expected_score, mean_and_variance, normalized_elo


def pair_shares(difference: float, draws: float, bias: float) -> list[float]:
    """Return the probabilities of the five results (0 to 4 half points) of a pair of games.

    difference: the first player's advantage in Elo, without draws. draws: share of drawn games. bias: Elo by which
    an opening favours one side; half of the openings favour the first mover.
    """
    shares = np.zeros(5)
    for lean in (bias, -bias):
        wins = [(1 - draws) * expected_score(difference + favour) for favour in (lean, -lean)]
        one, other = (np.array([1 - draws - win, draws, win]) for win in wins)
        shares += np.convolve(one, other) / 2
    found: list[float] = shares.tolist()
    return found


def true_elo(shares: Sequence[float], model: str = "logistic") -> float:
    """Return the Elo difference to which a long match of such pairs converges."""
    return elo(mean_and_variance(shares)[0]) if model == "logistic" else normalized_elo(shares)


def shares_of_elo(target: float, model: str, draws: float, bias: float) -> list[float]:
    """Return the pair_shares whose true_elo is `target`, by bisection."""
    low, high = -2000.0, 2000.0
    for _ in range(60):
        middle = (low + high) / 2
        below = true_elo(pair_shares(middle, draws, bias), model) < target
        low, high = (middle, high) if below else (low, middle)
    return pair_shares(low, draws, bias)


def simulated_test(sprt: Sprt, shares: Sequence[float], rng: np.random.Generator, batch: int = 8) -> tuple[str, int]:
    """Simulate a test that is evaluated after every `batch` pairs; return the accepted hypothesis and the pairs."""
    counts = np.zeros(5)
    while True:
        counts += rng.multinomial(batch, shares)
        accepted = sprt.accepted(counts.tolist())
        if accepted:
            return accepted, int(counts.sum())
