"""Moves: perft, an independent reference, compiled against uncompiled, and the rules by example."""

from pathlib import Path

import gameforge_morris
import morris_reference as reference
import pytest
from gameforge_morris.movegen import MAX_MOVES
from gameforge_morris.notation import parts, position_text, whole_text
from gameforge_morris.rules import Morris
from hypothesis import given
from morris_positions import POSITIONS, Plain, as_reference, lasker_positions, positions

import gameforge as gf
from gameforge.interfaces.rules import Outcome, State
from gameforge.kernel.compile.jit import COMPILED
from gameforge.kernel.playout import leaves
from gameforge.play.game import Game
from gameforge.testing.uncompiled import uncompiled

GAME = gf.game("morris")
WITH_DIAGONALS = Game(Morris(diagonals=True))
WITHOUT_FLYING = Game(Morris(flying=False))
MODULE = uncompiled("gameforge_morris.movegen")
PLAIN = Plain(MODULE)
MOST_LEAVES = 10_000_000 if COMPILED else 2_000


def perft_file() -> list[tuple[str, dict[int, int]]]:
    text = (Path(gameforge_morris.__file__).parent / "perft.txt").read_text()
    entries = []
    for line in text.splitlines():
        if not line.startswith("#"):
            _, position, counts = line.split(" | ")
            pairs = (pair.split("=") for pair in counts.split())
            entries.append((position, {int(depth): int(count) for depth, count in pairs}))
    return entries


def texts(position: str, game: Game = GAME) -> set[str]:
    return set(map(str, game.position(position).legal_moves))


@pytest.mark.parametrize(("position", "counts"), perft_file())
def test_the_kernel_counts_what_the_perft_file_says(position: str, counts: dict[int, int]) -> None:
    assert position_text(POSITIONS.parse_position(position)) == position
    for depth, count in counts.items():
        if count <= MOST_LEAVES:
            assert leaves(GAME.compiled, POSITIONS.parse_position(position), depth) == count, depth


@pytest.mark.parametrize(("position", "counts"), perft_file())
def test_the_reference_counts_what_the_perft_file_says(position: str, counts: dict[int, int]) -> None:
    for depth, count in counts.items():
        if count <= 3_000:
            assert reference.leaves(as_reference(POSITIONS.parse_position(position)), depth) == count, depth


@pytest.mark.slow
def test_the_placing_phase_to_seven_plies() -> None:
    assert leaves(GAME.compiled, GAME.rules.initial(), 6) == 99_274_176
    assert leaves(GAME.compiled, GAME.rules.initial(), 7) == 1_873_562_112


@given(positions())
def test_moves_and_their_successors_are_those_of_the_reference(state: State) -> None:
    for game, flying in ((GAME, True), (WITHOUT_FLYING, False)):
        ours = {whole_text(move): position_text(game.play(state, move)) for move in game.legal(state)}
        assert len(ours) == len(game.legal(state))
        moves = reference.legal(as_reference(state), flying)
        assert ours == {text: reference.text(after) for text, after in moves.items()}
        end = Outcome.of(game.rules, game.code(state, len(ours)), state[2] & 1)
        assert (end and end.reason) == reference.outcome(as_reference(state), flying)
        assert end is None or end.winner == 1 - (state[2] & 1)


@given(positions())
def test_compiled_and_uncompiled_functions_agree(state: State) -> None:
    legal = GAME.legal(state)
    assert PLAIN.legal(state) == legal
    assert PLAIN.outcome(state, len(legal)) == GAME.code(state, len(legal))
    assert [PLAIN.play(state, move) for move in legal] == [GAME.play(state, move) for move in legal]


@given(positions(11))
def test_there_is_room_for_all_moves(state: State) -> None:
    """Each line allows at most one step, and a mill can remove one of at most 11 men."""
    assert len(GAME.legal(state)) <= MAX_MOVES
    assert len(Game(Morris(men=11)).legal(state)) <= MAX_MOVES


@given(positions())
def test_placements_and_removals_are_irreversible_and_removals_noisy(state: State) -> None:
    legal = GAME.legal(state)
    removals = [move for move in legal if parts(move)[2] < 24]
    for move in legal:
        start, _, _ = parts(move)
        assert PLAIN.irreversible(state, move) == (move in removals or start == 24)
    n, order = PLAIN.noisy(state, legal)
    assert set(order[:n]) == set(removals)
    assert sorted(order) == sorted(legal)


@given(positions())
def test_a_move_is_taken_back_by_its_reverse(state: State) -> None:
    for move in GAME.legal(state):
        start, to, removed = parts(move)
        for answer in GAME.legal(state)[:20]:
            is_back = parts(answer) == (to, start, 24) and removed == 24
            assert PLAIN.retracts(move, answer) == is_back
        if start < 24:
            back = to << 5 | start | 24 << 10
            assert PLAIN.retracts(move, back) == (removed == 24)


def test_a_mill_removes_men_outside_mills_first() -> None:
    assert texts("W:Wa7,d7+1:Ba1,d1,g1,b2+1") >= {"g7xb2"}
    assert not {"g7", "g7xa1"} & texts("W:Wa7,d7+1:Ba1,d1,g1,b2+1")


def test_a_man_in_a_mill_is_removed_if_all_are_in_mills() -> None:
    assert {"g7xa1", "g7xd1", "g7xg1"} <= texts("W:Wa7,d7+1:Ba1,d1,g1+1")


def test_two_mills_at_once_remove_one_man() -> None:
    moves = texts("W:Wa7,d7,g4,g1+1:Bb2,d2,f4,c3+1")
    assert {text for text in moves if text.startswith("g7")} == {"g7xb2", "g7xd2", "g7xf4", "g7xc3"}


def test_a_man_may_leave_a_mill_and_come_back() -> None:
    position = GAME.position("W:Wa7,d7,g7,c3:Bb4,d2,f4,e3").play("g7-g4").play("b4-b2")
    assert "g4-g7xd2" in set(map(str, position.legal_moves))


def test_a_step_along_the_line_that_it_leaves_makes_no_mill() -> None:
    """d7-g7 with a7: two men on the line, and one that has left it."""
    assert "d7-g7" in texts("W:Wa7,d7,a1,c3:Bb4,d2,f4,e3")


def test_flying_is_for_the_side_with_three_men_once_all_are_placed() -> None:
    assert "a7-e3" in texts("W:Wa7,d1,g4:Bb4,d2,f4,c3")
    assert "a7-e3" not in texts("W:Wa7,d1,g4,c5:Bb4,d2,f4,c3")
    assert texts("W:Wa7,d1,g4:Bb4,d2,f4,c3", WITHOUT_FLYING) == {
        *("a7-d7", "a7-a4", "d1-a1", "d1-g1", "g4-g7", "g4-g1"),
    }
    assert texts("W:Wa7,d1+1:Bb4,d2+1") == {name for name in reference.POINTS if name not in {"a7", "d1", "b4", "d2"}}


def test_fewer_than_three_men_have_lost_but_men_in_hand_count() -> None:
    outcome = GAME.position("W:Wa7,d7:Bb4,d2,f4").outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (1, "fewer than three men")
    assert GAME.position("W:Wa7,d7+1:Bb4,d2,f4+1").outcome is None
    placing = GAME.position("W:Wa7+1:Bb4,d2,f4+1").outcome
    assert placing is not None
    assert placing.reason == "fewer than three men"


def test_a_side_that_cannot_move_has_lost() -> None:
    outcome = GAME.position("W:Wa7,d7,g7,a4:Bg4,a1,d6,b4").outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (1, "no legal move")


@given(positions())
def test_moves_on_a_board_with_diagonals(state: State) -> None:
    found = {whole_text(move) for move in WITH_DIAGONALS.legal(state)}
    assert found == set(reference.legal(as_reference(state), mills=reference.WITH_DIAGONALS))


def test_a_diagonal_is_a_mill() -> None:
    assert texts("W:Wa7,b6,d5,g1:Bd7,g4,d1,e4", WITH_DIAGONALS) >= {"d5-c5xd7", "d5-c5xg4", "b6-c5"}


class TestLasker:
    """Lasker Morris: ten men, which may move from the beginning."""

    GAME = Game(Morris(men=10, lasker=True))

    @given(lasker_positions())
    def test_the_reference_finds_the_same_moves_and_positions(self, state: State) -> None:
        expected = reference.legal(as_reference(state), lasker=True)
        found = {whole_text(move): self.GAME.play(state, move) for move in self.GAME.legal(state)}
        assert {text: position_text(after) for text, after in found.items()} == {
            text: reference.text(after) for text, after in expected.items()
        }

    @given(lasker_positions())
    def test_text_and_hands_make_a_round_trip(self, state: State) -> None:
        assert self.GAME.rules.positions.parse_position(position_text(state)) == state

    @pytest.mark.parametrize(("depth", "count"), [(1, 24), (2, 552), (3, 13_552)])
    def test_perft(self, depth: int, count: int) -> None:
        """By counting: 24 points, then 23; then 22 placements, or one of 64 steps, each free for 22 of 23 points."""
        assert leaves(self.GAME.compiled, self.GAME.rules.initial(), depth) == count
        assert reference.leaves(reference.start(10), depth, lasker=True) == count

    def test_three_men_fly_only_with_an_empty_hand(self) -> None:
        assert "a7-e3" not in texts("W:Wa7,d2,f4+1:Bb4,g7,c3,c4", self.GAME)
        assert "a7-e3" in texts("W:Wa7,d2,f4:Bb4,g7,c3,c4", self.GAME)

    @given(lasker_positions())
    def test_only_placements_and_removals_are_irreversible(self, state: State) -> None:
        for move in self.GAME.legal(state):
            start, _, removed = parts(move)
            assert PLAIN.irreversible(state, move) == (start == 24 or removed < 24)

    def test_a_point_alone_places_a_man(self) -> None:
        here = self.GAME.position("W:Wf4+9:Bb6+9")
        assert [whole_text(here.play(text).moves_played[-1]) for text in ("e4", "f4-e4")] == ["e4", "f4-e4"]

    def test_other_games_refuse_such_hands(self) -> None:
        with pytest.raises(gf.GameforgeError, match="as many men as White in hand, not 5 against 8"):
            GAME.position("W:Wa7+8:Bb4,g7,c3,c4+5")
        assert self.GAME.position("W:Wa7+8:Bb4,g7,c3,c4+5").legal_moves
