"""The kernel functions of othello: perft, an independent reference, compiled against uncompiled."""

from pathlib import Path

import gameforge_othello
import pytest
from gameforge_othello.movegen import NAMES, PASS, START, discs
from gameforge_othello.notation import position_text, square_text
from gameforge_othello.rules import Othello
from hypothesis import given
from othello_positions import Kernel, compiled, parse_position, positions, reached
from othello_reference import board_of, final_lead, text_of, turns
from othello_reference import perft as reference_perft

from gameforge.interfaces import DRAW, LOSS, RUNNING, WIN
from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import compiled_rules
from gameforge.kernel.compile.jit import COMPILED
from gameforge.kernel.playout import leaves
from gameforge.testing.uncompiled import uncompiled

KERNEL = compiled()
PLAIN = Kernel(uncompiled("gameforge_othello.movegen"))
TABLE = compiled_rules(Othello().functions())
MOST_LEAVES = 5_000_000 if COMPILED else 500


def perft_file() -> list[tuple[str, dict[int, int]]]:
    text = (Path(gameforge_othello.__file__).parent / "perft.txt").read_text()
    entries = []
    for line in text.splitlines():
        if not line.startswith("#"):
            _, position, counts = line.split(" | ")
            pairs = (pair.split("=") for pair in counts.split())
            entries.append((position, {int(depth): int(count) for depth, count in pairs}))
    return entries


@pytest.mark.parametrize(("position", "counts"), perft_file())
def test_the_kernel_counts_what_the_perft_file_says(position: str, counts: dict[int, int]) -> None:
    assert position_text(parse_position(position)) == position
    for depth, count in counts.items():
        if count <= MOST_LEAVES:
            assert leaves(TABLE, parse_position(position), depth) == count, depth


@pytest.mark.slow
def test_perft_of_the_start_to_eleven_plies() -> None:
    counts = perft_file()[0][1]
    assert [leaves(TABLE, START, depth) for depth in range(1, 12)] == list(counts.values())


@pytest.mark.parametrize(("position", "counts"), perft_file())
def test_the_reference_counts_what_the_perft_file_says(position: str, counts: dict[int, int]) -> None:
    for depth, count in counts.items():
        if count <= 500:
            assert reference_perft(board_of(position), depth) == count, depth


def check_against_reference(state: State) -> None:
    ours = [(square_text(move), position_text(KERNEL.play(state, move))) for move in KERNEL.legal(state)]
    reference = [(name, text_of(board)) for name, board in turns(board_of(position_text(state)))]
    assert ours == reference


@given(positions())
def test_moves_anywhere_are_those_of_the_reference(state: State) -> None:
    check_against_reference(state)


@given(reached())
def test_moves_in_games_are_those_of_the_reference(state: State) -> None:
    check_against_reference(state)


@given(positions())
def test_compiled_and_uncompiled_functions_agree(state: State) -> None:
    legal = KERNEL.legal(state)
    assert PLAIN.legal(state) == legal
    assert KERNEL.outcome(state, len(legal)) == PLAIN.outcome(state, len(legal))
    for move in legal:
        assert KERNEL.play(state, move) == PLAIN.play(state, move)


@given(positions())
def test_a_side_passes_only_if_it_cannot_place_a_disc_and_the_other_side_can(state: State) -> None:
    legal = KERNEL.legal(state)
    if PASS in legal:
        assert legal == [PASS]
        after = KERNEL.play(state, PASS)
        assert discs(after) == discs(state)
        assert after[2] == 1 - state[2]
        assert PASS not in KERNEL.legal(after)
        assert KERNEL.legal(after)


@given(positions())
def test_a_move_adds_a_disc_and_flips_others(state: State) -> None:
    before = [word.bit_count() for word in state[:2]]
    for move in KERNEL.legal(state):
        if move != PASS:
            after = [word.bit_count() for word in KERNEL.play(state, move)[1::-1]]
            turned = after[0] - before[0] - 1
            assert turned >= 1
            assert after[1] == before[1] - turned


@given(positions())
def test_corners_and_passes_are_noisy(state: State) -> None:
    legal = KERNEL.legal(state)
    noisy, moves = KERNEL.noisy(state)
    assert (noisy, moves) == PLAIN.noisy(state)
    assert sorted(moves) == legal
    assert sorted(moves[:noisy]) == [move for move in legal if move in (0, 7, 56, 63, PASS)]


@given(positions())
def test_the_outcome_is_the_lead_of_the_reference_against_the_komi(state: State) -> None:
    """`outcome` is called as if neither side could move, whatever is on the board."""
    lead = final_lead(board_of(position_text(state)))
    for komi in (-64, -3, 0, 2, 63):
        ahead = (lead - komi) * (-1 if state[2] else 1)
        expected = DRAW if ahead == 0 else WIN if ahead > 0 else LOSS
        assert compiled(komi).outcome(state, 0) == expected
        assert Kernel(PLAIN.functions, komi).outcome(state, 0) == expected
    assert KERNEL.outcome(state, 1) == RUNNING


def test_the_start_position() -> None:
    assert Othello().initial() == START
    assert {NAMES[move] for move in KERNEL.legal(START)} == {"d3", "c4", "f5", "e6"}
    assert position_text(START) == f"{'-' * 27}OX------XO{'-' * 27} X"
