"""The evaluator with random weights, on states; what the tests of this plugin share."""

import random
from typing import Any

import numpy as np
from gameforge_eval_patterns.patterns import Patterns

import gameforge as gf
from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import compiled_evaluator
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.play.game import Game


class Scorer:
    """An evaluator with weights drawn at random, in the steps that kernels read."""

    def __init__(self, rules: Any, seed: int = 1, **parameters: Any) -> None:
        self.functions = Patterns(**parameters).functions(rules, None)
        assert self.functions.vector is not None
        self.vector = self.functions.vector
        drawn = np.random.default_rng(seed).normal(0, 0.2, self.vector.length).astype(np.float32)
        self.weights = self.vector.rounded(drawn)
        self.compiled = compiled_evaluator(self.functions, self.weights)
        self._terms = compiled_function("terms", self.functions.terms)

    def score(self, state: State, evaluate: Any = None) -> float:
        function = self.compiled.evaluate if evaluate is None else evaluate
        words = np.array(state, np.uint64)
        return float(call(function, self.compiled.data, self.compiled.weights, words, self.compiled.inputs))

    def terms(self, state: State, terms: Any = None) -> list[tuple[int, float]]:
        most = self.functions.max_terms
        places, factors = np.zeros(most, np.int32), np.zeros(most, np.float32)
        function = self._terms if terms is None else terms
        n = int(call(function, self.compiled.data, np.array(state, np.uint64), places, factors))
        return list(zip(places[:n].tolist(), factors[:n].tolist(), strict=True))

    def sum_of_terms(self, state: State) -> float:
        return sum(float(self.weights[place]) * factor for place, factor in self.terms(state))


def states(game: Game, number: int = 60, seed: int = 1) -> list[State]:
    """Different positions of random games."""
    rng, found = random.Random(seed), set[State]()
    while len(found) < number:
        state = game.rules.initial()
        while (legal := game.legal(state)) and not game.code(state, len(legal)):
            state = game.play(state, rng.choice(legal))
            if rng.random() < 0.1:
                found.add(state)
    return sorted(found)


GAMES = {name: gf.game(name) for name in ("draughts", "othello", "morris")}
