"""The searcher `handicap`: the other searcher's answers, random moves in their share, repeatable games."""

import re

import pytest

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.play.player import Player
from gameforge.testing import check

INNER = "alphabeta:depth=2"


def player(random_moves: float, inner: str = INNER) -> Player:
    return gf.player(
        "draughts", searcher=f'handicap:searcher="{inner}",random_moves={random_moves}', evaluator="material"
    )


def moves(player: Player, seeds: range) -> list[str]:
    position, chosen = player.game.position("W:W18,22,23,30:B5,9,12,K31"), []
    for seed in seeds:
        player.reseed(seed)
        chosen.append(str(player.analyse(position).move))
    return chosen


def test_without_random_moves_it_is_the_other_searcher() -> None:
    mine, other = player(0), gf.player("draughts", searcher=INNER, evaluator="material")
    position = mine.game.position()
    for _ in range(20):
        found, expected = mine.analyse(position), other.analyse(position)
        assert found == expected
        position = position.play(expected.move)


def test_the_share_of_random_moves() -> None:
    best = moves(player(0), range(1))[0]
    always = moves(player(1), range(300))
    legal = len(set(always))
    assert legal == len(player(1).game.position("W:W18,22,23,30:B5,9,12,K31").legal_moves)
    assert max(always.count(move) for move in set(always)) < 300 * 2 / legal
    some = moves(player(0.3), range(400))
    expected = 1 - 0.3 * (1 - 1 / legal)
    assert some.count(best) / 400 == pytest.approx(expected, abs=0.08)
    assert some == moves(player(0.3), range(400))


def test_games_do_not_depend_on_workers() -> None:
    results = [gf.match(player(0.2), player(0.5), games=8, seed=3, workers=workers).games for workers in (1, 2)]
    assert [game.codes for game in results[0]] == [game.codes for game in results[1]]


def test_memory_is_fresh_in_every_game() -> None:
    """As for the other searcher alone: game 2 does not depend on game 1."""
    one, other = (player(0, "alphabeta:nodes=300,memory=1") for _ in range(2))
    plain = [gf.player("draughts", searcher="alphabeta:nodes=300,memory=1", evaluator="material") for _ in range(2)]
    wrapped = gf.match(one, other, games=6, seed=1).games
    assert [game.codes for game in wrapped] == [game.codes for game in gf.match(*plain, games=6, seed=1).games]


def test_an_evaluator_is_needed_if_the_other_searcher_needs_one() -> None:
    with pytest.raises(GameforgeError, match="needs an evaluator"):
        gf.player("draughts", searcher='handicap:searcher="uct:prior=8"', evaluator="none")
    gf.player("draughts", searcher="handicap:searcher=random", evaluator="none")


def test_contract() -> None:
    check("searcher", "handicap:searcher=random,random_moves=1", game="othello").require()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("handicap", "searcher.searcher is missing"),
        ("handicap:searcher=nobody", "unknown searcher 'nobody'"),
        ("handicap:searcher=minimax,random_moves=1.5", "random_moves = 1.5"),
    ],
)
def test_wrong_parameters(text: str, message: str) -> None:
    with pytest.raises(GameforgeError, match=re.escape(message)):
        gf.player("draughts", searcher=text, evaluator="material")
