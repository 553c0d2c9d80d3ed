"""alphabeta scores a position once in a search if the evaluator is costly, and finds the same with and without that."""

from collections import Counter
from typing import Any

import attrs
import numpy as np
import pytest

import gameforge as gf
from gameforge.interfaces.evaluator import EvaluatorFunctions
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules
from gameforge.play.player import Player

EVALUATED: Counter[tuple[int, ...]] = Counter()
"""How often the evaluator in plain Python has scored each state."""


def scattered(ed: Any, w: Any, s: Any, x: Any) -> Any:
    """Any score, which depends on all of the position."""
    h = (s[0] ^ s[2]) * np.uint64(0x9E3779B97F4A7C15) + s[1] * np.uint64(0xBF58476D1CE4E5B9)
    return np.float64(h >> np.uint64(40)) / 2**23 - 1.0


def counted(ed: Any, w: Any, s: Any, x: Any) -> float:
    state = tuple(int(s[np.uint64(i)]) for i in range(3))
    EVALUATED[state] += 1
    return (sum(state) % 2001 - 1000) / 1001


@attrs.frozen
class Scattered:
    costly: bool

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(evaluate=scattered, costly=self.costly)


class InPython:
    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(evaluate=counted, compiled=False)


def player(evaluator: Any, searcher: str) -> Player:
    return gf.player("draughts", searcher=searcher, evaluator=evaluator)


@pytest.mark.parametrize("searcher", ["alphabeta:depth=6", "alphabeta:nodes=3000,selective=true,memory=1"])
def test_costly_evaluators_are_searched_alike(searcher: str) -> None:
    """Scores, moves, lines and nodes are the same in a whole game, whose positions the searches meet again."""
    one, other = player(Scattered(False), searcher), player(Scattered(True), searcher)
    position = gf.game("draughts").position()
    for _ in range(40):
        found = one.analyse(position)
        assert other.analyse(position) == found
        if not found.line:
            break
        position = position.play(found.move)


def test_a_search_scores_a_position_once() -> None:
    """Few positions are scored again, because another one took their place; without a table all are scored anew."""
    position = gf.game("draughts").position()
    shares = []
    for memory in (1, 0):
        EVALUATED.clear()
        player(InPython(), f"alphabeta:depth=6,quiescence=false,draws=false,memory={memory}").analyse(position)
        assert len(EVALUATED) > 300
        shares.append(EVALUATED.total() / len(EVALUATED))
    assert shares[0] < 1.1
    assert shares[1] > 1.5


def test_a_score_is_not_kept_for_the_next_search() -> None:
    """The evaluator's weights may have changed by then."""
    one = player(InPython(), "alphabeta:depth=3,memory=1")
    position = gf.game("draughts").position()
    one.analyse(position)
    EVALUATED.clear()
    one.analyse(position)
    assert EVALUATED
