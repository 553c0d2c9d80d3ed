"""Nets for the phases of a game that are trained as one."""

import numpy as np
import pytest
from gameforge_draughts.evaluation import NetFeatureMap
from gameforge_eval_mlp.mlp import Mlp
from gameforge_eval_mlp.modular import ModularMlp

import gameforge as gf
from gameforge.config import Spec, structure
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import NetFunctions
from gameforge.kernel.assembly import block, compiled_evaluator
from gameforge.kernel.compile.functions import call
from gameforge.kernel.context import CompiledEvaluator
from gameforge.testing.toy import Pile, Remainders

RULES = Pile()
BOUNDS = (3, 7)
"""Three modules: up to 2 stones, 3 to 6, 7 and more."""


def net_of(component: Mlp | ModularMlp) -> NetFunctions:
    return component.functions(RULES, Remainders().functions(RULES))


def scored(evaluator: CompiledEvaluator, stones: int) -> float:
    state = np.array([stones], np.uint64)
    call(evaluator.features, evaluator.features_data, state, evaluator.inputs)
    return float(call(evaluator.forward, evaluator.data, evaluator.weights, evaluator.inputs))


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize(("stones", "module"), [(1, 0), (2, 0), (3, 1), (6, 1), (7, 2), (9, 2)])
def test_the_module_of_the_phase_scores_and_learns(stones: int, module: int, direct: bool) -> None:
    modular = ModularMlp(bounds=BOUNDS, hidden=5, direct=direct)
    net, single = net_of(modular), net_of(Mlp(hidden=5, direct=direct))
    weights = modular.initial_weights(net, np.random.default_rng(1))
    assert len(weights) == net.weights == 3 * single.weights
    own = slice(module * single.weights, (module + 1) * single.weights)
    whole, part = compiled_evaluator(net, weights), compiled_evaluator(single, weights[own])
    assert scored(whole, stones) == scored(part, stones)
    trace, expected = np.zeros(net.weights, np.float32), np.zeros(single.weights, np.float32)
    call(whole.backward, whole.data, whole.weights, whole.inputs, trace)
    call(part.backward, part.data, part.weights, part.inputs, expected)
    assert expected.any()
    np.testing.assert_array_equal(trace[own], expected)
    trace[own] = 0
    assert not trace.any()


def test_learning_rates_and_padding_are_those_of_each_module() -> None:
    modular = ModularMlp(bounds=BOUNDS, hidden=5, direct=True)
    net, single = net_of(modular), net_of(Mlp(hidden=5, direct=True))
    assert [(group.stop - group.start, group.fan_in) for group in net.groups] == 3 * [
        (group.stop - group.start, group.fan_in) for group in single.groups
    ]
    assert [group.start for group in net.groups[1:]] == [group.stop for group in net.groups[:-1]]
    weights = modular.initial_weights(net, np.random.default_rng(1))
    assert not weights[list(net.unused)].any()
    assert np.count_nonzero(weights) == len(weights) - len(net.unused)


def test_limits_of_the_initial_weights_are_checked_like_those_of_one_net() -> None:
    with pytest.raises(GameforgeError, match=r"high = 0\.0: must be >= low = 1\.0"):
        structure(ModularMlp, {"bounds": [12], "low": 1.0, "high": 0.0})


def test_the_first_input_is_the_module() -> None:
    features = net_of(ModularMlp(bounds=BOUNDS)).features
    evaluator = compiled_evaluator(net_of(ModularMlp(bounds=BOUNDS)), None)
    assert features.inputs == 5
    call(evaluator.features, block(features.data), np.array([6], np.uint64), evaluator.inputs)
    assert evaluator.inputs[0] == 1


@pytest.mark.parametrize(("squares", "module"), [("W:W18,19:B14", 0), ("W:W18:B14", 1), ("W:W18:BK14,15", 2)])
@pytest.mark.parametrize("white_has_moved", [False, True])
def test_modules_by_the_balance_of_the_side_that_has_just_moved(
    squares: str, module: int, white_has_moved: bool
) -> None:
    """White is to move in the positions; with the colours exchanged Black is, and the balance is the same."""
    modular = ModularMlp(by="balance", bounds=(0, 1), features=Spec("netfeaturemap"))
    rules = gf.game("draughts").rules
    net = modular.functions(rules, NetFeatureMap().functions(rules))
    text = squares if not white_has_moved else squares.translate(str.maketrans("WB", "BW"))
    state = np.array(gf.game("draughts").position(text).state, np.uint64)
    evaluator = compiled_evaluator(net, None)
    call(evaluator.features, block(net.features.data), state, evaluator.inputs)
    assert evaluator.inputs[0] == module


@pytest.mark.parametrize("bounds", [(), (0,), (5, 5), (7, 3)])
def test_wrong_bounds_are_refused(bounds: tuple[int, ...]) -> None:
    with pytest.raises(GameforgeError, match="one or more numbers above 0 that ascend"):
        ModularMlp(bounds=bounds)
