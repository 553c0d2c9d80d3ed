"""The searcher `random`, and that `uct` beats it."""

from collections import Counter

import pytest
from mcts_toys import Nim, Tug

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.play.game import Game


def test_each_legal_move_is_as_likely_as_the_others() -> None:
    game = Game(Tug())
    mover = gf.player(game, searcher="random", evaluator="none", oracle="none")
    position = game.position()
    drawn = Counter(mover.analyse(position).move.code for _ in range(3000))
    assert set(drawn) == set(position.codes)
    assert all(900 < n < 1100 for n in drawn.values())


def test_the_seed_decides() -> None:
    game = Game(Tug())
    mover = gf.player(game, searcher="random", evaluator="none", oracle="none")

    def moves(seed: int) -> list[int]:
        mover.reseed(seed)
        return [mover.analyse(game.position()).move.code for _ in range(20)]

    assert moves(1) == moves(1) != moves(2)


def test_uct_never_loses_a_won_game_of_nim_to_it() -> None:
    game = Game(Nim(10))
    uct = gf.player(game, searcher="uct:simulations=1000", evaluator="none", oracle="none")
    mover = gf.player(game, searcher="random", evaluator="none", oracle="none")
    result = gf.match(uct, mover, games=100, openings="random:0")
    assert result.wins >= 90


@pytest.mark.parametrize("name", ["draughts", "othello", "morris"])
@pytest.mark.parametrize("games", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_uct_beats_it_in_real_games(name: str, games: int) -> None:
    """At least 98 of 100, and none is lost."""
    try:
        game = gf.game(name)
    except GameforgeError as error:
        pytest.skip(str(error))
    uct = gf.player(game, searcher="uct:simulations=1000", evaluator="none", oracle="none")
    mover = gf.player(game, searcher="random", evaluator="none", oracle="none")
    result = gf.match(uct, mover, games=games, workers=1)
    assert result.losses == 0
    assert result.wins >= 0.98 * games
