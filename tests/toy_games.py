"""The toy games of the tests. This module defines two, with an evaluator and oracles for any game:

- Noughts: noughts and crosses, small enough to search to its end.
- Tug: positions recur, so games are drawn by repetition, for lack of progress, and at the ply cap.

The others are elsewhere:

- Pile (gameforge.testing.toy): take 1 to 3 stones; the product's own, with a component of each kind.
- Shuttle (toy_game.py): runners and stones; a plugin in one file, for draws that depend on the course of a game.
- Auction and Target (toy_contest.py): a plugin for learners; the best features and the best settings are known.
- Coins (test_alphabeta_conversion.py): only one side can convert, at a cost.

The rest are Pile or Shuttle with other moves, or broken on purpose, beside the tests that need them.
"""

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from gameforge.interfaces import DRAW, LOSS, RUNNING, WIN
from gameforge.interfaces.evaluator import EvaluatorFunctions
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.oracle import Announce, OracleFunctions, silent
from gameforge.interfaces.rules import DrawRules, Rules, RulesFunctions, State
from gameforge.kernel.compile.jit import inline

_0, _1, _2, _3, _4, _8, _60 = (np.uint64(n) for n in (0, 1, 2, 3, 4, 8, 60))
LINES = tuple(np.uint64(line) for line in (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124))
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


@inline
def _has_line(cells: Any) -> Any:
    found = False
    for line in LINES:
        found |= cells & line == line
    return found


def noughts_gen(rules: Any, s: Any, moves: Any) -> Any:
    """A move is the bit of a cell; there are none after three in a row. s: cells of the mover and of the other side."""
    n = _0
    if not _has_line(s[1]):
        for i in range(9):
            cell = _1 << np.uint64(i)
            if (s[0] | s[1]) & cell == _0:
                moves[n] = cell
                n += _1
    return n


def noughts_play(rules: Any, s: Any, m: Any, child: Any) -> None:
    child[0], child[1] = s[1], s[0] | m


def noughts_outcome(rules: Any, s: Any, n_moves: Any) -> Any:
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
        return RulesFunctions(words=2, max_moves=9, gen=noughts_gen, play=noughts_play, outcome=noughts_outcome)

    def initial(self) -> State:
        return (0, 0)

    def side_to_move(self, state: State) -> int:
        return (state[0] | state[1]).bit_count() % 2


def reachable() -> list[State]:
    """All 4520 states that occur in unfinished games of Noughts, by plain enumeration."""
    seen: set[State] = set()
    todo = [(0, 0)]
    while todo:
        own, other = state = todo.pop()
        if state in seen or any(other & int(line) == int(line) for line in LINES) or own | other == 0o777:
            continue
        seen.add(state)
        todo += [(other, own | 1 << i) for i in range(9) if not (own | other) >> i & 1]
    return sorted(seen)


def tug_gen(rules: Any, s: Any, moves: Any) -> Any:
    """Pull by 1 in either direction, or by 2 in your own, twice in a game.

    s: place 0 to 8, side to move, number of jumps of each side.
    """
    moves[0], moves[1] = _1, _2
    if s[2 + s[1]] == _2:
        return _2
    moves[2] = _3
    return _3


def tug_play(rules: Any, s: Any, m: Any, child: Any) -> None:
    side = s[1]
    step = _2 if m == _3 else _1
    up = (m == _1) if m != _3 else (side == _0)
    child[0] = s[0] + step if up else s[0] - step
    child[1] = _1 - side
    child[2], child[3] = s[2], s[3]
    if m == _3:
        child[2 + side] += _1


def tug_outcome(rules: Any, s: Any, n_moves: Any) -> Any:
    """The first player wins above 8, the second below 1."""
    if s[0] > _8:
        return WIN if s[1] == _0 else LOSS
    if s[0] < _1:
        return LOSS if s[1] == _0 else WIN
    return RUNNING


def jumps(rules: Any, s: Any, m: Any) -> Any:
    return _1 if m == _3 else _0


@attrs.frozen
class Tug:
    repetition: int = 3
    no_progress: int = 8
    max_plies: int = 20
    name = "tug"
    sides = ("First", "Second")
    reasons = ("pulled over",)

    @property
    def draws(self) -> DrawRules:
        return DrawRules(repetition=self.repetition, no_progress=self.no_progress, max_plies=self.max_plies)

    def functions(self) -> RulesFunctions:
        return RulesFunctions(words=4, max_moves=3, gen=tug_gen, play=tug_play, outcome=tug_outcome, irreversible=jumps)

    def initial(self) -> State:
        return (4, 0, 0, 0)

    def side_to_move(self, state: State) -> int:
        return state[1]


@inline
def scrambled(s: Any) -> Any:
    """A pseudo-random number from 0 to 15 for the first two words of a state."""
    return ((s[0] * _FIRST + s[1]) * _SECOND) >> _60


def opinion(ed: Any, w: Any, s: Any, x: Any) -> Any:
    return (np.float64(scrambled(s)) - 7.5) / 8.0


def guess(state: State) -> float:
    """The score of Opinion, for callers in Python."""
    return float(opinion(None, None, np.array(state, np.uint64), None))


class Opinion:
    """An evaluator with 16 different scores, some of them equal in any position."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(evaluate=opinion)


class Constant:
    """An evaluator whose scores are what a Python function returns."""

    def __init__(self, value: Callable[[], float]) -> None:
        self.value = value

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(evaluate=lambda ed, w, s, x: self.value(), compiled=False)


def rumour(od: Any, s: Any, out: Any) -> Any:
    """A probe that claims results, mostly wrong ones, for about a quarter of the states, but not for od[0], od[1]."""
    h = scrambled(s)
    return np.int64(h) if h < _4 and not (s[0] == od[0] and s[1] == od[1]) else 0


class Hearsay:
    """An oracle whose answers may be wrong; the search has to use them."""

    def __init__(self, probe: Any = rumour, data: tuple[int, ...] = (0, 0)) -> None:
        self.probe, self.data = probe, data

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        data = np.array(self.data, np.uint64)
        return OracleFunctions(probe=self.probe, data=data, covers="some states", why_not=lambda state: "not covered")
