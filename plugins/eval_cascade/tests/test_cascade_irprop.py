"""iRprop by the published rule, step by step, and the rule of when a training ends."""

from typing import Any, get_args

import numpy as np
import pytest
from gameforge_eval_cascade.descent import Irprop, Limits, Patience, Rule, Steps


class Published:
    """One weight of Igel and Huesken (2000), algorithms 3 and 4, with their names."""

    def __init__(self, rule: Rule, delta: float) -> None:
        self.rule, self.delta, self.slope, self.change, self.error = rule, delta, 0.0, 0.0, float("inf")

    def step(self, w: float, slope: float, error: float) -> float:
        if self.slope * slope > 0:
            self.delta = min(self.delta * 1.2, 50.0)
            self.change = -np.sign(slope) * self.delta
            w += self.change
        elif self.slope * slope < 0:
            self.delta = max(self.delta * 0.5, 0.0)
            if self.rule == "irprop+" and error > self.error:
                w -= self.change
            slope = 0.0
        else:
            self.change = -np.sign(slope) * self.delta
            w += self.change
        self.slope, self.error = slope, error
        return w


@pytest.mark.parametrize("rule", get_args(Rule))
@pytest.mark.parametrize("own_errors", [False, True], ids=["one error", "an error for each weight"])
def test_each_step_is_that_of_the_published_rule(rule: Rule, own_errors: bool) -> None:
    rng = np.random.default_rng(4)
    weights = rng.uniform(-1, 1, 40).astype(np.float32)
    expected = weights.astype(np.float64)
    ours, published = Irprop(Steps(rule=rule), weights.shape), [Published(rule, 0.1) for _ in weights]
    turned = 0
    for _ in range(60):
        slopes = (rng.integers(-2, 3, 40) * rng.random(40)).astype(np.float32)
        errors: Any = rng.random(40) if own_errors else float(rng.random())
        turned += sum(a.slope * b < 0 for a, b in zip(published, slopes, strict=True))
        ours.move(weights, slopes, errors)
        each = np.broadcast_to(errors, 40)
        expected = np.array(
            [p.step(w, float(s), float(e)) for p, w, s, e in zip(published, expected, slopes, each, strict=True)]
        )
        np.testing.assert_allclose(weights, expected, rtol=0, atol=2e-4)
    assert turned > 300


def test_the_first_steps_by_hand() -> None:
    """Down by 0.1, down by 0.12, a turn: no step and half the length; then a step of that length, whatever the sign."""
    w = np.zeros(1, np.float32)
    rule = Irprop(Steps(), (1,))
    for slope, place in ((1, -0.1), (3, -0.22), (-1, -0.22), (-2, -0.16), (-1, -0.088)):
        rule.move(w, np.array([slope], np.float32), 0.0)
        assert w[0] == pytest.approx(place, abs=1e-6)


def test_irprop_plus_takes_a_step_back_only_where_the_error_has_grown() -> None:
    for error, place in ((2.0, -0.1), (0.5, -0.22)):
        w, rule = np.zeros(1, np.float32), Irprop(Steps(rule="irprop+"), (1,))
        for slope, e in ((1, 1.0), (1, 1.0), (-1, error)):
            rule.move(w, np.array([slope], np.float32), e)
        assert w[0] == pytest.approx(place, abs=1e-6)


def test_steps_stay_within_their_limits() -> None:
    w, rule = np.zeros(1, np.float32), Irprop(Steps(first=1.0, most=2.0, least=0.5), (1,))
    places = []
    for slope in [1] * 6 + [-1, 1, -1, 1, -1, 1, -1]:
        rule.move(w, np.array([slope], np.float32), 0.0)
        places.append(float(w[0]))
    steps = np.abs(np.diff([0.0, *places]))
    assert steps.max() == 2.0
    assert min(step for step in steps if step) == 0.5


def epochs(gains: list[float], **limits: Any) -> int:
    rule = Patience(Limits(**{"most": 150, "least": 50, "patience": 12, "change": 0.01} | limits))
    for gain in gains:
        if rule.ends(gain):
            break
    return rule.epochs


def test_a_training_that_stands_still_ends() -> None:
    """No new target for `patience` epochs, at least `least`; epochs are counted from 0, as FANN does."""
    assert epochs([0.0] + [1.0] * 200) == 51
    assert epochs([0.0] + [1.0] * 200, least=0) == 1 + 12 + 1
    assert epochs([0.0] + [1.0] * 200, least=0, patience=3) == 1 + 3 + 1
    assert epochs([1.1**n for n in range(200)]) == 150
    assert epochs([1.1**n for n in range(200)], most=70) == 70


def test_small_changes_do_not_count_unless_they_add_up() -> None:
    assert epochs([1 + 0.0001 * n for n in range(200)], least=0) == 13
    assert epochs([1 + 0.001 * n for n in range(200)], least=0) == 150
    assert epochs([2 - 0.002 * n for n in range(200)], least=0) > 100  # a change for the worse is one, too
