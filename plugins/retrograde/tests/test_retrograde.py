"""Retrograde analysis of random graphs."""

import random
from collections.abc import Sequence

import attrs
import numpy as np
import pytest
from gameforge_retrograde.indexer import EXTERNAL_BITS, STORED, ByteArray, Unit
from gameforge_retrograde.solver import Solver, packed_places

from gameforge.interfaces import DRAW, LOSS, WIN
from gameforge.kernel import UNKNOWN, WordArray
from gameforge.kernel.types import Word, Words

Graph = list[list[int]]
LEAVES = {-1: LOSS, -2: DRAW, -3: WIN}
"""Values of successors that are not stored."""


def expand(game: Words, unit: Words, i: Word, out: Words) -> np.int64:
    n = np.int64(unit[unit[i]])
    for j in range(n):
        out[j] = unit[unit[i] + np.uint64(1 + j)]
    return n + (np.int64(unit[unit[i] + np.uint64(1 + n)]) << EXTERNAL_BITS)


def predecessors(game: Words, unit: Words, i: Word, out: Words) -> np.int64:
    at = unit[game[0] + i]
    n = np.int64(unit[at])
    for j in range(n):
        out[j] = unit[at + np.uint64(1 + j)]
    return n


@attrs.frozen
class RandomGame:
    """Units of two slices; moves stay in a unit or lead to an earlier one. `forward` marks irreversible moves."""

    successors: Graph
    forward: list[list[bool]]
    sizes: list[int]
    levels: Sequence[Sequence[Unit]]

    expand = staticmethod(expand)
    predecessors = staticmethod(predecessors)

    @property
    def most(self) -> int:
        return max(map(sum, zip(self.sizes[::2], self.sizes[1::2], strict=True)))

    def game_block(self, places: Sequence[int]) -> WordArray:
        return np.array([self.most, *places], np.uint64)

    def unit_block(self, unit: Unit, conversions: bool = False) -> WordArray:
        first = sum(self.sizes[: unit[0]])
        size = sum(self.sizes[number] for number in unit)
        places = self._places()
        rows = []
        internal: Graph = [[] for _ in range(size)]
        for i, position in enumerate(range(first, first + size)):
            external = []
            inside = 0
            for successor, forward in zip(self.successors[position], self.forward[position], strict=True):
                if successor < 0:
                    external.append(LEAVES[successor])
                elif successor < first or (conversions and forward):
                    external.append(STORED + places[successor])
                else:
                    internal[successor - first].append(i)
                    inside += 1
            rows.append([len(external), *external, inside])
        rows += [[0]] * (self.most - size) + [[len(row), *row] for row in internal]
        starts = np.cumsum([len(rows), *map(len, rows)])[:-1]
        return np.concatenate([starts, *rows]).astype(np.uint64)

    def _places(self) -> list[int]:
        starts = packed_places(self.sizes)
        return [starts[number] + i for number, size in enumerate(self.sizes) for i in range(size)]


def random_game(seed: int, leaves: int = 3) -> RandomGame:
    rng = random.Random(seed)
    sizes = [2, 1, 20, 25, 70, 30, 1, 40]
    ends = np.cumsum(np.array(sizes)[::2] + np.array(sizes)[1::2])
    successors: Graph = []
    for end in ends.tolist():
        while len(successors) < end:
            first = -leaves if rng.random() < 0.1 else 0
            successors.append(rng.choices(range(first, end), k=rng.choice((0, 1, 1, 2, 3))))
    forward = [[rng.random() < 0.3 for _ in following] for following in successors]
    return RandomGame(successors, forward, sizes, [[(0, 1)], [(2, 3)], [(4, 5)], [(6, 7)]])


def reference(game: RandomGame) -> list[tuple[int, int]]:
    """(value, plies to the end) of all positions, by plain iteration over 0, 1, 2, ... plies."""
    found: dict[int, tuple[int, int]] = {-1: (LOSS, 0), -2: (DRAW, 0), -3: (WIN, 0)}
    for ply in range(len(game.successors)):
        known = dict(found) if ply else {}
        for position, following in enumerate(game.successors):
            values = [known[s][0] if s in known else UNKNOWN for s in following]
            if position not in found and (LOSS in values or all(value == WIN for value in values)):
                found[position] = (WIN if LOSS in values else LOSS), ply
    return [found.get(position, (DRAW, -1)) for position in range(len(game.successors))]


def conversions(game: RandomGame, values: Sequence[int]) -> list[int]:
    """Plies to the next irreversible move, -1 for draws."""
    firsts = np.repeat(np.cumsum([0, *(a + b for a, b in zip(game.sizes[::2], game.sizes[1::2], strict=True))]), 1)
    found: dict[int, int] = {}
    for ply in range(len(values)):
        known = dict(found)
        for position, following in enumerate(game.successors):
            if position in found or values[position] == DRAW:
                continue
            first = max(int(f) for f in firsts if f <= position)
            plies = []
            for s, forward in zip(following, game.forward[position], strict=True):
                value = LEAVES[s] if s < 0 else values[s]
                if values[position] == WIN and value != LOSS:
                    continue
                plies.append(1 if s < first or forward else known[s] + 1 if s in known else None)
            if values[position] == WIN and any(p is not None and p <= ply for p in plies):
                found[position] = ply
            if values[position] == LOSS and all(p is not None and p <= ply for p in plies):
                found[position] = ply
    return [found.get(position, -1) for position in range(len(values))]


def all_bytes(game: RandomGame, units: dict[Unit, ByteArray]) -> list[int]:
    return np.concatenate([units[unit] for level in game.levels for unit in level]).tolist()


@pytest.mark.parametrize("seed", range(20))
def test_values_and_distances_equal_those_of_plain_iteration(seed: int) -> None:
    game = random_game(seed, leaves=2)  # at the end, the side to move has lost, or it is a draw
    expected = reference(game)
    places = packed_places(game.sizes)
    packed = Solver(game, np.zeros(places[-1] // 4, np.uint8), places)
    spread = Solver(game, np.zeros(places[-1], np.uint8), places)
    values: dict[Unit, ByteArray] = {}
    plies: dict[Unit, ByteArray] = {}
    moves: dict[Unit, ByteArray] = {}

    def solve(unit: Unit) -> None:
        values[unit] = packed.outcomes(unit)
        packed.keep(unit, values[unit])
        moves[unit] = packed.mtc(unit, values[unit])
        plies[unit] = spread.dtw(unit)
        first = 0
        for number in unit:
            spread.store[places[number] : places[number] + game.sizes[number]] = plies[unit][first:][
                : game.sizes[number]
            ]
            first += game.sizes[number]

    announced: list[int] = []
    packed.run(solve, 2, announced.append)
    assert sum(announced) == len(expected)
    assert all_bytes(game, values) == [value for value, _ in expected]
    assert all_bytes(game, plies) == [1 + plies for _, plies in expected]
    assert all_bytes(game, moves) == [1 + plies for plies in conversions(game, all_bytes(game, values))]


@pytest.mark.parametrize("seed", range(10))
def test_known_values_lead_to_the_same_result(seed: int) -> None:
    """As for a database file that lacks the positions with captures."""
    game = random_game(seed)
    rng = random.Random(seed)
    places = packed_places(game.sizes)
    solver = Solver(game, np.zeros(places[-1] // 4, np.uint8), places)
    first = 0
    values = np.array([value for value, _ in reference(game)], np.uint8)
    for level in game.levels:
        for unit in level:
            right = values[first : first + solver.size(unit)]
            given = np.where([rng.random() < 0.6 for _ in right], right, UNKNOWN).astype(np.uint8)
            found = solver.outcomes(unit, given)
            assert found.tolist() == right.tolist()
            solver.keep(unit, found)
            first += len(right)


def test_finished_units_are_skipped_and_exceptions_propagate() -> None:
    game = random_game(0)
    places = packed_places(game.sizes)
    solver = Solver(game, np.zeros(places[-1] // 4, np.uint8), places)
    solved: list[Unit] = []
    announced: list[int] = []
    solver.run(solved.append, 2, announced.append, done={(0, 1), (4, 5)})
    assert solved == [(2, 3), (6, 7)]
    assert sum(announced) == len(game.successors)

    def fail(unit: Unit) -> None:
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        solver.run(fail, 2, announced.append)
