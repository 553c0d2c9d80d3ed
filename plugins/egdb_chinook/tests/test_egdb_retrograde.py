"""Retrograde analysis on games that are nothing but a random graph."""

import random

import numpy as np
import pytest
from gameforge_egdb_chinook import retrograde
from gameforge_egdb_chinook.retrograde import Bytes, Span

from gameforge.kernel.abi import DRAW, LOSS, UNKNOWN, WIN
from gameforge.oracle import silent

Graph = list[list[int]]


def random_game(rng: random.Random, sizes: list[int]) -> tuple[Graph, list[list[Span]]]:
    """Successors of each position, and levels of two slices; moves stay in a level or go back."""
    successors: Graph = []
    levels: list[list[Span]] = []
    for size in sizes:
        first, end = len(successors), len(successors) + size
        successors += [rng.choices(range(end), k=rng.choice((0, 1, 1, 2, 3))) for _ in range(size)]
        middle = (first + end) // 2
        levels.append([Span(len(levels), first, middle), Span(len(levels), middle, end)])
    return successors, levels


def value_of(successors: list[int], values: Bytes) -> int:
    found = [int(values[s]) for s in successors]
    if LOSS in found:
        return WIN
    if all(value == WIN for value in found):
        return LOSS
    return UNKNOWN


def reference(successors: Graph, values: Bytes) -> Bytes:
    """All positions again and again until nothing changes."""
    values = values.copy()
    changed = True
    while changed:
        changed = False
        for position, following in enumerate(successors):
            if values[position] == UNKNOWN and (value := value_of(following, values)) != UNKNOWN:
                values[position] = value
                changed = True
    values[values == UNKNOWN] = DRAW
    return values


def solved(successors: Graph, levels: list[list[Span]], values: Bytes, workers: int) -> Bytes:
    predecessors: Graph = [[] for _ in successors]
    for position, following in enumerate(successors):
        for successor in following:
            predecessors[successor].append(position)

    def sweep(span: Span, values: Bytes, marks: Bytes, later: Bytes, level_first: int) -> int:
        found = 0
        for position in range(span.first, span.end):
            marked, marks[position - level_first] = marks[position - level_first], 0
            if not marked or values[position] != UNKNOWN:
                continue
            value = value_of(successors[position], values)
            if value != UNKNOWN:
                values[position] = value
                found += 1
                for predecessor in predecessors[position]:
                    if level_first <= predecessor < level_first + len(later):
                        later[predecessor - level_first] = 1
        return found

    values = values.copy()
    retrograde.solve(levels, sweep, values, workers, "", silent)
    return values


@pytest.mark.parametrize("seed", range(30))
def test_values_are_those_of_plain_iteration_with_any_number_of_workers(seed: int) -> None:
    successors, levels = random_game(random.Random(seed), [3, 40, 100, 60])
    unknown = np.full(len(successors), UNKNOWN, np.uint8)
    expected = reference(successors, unknown)
    assert set(expected.tolist()) == {WIN, LOSS, DRAW}
    for workers in (1, 3):
        assert np.array_equal(solved(successors, levels, unknown, workers), expected)


@pytest.mark.parametrize("seed", range(10))
def test_values_given_beforehand_lead_to_the_same_end(seed: int) -> None:
    """The case of a file that lacks the positions with captures."""
    rng = random.Random(seed)
    successors, levels = random_game(rng, [20, 80, 50])
    expected = reference(successors, np.full(len(successors), UNKNOWN, np.uint8))
    given = expected.copy()
    given[[rng.random() < 0.4 for _ in successors]] = UNKNOWN
    assert np.array_equal(solved(successors, levels, given, 2), expected)


def test_progress_counts_up_to_all_positions() -> None:
    told: list[tuple[str, int, int]] = []
    retrograde.solve(
        [[Span(0, 0, 4)], [Span(1, 4, 10)]],
        lambda *_: 0,
        np.zeros(10, np.uint8),
        1,
        "a game",
        lambda *step: told.append(step),
    )
    assert told == [("a game", 4, 10), ("a game", 10, 10)]


def test_chunks_are_the_same_positions_in_small_spans() -> None:
    assert retrograde.chunks([Span(0, 0, 5), Span(1, 5, 6)], size=2) == [
        Span(0, 0, 2),
        Span(0, 2, 4),
        Span(0, 4, 5),
        Span(1, 5, 6),
    ]
