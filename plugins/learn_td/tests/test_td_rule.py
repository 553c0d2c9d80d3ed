"""The learner's weights are those of NeuroDraughts' procedure, replayed in float64 over the games it played."""

import itertools
from typing import Any

import numpy as np
import pytest
from gameforge_learn_td.learner import TD
from td_reference import Course, Procedure, boards, reward, train
from td_toys import INPUTS, Cells, Perceptron, parts

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.play.parts import Parts


def replayed(course: Course, parts: Parts, procedure: Procedure, draw: float = 0.0) -> list[Any]:
    """Weights after each session."""
    weights = []
    for progress in course.sessions:
        for game in course.of("training", progress.session):
            procedure.play_again(boards(parts, game), reward(game, draw))
        weights.append(procedure.w.copy())
    return weights


def toy_procedure(course: Course, net: Perceptron, rate1: float = 0.0, rate2: float = 0.0, **td: Any) -> Procedure:
    rates = np.append(np.full(INPUTS, rate1 or 1 / INPUTS), rate2 or 1 / 2)
    initial = course.trained.initial_weights.astype(np.float64)
    return Procedure(value=net.value, gradient=net.gradient, w=initial, rates=rates, **td)


@pytest.mark.parametrize(
    "td",
    [
        {},
        {"momentum": 0.0},
        {"sign_test": False},
        {"lambda_": 0.0, "gamma": 1.0},
        {"lambda_": 1.0, "gamma": 0.5, "momentum": 0.5},
        {"rate1": 0.01},
        {"rate2": 0.3, "lambda_": 0.7},
    ],
    ids=str,
)
@pytest.mark.parametrize("draw", [0.0, -0.5, 1.0])
def test_a_toy_net_ends_with_the_procedures_weights(td: dict[str, Any], draw: float) -> None:
    """Wins, losses and draws. (With lambda 1 some seeds amplify rounding errors until a step changes its sign.)"""
    net, toys = Perceptron(), parts()
    course = train(toys, TD(sessions=3, games=20, draw=draw, **td), seed=7)
    assert {reward(game, draw=0.5) for game in course.of("training")} == {1.0, -1.0, 0.5}
    expected = replayed(course, toys, toy_procedure(course, net, **td), draw)
    for progress, weights in zip(course.sessions, expected, strict=True):
        np.testing.assert_allclose(progress.weights, weights, atol=5e-5)
    assert np.abs(expected[-1] - course.trained.initial_weights).max() > 0.05


def test_with_lambda_1_and_gamma_1_small_steps_follow_the_error_of_the_whole_game() -> None:
    """Sutton 1988: the corrections of TD(1) add up to those of supervised learning, sum (z - P_t) grad P_t."""
    rate, net, toys = 1e-4, Perceptron(reach=1.0), parts(Perceptron(reach=1.0))
    td = TD(sessions=1, games=1, lambda_=1.0, gamma=1.0, momentum=0.0, rate1=rate, rate2=rate)
    course = train(toys, td)
    (game,) = course.of("training")
    w = course.trained.initial_weights.astype(np.float64)
    z = reward(game)
    expected = rate * sum((z - net.value(w, x)) * net.gradient(w, x) for x in boards(toys, game))
    change = course.sessions[0].weights - course.trained.initial_weights
    np.testing.assert_allclose(change, expected, rtol=0.01, atol=1e-7)
    assert np.abs(expected).max() > rate / 10


def test_a_map_that_looks_from_the_side_to_move_learns_the_mirrored_net() -> None:
    """The same inputs read with the other sign: all weights change sign, to the bit; the games are the same."""
    settings = TD(sessions=3, games=10)
    just_moved = train(parts(), settings)
    to_move = train(parts(Perceptron(sign=-1), Cells(viewpoint="to move")), settings)
    assert [game.codes for game in to_move.games] == [game.codes for game in just_moved.games]
    for a, b in zip(just_moved.sessions, to_move.sessions, strict=True):
        assert (a.weights == -b.weights).all()


class Mlp64:
    """Evaluator mlp in float64, over weights in its vector's order (README of eval_mlp)."""

    def __init__(self, inputs: int, hidden: int, direct: bool) -> None:
        self.inputs, self.hidden, self.direct = inputs, hidden, direct
        self.stride = -(-hidden // 8) * 8
        self.second = (inputs + 1) * self.stride

    def _parts(self, w: Any) -> tuple[Any, Any, float, Any]:
        second = self.second + self.stride
        third = w[second + 1 :] if self.direct else np.zeros(self.inputs)
        return w[: self.second].reshape(-1, self.stride), w[self.second : second], w[second], third

    def _hidden(self, w: Any, x: Any) -> Any:
        return np.tanh(np.append(x, 1.0) @ self._parts(w)[0])

    def value(self, w: Any, x: Any) -> float:
        _, second, bias, third = self._parts(w)
        return float(np.tanh(self._hidden(w, x) @ second + bias + x @ third))

    def gradient(self, w: Any, x: Any) -> Any:
        """delta_j = f'(net_j) sum_k delta_k w_jk, as in the thesis (not as in its surviving code)."""
        slope, h = 1 - self.value(w, x) ** 2, self._hidden(w, x)
        first = np.outer(np.append(x, 1.0), slope * self._parts(w)[1] * (1 - h**2))
        third = slope * x if self.direct else []
        return np.concatenate([first.ravel(), slope * h, [slope], third])

    @property
    def rates(self) -> Any:
        rates = np.full(self.second + self.stride + 1 + self.direct * self.inputs, 1 / self.inputs)
        rates[self.second : self.second + self.stride + 1] = 1 / self.hidden
        return rates


@pytest.mark.parametrize(
    ("hidden", "direct", "features", "inputs", "td"),
    [
        (20, False, "netfeaturemap", 47, {}),
        (12, True, "netfeaturemap:set=neurodraughts", 38, {"lambda_": 0.3}),
        (7, True, "directmap", 32, {"momentum": 0.0, "gamma": 1.0}),
    ],
)
def test_a_net_that_plays_draughts_ends_with_the_procedures_weights(
    hidden: int, direct: bool, features: str, inputs: int, td: dict[str, Any]
) -> None:
    evaluator = f"mlp:hidden={hidden},direct={str(direct).lower()}"
    try:
        pipeline = gf.Pipeline(
            game="draughts", searcher="minimax:depth=2", evaluator=evaluator, features=features, oracle="none"
        )
    except GameforgeError as error:
        pytest.skip(str(error))
    draughts = pipeline.parts()
    course = train(draughts, TD(sessions=2, games=6, **td))
    net = Mlp64(inputs, hidden, direct)
    initial = course.trained.initial_weights.astype(np.float64)
    procedure = Procedure(value=net.value, gradient=net.gradient, w=initial, rates=net.rates, **td)
    for progress, weights in zip(course.sessions, replayed(course, draughts, procedure), strict=True):
        np.testing.assert_allclose(progress.weights, weights, atol=1e-4)
    assert np.abs(procedure.w - initial).max() > 0.05
    moves = itertools.chain.from_iterable(game.codes for game in course.of("training"))
    assert sum(1 for _ in moves) > 300
