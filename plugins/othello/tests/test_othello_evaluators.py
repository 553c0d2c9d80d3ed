"""Evaluators wpc, material and mobility; feature maps boardbits and discs."""

from typing import Any

import numpy as np
import pytest
from gameforge_othello.evaluation import STANDARD, BoardBits, Discs, Material, Mobility, Wpc
from gameforge_othello.movegen import NAMES, SQUARES, START, state_of
from gameforge_othello.notation import position_text
from gameforge_othello.rules import Othello
from hypothesis import given
from othello_positions import parse_position, positions
from othello_reference import board_of, turns

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import HEURISTIC_LIMIT, Evaluator, EvaluatorFunctions
from gameforge.interfaces.rules import State
from gameforge.kernel.compile.functions import Function, compiled_function
from gameforge.testing import check

RULES = Othello()


def called(name: str, function: Any, *blocks: Any) -> Any:
    compiled: Any = compiled_function(name, function)
    if isinstance(compiled, Function):
        return compiled.python(*(block.ctypes.data for block in blocks))
    return compiled(*blocks)


def score(evaluator: Evaluator, state: State) -> float:
    functions = evaluator.functions(RULES, None)
    assert isinstance(functions, EvaluatorFunctions)
    weights = np.zeros(1, np.float32) if functions.weights is None else functions.weights
    blocks = np.zeros(1, np.uint64), weights, np.array(state, np.uint64), np.zeros(1, np.float32)
    return float(called("evaluate", functions.evaluate, *blocks))


def inputs(features: Any, state: State) -> list[float]:
    functions = features.functions(RULES)
    x = np.full(functions.inputs + 1, 7, np.float32)
    called("features", functions.features, np.zeros(1, np.uint64), np.array(state, np.uint64), x)
    assert x[-1] == 7
    assert len(functions.names) == functions.inputs
    return list(map(float, x[:-1]))


def test_the_standard_table_is_the_published_one() -> None:
    rows = [STANDARD[8 * row : 8 * row + 8] for row in range(8)]
    assert rows[0] == (1.0, -0.25, 0.1, 0.05, 0.05, 0.1, -0.25, 1.0)
    assert rows[1] == (-0.25, -0.25, 0.01, 0.01, 0.01, 0.01, -0.25, -0.25)
    assert rows[2] == (0.1, 0.01, 0.05, 0.02, 0.02, 0.05, 0.01, 0.1)
    assert rows[3] == (0.05, 0.01, 0.02, 0.01, 0.01, 0.02, 0.01, 0.05)
    assert rows[4:] == rows[3::-1]


@given(positions())
def test_wpc_is_the_weighted_sum_over_the_largest_possible(state: State) -> None:
    weights = np.random.default_rng(1).uniform(-1, 1, SQUARES)
    signs = [(state[0] >> i & 1) - (state[1] >> i & 1) for i in range(SQUARES)]
    for table in (np.array(STANDARD), weights):
        expected = HEURISTIC_LIMIT * float(table @ signs) / np.abs(table).sum()
        assert score(Wpc(weights=tuple(table.tolist())), state) == pytest.approx(expected, abs=1e-6)


@given(positions())
def test_scores_turn_with_the_side_to_move_and_stay_heuristic(state: State) -> None:
    own, opp, side = state
    for evaluator in (Wpc(), Material(), Mobility()):
        here = score(evaluator, state)
        assert score(evaluator, (opp, own, 1 - side)) == -here
        assert score(evaluator, (own, opp, 1 - side)) == here
        assert abs(here) < 1


def test_learned_weights_score_like_given_ones() -> None:
    """A player's own 64 weights are unpacked into the same block as fixed weights."""
    functions = Wpc(learned=True).functions(RULES, None)
    assert functions.weights is None
    assert functions.vector is not None
    assert functions.vector.length == SQUARES
    drawn = Wpc(learned=True).initial_weights(functions, np.random.default_rng(1))
    assert drawn.dtype == np.float32
    assert -1 <= drawn.min() < -0.9 < 0.9 < drawn.max() <= 1
    fixed = Wpc(weights=tuple(drawn.tolist())).functions(RULES, None)
    np.testing.assert_array_equal(functions.vector.block(drawn), fixed.weights)
    assert not functions.vector.block(np.zeros(SQUARES, np.float32)).any()
    player = gf.player("othello", searcher="minimax:depth=1", evaluator="wpc:learned=true", seed=3)
    assert player.weights is not None
    assert len(player.weights) == SQUARES


@given(positions())
def test_the_gradient_is_the_slope_of_the_weighted_sum(state: State) -> None:
    functions = Wpc(learned=True).functions(RULES, None)
    assert functions.vector is not None
    assert functions.gradient is not None
    weights = np.random.default_rng(2).uniform(-1, 1, SQUARES)
    signs = [(state[0] >> i & 1) - (state[1] >> i & 1) for i in range(SQUARES)]
    block = functions.vector.block(weights.astype(np.float32))
    trace = np.zeros_like(block)
    blocks = np.zeros(1, np.uint64), block, np.array(state, np.uint64), np.zeros(1, np.float32), trace
    called("gradient", functions.gradient, *blocks)
    slopes = []
    for step in 1e-6 * np.eye(SQUARES):
        ends = [HEURISTIC_LIMIT * float(w @ signs) / np.abs(w).sum() for w in (weights + step, weights - step)]
        slopes.append((ends[0] - ends[1]) / 2e-6)
    assert functions.vector.gradient(weights.astype(np.float32), trace) == pytest.approx(slopes, abs=1e-6)


def test_the_contract_of_learned_weights() -> None:
    check("evaluator", "wpc:learned=true", game="othello").require()


def test_only_the_ratios_of_the_weights_matter() -> None:
    state = parse_position("f5d6c3d3c4")
    assert score(Wpc(weights=tuple(4 * weight for weight in STANDARD)), state) == score(Wpc(), state)


def test_the_largest_scores() -> None:
    full = state_of(2**SQUARES - 1, 0, 0)
    assert score(Material(), full) == HEURISTIC_LIMIT
    good = sum(1 << i for i, weight in enumerate(STANDARD) if weight > 0)
    best = state_of(good, 2**SQUARES - 1 - good, 0)
    assert score(Wpc(), best) == pytest.approx(HEURISTIC_LIMIT, abs=1e-6)
    assert score(Wpc(), best) < 1


@given(positions())
def test_material_and_mobility_are_counted(state: State) -> None:
    text = position_text(state)
    own, opp, side = state
    assert score(Material(), state) == pytest.approx((own.bit_count() - opp.bit_count()) / 64, abs=2e-6)
    counts = []
    for turned in (text, position_text((opp, own, 1 - side))):
        counts.append(len([name for name, _ in turns(board_of(turned)) if name != "pass"]))
    assert score(Mobility(), state) == pytest.approx((counts[0] - counts[1]) / 60, abs=2e-6)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ((1.0,) * 63, "'weights' must be 64 numbers, row by row from a1, not 63"),
        ((0.0,) * 64, "'weights' must lie between .*, with one at least 0.000001 from 0"),
        ((float("nan"),) * 64, "'weights' must lie between"),
        ((1e7,) * 64, "'weights' must lie between -1000000 and 1000000"),
    ],
)
def test_impossible_weights_are_refused(weights: tuple[float, ...], message: str) -> None:
    with pytest.raises(GameforgeError, match=message):
        Wpc(weights=weights)


def test_weights_can_be_given_in_a_pipeline() -> None:
    spec = {"use": "wpc", "weights": list(STANDARD)}
    player = gf.player("othello", searcher="minimax:depth=2", evaluator=spec)
    same = gf.player("othello", searcher="minimax:depth=2", evaluator="wpc")
    position = player.game.position("f5d6c3d3c4")
    assert player.analyse(position).score == same.analyse(position).score


@given(positions())
def test_features_see_the_board_from_the_side_that_has_just_moved(state: State) -> None:
    opponent, own, _ = state
    bits = inputs(BoardBits(), state)
    assert bits[:64] == [own >> i & 1 for i in range(64)]
    assert bits[64:] == [opponent >> i & 1 for i in range(64)]
    assert inputs(Discs(), state) == [(own >> i & 1) - (opponent >> i & 1) for i in range(64)]
    for features in (BoardBits(), Discs()):
        assert features.functions(RULES).viewpoint == "just moved"


def test_names_of_features() -> None:
    assert BoardBits().functions(RULES).names[63:65] == ("own h8", "opponent's a1")
    assert Discs().functions(RULES).names == NAMES
    assert sum(inputs(Discs(), START)) == 0


@pytest.mark.parametrize("component", [Wpc(), Material(), Mobility(), BoardBits(), Discs()])
def test_components_accept_only_othello(component: Any) -> None:
    class Elsewhere:
        name = "elsewhere"

    arguments = (Elsewhere(),) if isinstance(component, BoardBits | Discs) else (Elsewhere(), None)
    with pytest.raises(GameforgeError, match="needs the board of othello, not of elsewhere"):
        component.functions(*arguments)
