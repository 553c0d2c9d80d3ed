"""The kernel functions of draughts: perft, an independent reference, compiled against uncompiled."""

import random
from pathlib import Path

import gameforge_draughts
import pytest
from draughts_positions import Kernel, compiled, placed, positions
from draughts_reference import NUMBERED, board_of, fen_of, turns
from draughts_reference import perft as reference_perft
from gameforge_draughts.movegen import CAPTURED_SHIFT, MAX_MOVES, START
from gameforge_draughts.notation import parse_position, path, position_text
from gameforge_draughts.rules import Draughts
from hypothesis import given

from gameforge.interfaces import LOSS, RUNNING
from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import compiled_rules
from gameforge.kernel.compile.jit import COMPILED
from gameforge.kernel.playout import leaves
from gameforge.testing.uncompiled import uncompiled

KERNEL = compiled()
PLAIN = Kernel(uncompiled("gameforge_draughts.movegen"))
TABLE = compiled_rules(Draughts().functions())
MOST_LEAVES = 5_000_000 if COMPILED else 2_000


def perft_file() -> list[tuple[str, dict[int, int]]]:
    text = (Path(gameforge_draughts.__file__).parent / "perft.txt").read_text()
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


@pytest.mark.parametrize(("position", "counts"), perft_file())
def test_the_reference_counts_what_the_perft_file_says(position: str, counts: dict[int, int]) -> None:
    for depth, count in counts.items():
        if count <= 2_000:
            assert reference_perft(board_of(position), depth) == count, depth


@given(positions())
def test_moves_and_their_successors_are_those_of_the_reference(state: State) -> None:
    ours = sorted((path(move), position_text(KERNEL.play(state, move))) for move in KERNEL.legal(state))
    reference = sorted((turn.path, fen_of(turn.after)) for turn in turns(board_of(position_text(state))))
    assert ours == reference


@given(positions())
def test_compiled_and_uncompiled_functions_agree(state: State) -> None:
    legal = KERNEL.legal(state)
    assert PLAIN.legal(state) == legal
    assert KERNEL.outcome(state, len(legal)) == PLAIN.outcome(state, len(legal)) == (RUNNING if legal else LOSS)
    for move in legal:
        assert KERNEL.play(state, move) == PLAIN.play(state, move)
        assert KERNEL.irreversible(state, move) == PLAIN.irreversible(state, move)
        for before in legal:
            assert KERNEL.retracts(before, move) == PLAIN.retracts(before, move)


def test_the_uncompiled_copy_leaves_the_compiled_module_in_place() -> None:
    from gameforge_draughts import movegen

    assert PLAIN.functions is not movegen
    assert PLAIN.functions.MAX_MOVES == movegen.MAX_MOVES
    assert not hasattr(PLAIN.functions.captures, "py_func")
    assert hasattr(movegen.captures, "py_func") == COMPILED


@given(positions())
def test_a_move_is_irreversible_exactly_if_it_captures_or_moves_a_man(state: State) -> None:
    board = board_of(position_text(state))
    for move in KERNEL.legal(state):
        is_man = board.pieces[NUMBERED[path(move)[0]]].islower()
        is_capture = move >> int(CAPTURED_SHIFT) != 0
        assert KERNEL.irreversible(state, move) == (is_man or is_capture)


@given(positions())
def test_no_position_before_an_irreversible_move_occurs_again(state: State) -> None:
    def measure(position: State) -> tuple[int, int]:
        """A number that decreases with each capture and each move of a man, but not with a king's step."""
        pieces = board_of(position_text(position)).pieces
        rows = sum((7 - place[0] if piece == "b" else place[0]) for place, piece in pieces.items() if piece in "bw")
        return len(pieces), rows

    for move in KERNEL.legal(state):
        after = measure(KERNEL.play(state, move))
        assert (after < measure(state)) == bool(KERNEL.irreversible(state, move))


def move_of(state: State, *squares: int) -> int:
    return next(move for move in KERNEL.legal(state) if path(move) == squares)


def test_a_king_that_steps_back_retracts_its_move() -> None:
    state = parse_position("B:WK29:BK1,K5")
    out = move_of(state, 1, 6)
    there = KERNEL.play(KERNEL.play(state, out), move_of(KERNEL.play(state, out), 29, 25))
    assert KERNEL.retracts(out, move_of(there, 6, 1)) == 1
    others = [move for move in KERNEL.legal(there) if path(move) != (6, 1)]
    assert others
    assert not any(KERNEL.retracts(out, move) for move in others)


@given(positions())
def test_a_move_retracts_if_the_same_piece_goes_back_without_captures(state: State) -> None:
    for before in KERNEL.legal(state):
        for move in KERNEL.legal(KERNEL.play(state, before)):
            is_quiet = before >> int(CAPTURED_SHIFT) == 0 and move >> int(CAPTURED_SHIFT) == 0
            assert KERNEL.retracts(before, move) == (is_quiet and path(before) == path(move)[::-1])


def trails(row: int, column: int, used: frozenset[tuple[int, int]] = frozenset()) -> int:
    """Count the maximal capture routes of a king if every square that it could jump over is the enemy's."""
    found, ended = 0, True
    for down, right in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        over, stop = (row + down, column + right), (row + 2 * down, column + 2 * right)
        if min(stop) >= 0 and max(stop) <= 7 and over not in used:
            ended = False
            found += trails(*stop, used | {over})
    return 1 if ended and used else found


def test_the_bound_of_the_number_of_moves_holds_for_every_position() -> None:
    """Removing enemies or free squares never adds maximal routes, and men have fewer routes than kings."""
    most = sorted((trails(*place) for place in NUMBERED.values()), reverse=True)[:12]
    assert sum(most) == 184 < MAX_MOVES
    assert 12 * 4 < MAX_MOVES  # moves without captures


def test_positions_rich_in_kings_stay_far_below_the_bound() -> None:
    """A search by hand found 34 captures (perft file) and 42 moves without captures."""
    crowded = parse_position("B:W:BK6,K7,K8,K13,K14,K15,K16,K23,K24,K25,K26,K32")
    assert len(KERNEL.legal(crowded)) == 42
    rng = random.Random(20261120)
    all_kings = 2**32 - 1
    most = max(
        len(KERNEL.legal(placed(rng.getrandbits(32), rng.getrandbits(32), all_kings, rng.randrange(2))))
        for _ in range(5_000)
    )
    assert 15 <= most <= 42


def test_a_man_ends_its_move_in_the_king_row() -> None:
    """After 22x31 a king could go on over 27, a new king may not."""
    state = parse_position("B:W26,27:B22")
    assert [path(move) for move in KERNEL.legal(state)] == [(22, 31)]
    after = KERNEL.play(state, KERNEL.legal(state)[0])
    assert position_text(after) == "W:W27:BK31"


def test_the_start_position() -> None:
    assert Draughts().initial() == START
    assert position_text(START) == position_text(parse_position("B:W21-32:B1-12"))
    assert {path(move) for move in KERNEL.legal(START)} == {
        (9, 13), (9, 14), (10, 14), (10, 15), (11, 15), (11, 16), (12, 16),
    }  # fmt: skip
