"""A state is the history of its game: OpenSpiel's actions and passes, 16 bits each, and at the end their number.

A pass is a ply of a side that waits while the other one takes several actions in a row; its code is the number of
OpenSpiel's actions. OpenSpiel itself has no words of a fixed size for a state, and a handle would neither survive the
process nor be equal for equal games.

The data of the rules are the addresses of two Python functions, which return the legal moves and the outcome of a
finished game. They get a history as bytes, and its last ply. Then follow the index of a state's last word and the limit
of plies.
"""

from array import array
from typing import Any

import numpy as np

from gameforge.interfaces.outcome import DRAW, RUNNING
from gameforge.interfaces.rules import State
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.compile.python_calls import list_from, number_from

_0, _1, _2, _3, _4 = (np.uint64(n) for n in range(5))
_PLY = np.uint64(0xFFFF)
_LEGAL, _RESULT, _LAST, _LIMIT = range(4)
MOST_CODES, PLY_LIMIT = 1 << 16, 1
"""Maximum number of codes of plies, and the index of the reason of a draw by the limit of plies."""


def words_for(plies: int) -> int:
    """Return the number of words of a state that can hold this many plies, four in a word."""
    return (plies + 3) // 4 + 1


@inline
def _last_ply(s: Any, n: Any) -> Any:
    return s[(n - _1) >> _2] >> (((n - _1) & _3) << _4) & _PLY if n else _0


def gen(rules: Any, s: Any, moves: Any) -> Any:
    n = s[rules[_LAST]]
    return list_from(rules[_LEGAL], s, np.int64(n << _1), _last_ply(s, n), moves)


def play(rules: Any, s: Any, m: Any, child: Any) -> None:
    last = rules[_LAST]
    for i in range(last + _1):
        child[i] = s[i]
    n = s[last]
    child[n >> _2] |= m << ((n & _3) << _4)
    child[last] = n + _1


def outcome(rules: Any, s: Any, n_moves: Any) -> Any:
    n = s[rules[_LAST]]
    if n_moves == _0:
        return number_from(rules[_RESULT], s, np.int64(n << _1), _last_ply(s, n))
    return RUNNING if n < rules[_LIMIT] else DRAW + 4 * PLY_LIMIT


def plies_of(state: State) -> list[int]:
    """Return the plies of a state."""
    return array("H", array("Q", state[:-1]).tobytes())[: state[-1]].tolist()


def state_of(plies: list[int], words: int) -> State:
    """Return the state after these plies."""
    packed = array("H", plies).tobytes().ljust(8 * (words - 1), b"\0")
    return (*array("Q", packed), len(plies))


def look(plies: list[int]) -> tuple[bytes, int]:
    """Return what the functions in Python get after these plies."""
    return array("H", plies).tobytes(), plies[-1] if plies else 0
