"""Draws by repetition and the like: the kernel against the definitions of DrawRules in plain Python."""

import random
from typing import Any

import numpy as np
import pytest
import toy_game
from hypothesis import given
from hypothesis import strategies as st
from toy_site import registry, shuttle

import gameforge as gf
from gameforge.interfaces.rules import DrawRules, Outcome
from gameforge.play.game import Game, Position

LOOP = ["0x0", "0x0", "0x1", "0x1"]
"""Both runners to the left and back again: a position of the toy game returns every 4 plies."""


def played(game: Game, moves: list[str]) -> Position:
    position = game.position()
    for move in moves:
        position = position.play(move)
    return position


def first_outcome(game: Game, moves: list[str]) -> tuple[int, Outcome | None]:
    """Return (plies after which the game ended, outcome), or 0 plies if it did not end."""
    position = game.position()
    for ply, move in enumerate(moves, start=1):
        position = position.play(move)
        if position.outcome is not None:
            return ply, position.outcome
    return 0, None


class TestEachRule:
    @pytest.mark.parametrize("n", [2, 3, 5])
    def test_repetition(self, n: int) -> None:
        game = shuttle(repetition=n)
        assert first_outcome(game, LOOP * 6) == (4 * (n - 1), Outcome(None, "repetition", loop=True))

    def test_repetition_requires_the_same_side_to_move(self) -> None:
        """After 2 plies both runners are where they began, but the mirrored position is another one."""
        game = shuttle(repetition=2)
        start = game.position("2,2,3,0,0")
        other_side = game.position("2,2,3,1,0")
        assert start != other_side
        assert played(game, ["0x0", "0x0", "0x1"]).outcome is None

    def test_counters_in_the_state_are_not_part_of_the_position(self) -> None:
        """The toy's state counts plies; its key omits them, so that positions can repeat."""
        position = played(shuttle(), LOOP)
        assert position.state != position.start.state
        assert played(shuttle(repetition=2), LOOP).outcome == Outcome(None, "repetition", loop=True)

    def test_an_irreversible_move_forgets_the_positions_before_it(self) -> None:
        game = shuttle(repetition=2, stones=9)
        take = ["0x2", "0x2"]
        assert first_outcome(game, ["0x0", "0x0", "0x1", "0x2", *LOOP]) == (8, Outcome(None, "repetition", True))
        assert first_outcome(game, [*LOOP[:3], *take, *LOOP[:3]])[1] is None

    @pytest.mark.parametrize("n", [1, 5, 12])
    def test_no_progress(self, n: int) -> None:
        game = shuttle(no_progress=n, stones=20)
        assert first_outcome(game, LOOP * 6) == (n, Outcome(None, "no progress", loop=False))
        start_again = [*(LOOP * 6)[: n - 1], "0x2"]
        assert first_outcome(game, start_again + LOOP * 6)[0] == n + n

    def test_ply_cap(self) -> None:
        assert first_outcome(shuttle(max_plies=7), LOOP * 3) == (7, Outcome(None, "ply cap", loop=False))

    @pytest.mark.parametrize("n", [1, 2, 4])
    def test_shuffle(self, n: int) -> None:
        """A loop of two plies per side: from its second move on, each move takes back the one before."""
        game = shuttle(shuffle=n)
        assert first_outcome(game, LOOP * 6) == (2 * (n + 1), Outcome(None, "shuffle", loop=True))

    def test_shuffle_takes_two(self) -> None:
        """North goes to and fro; South moves on."""
        game = shuttle(shuffle=1, stones=50)
        moves = ["0x0", "0x0", "0x1", "0x0", "0x0", "0x2", "0x1", "0x1", "0x0", "0x1"]
        assert first_outcome(game, moves)[1] is None
        assert first_outcome(game, [*moves, "0x1", "0x0"]) == (12, Outcome(None, "shuffle", True))

    def test_another_move_breaks_a_shuffle(self) -> None:
        game = shuttle(shuffle=2, stones=50)
        assert first_outcome(game, [*LOOP, "0x2", "0x0", *LOOP])[1] is None

    def test_the_rules_come_first(self) -> None:
        game = shuttle(stones=1, max_plies=1)
        assert played(game, ["0x2"]).outcome == Outcome(0, "last stone taken")

    def test_zero_is_off(self) -> None:
        assert first_outcome(shuttle(max_plies=60), LOOP * 14)[1] is None


class Course:
    """The definitions of DrawRules, kept up to date move by move."""

    def __init__(self, draws: DrawRules, start: Any) -> None:
        self.draws = draws
        self.positions = [start[: toy_game.PLIES]]
        self.last: list[int | None] = [None, None]
        self.shuffles = [0, 0]
        self.quiet, self.plies = 0, 0

    def add(self, move: int, state: Any) -> None:
        side = self.plies % 2
        before, self.last[side] = self.last[side], move
        back = before is not None and {before, move} == {toy_game.LEFT, toy_game.RIGHT}
        self.shuffles[side] = self.shuffles[side] + 1 if back else 0
        self.quiet = 0 if move >= toy_game.TAKE_ONE else self.quiet + 1
        self.positions.append(state[: toy_game.PLIES])
        self.plies += 1

    def reasons(self) -> set[str]:
        """Return all reasons for which the game is drawn now."""
        draws = self.draws
        true = {
            "repetition": 0 < draws.repetition <= self.positions.count(self.positions[-1]),
            "no progress": 0 < draws.no_progress <= self.quiet,
            "ply cap": self.plies >= draws.max_plies,
            "shuffle": 0 < draws.shuffle <= min(self.shuffles),
        }
        return {reason for reason, holds in true.items() if holds}


@given(st.integers(0, 2**32), st.integers(0, 4), st.integers(0, 12), st.integers(1, 30), st.integers(0, 3))
def test_any_game_is_drawn_when_and_why_the_definitions_say(
    seed: int, repetition: int, no_progress: int, max_plies: int, shuffle: int
) -> None:
    """Random games in which few stones are taken, so that positions repeat."""
    rng = random.Random(seed)
    repetition = 0 if repetition == 1 else repetition
    game = shuttle(stones=5, repetition=repetition, no_progress=no_progress, max_plies=max_plies, shuffle=shuffle)
    position = game.position()
    course = Course(game.rules.draws, position.state)
    moves: list[int] = []
    while position.outcome is None:
        assert course.reasons() == set()
        codes = position.codes
        moves.append(rng.choice(codes if rng.random() < 0.1 else [c for c in codes if c < toy_game.TAKE_ONE]))
        position = position.after(moves[-1])
        course.add(moves[-1], position.state)
    if position.outcome.reason in toy_game.Shuttle.reasons:
        return
    assert position.outcome.reason in course.reasons()
    assert position.outcome == Outcome(
        None, position.outcome.reason, position.outcome.reason in ("repetition", "shuffle")
    )
    assert in_the_kernel(game, moves) == (position.outcome, len(moves))


def in_the_kernel(game: Game, moves: list[int]) -> tuple[Outcome | None, int]:
    """Return (outcome, plies) of a game of two players that play these moves."""
    from gameforge.arena import Workspace
    from gameforge.interfaces.games import Opening

    player = gf.player(game, searcher=toy_game.Script(moves=[*moves, 0]), registry=registry())
    played = Workspace(player, player).play(Opening("", game.rules.initial()))
    assert list(played.codes) == moves
    return (played.outcome if played.finished else None), len(played.codes)


class TestDraughts:
    FIGURE_4 = "B:WK32:B12,K1,K2,K6"
    """Three kings and a man against one king, as in figure 4 of LS-Draughts: won, and shuffled away."""
    SHUFFLE = ["1-5", "32-28", "5-1", "28-32"]

    def end(self, moves: list[str], fen: str = FIGURE_4, **settings: int) -> tuple[int, Outcome | None]:
        position = gf.game("draughts", **settings).position(fen)
        for ply, move in enumerate(moves, start=1):
            position = position.play(move)
            if position.outcome is not None:
                return ply, position.outcome
        return 0, None

    def test_the_loop_of_figure_4(self) -> None:
        loop = Outcome(None, "repetition", loop=True)
        assert self.end(self.SHUFFLE * 3) == (8, loop)
        assert self.end(self.SHUFFLE * 3, repetition=0) == (8, Outcome(None, "shuffle", loop=True))
        assert self.end(self.SHUFFLE * 3, repetition=0, shuffle=0) == (0, None)

    def test_the_40_move_rule(self) -> None:
        draw = Outcome(None, "no progress", loop=False)
        assert self.end(self.SHUFFLE * 21, repetition=0, shuffle=0) == (80, draw)
        man_moves = [*(self.SHUFFLE * 19)[:72], "12-16", "32-28", *["1-5", "28-32", "5-1", "32-28"] * 21]
        assert self.end(man_moves, repetition=0, shuffle=0) == (73 + 80, draw)

    def test_no_legal_move_wins_for_the_other_side(self) -> None:
        game = gf.game("draughts")
        assert game.position("W:W5:B1,9").outcome == Outcome(0, "no legal move")
        assert game.position("B:W5,6,10:B1").outcome == Outcome(1, "no legal move")

    def test_ply_cap(self) -> None:
        assert self.end(self.SHUFFLE, max_plies=3) == (3, Outcome(None, "ply cap"))


def test_a_long_game_can_be_replayed_beyond_the_cap() -> None:
    """A user may continue a game that is drawn."""
    game = shuttle(max_plies=6, stones=50)
    position = played(game, LOOP * 3)
    assert position.outcome == Outcome(None, "ply cap")
    assert len(position.moves_played) == 12
    assert np.array_equal(position.start.state, game.rules.initial())
