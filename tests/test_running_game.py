"""Games that Python plays in place, move by move, beside positions that are played again."""

import random

import attrs
import pytest
from toy_game import Shuttle
from toy_site import shuttle

import gameforge as gf
from gameforge.interfaces.rules import RulesFunctions
from gameforge.play.game import Game, RunningGame


@pytest.mark.parametrize("name", ["draughts", "othello", "morris", "shuttle"])
def test_random_games_agree_with_positions(name: str) -> None:
    game, rng = shuttle(repetition=3, no_progress=30) if name == "shuttle" else gf.game(name), random.Random(1)
    running = RunningGame(game)
    for _ in range(3):
        running.begin()
        position = game.position()
        while True:
            assert (running.state, running.turn) == (position.state, position.turn)
            assert running.outcome == position.outcome
            if position.outcome is not None:
                break
            assert running.moves == position.codes
            move = rng.choice(running.moves)
            running.play(move)
            position = position.after(move)


def test_a_game_begins_anywhere() -> None:
    start = gf.game("othello").position().play("d3")
    running = RunningGame(start.game)
    running.begin(start.state)
    assert (running.state, running.moves) == (start.state, start.codes)


def test_exceptions_of_python_functions_are_raised() -> None:
    """Rules that are not compiled raise at the move at which they fail."""

    def play(rules: object, s: object, m: object, child: object) -> None:
        raise LookupError("the moves are lost")

    class Broken(Shuttle):
        def functions(self) -> RulesFunctions:
            return attrs.evolve(super().functions(), play=play, compiled=frozenset({"gen", "outcome"}))

    running = RunningGame(Game(Broken()))
    with pytest.raises(gf.GameforgeError, match="the moves are lost"):
        running.play(running.moves[0])
