"""Solved values: published totals, agreement with the rules, independence of the number of workers."""

import itertools

import numpy as np
import pytest
from egdb_counts import MATERIALS, QUIET_TOTALS, TOTALS, Counts
from egdb_writer import gathered, quiet_values
from gameforge_egdb_chinook import solving
from gameforge_egdb_chinook.slices import positions, slices
from gameforge_egdb_chinook.units import DraughtsUnits
from numpy.typing import NDArray

from gameforge.interfaces import DRAW, LOSS, WIN
from gameforge.interfaces.oracle import silent

Bytes = NDArray[np.uint8]


@pytest.fixture(scope="module")
def quiet(solved: Bytes) -> Bytes:
    return quiet_values(solved, 4)


def counts(values: Bytes) -> Counts:
    found = np.bincount(values, minlength=4).tolist()
    return found[WIN], found[LOSS], found[DRAW]


@pytest.mark.parametrize("pieces", TOTALS)
def test_totals_match_the_published_ones(pieces: int, solved: Bytes, quiet: Bytes) -> None:
    part = slice(positions(pieces - 1) if pieces > 2 else 0, positions(pieces))
    assert counts(solved[part]) == TOTALS[pieces]
    assert counts(quiet[part]) == QUIET_TOTALS[pieces]


def test_counts_of_every_material_match_the_published_ones(solved: Bytes, quiet: Bytes) -> None:
    found: dict[str, list[Bytes]] = {}
    found_quiet: dict[str, list[Bytes]] = {}
    for s in slices(4):
        found.setdefault(s.name[:4], []).append(solved[s.start : s.start + s.size])
        found_quiet.setdefault(s.name[:4], []).append(quiet[s.start : s.start + s.size])
    assert {m: (counts(np.concatenate(found[m])), counts(np.concatenate(found_quiet[m]))) for m in found} == MATERIALS


def test_the_published_counts_add_up() -> None:
    for totals, column in ((TOTALS, 0), (QUIET_TOTALS, 1)):
        for pieces, total in totals.items():
            rows = [both[column] for material, both in MATERIALS.items() if sum(map(int, material)) == pieces]
            assert tuple(map(sum, zip(*rows, strict=True))) == total


def test_values_do_not_depend_on_the_number_of_workers(solved: Bytes) -> None:
    for workers in (1, 3):
        assert np.array_equal(solving.solve(3, workers, silent), solved[: positions(3)])


def test_resolving_captures_from_quiet_values_gives_the_solved_values(solved: Bytes, quiet: Bytes) -> None:
    units = DraughtsUnits(slices(4))
    packed = solving.packed_solver(units)
    for unit in (unit for level in units.levels for unit in level):
        found = packed.outcomes(unit, gathered(units, unit, quiet))
        assert np.array_equal(found, gathered(units, unit, solved))
        packed.keep(unit, found)


def contradictions(values: Bytes, pieces: int) -> list[str]:
    units = DraughtsUnits(slices(pieces))
    packed = solving.packed_solver(units)
    game = units.game_block(packed.places)
    every = [unit for level in units.levels for unit in level]
    for unit in every:
        packed.keep(unit, gathered(units, unit, values))
    found = (solving.contradictions(units, game, packed.store, unit, gathered(units, unit, values)) for unit in every)
    return [s.name for of_unit in found for s, _ in of_unit]


def test_every_solved_value_follows_from_those_of_its_successors(solved: Bytes) -> None:
    assert contradictions(solved, 4) == []


@pytest.mark.parametrize("value", [WIN, LOSS, DRAW])
def test_one_wrong_value_is_found_in_its_slice(solved: Bytes, value: int) -> None:
    rng = np.random.default_rng(value)
    for index in rng.choice(np.flatnonzero(solved[: positions(3)] == value), 5):
        for wrong in {WIN, LOSS, DRAW} - {value}:
            values = solved[: positions(3)].copy()
            values[index] = wrong
            name = next(s.name for s in slices(3) if s.start <= index < s.start + s.size)
            assert name in contradictions(values, 3)


def test_progress_ends_with_all_positions() -> None:
    announced: list[tuple[str, int, int]] = []
    solving.solve(3, 1, lambda *step: announced.append(step))
    assert {what for what, _, _ in announced} == {"solving all positions with up to 3 pieces"}
    done = [step for _, step, _ in announced]
    assert done == sorted(done)
    assert done[-1] == announced[-1][2] == positions(3)


def test_units_pair_every_slice_with_the_same_slice_with_colours_swapped() -> None:
    units = [unit for level in DraughtsUnits(slices(4)).levels for unit in level]
    assert sorted(itertools.chain.from_iterable(units)) == list(range(len(slices(4))))
    for unit in units:
        first, last = (slices(4)[number] for number in (unit[0], unit[-1]))
        assert (first.black_kings, first.black_men, first.black_rank) == (
            last.white_kings,
            last.white_men,
            last.white_rank,
        )
