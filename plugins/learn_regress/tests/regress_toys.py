"""An evaluator whose best weights are known, and positions for it."""

from typing import Any

import attrs
import numpy as np
from gameforge_examples.positions import Positions
from numpy.typing import NDArray

from gameforge.interfaces.evaluator import EvaluatorFunctions, SteppedWeight, WeightVector
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules

Floats = NDArray[np.float32]


def _evaluate(ed: Any, w: Any, s: Any, x: Any) -> Any:
    v = 0.0
    for i in range(ed[0]):
        if s[0] >> np.uint64(i) & np.uint64(1):
            v += w[i]
    return np.tanh(v / 2)


def _terms(ed: Any, s: Any, places: Any, factors: Any) -> Any:
    n = np.uint64(0)
    for i in range(ed[0]):
        if s[0] >> np.uint64(i) & np.uint64(1):
            places[n] = i
            factors[n] = np.uint64(ed[1]).view(np.float64)
            n += np.uint64(1)
    return n


@attrs.frozen
class Bits:
    """A weight for each of the lowest bits of the first word of a state; v sums up those of the bits that are set."""

    bits: int = 1
    step: float = 0.0
    factor: float = 1.0
    """Of every term."""
    stepped: tuple[SteppedWeight, ...] = ()

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(
            evaluate=_evaluate,
            terms=_terms,
            max_terms=self.bits,
            data=np.array([self.bits, np.float64(self.factor).view(np.uint64)], np.uint64),
            vector=WeightVector(self.bits, step=self.step, stepped=self.stepped),
        )

    def initial_weights(self, functions: EvaluatorFunctions, rng: np.random.Generator) -> Floats:
        return np.zeros(self.bits, np.float32)


class Plain(Bits):
    """The same without terms."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return attrs.evolve(super().functions(rules, features), terms=None)


def positions(
    words: Any, results: Any, *, scores: Any = None, weights: Any = None, games: Any = None, width: int = 1, **more: Any
) -> Positions:
    """Positions whose states have these first words; each is a game of its own unless `games` says otherwise."""
    n = len(words)
    states = np.zeros((n, width), np.uint64)
    states[:, 0] = words
    return Positions(
        states=states,
        results=np.array(results, np.float32),
        scores=np.array(results if scores is None else scores, np.float32),
        exact=np.array(more.get("exact", np.zeros(n)), np.bool_),
        weights=np.array(np.ones(n) if weights is None else weights, np.float32),
        games=np.arange(n) if games is None else np.array(games),
        sources=np.array(more.get("sources", np.zeros(n)), np.int64),
    )
