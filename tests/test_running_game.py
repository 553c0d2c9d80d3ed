"""Games that Python plays in place, move by move, beside positions that are played again."""

import random
from concurrent.futures import ThreadPoolExecutor

import attrs
import pytest
from toy_game import Shuttle
from toy_site import shuttle

import gameforge as gf
from gameforge.discovery.registry import default_registry
from gameforge.interfaces.rules import Outcome, RulesFunctions
from gameforge.play.game import Game, RunningGame, games


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


class Uncompiled(Shuttle):
    def functions(self) -> RulesFunctions:
        return attrs.evolve(super().functions(), compiled=False)


TOYS = {"shuttle": Shuttle, "shuttle in plain Python": Uncompiled}


@pytest.mark.parametrize("name", [*games(default_registry()), *TOYS])
def test_positions_remember_what_a_replay_finds(name: str) -> None:
    """Whatever was played before and beside it, and however long the game goes on after it was drawn."""
    rng = random.Random(1)
    draws = {"repetition": 3, "no_progress": 9, "max_plies": 40, "shuffle": 4}
    game = gf.game(name) if name in games(default_registry()) else Game(TOYS[name](stones=50, **draws))
    known = [game.position()]
    for _ in range(150):
        position = known[-1] if rng.random() < 0.9 else rng.choice(known)
        assert position.codes == game.legal(position.state)
        moves = position.moves_played
        code = game.code_after(known[0].state, moves)
        assert position.outcome == Outcome.of(game.rules, code, position.turn), moves
        assert position.facts.decided == (game.code(position.state, len(position.codes)) != 0)
        if not position.codes:
            known.append(known[0])
            continue
        move = rng.choice(position.codes)
        after = position.after(move)
        assert after.state == game.play(position.state, move)
        known.append(after)


def test_threads_play_on_from_the_same_positions() -> None:
    game, rng = gf.game("draughts"), random.Random(2)
    line = [game.position()]
    for _ in range(40):
        line.append(line[-1].play(rng.choice(line[-1].legal_moves)))

    def replies(seed: int) -> list[list[int]]:
        order = random.Random(seed).sample(line, len(line))
        return [after.codes for here in order for after in map(here.after, here.codes)]

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(replies, range(4)))
    assert together == [replies(seed) for seed in range(4)]


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
