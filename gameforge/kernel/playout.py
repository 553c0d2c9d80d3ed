"""Random games, which serve as the default policy of simulations and as a fast test of rules."""

from typing import Any

import numpy as np

from gameforge.kernel.abi import DRAW, RUNNING, WIN
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.kernel.context import STOP, CompiledRules, Integers, Words
from gameforge.kernel.random import below

_0, _1 = np.uint64(0), np.uint64(1)


@inline
def playout(rules: CompiledRules, states: Words, moves: Words, rng: Words, max_plies: Any) -> Any:
    """Play random moves from states[0:words]; return (plies, code for the side to move at the end).

    The code is RUNNING if max_plies were played. Workspace: states 2 * words, moves max_moves.
    """
    data = at(rules.data, _0)
    here, there = _0, rules.words
    plies = _0
    while True:
        s = at(states, here)
        n = rules.gen(data, s, at(moves, _0))
        code = rules.outcome(data, s, n)
        if code != RUNNING or plies == max_plies:
            return plies, code
        rules.play(data, s, moves[below(at(rng, _0), n)], at(states, there))
        here, there = there, here
        plies += _1


@kernel
def playouts(
    rules: CompiledRules,
    start: Words,
    n: int,
    max_plies: np.uint64,
    rng: Words,
    states: Words,
    moves: Words,
    control: Integers,
) -> tuple[int, int, int, int]:
    """Play n random games from `start`; return (wins of its side to move, draws, losses, total plies).

    Games that reach max_plies are draws. If control[STOP] is set, fewer games are played. Workspace: states 2 * words,
    moves max_moves.
    """
    wins, draws, losses, total = 0, 0, 0, 0
    for _ in range(n):
        if control[STOP] != 0:
            break
        for i in range(rules.words):
            states[i] = start[i]
        plies, code = playout(rules, states, moves, rng, max_plies)
        total += int(plies)
        result = code & 3
        if result in (DRAW, RUNNING):
            draws += 1
        elif (result == WIN) == (plies & _1 == _0):
            wins += 1
        else:
            losses += 1
    return wins, draws, losses, total
