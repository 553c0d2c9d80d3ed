"""The oracle that solves positions with few empty squares."""

import pytest
from gameforge_othello.notation import position_text
from gameforge_othello.solver import solve
from hypothesis import assume, given, settings
from hypothesis.strategies import integers
from othello_positions import GAME, reached

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Verdict
from gameforge.interfaces.rules import State
from gameforge.play.workshop import Workshop

# FFO 17: f8 alone leads by 8 discs, so with a komi of 7 no other move wins.
FFO_17 = "-OOOOO----OXXO-XXXOOOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOO----XXXX--- X"


def verdict(lead: int) -> Verdict:
    return Verdict("win" if lead > 0 else "loss" if lead < 0 else "draw", lead=lead)


@settings(max_examples=40)  # each is an exact search
@given(reached(), integers(-20, 20))
def test_results_are_those_of_the_exact_lead_and_the_komi(state: State, komi: int) -> None:
    while (64 - (state[0] | state[1]).bit_count()) > 10 and GAME.legal(state):
        state = GAME.play(state, GAME.legal(state)[-1])
    assume(GAME.legal(state))
    game = gf.game("othello", komi=komi)
    known = gf.oracle("solver", empty=10).probe(game.position(position_text(state)))
    assert known == verdict(solve(state, memory=1).lead - (-komi if state[2] else komi))


def test_a_search_knows_the_results_of_its_first_moves() -> None:
    """One ply suffices with 16 empty squares, and a win is reported as one."""
    game = gf.game("othello", komi=7)
    position = game.position(FFO_17)
    knows = gf.player(game, searcher="alphabeta:depth=1", evaluator="wpc", oracle="solver:empty=15")
    found = knows.analyse(position)
    assert (str(found.move), found.score) == ("f8", 1.0)
    assert knows.analyse(position.play("f8")).score == -1.0
    guesses = gf.player(game, searcher="alphabeta:depth=1", evaluator="wpc", oracle="solver:empty=14")
    assert abs(guesses.analyse(position).score) < 1


@pytest.mark.parametrize(
    "searcher", ["uct:simulations=20", "uct:simulations=20,leaf=mixed", "uct:simulations=20,prior=3"]
)
def test_random_games_know_the_results_of_the_first_moves_too(searcher: str) -> None:
    game = gf.game("othello", komi=7)
    found = gf.player(game, searcher=searcher, evaluator="wpc", oracle="solver:empty=15").analyse(game.position(FFO_17))
    assert (str(found.move), found.score) == ("f8", 1.0)


@pytest.mark.parametrize(
    "searcher", ["uct:simulations=20", "random", "vote:players=['strong']", "handicap:searcher=random"]
)
def test_the_trained_player_plays_with_any_searcher(searcher: str) -> None:
    """One that consults no oracles plays without the solver."""
    player = Workshop().player(f"{searcher} + strong", "othello")
    assert player.analyse(player.game.position()).move


def test_what_it_does_not_solve() -> None:
    oracle = gf.oracle("solver", empty=15)
    with pytest.raises(GameforgeError, match="16 empty squares; this oracle solves positions with up to 15"):
        oracle.probe(gf.game("othello").position(FFO_17))
    for empty in (0, 25):
        with pytest.raises(GameforgeError, match=f"empty = {empty}: must be"):
            gf.oracle("solver", empty=empty).probe(gf.game("othello").position(FFO_17))


def test_a_handle_serves_several_rules() -> None:
    oracle = gf.oracle("solver", empty=16)
    assert oracle.probe(gf.game("othello").position(FFO_17)) == verdict(8)
    assert str(verdict(8)) == "win by 8"
    assert oracle.probe(gf.game("othello", komi=9).position(FFO_17)) == verdict(-1)
    assert oracle.probe(gf.game("othello").position(FFO_17)) == verdict(8)
