"""What the nets compute, and its gradient: against an independent twin, turned boards, the uncompiled functions."""

from typing import Any

import numpy as np
import pytest
from draughts_positions import positions
from gameforge_draughts.movegen import START, pieces, state_of, to_move
from gameforge_draughts.notation import parse_position
from gameforge_draughts.rules import Draughts
from gameforge_eval_subboard.subboard import Subboard
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from subboard_reference import value

from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import compiled_evaluator
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.testing.uncompiled import uncompiled

Floats = NDArray[np.float32]
KINDS = [(windows, piece_diff) for windows in (True, False) for piece_diff in (True, False)]


class Net:
    """A net with weights, on states."""

    def __init__(self, component: Subboard, seed: int = 0) -> None:
        self.functions = component.functions(Draughts(), None)
        self.weights = component.initial_weights(self.functions, np.random.default_rng(seed))
        self.compiled = compiled_evaluator(self.functions, self.weights)

    def score(self, state: State, evaluate: Any = None) -> float:
        function = self.compiled.evaluate if evaluate is None else evaluate
        words = np.array(state, np.uint64)
        return float(call(function, self.compiled.data, self.compiled.weights, words, self.compiled.inputs))

    def gradient(self, state: State, plain: Any = None, times: int = 1) -> Floats:
        """Of the score, with respect to the vector; added to the trace several times. plain: the uncompiled module."""
        vector, compiled = self.functions.vector, self.compiled
        assert vector is not None
        assert self.functions.gradient is not None
        function = compiled_function("gradient", self.functions.gradient) if plain is None else plain.gradient
        words, trace = np.array(state, np.uint64), np.zeros_like(compiled.weights)
        for _ in range(times):
            self.score(state, None if plain is None else plain.evaluate)
            call(function, compiled.data, compiled.weights, words, compiled.inputs, trace)
        return vector.gradient(self.weights, trace)


@pytest.mark.parametrize(("windows", "piece_diff"), KINDS)
@given(state=positions(), seed=st.integers(0, 1000), king=st.floats(1, 3), spread=st.sampled_from([0.05, 0.2, 1.0]))
def test_the_twin_agrees(windows: bool, piece_diff: bool, state: State, seed: int, king: float, spread: float) -> None:
    net = Net(Subboard(windows=windows, piece_diff=piece_diff, king=king, spread=spread), seed)
    assert net.score(state) == pytest.approx(
        value(net.weights, state, has_windows=windows, piece_diff=piece_diff), abs=1e-5
    )


@given(state=positions(), seed=st.integers(0, 1000), windows=st.booleans())
def test_a_turned_board_with_swapped_colours_has_the_same_score_to_the_bit(
    state: State, seed: int, windows: bool
) -> None:
    """The net sees the mover's side; which colour that is makes no difference."""
    net = Net(Subboard(windows=windows), seed)
    turned = {33 - square: (1 - colour, is_king) for square, (colour, is_king) in pieces(state).items()}
    assert net.score(state) == net.score(state_of(1 - to_move(state), turned))


def test_without_weights_the_piece_difference_alone_counts() -> None:
    net = Net(Subboard(spread=0.0, king=1.5))
    assert net.score(START) == 0
    assert net.score(parse_position("B:W21:B1,2")) == pytest.approx(np.tanh(1.0), abs=4e-7)
    assert net.score(parse_position("W:W21:B1,2")) == pytest.approx(np.tanh(-1.0), abs=4e-7)
    assert net.score(parse_position("B:W21:BK2")) == pytest.approx(np.tanh(0.5), abs=4e-7)
    assert Net(Subboard(spread=0.0, piece_diff=False)).score(parse_position("B:W21:B1,2")) == 0


def test_king_value_is_the_last_weight() -> None:
    net = Net(Subboard())
    state = parse_position("B:W21:BK2")
    for king in (1.0, 3.0):
        net.weights[5046] = king
        net.compiled = compiled_evaluator(net.functions, net.weights)
        assert net.score(state) == pytest.approx(value(net.weights, state), abs=1e-5)


@pytest.mark.parametrize("windows", [True, False])
@pytest.mark.parametrize("sign", [1, -1])
def test_saturated_nets_stay_within_the_limits(windows: bool, sign: int) -> None:
    net = Net(Subboard(windows=windows))
    net.weights[:-1] = sign * 100
    net.compiled = compiled_evaluator(net.functions, net.weights)
    for fen in ("B:W:BK1-12", "B:WK21-32:B", "B:W21-32:B1-12"):
        assert abs(net.score(parse_position(fen))) <= 1


@pytest.mark.parametrize(("windows", "piece_diff"), KINDS)
def test_uncompiled_functions_agree(windows: bool, piece_diff: bool) -> None:
    plain = uncompiled("gameforge_eval_subboard.subboard")
    net = Net(Subboard(windows=windows, piece_diff=piece_diff), 3)
    with np.errstate(over="ignore"):
        for fen in ("B:W21-32:B1-12", "W:W21-32:B1-12", "W:WK1,30:B9,K17", "B:WK21:BK5", "B:W32:B"):
            state = parse_position(fen)
            assert net.score(state, plain.evaluate) == pytest.approx(net.score(state), abs=5e-7)
            assert net.gradient(state, plain) == pytest.approx(net.gradient(state), abs=1e-6)


@pytest.mark.parametrize(("windows", "piece_diff"), KINDS)
@pytest.mark.parametrize("fen", ["B:W21-32:B1-12", "B:W22,K30:B9,K17,27", "W:WK5,K6:BK21"])
def test_the_gradient_is_the_slope_of_the_twin(windows: bool, piece_diff: bool, fen: str) -> None:
    """By differences in float64, for the weights of the output and some of each layer. That of K is left out."""
    net, state = Net(Subboard(windows=windows, piece_diff=piece_diff), 3), parse_position(fen)
    gradient, weights = net.gradient(state), net.weights.astype(np.float64)
    places = np.concatenate([np.arange(0, len(weights) - 13, 101), np.arange(len(weights) - 13, len(weights) - 1)])
    for place in places:
        step = np.zeros_like(weights)
        step[place] = 1e-5
        ends = [value(weights + h, state, has_windows=windows, piece_diff=piece_diff) for h in (step, -step)]
        assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-6, rel=1e-5)
    assert gradient.any()
    assert gradient[-1] == 0


@pytest.mark.parametrize("windows", [True, False])
def test_the_gradient_is_added_to_the_trace(windows: bool) -> None:
    net, state = Net(Subboard(windows=windows), 4), parse_position("W:W21-29,K32:B1-10,K14")
    assert net.gradient(state, times=3) == pytest.approx(3 * net.gradient(state), rel=1e-5, abs=1e-6)
