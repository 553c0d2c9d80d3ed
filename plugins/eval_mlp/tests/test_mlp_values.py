"""forward and backward against the formula in float64."""

import numpy as np
import pytest
from gameforge_eval_mlp.mlp import Mlp
from hypothesis import given
from hypothesis import strategies as st
from mlp_reference import Net, finite_differences, legacy_gradient, padding
from numpy.typing import NDArray

from gameforge.testing.uncompiled import uncompiled

SIZES = [1, 7, 8, 20, 24, 40]
"""Hidden units: below, at and above the lanes, and at the border of the three-fold loop."""


def inputs_of(net: Net, rng: np.random.Generator) -> list[NDArray[np.float32]]:
    """Bits, as most feature maps give them, and any numbers."""
    return [
        rng.integers(0, 2, net.inputs).astype(np.float32),
        rng.uniform(-1, 1, net.inputs).astype(np.float32),
        np.zeros(net.inputs, np.float32),
        np.ones(net.inputs, np.float32),
    ]


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("hidden", SIZES)
@pytest.mark.parametrize("reach", [0.2, 1.0])
def test_forward_is_the_formula(hidden: int, direct: bool, reach: float) -> None:
    rng = np.random.default_rng(hidden)
    for inputs in (1, 2, 11, 47, 96):
        net = Net(Mlp(hidden=hidden, direct=direct, low=-reach, high=reach), inputs, seed=inputs)
        for x in inputs_of(net, rng):
            assert net.forward(x) == pytest.approx(net.layers.value(x), abs=2e-6)


@pytest.mark.parametrize("hidden", [20, 24, 40])
def test_leaving_out_inputs_of_0_changes_no_bit(hidden: int) -> None:
    """Of more than 64 inputs none is left out, and further inputs of 0 add nothing."""
    rng = np.random.default_rng(hidden)
    for inputs in (8, 47, 64):
        few, all_of_them = (Net(Mlp(hidden=hidden), n, seed=1) for n in (inputs, inputs + 64))
        stride = -(-hidden // 8) * 8
        all_of_them.weights[: inputs * stride] = few.weights[: inputs * stride]
        all_of_them.weights[(inputs + 64) * stride :] = few.weights[inputs * stride :]
        for _ in range(20):
            x = rng.choice([0.0, 0.0, 0.0, 0.0, 1.0, -0.7], inputs).astype(np.float32)
            assert few.forward(x) == all_of_them.forward(np.append(x, np.zeros(64, np.float32)))


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("hidden", SIZES)
def test_backward_is_the_gradient(hidden: int, direct: bool) -> None:
    rng = np.random.default_rng(hidden)
    for inputs in (1, 2, 11, 47):
        net = Net(Mlp(hidden=hidden, direct=direct, low=-0.5, high=0.5), inputs, seed=inputs)
        for x in inputs_of(net, rng)[:2]:
            expected = finite_differences(net.weights, inputs, hidden, direct, x)
            assert (np.abs(expected) > 1e-6).sum() >= hidden
            trace = np.zeros(len(net.weights), np.float32)
            net.forward(x)
            net.backward(trace)
            np.testing.assert_allclose(trace, expected, rtol=1e-4, atol=2e-6)
            assert not trace[padding(net)].any()


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("hidden", SIZES)
def test_the_legacy_trace_is_the_descendants(hidden: int, direct: bool) -> None:
    rng = np.random.default_rng(hidden)
    for inputs in (1, 2, 11, 47):
        net = Net(Mlp(hidden=hidden, direct=direct, low=-0.5, high=0.5, legacy_trace=True), inputs, seed=inputs)
        for x in inputs_of(net, rng):
            expected = legacy_gradient(net.weights, inputs, hidden, direct, x)
            trace = np.zeros(len(net.weights), np.float32)
            net.forward(x)
            net.backward(trace)
            np.testing.assert_allclose(trace, expected, rtol=1e-4, atol=2e-6)
            assert not trace[padding(net)].any()


def test_the_legacy_trace_differs_between_the_inputs_and_the_hidden_layer_only() -> None:
    traces = []
    for legacy in (False, True):
        net = Net(Mlp(hidden=20, direct=True, legacy_trace=legacy), 47)
        traces.append(np.zeros(len(net.weights), np.float32))
        net.forward(np.ones(47, np.float32))
        net.backward(traces[-1])
    second = net.functions.groups[1].start
    assert (traces[0][second:] == traces[1][second:]).all()
    assert (traces[0][:second] != traces[1][:second]).sum() == 48 * 20


def test_backward_adds_to_the_trace() -> None:
    net = Net(Mlp(hidden=9, direct=True), 6)
    x = np.array([0, 1, 0, 0.5, -1, 1], np.float32)
    once = np.zeros(len(net.weights), np.float32)
    net.forward(x)
    net.backward(once)
    more = np.full(len(net.weights), 2, np.float32)
    net.forward(x)
    net.backward(more)
    np.testing.assert_allclose(more, once + 2, atol=3e-7)


@given(hidden=st.integers(1, 50), inputs=st.integers(1, 60), direct=st.booleans(), seed=st.integers(0, 1000))
def test_negated_output_weights_negate_the_value_to_the_bit(hidden: int, inputs: int, direct: bool, seed: int) -> None:
    net = Net(Mlp(hidden=hidden, direct=direct, low=-1, high=1), inputs, seed)
    x = np.random.default_rng(seed).uniform(-1, 1, inputs).astype(np.float32)
    value = net.forward(x)
    assert -1 <= value <= 1
    second = net.functions.groups[1].start
    net.weights[second:] *= -1
    assert net.forward(x) == -value


def test_saturated_nets_stay_within_the_limits() -> None:
    net = Net(Mlp(hidden=20, direct=True, low=100, high=100), 47)
    trace = np.zeros(len(net.weights), np.float32)
    for x in (np.ones(47, np.float32), -np.ones(47, np.float32)):
        assert net.forward(x) == np.sign(x[0])
        net.backward(trace)
    assert not trace.any()


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize(("hidden", "direct"), [(1, False), (12, True), (20, False), (40, True)])
def test_uncompiled_functions_agree(hidden: int, direct: bool, legacy: bool) -> None:
    plain = uncompiled("gameforge_eval_mlp.mlp")
    backward = plain.legacy_backward if legacy else plain.backward
    net = Net(Mlp(hidden=hidden, direct=direct, legacy_trace=legacy), 11)
    data = net.functions.data
    for x in inputs_of(net, np.random.default_rng(1)):
        block = np.zeros_like(net.compiled.inputs)
        block[:11] = x
        assert float(plain.forward(data, net.weights, block)) == pytest.approx(net.forward(x), abs=3e-7)
        traces = np.zeros((2, len(net.weights)), np.float32)
        backward(data, net.weights, block, traces[0])
        net.backward(traces[1])
        np.testing.assert_allclose(traces[0], traces[1], atol=3e-7)
