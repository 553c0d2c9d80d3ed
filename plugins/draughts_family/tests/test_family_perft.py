"""Counts of moves: published ones, and those on which the kernel and the slow reference agree."""

from pathlib import Path

import gameforge_draughts_family
import pytest
from family_positions import laws_of, position_of
from family_reference import Laws, Position, after, legal_moves
from gameforge_draughts_family.board import board_of, to_move
from gameforge_draughts_family.rules import FamilyRules

import gameforge as gf
from gameforge.kernel.compile.jit import COMPILED
from gameforge.play.perft import perft
from gameforge.testing.perft_file import PerftLine, perft_file

FILES = sorted((Path(gameforge_draughts_family.__file__).parent / "perft").glob("*.txt"))
LINES = [pytest.param(path.stem, line, id=f"{path.stem}, {line.name}") for path in FILES for line in perft_file(path)]
MOST = 1_500_000 if COMPILED else 500

APART = {
    "international": {8: 6_483_971, 9: 41_022_614},
    "russian": {8: 929_905, 9: 4_570_667, 10: 22_450_628},
    "brazilian": {8: 907_836, 9: 4_431_847, 10: 21_566_606},
    "pool": {8: 929_902, 9: 4_570_615, 10: 22_442_551},
}
"""Counts of captures that differ only in their order of pieces as different moves, published beside the others."""


def reference_perft(laws: Laws, position: Position, white: bool, depth: int) -> int:
    moves = legal_moves(laws, position, white)
    if depth == 1:
        return len(moves)
    return sum(reference_perft(laws, after(laws, position, move), not white, depth - 1) for move in moves)


@pytest.mark.parametrize(("game", "line"), LINES)
def test_the_kernel_counts_what_the_perft_files_say(game: str, line: PerftLine) -> None:
    assert line.wrong(gf.game(game), MOST) == {}


@pytest.mark.parametrize(("game", "line"), LINES)
def test_the_reference_counts_what_the_perft_files_say(game: str, line: PerftLine) -> None:
    rules = gf.game(game).rules
    assert isinstance(rules, FamilyRules)
    state = gf.game(game).position(line.position or None).state
    variant = rules.settings()
    position, white = position_of(board_of(variant), state), to_move(state) == 0
    for depth, count in line.counts.items():
        if count <= 400:
            assert reference_perft(laws_of(variant), position, white, depth) == count, depth


@pytest.mark.parametrize("game", APART)
def test_captures_by_different_routes_count_apart_on_request(game: str) -> None:
    position = gf.game(f"{game}:routes=apart").position()
    for depth, count in APART[game].items():
        if count <= MOST:
            assert perft(position, depth) == count


@pytest.mark.slow
@pytest.mark.parametrize("game", APART)
def test_the_published_counts_to_their_depth(game: str) -> None:
    for depth, count in APART[game].items():
        assert perft(gf.game(f"{game}:routes=apart").position(), depth) == count


@pytest.mark.slow
@pytest.mark.parametrize(("game", "line"), LINES)
def test_all_counts_of_the_perft_files(game: str, line: PerftLine) -> None:
    assert line.wrong(gf.game(game), 2_000_000_000) == {}


@pytest.mark.parametrize(
    ("settings", "leaves"),
    [
        ("by_king=true", [7, 49, 302, 1469, 7361, 36768, 179740, 845931]),
        ("kings=halting", [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963648]),
    ],
    ids=["Czech", "Thai, with the pieces of checkers"],
)
def test_kinds_that_others_have_are_combinations_of_settings(settings: str, leaves: list[int]) -> None:
    """Published by R. Halbersma (dctl) and on damforum.nl."""
    base = "draughts-variant:board=8x8,men_capture=forwards,promotion=stop,majority=free"
    position = gf.game(f"{base},{settings}").position()
    for depth, count in enumerate(leaves, 1):
        if count <= (4_000_000 if COMPILED else 500):
            assert perft(position, depth) == count


def test_english_draughts_is_a_combination_of_settings() -> None:
    """The plugin `draughts` has a generator of its own, which counts the same."""
    settings = "board=8x8,kings=short,men_capture=forwards,majority=free,promotion=stop,first=black,routes=apart"
    ours = gf.game(f"draughts-variant:{settings}").position()
    theirs = gf.game("draughts").position()
    for depth in range(1, 9 if COMPILED else 4):
        assert perft(ours, depth) == perft(theirs, depth)
