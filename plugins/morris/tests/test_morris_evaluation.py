"""Evaluators and feature maps, against counts made by hand and by the reference."""

from typing import Any

import numpy as np
import pytest
from gameforge_morris.cells import SYMMETRIES
from gameforge_morris.evaluation import MOST_MILLS, MOST_STEPS, BoardBits, Material, Mills, Mobility, Points, Weighted
from gameforge_morris.movegen import MOST_MEN, NAMES
from gameforge_morris.rules import Morris
from hypothesis import given
from hypothesis import strategies as st
from morris_positions import as_reference, positions
from morris_reference import EDGES, MILLS, POINTS

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import HEURISTIC_LIMIT
from gameforge.interfaces.rules import State
from gameforge.testing.uncompiled import uncompiled

RULES = Morris()
EVALUATORS = uncompiled("gameforge_morris.evaluation")
FEATURES = uncompiled("gameforge_morris.evaluation")


def scored(evaluator: Any, state: State) -> float:
    functions = evaluator.functions(RULES, None)
    x = np.zeros(1, np.float32)
    with np.errstate(over="ignore"):
        return float(
            getattr(EVALUATORS, functions.evaluate.__name__)(
                functions.data, functions.weights, np.array(state, np.uint64), x
            )
        )


def differences(state: State) -> tuple[int, int, int]:
    """Return (men, mills, steps) of the side to move minus those of the other side, by the reference."""
    placed, hands, side = as_reference(state)
    sums = []
    for colour in (side, 1 - side):
        own = {point for point, owner in placed.items() if owner == colour}
        mills = sum(own >= set(mill) for mill in MILLS)
        free = set(POINTS) - set(placed)
        steps = sum(len(edge & own) == 1 and len(edge & free) == 1 for edge in EDGES)
        sums.append((len(own) + hands[colour], mills, steps))
    own_sums, opp_sums = sums
    return own_sums[0] - opp_sums[0], own_sums[1] - opp_sums[1], own_sums[2] - opp_sums[2]


@given(positions(MOST_MEN))
def test_evaluators_agree_with_the_reference(state: State) -> None:
    men, mills, steps = differences(state)
    for evaluator, value in (
        (Material(), men / MOST_MEN),
        (Mills(), mills / MOST_MILLS),
        (Mobility(), steps / MOST_STEPS),
    ):
        assert scored(evaluator, state) == pytest.approx(value * HEURISTIC_LIMIT, abs=1e-6)
    bound = 2 * MOST_MEN + 0.5 * MOST_MILLS + 0.125 * MOST_STEPS
    expected = (2 * men + 0.5 * mills + 0.125 * steps) / bound
    assert scored(Weighted(man=2, mill=0.5, step=0.125), state) == pytest.approx(expected, abs=2e-6)


@given(positions(MOST_MEN), st.integers(0, SYMMETRIES.count - 1))
def test_scores_are_heuristic_and_do_not_change_under_symmetries(state: State, i: int) -> None:
    for evaluator in (Material(), Mills(), Mobility(), Weighted()):
        score = scored(evaluator, state)
        assert -1 < score < 1
        assert scored(evaluator, SYMMETRIES.state_image(state, i)) == score


def test_weights_that_are_refused() -> None:
    with pytest.raises(GameforgeError, match=r"'mill' must be a number from 0 to 1000 \(got -1\)"):
        Weighted(mill=-1)
    with pytest.raises(GameforgeError, match="must not all be 0"):
        Weighted(man=0, mill=0, step=0).functions(RULES, None)


def inputs(features: Any, state: State) -> dict[str, float]:
    functions = features.functions(RULES)
    x = np.full(functions.inputs, np.nan, np.float32)
    with np.errstate(over="ignore"):
        getattr(FEATURES, functions.features.__name__)(np.zeros(1, np.uint64), np.array(state, np.uint64), x)
    assert len(functions.names) == functions.inputs
    return dict(zip(functions.names, x.tolist(), strict=True))


@given(positions())
def test_board_bits_are_those_of_the_side_that_has_moved(state: State) -> None:
    placed, hands, side = as_reference(state)
    mover = 1 - side
    x = inputs(BoardBits(), state)
    assert len(x) == 58
    for name in NAMES:
        assert x[f"own {name}"] == (placed.get(name) == mover)
        assert x[f"opponent's {name}"] == (placed.get(name) == side)
    for whose, colour in (("own", mover), ("opponent's", side)):
        assert sum(weight * x[f"{whose} hand {weight}"] for weight in (1, 2, 4, 8)) == hands[colour]
    assert x["placing"] == any(hands)
    assert x["White"] == (mover == 0)


@given(positions())
def test_points_are_those_of_the_side_that_has_moved(state: State) -> None:
    placed, _, side = as_reference(state)
    x = inputs(Points(), state)
    for name in NAMES:
        assert x[name] == {None: 0, side: -1, 1 - side: 1}[placed.get(name)]
    men = differences(state)[0]
    assert x["own men"] - x["opponent's men"] == pytest.approx(-men / MOST_MEN, abs=1e-6)


@pytest.mark.parametrize("component", [Material(), Mills(), Mobility(), Weighted()], ids=lambda c: type(c).__name__)
def test_another_game_is_refused_by_evaluators(component: Any) -> None:
    with pytest.raises(GameforgeError, match="needs the board of morris"):
        component.functions(Another(), None)


@pytest.mark.parametrize("component", [BoardBits(), Points()], ids=lambda c: type(c).__name__)
def test_another_game_is_refused_by_feature_maps(component: Any) -> None:
    with pytest.raises(GameforgeError, match="needs the board of morris"):
        component.functions(Another())


class Another:
    name = "another"


def test_the_initial_position_is_even() -> None:
    game = gf.game("morris")
    player = gf.player(game, searcher="minimax:depth=1", evaluator="material")
    assert player.analyse(game.position()).score == 0
