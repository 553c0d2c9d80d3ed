"""Sizes, initial weights, learning rate groups, parameters."""

from typing import Any

import numpy as np
import pytest
from gameforge_eval_mlp.mlp import Mlp
from mlp_reference import Net, NoRules, kernel, padding

from gameforge.config import Spec, structure
from gameforge.errors import GameforgeError


@pytest.mark.parametrize(
    ("inputs", "hidden", "direct", "published"),
    [
        (47, 20, False, 981),  # LS-Draughts with all its features
        (37, 12, True, 507),  # NeuroDraughts as its creation file says
        (38, 12, True, 520),  # NeuroDraughts with the bits of its features
    ],
)
def test_the_nets_of_the_papers_have_their_sizes(inputs: int, hidden: int, direct: bool, published: int) -> None:
    """NeuroDraughts' direct links have a bias of their own, which this net leaves to the output's."""
    net = Net(Mlp(hidden=hidden, direct=direct), inputs)
    assert int((~padding(net)).sum()) == net.layers.count == published - direct


@pytest.mark.parametrize("hidden", [1, 8, 20])
@pytest.mark.parametrize("direct", [False, True])
def test_initial_weights_are_uniform_and_padding_is_zero(hidden: int, direct: bool) -> None:
    net = Net(Mlp(hidden=hidden, direct=direct, low=-0.1, high=0.3), 200)
    drawn = net.weights[~padding(net)]
    assert net.weights.dtype == np.float32
    assert not net.weights[padding(net)].any()
    assert net.functions.vector.unused == tuple(np.flatnonzero(padding(net)))
    assert np.float32(-0.1) <= drawn.min() < -0.09 < 0.29 < drawn.max() <= np.float32(0.3)
    deviation = 0.4 / 12**0.5
    assert abs(drawn.mean() - 0.1) < 4 * deviation / len(drawn) ** 0.5
    assert drawn.std() == pytest.approx(deviation, rel=0.2)
    assert len(np.unique(drawn)) > 0.99 * len(drawn)


def test_the_seed_decides_about_the_weights() -> None:
    weights = [Net(Mlp(), 47, seed).weights.tobytes() for seed in (1, 1, 2)]
    assert weights[0] == weights[1] != weights[2]


def test_the_default_is_the_net_of_ls_draughts() -> None:
    assert (Mlp().hidden, Mlp().direct, Mlp().low, Mlp().high) == (20, False, -0.2, 0.2)


@pytest.mark.parametrize("direct", [False, True])
def test_every_weight_has_one_learning_rate_group(direct: bool) -> None:
    """LRate1 for what leaves the inputs, LRate2 for what leaves the hidden units, biases included."""
    groups = kernel(Mlp(hidden=12, direct=direct), 38).groups
    assert [(group.source, group.fan_in) for group in groups] == [
        ("inputs", 38),
        ("hidden", 12),
        *([("inputs", 38)] if direct else []),
    ]
    edges = [0, *(group.stop for group in groups)]
    assert [group.start for group in groups] == edges[:-1]
    assert edges == [0, 39 * 16, 39 * 16 + 17, *([39 * 16 + 17 + 38] if direct else [])]


def test_without_a_feature_map_it_says_what_is_missing() -> None:
    rules: Any = NoRules()
    with pytest.raises(GameforgeError, match=r"mlp needs a feature map for its inputs; name one with features=\.\.\.$"):
        Mlp().functions(rules, None)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mlp:hidden=0", "evaluator.direct = false: must be true if hidden = 0"),
        ("mlp:hidden=1025", "evaluator.hidden = 1025: must be a number from 0 to 1024"),
        ("mlp:hidden=7.5", "evaluator.hidden = 7.5: must be an integer"),
        ("mlp:hiden=7", "evaluator.hiden: no such parameter (did you mean 'hidden'?)"),
        ("mlp:direct=1", "evaluator.direct = 1: must be true or false"),
        ("mlp:low=1.0", "evaluator.high = 0.2: must be >= low = 1.0"),
        ("mlp:high=inf", "evaluator.high = inf: must be a number from -100 to 100"),
        ("mlp:low=-inf", "evaluator.low = -inf: must be a number from -100 to 100"),
        ("mlp:low=nan", "evaluator.low = nan: must be a number from -100 to 100"),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(spec: str, message: str) -> None:
    with pytest.raises(GameforgeError) as error:
        structure(Mlp, Spec.parse(spec).params, "evaluator")
    assert str(error.value).startswith(message)
