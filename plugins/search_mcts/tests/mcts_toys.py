"""Two small games, an evaluator and oracles, so that the tests need no other plugins."""

from typing import Any

import attrs
import numpy as np

from gameforge.interfaces.evaluator import EvaluatorFunctions
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.oracle import Announce, OracleFunctions, silent
from gameforge.interfaces.rules import DrawRules, Rules, RulesFunctions, State
from gameforge.kernel.abi import DRAW, LOSS, RUNNING, WIN
from gameforge.kernel.compile.jit import inline

_0, _1, _2, _3, _4, _8, _60 = (np.uint64(n) for n in (0, 1, 2, 3, 4, 8, 60))
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def nim_gen(rules: Any, s: Any, moves: Any) -> Any:
    """A move takes 1 to 3 stones. s[0]: stones, s[1]: the side to move."""
    n = min(s[0], _3)
    for i in range(n):
        moves[i] = np.uint64(i) + _1
    return n


def nim_play(rules: Any, s: Any, m: Any, child: Any) -> None:
    child[0], child[1] = s[0] - m, _1 - s[1]


def nim_outcome(rules: Any, s: Any, n_moves: Any) -> Any:
    return LOSS if s[0] == _0 else RUNNING


def always(rules: Any, s: Any, m: Any) -> Any:
    return _1


@attrs.frozen
class Nim:
    """The player who takes the last stone wins; a heap of 4 k stones is lost."""

    stones: int = 10
    name = "nim"
    sides = ("First", "Second")
    reasons = ("no stones",)
    draws = DrawRules(max_plies=100)

    def functions(self) -> RulesFunctions:
        return RulesFunctions(
            words=2, max_moves=3, gen=nim_gen, play=nim_play, outcome=nim_outcome, irreversible=always
        )

    def initial(self) -> State:
        return (self.stones, 0)

    def side_to_move(self, state: State) -> int:
        return state[1]


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
    """A game in which positions recur: draws by repetition, for lack of progress, and at the ply cap."""

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
    """An evaluator with 16 different scores."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(evaluate=opinion)


def rumour(od: Any, s: Any, out: Any) -> Any:
    """A probe that claims results for about a quarter of the states, but not for the state od[0], od[1]."""
    h = scrambled(s)
    return np.int64(h) if h < _4 and not (s[0] == od[0] and s[1] == od[1]) else 0


def small_heaps(od: Any, s: Any, out: Any) -> Any:
    """A probe that knows heaps of Nim up to od[0] stones, without distances."""
    if s[0] == _0 or s[0] > od[0]:
        return 0
    return LOSS if s[0] % _4 == _0 else WIN


def all_drawn(od: Any, s: Any, out: Any) -> Any:
    return DRAW


class Hearsay:
    """An oracle whose answers may be wrong; the search has to use them."""

    def __init__(self, probe: Any = rumour, data: tuple[int, ...] = (0, 0)) -> None:
        self.probe, self.data = probe, data

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        data = np.array(self.data, np.uint64)
        return OracleFunctions(
            probe=self.probe, data=data, covers="some states", why_not=lambda state: "it is not covered"
        )
