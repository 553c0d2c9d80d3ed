"""Evaluator material."""

from typing import Any

import numpy as np
import pytest
from draughts_positions import positions
from gameforge_draughts.evaluation import Material
from gameforge_draughts.movegen import START, pieces, state_of, to_move
from gameforge_draughts.notation import parse_position
from gameforge_draughts.rules import Draughts
from hypothesis import given

from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import Evaluator, EvaluatorFunctions
from gameforge.interfaces.rules import State
from gameforge.kernel.compile.functions import Function, compiled_function


def score(state: State, **weights: float) -> float:
    functions = Material(**weights).functions(Draughts(), None)
    assert isinstance(functions, EvaluatorFunctions)
    function: Any = compiled_function("evaluate", functions.evaluate)
    blocks = np.zeros(1, np.uint64), functions.weights, np.array(state, np.uint64), np.zeros(1, np.float32)
    if isinstance(function, Function):
        return float(function.python(*(block.ctypes.data for block in blocks if block is not None)))
    return float(function(*blocks))


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        ("B:W21-32:B1-12", 0.0),
        ("B:W21:B1,2", 1 / 36),
        ("W:W21:B1,2", -1 / 36),
        ("B:WK21:B1,2", 0.5 / 36),
        ("W:WK21,K22,23:BK5", 2.5 / 36),
        ("B:W:BK1-12", 0.5),
        ("W:W:BK1-12", -0.5),
    ],
)
def test_published_formula(fen: str, expected: float) -> None:
    assert score(parse_position(fen)) == expected


@given(positions())
def test_the_score_turns_with_the_side_to_move_and_stays_within_a_half(state: State) -> None:
    other_side = state_of(1 - to_move(state), pieces(state))
    assert score(state) == -score(other_side)
    assert abs(score(state)) <= 0.5


def test_only_the_ratio_of_the_weights_matters() -> None:
    state = parse_position("B:WK21,22:BK1,2,3")
    assert score(state, man=2.0, king=3.0) == score(state)
    assert score(state, man=1.0, king=1.0) == 1 / 24
    assert score(START, man=3.0) == 0.0


@pytest.mark.parametrize("man", [0.0, -1.0, float("nan"), float("inf"), 1e6, True, "1"])
def test_impossible_weights_are_refused(man: Any) -> None:
    with pytest.raises(GameforgeError, match=r"'man' must be a number from 0\.001 to 1000"):
        Material(man=man)


def test_material_is_an_evaluator() -> None:
    assert isinstance(Material(), Evaluator)
