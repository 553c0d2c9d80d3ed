"""Samples come from the distribution that is named, and it follows the elite."""

import math

import numpy as np
import pytest
from gameforge_learn_cem.state import Distribution
from hypothesis import given
from hypothesis import strategies as st

N = 40_000


def phi(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def cumulative(x: float) -> float:
    return (1 + math.erf(x / math.sqrt(2))) / 2


@pytest.mark.parametrize(("mean", "deviation"), [(1.1, 0.9), (0.2, 0.9), (1.9, 0.3), (0.5, 0.05)])
def test_the_truncated_gaussian_has_its_mean_variance_and_quantiles(mean: float, deviation: float) -> None:
    """Moments of the normal distribution cut on both sides: N. Johnson and S. Kotz, 1970, section 7."""
    low, high = 0.2, 2.0
    values = Distribution("gaussian", low, high, mean, deviation).draw(N, np.random.default_rng(1))
    assert values.shape == (N,)
    assert (low <= values.min(), values.max() <= high) == (True, True)
    a, b = (low - mean) / deviation, (high - mean) / deviation
    mass = cumulative(b) - cumulative(a)
    shift = (phi(a) - phi(b)) / mass
    variance = deviation**2 * (1 + (a * phi(a) - b * phi(b)) / mass - shift**2)
    assert values.mean() == pytest.approx(mean + deviation * shift, abs=5 * math.sqrt(variance / N))
    assert values.var() == pytest.approx(variance, rel=0.04)
    for x in np.linspace(low, high, 7)[1:-1]:
        share = (cumulative((x - mean) / deviation) - cumulative(a)) / mass
        assert (values < x).mean() == pytest.approx(share, abs=5 * math.sqrt(0.25 / N))


def test_the_first_has_the_middle_and_half_the_width() -> None:
    first = Distribution.over("gaussian", 0.2, 2.0)
    assert (first.mean, first.deviation) == (pytest.approx(1.1), pytest.approx(0.9))


def test_the_uniform_one_is_as_wide_as_its_deviation_says_and_stays_in_the_range() -> None:
    rng = np.random.default_rng(2)
    values = Distribution("uniform", 0.0, 1.0, 0.4, 0.1).draw(N, rng)
    assert (values.min(), values.max()) == (pytest.approx(0.3, abs=1e-3), pytest.approx(0.5, abs=1e-3))
    assert values.std() == pytest.approx(0.1 / math.sqrt(3), rel=0.02)
    values = Distribution("uniform", 0.0, 1.0, 0.95, 0.1).draw(N, rng)
    assert (values.min(), values.max()) == (pytest.approx(0.85, abs=1e-3), pytest.approx(1.0, abs=1e-3))


def test_a_step_goes_to_mean_and_deviation_of_the_elite() -> None:
    elite = np.array([0.2, 0.4])
    whole = Distribution.over("gaussian", 0, 1).towards(elite, 1.0)
    assert (whole.mean, whole.deviation) == (pytest.approx(0.3), pytest.approx(0.1))
    part = Distribution.over("gaussian", 0, 1).towards(elite, 0.7)
    assert (part.mean, part.deviation) == (pytest.approx(0.7 * 0.3 + 0.3 * 0.5), pytest.approx(0.7 * 0.1 + 0.3 * 0.5))
    uniform = Distribution.over("uniform", 0, 1).towards(elite, 1.0)
    assert (uniform.mean, uniform.deviation) == (pytest.approx(0.3), pytest.approx(0.1 * math.sqrt(3)))


@given(
    law=st.sampled_from(["gaussian", "uniform"]),
    elites=st.lists(st.lists(st.floats(-3, 5), min_size=1, max_size=6), max_size=8),
    smoothing=st.floats(0.01, 1),
)
def test_it_never_leaves_the_range(law: str, elites: list[list[float]], smoothing: float) -> None:
    now = Distribution.over(law, -3, 5)  # type: ignore[arg-type]
    for elite in elites:
        now = now.towards(np.array(elite), smoothing)
        assert -3 <= now.mean <= 5
        values = now.draw(8, np.random.default_rng(0))
        assert ((values >= -3) & (values <= 5)).all()


def test_a_deviation_of_minus_zero_is_zero() -> None:
    law = Distribution.over("gaussian", 0, 1).moved(0.25, -0.0)
    assert law.draw(3, np.random.default_rng(1)).tolist() == [0.25] * 3
