"""The evaluator `modular-mlp`: a net `mlp` for each phase of the game, trained together ([Lynch1997], section 5.3).

The phase is determined by the number of occupied cells, or by the balance of pieces; every game with the capability
`cells` knows both. It is the first input; the inputs of the feature map follow. Only the module whose phase it is
scores a position and learns from it. Weights are those of the modules, one after the other.
"""

import itertools
from typing import Literal

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import Cells, FeatureFunctions, NetFunctions, Rules, WeightGroup, capability, kinds
from gameforge.kernel import U0, U1, FloatArray, Floats, Score, Words, assembly, at, bits, inline, popcount, specialised
from gameforge_eval_mlp.mlp import OneLayer

_PLANES, _CELLS, _INNER, _BOUNDS, _OPPONENTS, _FIRST = (np.uint64(i) for i in range(6))
"""Block of the features: number of planes, places of the data of the cells and of the feature map, number of bounds,
bits of the planes whose pieces count against the others, and the bounds."""


@inline
def cells(data: Words, s: Words, planes: Words) -> None:
    """Replaced by the game's own function."""
    planes[0] = U0


@inline
def inner_features(data: Words, s: Words, x: Floats) -> None:
    """Replaced by the feature map."""
    x[0] = np.float32(0)


def features(fd: Words, s: Words, x: Floats) -> None:
    planes = bits.as_words(x)
    cells(at(fd, fd[_CELLS]), s, planes)
    pieces, module = np.int64(0), U0
    for i in range(fd[_PLANES]):
        number = np.int64(popcount(planes[i]))
        pieces += -number if fd[_OPPONENTS] >> np.uint64(i) & U1 else number
    for i in range(fd[_BOUNDS]):
        if pieces >= np.int64(fd[_FIRST + i]):
            module += U1
    inner_features(at(fd, fd[_INNER]), s, at(x, U1))
    x[0] = np.float32(module)


@inline
def module_forward(nd: Words, w: Floats, x: Floats) -> Score:
    """Replaced by that of the modules."""
    return np.float64(0)


@inline
def module_backward(nd: Words, w: Floats, x: Floats, trace: Floats) -> None:
    """Replaced by that of the modules."""
    trace[0] = np.float32(0)


def forward(nd: Words, w: Floats, x: Floats) -> Score:
    return module_forward(at(nd, U1), at(w, np.uint64(x[0]) * nd[0]), at(x, U1))


def backward(nd: Words, w: Floats, x: Floats, trace: Floats) -> None:
    first = np.uint64(x[0]) * nd[0]
    module_backward(at(nd, U1), at(w, first), at(x, U1), at(trace, first))


def _ascending(instance: "ModularMlp", attribute: "attrs.Attribute[tuple[int, ...]]", value: tuple[int, ...]) -> None:
    least, allowed = ((), "numbers") if instance.by == "balance" else ((0,), "numbers above 0")
    if not value or any(before >= after for before, after in itertools.pairwise((*least, *value))):
        raise GameforgeError(f"'{attribute.name}' must be one or more {allowed} that ascend (got {value!r})")


@attrs.frozen(kw_only=True)
class ModularMlp(OneLayer):
    """The component. The other parameters are those of each module."""

    by: Literal["pieces", "balance"] = "pieces"
    """What decides which module scores. pieces: the number of occupied cells. balance: the pieces of the side that has
    just moved minus the opponent's, as in [Lynch1997]."""
    bounds: tuple[int, ...] = attrs.field(validator=_ascending)
    """Numbers of occupied cells, or balances, from which the next module scores; the first module has the fewest."""
    hidden: int = attrs.field(default=20, validator=kinds.within(1, 1024))
    """Number of hidden units of each module."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> NetFunctions:
        """The functions of all modules as one net. Raises GameforgeError if the game has no cells."""
        module = super().functions(rules, features)
        of_game: Cells | None = capability(rules, "cells")
        if of_game is None:
            raise GameforgeError(f"evaluator modular-mlp: {rules.name} has no cells, so its phases are not known")
        modules, weights = range(len(self.bounds) + 1), module.weights
        planes = 2 * (len(of_game.codes) + len(of_game.numbers))
        return NetFunctions(
            forward=specialised(forward, module_forward.__name__, module.forward),
            backward=specialised(backward, module_backward.__name__, module.backward),
            features=self._features(module.features, of_game),
            groups=tuple(
                WeightGroup(k * weights + group.start, k * weights + group.stop, group.source, group.fan_in)
                for k in modules
                for group in module.groups
            ),
            scratch=module.scratch + planes,
            data=np.concatenate([np.array([weights], np.uint64), assembly.block(module.data)]),
            unused=tuple(k * weights + i for k in modules for i in module.unused),
        )

    def _features(self, inner: FeatureFunctions, of_game: Cells) -> FeatureFunctions:
        """The number of the module, followed by the inputs of the feature map."""
        if not inner.compiled:
            raise GameforgeError("evaluator modular-mlp needs a feature map that is compiled")
        cells_data, inner_data = assembly.block(of_game.data), assembly.block(inner.data)
        head = int(_FIRST) + len(self.bounds)
        against = [code.startswith("own") for code in of_game.codes]  # cells see the board from the side to move
        opponents = sum(1 << i for i, one in enumerate(against) if one) if self.by == "balance" else 0
        numbers = [len(of_game.codes), head, head + len(cells_data), len(self.bounds), opponents, *self.bounds]
        with_cells = specialised(features, cells.__name__, of_game.cells)
        return FeatureFunctions(
            inputs=1 + inner.inputs,
            viewpoint=inner.viewpoint,
            features=specialised(with_cells, inner_features.__name__, inner.features),
            data=np.concatenate([np.array(numbers, np.int64).view(np.uint64), cells_data, inner_data]),
            names=("module", *inner.names) if inner.names else (),
        )

    def initial_weights(self, net: NetFunctions, rng: np.random.Generator) -> FloatArray:
        """The initial weights of each module, drawn one after the other."""
        modules = len(self.bounds) + 1
        inputs, weights = net.features.inputs - 1, net.weights // modules
        return np.concatenate([self.drawn(inputs, weights, rng) for _ in range(modules)])
