"""Share of a player's Connect Four moves that keep the theoretical value, on random positions of 12 or more discs.

    python benchmarks/connect_four.py RUN [POSITIONS] [SEARCHER ...]

RUN is the folder of a run on the third-party game, such as that of examples/third_party_plugin/strong.toml. Its player
chooses with each searcher; without one, with its own. The solver knows whether a position is won, drawn or lost: it is
a null-window alpha-beta search over bitboards with a transposition table, which tries only moves that do not lose at
once, those that make the most threats first.
"""

import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.play.game import Position
from gameforge.play.workshop import Workshop

PLUGIN = Path(__file__).parents[1] / "examples" / "third_party_plugin" / "gameforge_connect_four.py"
SEED, LEAST = 1, 12
TABLE = 1 << 23

_1 = np.uint64(1)
BOTTOM = np.uint64(sum(1 << 7 * column for column in range(7)))
BOARD = np.uint64(sum(63 << 7 * column for column in range(7)))
COLUMNS = np.array([63 << 7 * column for column in (3, 2, 4, 1, 5, 0, 6)], np.uint64)
"""From the middle to the edges."""


@njit
def fours(own: Any) -> Any:
    """The cells, occupied or not, that complete four in a line."""
    found = (own << np.uint64(1)) & (own << np.uint64(2)) & (own << np.uint64(3))
    for step in (np.uint64(6), np.uint64(7), np.uint64(8)):
        two, three = np.uint64(2) * step, np.uint64(3) * step
        pair = (own << step) & (own << two)
        found |= pair & (own << three)
        found |= pair & (own >> step)
        pair = (own >> step) & (own >> two)
        found |= pair & (own << step)
        found |= pair & (own >> three)
    return found & BOARD


@njit
def bits(x: Any) -> Any:
    n = 0
    while x:
        x &= x - _1
        n += 1
    return n


@njit("int64(uint64, uint64, int64, int64, uint64[:], int8[:])")
def solve(own: Any, other: Any, low: Any, high: Any, keys: Any, values: Any) -> Any:
    """1, 0 or -1 for the side to move, within (low, high); neither side has four in a line."""
    taken = own | other
    free = (taken + BOTTOM) & BOARD
    if free == 0:
        return 0
    if fours(own) & free:
        return 1
    threats = fours(other)
    forced = threats & free
    if forced:
        if forced & (forced - _1):
            return -1
        free = forced
    free &= ~(threats >> _1)  # below one of the other side's winning cells
    if free == 0:
        return -1
    key = (own + taken + BOTTOM) * np.uint64(3) + np.uint64(low + 1)
    place = (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(41)
    if keys[place] == key:
        return values[place]
    moves, worth, n = np.zeros(7, np.uint64), np.zeros(7, np.int64), 0
    for column in COLUMNS:
        move = free & column
        if move:
            value, i = bits(fours(own | move) & ~taken), n
            while i > 0 and worth[i - 1] < value:
                moves[i], worth[i] = moves[i - 1], worth[i - 1]
                i -= 1
            moves[i], worth[i] = move, value
            n += 1
    best, alpha = -1, low
    for i in range(n):
        value = -solve(other, own | moves[i], -high, -alpha, keys, values)
        best = max(best, value)
        alpha = max(alpha, value)
        if best >= high:
            break
    keys[place], values[place] = key, best
    return best


class Solver:
    """Values of states of the third-party game, by two null-window searches."""

    def __init__(self) -> None:
        self._tables = np.zeros(TABLE, np.uint64), np.zeros(TABLE, np.int8)

    def value(self, position: Position) -> int:
        """1, 0 or -1 for the side to move."""
        code = position.game.code(position.state, len(position.codes))
        if code:
            return -1 if len(position.codes) and position.outcome is not None else self._over(position)
        own, other = (np.uint64(word) for word in position.state)
        if solve(own, other, 0, 1, *self._tables) == 1:
            return 1
        return 0 if solve(own, other, -1, 0, *self._tables) >= 0 else -1

    @staticmethod
    def _over(position: Position) -> int:
        assert position.outcome is not None
        return 0 if position.outcome.winner is None else -1


def random_positions(game: Any, number: int) -> list[Position]:
    """Different positions after LEAST to 36 random moves, in which the game is running and moves differ in value."""
    rng, found = random.Random(SEED), {}
    while len(found) < number:
        position = game.position()
        for _ in range(rng.randint(LEAST, 36)):
            if position.outcome is not None:
                break
            position = position.play(rng.choice(position.legal_moves))
        if position.outcome is None and len(position.codes) > 1:
            found[position.state] = position
    return list(found.values())


def main() -> None:
    folder, number, searchers = Path(sys.argv[1]), int((sys.argv[2:] or ["1000"])[0]), sys.argv[3:] or [None]
    registry, solver = Registry(load([PLUGIN])), Solver()
    player = Workshop(registry).load(folder)
    positions = random_positions(player.game, number)
    began = time.perf_counter()
    values = [solver.value(position) for position in positions]
    print(f"{number} positions solved in {time.perf_counter() - began:.1f} s: {[values.count(v) for v in (1, 0, -1)]}")
    for searcher in searchers:
        player = Workshop(registry).load(folder, searcher=searcher)
        kept = sum(
            -solver.value(position.play(player.choose(position))) == value
            for position, value in zip(positions, values, strict=True)
        )
        print(f"{searcher or 'its own searcher'}: {kept} of {number} moves keep the value, {kept / number:.1%}")


if __name__ == "__main__":
    main()
