"""A plugin in which the best parameters are known: a game, its players, and an evaluator with a number.

Each side throws once at a target, and who comes nearer wins. A thrower misses by its faults, which are how far its
parameters are from BEST, and by chance.
"""

import time
from typing import Any

import attrs
import numpy as np

from gameforge import Component, hookimpl
from gameforge.config import Spec
from gameforge.interfaces.evaluator import EvaluatorFunctions, NetFunctions, WeightGroup
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import DrawRules, Rules, RulesFunctions, State
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel.abi import DRAW, LOSS, RUNNING, WIN
from gameforge.kernel.answer import write_move
from gameforge.kernel.bits import at
from gameforge.kernel.random import below

_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)
BEST = {"searcher.aim": 0.7, "searcher.power": 12}
_FAR = 256


def gen(rules: Any, s: Any, moves: Any) -> Any:
    """s: how far off the first side was, the second, throws made."""
    if s[2] == _2:
        return _0
    for i in range(_FAR):
        moves[i] = np.uint64(i)
    return np.uint64(_FAR)


def play(rules: Any, s: Any, m: Any, child: Any) -> None:
    child[0], child[1] = s[0], s[1]
    child[np.int64(s[2])] = m
    child[2] = s[2] + _1


def outcome(rules: Any, s: Any, n_moves: Any) -> Any:
    if s[2] < _2:
        return RUNNING
    return DRAW if s[0] == s[1] else WIN if s[0] < s[1] else LOSS


class Target:
    name = "target"
    sides = ("First", "Second")
    reasons = ("thrown",)
    draws = DrawRules(max_plies=3)

    def functions(self) -> RulesFunctions:
        return RulesFunctions(words=3, max_moves=_FAR, gen=gen, play=play, outcome=outcome)

    def initial(self) -> State:
        return (0, 0, 0)

    def side_to_move(self, state: State) -> int:
        return state[2] % 2


def search(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """limits: -, fault, chance."""
    off = np.uint64(limits[1]) + below(at(ctx.rng, _0), np.uint64(limits[2]))
    write_move(out, off, _1)
    return 0.0


@attrs.frozen(kw_only=True)
class Thrower:
    aim: float = attrs.field(default=0.2, validator=[attrs.validators.ge(0), attrs.validators.le(1)])
    power: int = attrs.field(default=3, validator=[attrs.validators.ge(0), attrs.validators.le(20)])
    chance: int = 8
    hand: str = "left"
    calm: bool = True
    pause: float = 0.0
    """Seconds that it takes to take it in hand."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        time.sleep(self.pause)
        fault = 100 * abs(self.aim - BEST["searcher.aim"]) + 4 * abs(self.power - BEST["searcher.power"])
        return SearcherFunctions(search=search, limits=(1, round(fault), self.chance), stack=1, scores=0)


def evaluate(ed: Any, w: Any, s: Any, x: Any) -> Any:
    return 0.0


@attrs.frozen(kw_only=True)
class Eye:
    """An evaluator with a numeric parameter that has no effect."""

    sharpness: float = 0.5

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(evaluate=evaluate)


def throws(fd: Any, s: Any, x: Any) -> None:
    x[0] = np.float32(s[2])


class Throws:
    """Features."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        return FeatureFunctions(inputs=1, viewpoint="to move", features=throws)


def forward(nd: Any, w: Any, x: Any) -> Any:
    return np.float64(w[0] * x[0]) / 16


def backward(nd: Any, w: Any, x: Any, trace: Any) -> None:
    trace[0] += x[0] / np.float32(16)


@attrs.frozen(kw_only=True)
class Brain:
    """A net of one weight, drawn from -scale to scale."""

    scale: float = 1.0
    features: Spec | None = None

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> NetFunctions:
        assert features is not None
        groups = (WeightGroup(0, 1, "inputs", 1),)
        return NetFunctions(forward=forward, backward=backward, features=features, groups=groups, scratch=0)

    def initial_weights(self, net: NetFunctions, rng: np.random.Generator) -> Any:
        return rng.uniform(-self.scale, self.scale, net.weights).astype(np.float32)


@hookimpl
def gameforge_components() -> list[Component]:
    offered = {"rules": (Target,), "searcher": (Thrower,), "evaluator": (Eye, Brain), "features": (Throws,)}
    return [
        Component(kind, cls.__name__.lower(), f"{__name__}:{cls.__name__}", "a toy")
        for kind, classes in offered.items()
        for cls in classes
    ]
