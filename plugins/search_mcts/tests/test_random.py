"""The searcher `random`, and games of `uct` against it."""

from collections import Counter

import pytest
from toy_games import Tug

import gameforge as gf
from gameforge.arena.workspace import Workspace
from gameforge.errors import GameforgeError
from gameforge.play.game import Game
from gameforge.testing.toy import Pile


def test_all_legal_moves_are_equally_likely() -> None:
    game = Game(Tug())
    mover = gf.player(game, searcher="random", evaluator="none", oracle="none")
    position = game.position()
    drawn = Counter(mover.analyse(position).move.code for _ in range(3000))
    assert set(drawn) == set(position.codes)
    assert all(900 < n < 1100 for n in drawn.values())


def test_moves_depend_on_the_seed() -> None:
    game = Game(Tug())
    mover = gf.player(game, searcher="random", evaluator="none", oracle="none")

    def moves(seed: int) -> list[int]:
        mover.reseed(seed)
        return [mover.analyse(game.position()).move.code for _ in range(20)]

    assert moves(1) == moves(1) != moves(2)


def test_uct_wins_every_won_pile_against_random() -> None:
    game = Game(Pile(stones=10))
    uct = gf.player(game, searcher="uct:simulations=1000", evaluator="none", oracle="none")
    mover = gf.player(game, searcher="random", evaluator="none", oracle="none")
    result = gf.match(uct, mover, games=100, openings="random:0")
    assert result.wins >= 90


def test_a_match_compiles_no_evaluator_that_no_search_asks() -> None:
    """The evaluators that the preset names are untrained nets."""
    game = gf.game(Pile(stones=10))
    settings = {"random": False, "uct": False, "uct:leaf=evaluator": True}
    players = [gf.player(game, searcher=each, evaluator="mlp", features="bits", oracle="none") for each in settings]
    room = Workspace(*players)
    assert [bool(one.context.evaluator.is_net) for one in room.players] == list(settings.values())


@pytest.mark.parametrize("name", ["draughts", "othello", "morris"])
@pytest.mark.parametrize("games", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_uct_beats_random_in_real_games(name: str, games: int) -> None:
    """uct wins at least 98 of 100 games and loses none."""
    try:
        game = gf.game(name)
    except GameforgeError as error:
        pytest.skip(str(error))
    uct = gf.player(game, searcher="uct:simulations=1000", evaluator="none", oracle="none")
    mover = gf.player(game, searcher="random", evaluator="none", oracle="none")
    result = gf.match(uct, mover, games=games, workers=1)
    assert result.losses == 0
    assert result.wins >= 0.98 * games
