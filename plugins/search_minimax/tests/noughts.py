"""Noughts and crosses with an evaluator and oracles, so that the tests need no other plugins."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gameforge.interfaces.evaluator import EvaluatorFunctions
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.oracle import Announce, OracleFunctions, silent
from gameforge.interfaces.rules import DrawRules, Rules, RulesFunctions, State
from gameforge.kernel.abi import DRAW, LOSS, RUNNING
from gameforge.kernel.compile.jit import inline

_0, _1, _5, _7, _9, _60 = (np.uint64(n) for n in (0, 1, 5, 7, 9, 60))
LINES = tuple(np.uint64(line) for line in (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124))
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


@inline
def _has_line(cells: Any) -> Any:
    found = False
    for line in LINES:
        found |= cells & line == line
    return found


def gen(rules: Any, s: Any, moves: Any) -> Any:
    """A move is the bit of a cell; there are none after three in a row. s: cells of the mover and of the other side."""
    n = _0
    if not _has_line(s[1]):
        for i in range(9):
            cell = _1 << np.uint64(i)
            if (s[0] | s[1]) & cell == _0:
                moves[n] = cell
                n += _1
    return n


def play(rules: Any, s: Any, m: Any, child: Any) -> None:
    child[0], child[1] = s[1], s[0] | m


def outcome(rules: Any, s: Any, n_moves: Any) -> Any:
    """Reasons: 0 three in a row, 1 board full."""
    if _has_line(s[1]):
        return LOSS
    return DRAW + 4 if n_moves == 0 else RUNNING


class Noughts:
    name = "noughts"
    sides = ("Crosses", "Noughts")
    reasons = ("three in a row", "board full")
    draws = DrawRules(max_plies=9)

    def functions(self) -> RulesFunctions:
        return RulesFunctions(words=2, max_moves=9, gen=gen, play=play, outcome=outcome)

    def initial(self) -> State:
        return (0, 0)

    def side_to_move(self, state: State) -> int:
        return (state[0] | state[1]).bit_count() % 2


@inline
def scrambled(s: Any) -> Any:
    """A pseudo-random number from 0 to 15 for each state."""
    return ((s[0] * _FIRST + s[1]) * _SECOND) >> _60


def evaluate(ed: Any, w: Any, s: Any, x: Any) -> Any:
    return (np.float64(scrambled(s)) - 7.5) / 8.0


class Opinion:
    """An evaluator with 16 different scores, some of them equal in any position."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(evaluate=evaluate)


class Constant:
    """An evaluator whose scores are what a Python function returns."""

    def __init__(self, value: Callable[[], float]) -> None:
        self.value = value

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(evaluate=lambda ed, w, s, x: self.value(), compiled=False)


def rumour(od: Any, s: Any, out: Any) -> Any:
    """A probe that claims results, mostly wrong ones, for about a quarter of the states."""
    h = scrambled(s)
    return np.int64(h) if h < 4 else 0


def one_state(od: Any, s: Any, out: Any) -> Any:
    """A probe that knows only the state od[0], od[1], with the result od[2]."""
    return np.int64(od[2]) if s[0] == od[0] and s[1] == od[1] else 0


class Hearsay:
    """An oracle whose answers may be wrong; the search has to use them."""

    def __init__(self, probe: Any = rumour, data: tuple[int, ...] = (0,)) -> None:
        self.probe, self.data = probe, data

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        data = np.array(self.data, np.uint64)
        return OracleFunctions(probe=self.probe, data=data, covers="some states", why_not=lambda state: "not covered")


def reachable() -> list[State]:
    """All 4520 states that occur in unfinished games, by plain enumeration."""
    seen: set[State] = set()
    todo = [(0, 0)]
    while todo:
        own, other = state = todo.pop()
        if state in seen or any(other & int(line) == int(line) for line in LINES) or own | other == 0o777:
            continue
        seen.add(state)
        todo += [(other, own | 1 << i) for i in range(9) if not (own | other) >> i & 1]
    return sorted(seen)
