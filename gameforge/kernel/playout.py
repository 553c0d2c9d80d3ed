"""Games without players: random games, and perft, which counts the leaves of the tree of legal moves.

Random games serve as the default policy of simulations; both are fast tests of rules.
"""

import numpy as np

from gameforge.interfaces.rules import DRAW, RUNNING, WIN
from gameforge.kernel import slots
from gameforge.kernel.bits import U0, U1, U2, at, below
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.kernel.compile.launch import interruptible
from gameforge.kernel.context import CompiledRules
from gameforge.kernel.types import IntegerArray, Word, WordArray


@inline
def playout(
    rules: CompiledRules, states: WordArray, moves: WordArray, rng: WordArray, max_plies: Word
) -> tuple[Word, int]:
    """Play random moves from states[0:words]; return (plies, code for the side to move at the end).

    The code is RUNNING if max_plies were played. Workspace: states 2 * words, moves max_moves.
    """
    data = at(rules.data, U0)
    here, there = U0, rules.words
    plies = U0
    while True:
        s = at(states, here)
        n = rules.gen(data, s, at(moves, U0))
        code = rules.outcome(data, s, n)
        if code != RUNNING or plies == max_plies:
            return plies, code
        rules.play(data, s, moves[below(at(rng, U0), n)], at(states, there))
        here, there = there, here
        plies += U1


@kernel
def playouts(
    rules: CompiledRules,
    start: WordArray,
    n: int,
    max_plies: np.uint64,
    rng: WordArray,
    states: WordArray,
    moves: WordArray,
    control: IntegerArray,
) -> tuple[int, int, int, int]:
    """Play n random games from `start`; return (wins of its side to move, draws, losses, total plies).

    Games that reach max_plies are draws. If control[STOP] is set, fewer games are played. Workspace: states 2 * words,
    moves max_moves.
    """
    wins, draws, losses, total = 0, 0, 0, 0
    for _ in range(n):
        if control[slots.STOP] != 0:
            break
        for i in range(rules.words):
            states[i] = start[i]
        plies, code = playout(rules, states, moves, rng, max_plies)
        total += int(plies)
        result = code & 3
        if result in (DRAW, RUNNING):
            draws += 1
        elif (result == WIN) == (plies & U1 == U0):
            wins += 1
        else:
            losses += 1
    return wins, draws, losses, total


@kernel
def perft(
    rules: CompiledRules,
    depth: np.uint64,
    states: WordArray,
    moves: WordArray,
    frames: WordArray,
    control: IntegerArray,
) -> np.uint64:
    """Count the sequences of exactly `depth` plies (1 or more) from the state in states[0:words].

    Workspace: states (depth + 1) * words, moves (depth + 1) * max_moves, frames 2 * (depth + 1). A finished game
    contributes nothing at greater depth. If control[STOP] is set, the count is meaningless.
    """
    data = at(rules.data, U0)
    words = rules.words
    n = rules.gen(data, at(states, U0), at(moves, U0))
    if rules.outcome(data, at(states, U0), n) != 0:
        return U0
    if depth == U1:
        return np.uint64(n)
    total = U0
    ply = U0
    frames[0] = U0
    frames[1] = n
    while True:
        frame = ply << U1
        i = frames[frame]
        if i == frames[frame + U1]:
            if ply == U0 or control[slots.STOP] != 0:
                return total
            ply -= U1
            continue
        frames[frame] = i + U1
        top = frames[frame + U1]
        child = at(states, (ply + U1) * words)
        rules.play(data, at(states, ply * words), moves[i], child)
        n = rules.gen(data, child, at(moves, top))
        if rules.outcome(data, child, n) == 0:
            if ply + U2 == depth:
                total += n
            else:
                ply += U1
                frames[frame + U2] = top
                frames[frame + U2 + U1] = top + n


def leaves(rules: CompiledRules, state: tuple[int, ...], depth: int) -> int:
    """Call perft from Python, for depth 0 or more; Ctrl-C interrupts it. Raises what a function of the rules raises."""
    if depth == 0:
        return 1
    states = np.zeros((depth + 1) * int(rules.words), np.uint64)
    states[: len(state)] = state
    moves = np.zeros((depth + 1) * int(rules.max_moves), np.uint64)
    frames, control = np.zeros(2 * (depth + 1), np.uint64), np.zeros(2, np.int64)
    return int(interruptible(control, perft, rules, np.uint64(depth), states, moves, frames, control))
