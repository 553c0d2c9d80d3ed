"""The net's formula in float64, from the README: nothing of the plugin's arithmetic is used."""

from typing import Any

import attrs
import numpy as np
from gameforge_eval_mlp.mlp import Mlp
from numpy.typing import NDArray

from gameforge.interfaces.evaluator import NetFunctions
from gameforge.interfaces.features import FeatureFunctions
from gameforge.kernel.assembly import compiled_evaluator
from gameforge.kernel.compile.functions import call

Numbers = NDArray[np.float64]
LANES = 8


def _no_features(fd: Any, s: Any, x: Any) -> None:
    return


class NoRules:
    """The net does not look at the rules."""


def kernel(component: Mlp, inputs: int) -> NetFunctions:
    features = FeatureFunctions(inputs=inputs, viewpoint="to move", features=_no_features)
    rules: Any = NoRules()
    return component.functions(rules, features)


@attrs.frozen(eq=False)
class Layers:
    """Weights of a net by layers, padding left out, float64."""

    first: Numbers
    """[inputs + 1, hidden]; the last row is the bias."""
    second: Numbers
    """[hidden + 1]; the last is the bias."""
    third: Numbers
    """[inputs]; zeros without direct links."""

    @classmethod
    def of(cls, weights: NDArray[Any], inputs: int, hidden: int, direct: bool) -> "Layers":
        """From the vector that the README describes."""
        stride = -(-hidden // LANES) * LANES
        rows = weights[: (inputs + 1) * stride].reshape(inputs + 1, stride)
        rest = weights[(inputs + 1) * stride :]
        second = np.append(rest[:hidden], rest[stride])
        third = rest[stride + 1 :] if direct else np.zeros(inputs)
        assert len(third) == inputs
        return cls(*(part.astype(np.float64) for part in (rows[:, :hidden], second, third)))

    def value(self, x: NDArray[Any]) -> float:
        """P = tanh(sum_i W2_i H_i + sum_j W3_j x_j), H_i = tanh(sum_j W1_ji x_j)."""
        hidden = np.tanh(np.append(x, 1.0) @ self.first)
        return float(np.tanh(np.append(hidden, 1.0) @ self.second + x @ self.third))

    @property
    def count(self) -> int:
        """Weights with a meaning; direct links count if there are any."""
        return self.first.size + self.second.size + (self.third.size if self.third.any() else 0)


def finite_differences(weights: NDArray[Any], inputs: int, hidden: int, direct: bool, x: NDArray[Any]) -> Numbers:
    """d value / d weight by central differences in float64; 0 where the formula does not read a weight."""
    step = 1e-6
    vector = weights.astype(np.float64)
    gradient = np.zeros_like(vector)
    for i in range(len(vector)):
        ends = []
        for sign in (1, -1):
            moved = vector.copy()
            moved[i] += sign * step
            ends.append(Layers.of(moved, inputs, hidden, direct).value(x))
        gradient[i] = (ends[0] - ends[1]) / (2 * step)
    return gradient


def legacy_gradient(weights: NDArray[Any], inputs: int, hidden: int, direct: bool, x: NDArray[Any]) -> Numbers:
    """The formula of the descendants' code (`legacy_backward`), weight by weight, in vector order."""
    layers = Layers.of(weights, inputs, hidden, direct)
    stride = -(-hidden // LANES) * LANES
    units = [float(np.tanh(np.append(x, 1.0) @ layers.first[:, i])) for i in range(hidden)]
    p = layers.value(x)
    gradient = [0.0] * len(weights)
    for j, value in enumerate([*map(float, x), 1.0]):
        for i, h in enumerate(units):
            gradient[j * stride + i] = (1 - p * p) * float(layers.first[j, i]) * (1 - h * h) * value
    second = (inputs + 1) * stride
    for i, h in enumerate(units):
        gradient[second + i] = (1 - p * p) * h
    gradient[second + stride] = 1 - p * p
    if direct:
        for j, value in enumerate(x):
            gradient[second + stride + 1 + j] = (1 - p * p) * float(value)
    return np.array(gradient)


class Net:
    """The plugin's compiled functions on arrays."""

    def __init__(self, component: Mlp, inputs: int, seed: int = 0) -> None:
        self.component, self.inputs = component, inputs
        self.functions = kernel(component, inputs)
        self.weights = component.initial_weights(self.functions, np.random.default_rng(seed))
        self.compiled = compiled_evaluator(self.functions, self.weights)

    @property
    def layers(self) -> Layers:
        return Layers.of(self.weights, self.inputs, self.component.hidden, self.component.direct)

    def forward(self, x: NDArray[Any]) -> float:
        self.compiled.inputs[: self.inputs] = x
        return float(call(self.compiled.forward, self.compiled.data, self.weights, self.compiled.inputs))

    def backward(self, trace: NDArray[np.float32]) -> None:
        """Adds the gradient of the last forward to the trace."""
        call(self.compiled.backward, self.compiled.data, self.weights, self.compiled.inputs, trace)


def padding(net: Net) -> NDArray[np.bool_]:
    """Which places of the weight vector no formula reads."""
    hidden, stride = net.component.hidden, -(-net.component.hidden // LANES) * LANES
    is_padding = np.zeros(len(net.weights), bool)
    rows = is_padding[: (net.inputs + 2) * stride].reshape(net.inputs + 2, stride)  # W1, its bias, W2
    rows[:, hidden:] = True
    return is_padding
