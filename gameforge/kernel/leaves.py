"""Perft from Python: workspace for the kernel in perft.py."""

import numpy as np

from gameforge.kernel.context import RulesTable
from gameforge.kernel.perft import perft
from gameforge.kernel.tables import check


def leaves(rules: RulesTable, state: tuple[int, ...], depth: int) -> int:
    """Number of sequences of exactly `depth` plies from a state."""
    if depth == 0:
        return 1
    states = np.zeros((depth + 1) * int(rules.words), np.uint64)
    states[: len(state)] = state
    moves = np.zeros((depth + 1) * int(rules.max_moves), np.uint64)
    frames = np.zeros(2 * (depth + 1), np.uint64)
    count = int(perft(rules, np.uint64(depth), states, moves, frames))
    check(rules)
    return count
