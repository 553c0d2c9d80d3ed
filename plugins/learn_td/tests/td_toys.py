"""Feature maps and nets for Noughts, so that these tests need no other plugins."""

from typing import Any

import attrs
import numpy as np
from toy_contest import OnePly
from toy_games import Noughts

from gameforge.interfaces.evaluator import EvaluatorFunctions, NetFunctions, WeightGroup
from gameforge.interfaces.features import FeatureFunctions, Viewpoint
from gameforge.interfaces.rules import Rules
from gameforge.play.game import Game
from gameforge.play.parts import Parts

_1 = np.uint64(1)
CELLS = 9
INPUTS = 2 * CELLS


def features(fd: Any, s: Any, x: Any) -> None:
    """Cells of the side that has just moved, then cells of the other."""
    for i in range(CELLS):
        x[i] = np.float32(np.int64((s[1] >> np.uint64(i)) & _1))
        x[CELLS + i] = np.float32(np.int64((s[0] >> np.uint64(i)) & _1))


@attrs.frozen(kw_only=True)
class Cells:
    """A feature map; `viewpoint` only says how the value is read, the inputs stay the same."""

    viewpoint: Viewpoint = "just moved"
    function: Any = features
    compiled: bool = True

    def functions(self, rules: Rules) -> FeatureFunctions:
        return FeatureFunctions(inputs=INPUTS, viewpoint=self.viewpoint, features=self.function, compiled=self.compiled)


def forward(nd: Any, w: Any, x: Any) -> Any:
    """w . x + bias, through tanh unless nd[0] is 0; kept after the inputs."""
    value = np.float64(w[INPUTS])
    for i in range(INPUTS):
        value += np.float64(w[i]) * np.float64(x[i])
    if nd[0]:
        value = np.tanh(value)
    x[INPUTS] = np.float32(value)
    return value


def backward(nd: Any, w: Any, x: Any, trace: Any) -> None:
    slope = np.float32(1) - x[INPUTS] * x[INPUTS] if nd[0] else np.float32(1)
    for i in range(INPUTS):
        trace[i] += slope * x[i]
    trace[INPUTS] += slope


@attrs.frozen(kw_only=True)
class Perceptron:
    """A net without hidden layer; its bias counts as if it came from two hidden units."""

    squashed: bool = True
    reach: float = 0.2
    sign: float = 1.0
    """Multiplies the initial weights."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> NetFunctions:
        assert features is not None
        return NetFunctions(
            forward=forward,
            backward=backward,
            features=features,
            groups=(WeightGroup(0, INPUTS, "inputs", INPUTS), WeightGroup(INPUTS, INPUTS + 1, "hidden", 2)),
            scratch=1,
            data=np.array([self.squashed], np.uint64),
        )

    def initial_weights(self, net: NetFunctions, rng: np.random.Generator) -> Any:
        return (self.sign * rng.uniform(-self.reach, self.reach, net.weights)).astype(np.float32)

    def value(self, w: Any, x: Any) -> float:
        """The formula in float64."""
        total = float(w[:-1] @ x + w[-1])
        return float(np.tanh(total)) if self.squashed else total

    def gradient(self, w: Any, x: Any) -> Any:
        """d value / d weight in float64."""
        slope = 1 - self.value(w, x) ** 2 if self.squashed else 1.0
        return slope * np.append(x, 1.0)


def even(ed: Any, w: Any, s: Any, x: Any) -> Any:
    return 0.0


class Even:
    """An evaluator without weights."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(evaluate=even)


GAME = Game(Noughts())


def parts(net: Any = None, cells: Cells | None = None) -> Parts:
    """A whole pipeline's parts from the toys."""
    return Parts(GAME, OnePly(), net or Perceptron(), cells or Cells())
