"""What a fit minimises, and what it finds: identities, known optima, the same with any number of threads."""

import itertools
import math
from typing import Any

import attrs
import numpy as np
import pytest
from gameforge_examples.positions import Positions
from gameforge_learn_regress.data import Data, data_of, require_slopes
from gameforge_learn_regress.fitting import Fit, FitState, Fitted, calibration, scaled, score_scale, targets
from gameforge_learn_regress.settings import FitSettings
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from regress_toys import Bits, Plain, positions
from toy_site import registry

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import SteppedWeight
from gameforge.play.parts import Parts
from gameforge.play.player import Player

SHUTTLE = gf.game("shuttle", registry=registry())
WORDS = SHUTTLE.functions.words
RESULTS_ONLY = FitSettings(blend=1.0, weight_decay=0.0, epochs=400, patience=400, rate=0.05, decay=0.97)


def parts(evaluator: Any) -> Parts:
    return gf.player(SHUTTLE, searcher="greedy", evaluator=evaluator, oracle="none", registry=registry()).parts


def fitted(
    bits: Bits, found: Positions, settings: FitSettings = RESULTS_ONLY, workers: int = 1
) -> tuple[FitState, Fitted, Fit]:
    fit = Fit(settings, parts(bits), found, np.random.SeedSequence(1), "toys")
    state = FitState.begin(np.zeros(bits.bits, np.float32))
    return state, fit.run(state, workers), fit


def draughts_positions(n: int = 40) -> tuple[Positions, NDArray[np.float32]]:
    """Positions of random games, with any values."""
    game, rng = gf.game("draughts"), np.random.default_rng(3)
    states = []
    while len(states) < n:
        state = game.rules.initial()
        for _ in range(30):
            legal = game.legal(state)
            if game.code(state, len(legal)):
                break
            state = game.play(state, legal[int(rng.integers(len(legal)))])
            states.append(state)
    found = positions(np.zeros(n), rng.random(n), weights=rng.integers(1, 4, n), width=3)
    found.states[:] = np.array(states[:n], np.uint64)
    return found, found.results


def player(evaluator: str) -> Player:
    """A player of draughts with weights."""
    features = "binarymap" if evaluator.startswith("mlp") else "none"
    return gf.player("draughts", searcher="minimax:depth=1", evaluator=evaluator, features=features, oracle="none")


@pytest.mark.parametrize(
    "evaluator",
    [
        "patterns",
        "mlp:hidden=4",
        "mlp:hidden=4,direct=true",
        "subboard:piece_diff=false",
        "subboard:windows=false,piece_diff=false",
    ],
)
def test_the_gradient_is_that_of_the_loss(evaluator: str) -> None:
    """By differences of the loss, for evaluators with terms, nets, and other evaluators with a gradient.

    subboard without piece_diff, since with it, it is so sure of some positions that the slope is bounded.
    """
    found, aims = draughts_positions()
    one = player(evaluator)
    assert one.weights is not None
    rng = np.random.default_rng(5)
    w = (one.weights + rng.normal(0, 0.05, len(one.weights))).astype(np.float32)
    data = data_of(one.parts, found, aims)
    gradient = np.zeros_like(w)
    data.add_gradient(w, 0, len(aims), 0, gradient)
    for j in rng.permutation(np.flatnonzero(np.abs(gradient) > 0.05))[:20]:
        h = np.zeros_like(w)
        h[j] = 1e-2
        slope = (loss(data, w + h) - loss(data, w - h)) / 2e-2
        assert slope == pytest.approx(gradient[j], rel=0.02, abs=2e-3)


def loss(data: Data, w: NDArray[np.float32]) -> float:
    p, y = data.predict(w).astype(np.float64), data.targets
    return float(np.sum(data.importance * -(y * np.log(p) + (1 - y) * np.log(1 - p))))


@pytest.mark.parametrize("evaluator", ["patterns", "mlp:hidden=4", "subboard"])
def test_predictions_are_what_the_evaluator_says(evaluator: str) -> None:
    found, aims = draughts_positions()
    one = player(evaluator)
    weights = np.random.default_rng(1).normal(0, 0.1, len(one.weights)).astype(np.float32)  # type: ignore[arg-type]
    vector = one.parts.vector
    assert vector is not None
    weights = vector.rounded(weights)
    scores = Player(one.parts, weights).values(found.states)
    assert data_of(one.parts, found, aims).predict(weights) == pytest.approx((scores + 1) / 2, abs=1e-5)


def test_weights_without_terms_or_a_gradient_are_refused() -> None:
    with pytest.raises(
        GameforgeError, match="learner: Plain has weights, but neither terms nor a gradient to fit them"
    ):
        require_slopes(parts(Plain()))


def test_one_weight_becomes_the_log_odds_of_the_results() -> None:
    """v = w wherever the bit is set: the least loss is where sigmoid(w) is the mean result."""
    found = positions([1] * 400, [1, 1, 1, 0] * 100, width=WORDS)
    state, _, fit = fitted(Bits(1), found)
    mean = float(fit.train.targets.mean())
    assert state.weights[0] == pytest.approx(math.log(mean / (1 - mean)), abs=1e-3)


def test_positions_count_as_often_as_they_stand_for() -> None:
    one = positions([1, 1] * 50, [1, 0] * 50, weights=[3, 1] * 50, width=WORDS)
    state, _, fit = fitted(Bits(1), one)
    mean = float(np.average(fit.train.targets, weights=fit.train.importance))
    assert state.weights[0] == pytest.approx(math.log(mean / (1 - mean)), abs=1e-3)
    assert mean > 0.6


def test_the_loss_falls_on_what_can_be_told_apart() -> None:
    """Bit 0 wins, bit 1 loses."""
    found = positions([1, 2] * 200, [1, 0] * 200, width=WORDS)
    heard: list[tuple[float, float]] = []
    settings = FitSettings(epochs=60, rate=0.01, decay=1.0, patience=60, weight_decay=0.0)
    fit = Fit(settings, parts(Bits(2)), found, np.random.SeedSequence(1), "toys")
    result = fit.run(FitState.begin(np.zeros(2, np.float32)), 1, lambda state, *losses: heard.append(losses))
    assert heard[0][0] == pytest.approx(math.log(2), abs=0.1)
    assert all(later < earlier for (earlier, _), (later, _) in itertools.pairwise(heard))
    assert result.test_loss < 0.1
    assert result.weights[0] == pytest.approx(-result.weights[1], abs=0.05)


def test_it_ends_where_the_validation_loss_no_longer_falls() -> None:
    """Results at random: more epochs only learn them by heart."""
    rng = np.random.default_rng(2)
    found = positions(rng.integers(0, 1 << 16, 200), rng.integers(0, 2, 200), width=WORDS)
    state, result, _ = fitted(
        Bits(16), found, FitSettings(blend=1.0, epochs=300, patience=5, rate=0.1, decay=1.0, weight_decay=0.0)
    )
    assert state.epoch == state.best_epoch + 5 < 300
    assert state.best.tobytes() == result.weights.tobytes() != state.weights.tobytes()


@pytest.mark.parametrize("evaluator", ["patterns", "mlp:hidden=4", "subboard"])
def test_threads_change_nothing(evaluator: str) -> None:
    found, _ = draughts_positions(1000)
    one = player(evaluator)
    assert one.weights is not None
    results = []
    for workers in (1, 2, 4):
        fit = Fit(FitSettings(epochs=3, batch=128), one.parts, found, np.random.SeedSequence(1), "toys")
        results.append(fit.run(FitState.begin(one.weights), workers).weights.tobytes())
    assert results[0] == results[1] == results[2] != one.weights.tobytes()


def test_stepped_weights_stay_as_they_are() -> None:
    """Neither the gradient nor the penalty changes them."""
    found = positions([1, 3] * 200, [1, 0] * 200, width=WORDS)
    bits = Bits(2, stepped=(SteppedWeight(place=1, low=-1, high=1, step=0.5),))
    settings = attrs.evolve(RESULTS_ONLY, weight_decay=10.0)
    fit = Fit(settings, parts(bits), found, np.random.SeedSequence(1), "toys")
    weights = fit.run(FitState.begin(np.array([0, 0.5], np.float32))).weights
    assert weights[1] == 0.5
    assert weights[0] < -0.1


def test_weights_are_returned_as_kernels_read_them() -> None:
    found = positions([1] * 400, [1, 1, 1, 0] * 100, width=WORDS)
    _, result, _ = fitted(Bits(1, step=0.5), found)
    assert result.weights.tolist() == [1.0]


def test_validation_is_by_game() -> None:
    rng = np.random.default_rng(4)
    found = positions(rng.integers(0, 4, 300), rng.integers(0, 2, 300), games=np.repeat(np.arange(30), 10), width=WORDS)
    fit = Fit(FitSettings(validation=0.2), parts(Bits(2)), found, np.random.SeedSequence(1), "toys")
    assert len(fit.test.targets) == 60
    assert len(fit.train.targets) == 240


def test_targets_blend_results_and_scores_but_for_what_oracles_know() -> None:
    found = positions([0] * 3, [1, 0, 0.5], scores=[0.5, 0.2, 1.0], exact=[0, 0, 1])
    assert targets(found, 0.75, False).tolist() == pytest.approx([0.875, 0.05, 1.0])


@given(st.floats(0.05, 40))
def test_the_scale_of_scores_is_found(scale: float) -> None:
    """Results are the scaled scores."""
    scores = np.linspace(0.4, 0.6, 41)
    assert score_scale(scores, scaled(scores, scale)) == pytest.approx(scale, rel=1e-6)


def test_scores_are_scaled_by_who_made_them() -> None:
    scores = np.tile(np.linspace(0.45, 0.55, 11), 2)
    results = np.concatenate([scaled(scores[:11], 8.0), scores[11:]])
    found = positions([0] * 22, results, scores=scores, sources=np.repeat([0, 1], 11))
    assert targets(found, 0.0, True) == pytest.approx(results, abs=1e-5)


def test_scores_that_tell_nothing_stay_as_they_are() -> None:
    assert score_scale(np.full(4, 0.5), np.array([0.0, 1, 1, 0])) == 1.0
    assert score_scale(np.array([0.4, 0.6]), np.array([1.0, 1.0])) == 1.0
    assert score_scale(np.zeros(0), np.zeros(0)) == 1.0


def test_the_calibration_table() -> None:
    predicted = np.array([0.0, 0.04, 0.52, 1.0], np.float32)
    found = calibration(predicted, np.array([0, 1, 0.5, 1], np.float32), np.array([1, 3, 1, 1], np.float32))
    assert found == {"positions": [4, 1, 1], "predicted": [0.03, 0.52, 1.0], "actual": [0.75, 0.5, 1.0]}


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (positions([1], [1], width=WORDS), r"toys: there is only one position; at least two games are needed"),
        (positions([1] * 9, [1] * 9, width=WORDS), r"toys: all 9 positions have the same target value, 1; there is"),
        (
            positions([1] * 9, [0] * 9, scores=[1e-6] * 9, width=WORDS),
            r"toys: all 9 positions have the same target value, 0; there is",
        ),
        (positions([1] * 4, [1, 0, 1, 0], games=[0] * 4, width=WORDS), "toys: all positions come from one game"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(found: Positions, message: str) -> None:
    with pytest.raises(GameforgeError, match=message):
        Fit(FitSettings(), parts(Bits(1)), found, np.random.SeedSequence(1), "toys")


def test_a_loss_that_is_not_a_number_ends_the_fit() -> None:
    found = positions([1, 2] * 50, [1, 0] * 50, width=WORDS)
    with pytest.raises(GameforgeError, match="toys: the loss is not a number in epoch 1; lower the rate, or check"):
        fitted(Bits(2, factor=math.nan), found)
