"""The net can learn: exclusive or by plain backpropagation with momentum ([Lynch1997], section 4.2)."""

import numpy as np
import pytest
from gameforge_eval_mlp.mlp import Mlp
from mlp_reference import Net, padding

PATTERNS = [((a, b), 0.9 if a != b else -0.9) for a in (-1, 1) for b in (-1, 1)]


def train(net: Net, epochs: int, rate: float = 0.05, momentum: float = 0.9) -> float:
    """Largest error after `epochs` passes, weights corrected after each pass."""
    step = np.zeros(len(net.weights), np.float32)
    for _ in range(epochs):
        correction = np.zeros(len(net.weights), np.float32)
        for x, target in PATTERNS:
            gradient = np.zeros(len(net.weights), np.float32)
            error = target - net.forward(np.array(x, np.float32))
            net.backward(gradient)
            correction += np.float32(error) * gradient
        step = np.float32(rate) * correction + np.float32(momentum) * step
        net.weights += step
    return max(abs(target - net.forward(np.array(x, np.float32))) for x, target in PATTERNS)


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_exclusive_or_is_learned(seed: int, direct: bool) -> None:
    net = Net(Mlp(hidden=4, direct=direct, low=-0.5, high=0.5), 2, seed)
    assert train(net, 0) > 0.5
    assert train(net, 500) < 0.01
    assert not net.weights[padding(net)].any()


def test_a_linear_net_learns_what_a_line_separates_and_nothing_else() -> None:
    net = Net(Mlp(hidden=0, direct=True, low=-0.5, high=0.5), 2)
    assert len(net.weights) == 3
    assert train(net, 500) > 0.5
    x = np.array([1.0, -1.0], np.float32)
    assert net.forward(x) == pytest.approx(np.tanh(net.weights @ np.array([1.0, 1.0, -1.0])), abs=1e-6)


def test_one_hidden_unit_is_not_enough() -> None:
    """Without direct links, four patterns that no line separates."""
    assert train(Net(Mlp(hidden=1, low=-0.5, high=0.5), 2), 500) > 0.5
