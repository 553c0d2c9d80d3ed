"""The accuracy of a game's moves: by side and by phase."""

import functools

import pytest

import gameforge as gf
from gameforge.coaching.accuracy import accuracy, expected_result, lost_result, move_accuracy, phases
from gameforge.interfaces.evaluator import PLAIN, PROVEN_WIN, Unit
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import Outcome
from gameforge.play.analysis import GameAnalysis, Judged, judge
from gameforge.play.player import score_unit


def analysed(fen: str, *moves: str) -> GameAnalysis:
    here = gf.game("draughts").position(fen)
    for move in moves:
        here = here.play(move)
    game = GameRecord(start=here.start.state, moves=tuple(here.moves_played), outcome=Outcome.UNFINISHED)
    return judge(quick(), game)


@functools.cache
def quick() -> gf.Player:
    """A player; made when a test needs it, since that compiles kernels."""
    return gf.player("draughts", searcher="alphabeta:depth=2", evaluator="material")


@functools.cache
def men() -> Unit:
    """The unit of its scores."""
    return score_unit(quick())


def test_scores_in_pieces_and_expected_results_give_the_same_expected_result() -> None:
    position = gf.game("draughts").position()
    assert expected_result(0.0, men(), position) == expected_result(0.0, Unit.EXPECTED_RESULT, position) == 0.5
    assert 0.6 < expected_result(men().worth, men(), position) < 0.95
    assert expected_result(0.4, Unit.EXPECTED_RESULT, position) == expected_result(0.4, PLAIN, position) == 0.7
    unknown = Unit(one="crown", many="crowns", worth=0.1)
    assert expected_result(0.4, unknown, position) == 0.7
    assert [expected_result(sign * PROVEN_WIN, men(), position) for sign in (1, -1)] == [1.0, 0.0]


def test_a_move_that_loses_nothing_is_wholly_accurate() -> None:
    assert move_accuracy(0.0) == pytest.approx(100, abs=0.001)
    assert [round(move_accuracy(lost)) for lost in (0.05, 0.1, 0.35, 1.0)] == [80, 64, 19, 0]


def test_a_side_is_as_accurate_as_its_moves_with_an_alternative() -> None:
    """14-17 gives a man away, and White has no other move than to take it."""
    analysis = analysed("B:W22,32:B1,11,14", "14-17", "22x13", "11-15")
    [gift, _, quiet] = [lost_result(judged, men()) for judged in analysis.moves]
    assert gift > 0.1 > quiet
    assert accuracy(analysis, 0, men()) == pytest.approx((move_accuracy(gift) + move_accuracy(quiet)) / 2)
    assert accuracy(analysis, 1, men()) is None
    assert accuracy(analysis, 0, men(), "opening") is None
    assert accuracy(analysis, 0, men(), "ending") == accuracy(analysis, 0, men())


def test_oracles_decide_what_a_move_loses() -> None:
    here = gf.game("draughts").position("B:WK2:BK10,K18").play("10-6")
    game = GameRecord(start=here.start.state, moves=tuple(here.moves_played), outcome=Outcome.UNFINISHED)
    [judged] = judge(quick(), game, [gf.oracle("chinook", pieces=3)]).moves
    assert lost_result(judged, men()) == 0.5  # a draw instead of a win


def test_phases_follow_the_number_of_pieces() -> None:
    def phases_of(game: str, *counts_of_plies: int) -> list[str | None]:
        here = gf.game(game).position()
        moves = []
        for _ in range(max(counts_of_plies) + 1):
            moves.append(here.legal_moves[0])
            here = here.play(moves[-1])
        judged = [
            Judged(move=move, best=move, line=(move,), before=0, after=0, known_before=None, known_after=None, depth=0)
            for move in moves
        ]
        analysis = GameAnalysis(start=here.start, end=here, moves=tuple(judged), scores=(), known=())
        found = phases(analysis)
        return [found[ply] for ply in counts_of_plies]

    assert phases_of("othello", 0, 14, 16, 39, 50) == ["opening", "opening", "middle game", "middle game", "ending"]
    assert phases_of("draughts", 0, 1) == ["opening", "opening"]
    assert set(phases(analysed("B:W22,32:B1,11,14", "14-17"))) == {"ending"}
