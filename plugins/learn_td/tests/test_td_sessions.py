"""Sessions: who plays whom with which colour, when the clone is renewed, which net is kept."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from gameforge_learn_td.learner import TD
from gameforge_learn_td.self_play import best_of
from td_reference import Course, train
from td_toys import GAME, parts

from gameforge.interfaces.games import GameRecord
from gameforge.play.game import Position
from gameforge.play.parts import Parts
from gameforge.play.player import Player


@functools.cache
def toys() -> Parts:
    return parts()


def player(weights: Any) -> Player:
    return Player(toys(), weights)


def plays(record: GameRecord, side: int, weights: Any) -> bool:
    """Did this net make this side's moves?"""
    position, author = Position(GAME, record.start), player(weights)
    for ply, move in enumerate(record.codes):
        if ply % 2 == side and author.choose(position).code != move:
            return False
        position = position.after(move)
    return position.outcome == record.outcome


@pytest.fixture(scope="module")
def course() -> Course:
    return train(toys(), TD(sessions=4, games=11), seed=3)


def test_the_learner_takes_each_colour_in_every_other_game(course: Course) -> None:
    for session in range(1, 5):
        games = course.of("training", session)
        assert [game.learner for game in games] == [0, 1] * 5 + [0]
        assert {game.players for game in games[0::2]} == {("net", "clone")}
        assert {game.players for game in games[1::2]} == {("clone", "net")}


def test_games_are_numbered_within_their_phase(course: Course) -> None:
    for phase, count in (("training", 44), ("test", 8)):
        assert [game.number for game in course.of(phase)] == list(range(1, count + 1))
    assert [progress.games for progress in course.sessions] == [11, 22, 33, 44]
    assert {(progress.sessions, progress.total) for progress in course.sessions} == {(4, 44)}


def test_all_games_are_whole_and_legal(course: Course) -> None:
    for game in course.games:
        position = Position(GAME, game.start)
        for move in game.codes:
            assert position.outcome is None
            assert move in position.codes
            position = position.after(move)
        assert position.outcome == game.outcome is not None


@pytest.mark.parametrize("clone_points", range(5))
def test_the_opponent_is_the_clone_and_is_renewed_at_enough_points(clone_points: int) -> None:
    """Two test games, one with each colour, without learning; a win is 2 points and a draw 1."""
    course = train(toys(), TD(sessions=5, games=6, clone_points=clone_points), seed=7)
    clone = course.trained.initial_weights
    generations = []
    for progress in course.sessions:
        for game in course.of("training", progress.session):
            assert game.learner is not None
            assert plays(game, 1 - game.learner, clone)
        tests = course.of("test", progress.session)
        assert [game.learner for game in tests] == [0, 1]
        for side, game in enumerate(tests):
            assert plays(game, side, progress.weights)
            assert plays(game, 1 - side, clone)
        points = sum(game.outcome.points(side) for side, game in enumerate(tests))
        assert progress.numbers["test_points"] == points
        assert progress.numbers["cloned"] == (points >= clone_points)
        if points >= clone_points:
            clone = progress.weights
            generations.append(clone)
    assert course.trained.summary["clones"] == len(generations)


def test_cloning_happens_and_fails_to_happen() -> None:
    """So that the test above sees both."""
    cloned = [
        {progress.numbers["cloned"] for progress in train(toys(), TD(sessions=5, games=6, clone_points=k), 7).sessions}
        for k in range(5)
    ]
    assert cloned[0] == {True}
    assert {True, False} in cloned


def test_the_winner_of_the_tournament_is_kept(course: Course) -> None:
    """Every ordered pair of the clones and the final net plays once; most wins count, of equals the later."""
    nets = {f"clone {i}": p.weights for i, p in enumerate(filter(lambda p: p.numbers["cloned"], course.sessions), 1)}
    nets["net"] = course.sessions[-1].weights
    assert len(nets) >= 3
    games = course.of("tournament")
    pairs = [game.players for game in games]
    assert pairs == [(a, b) for a in nets for b in nets if a != b]
    assert [game.number for game in games] == list(range(1, len(pairs) + 1))
    assert course.notices == [f"tournament of {len(nets)} nets: {len(pairs)} games"]
    wins = dict.fromkeys(nets, 0)
    for game in games:
        assert game.learner is None
        for side, name in enumerate(game.players):
            assert plays(game, side, nets[name])
        if game.outcome.winner is not None:
            wins[game.players[game.outcome.winner]] += 1
    last_of_the_best = [name for name in nets if wins[name] == max(wins.values())][-1]
    assert (course.trained.weights == nets[last_of_the_best]).all()
    assert course.trained.summary["of"] == len(nets)
    assert course.trained.summary["best"] == list(nets).index(last_of_the_best) + 1


@pytest.mark.parametrize(
    ("strength", "best"),
    [
        ([1], 0),
        ([1, 2], 1),
        ([2, 1], 0),
        ([3, 1, 2], 0),
        ([1, 1], 1),  # all drawn: the later
        ([2, 2, 1], 1),  # equals beat the third: the later of them
        ([0, 0, 0, 0], 3),
    ],
)
def test_best_of(strength: Sequence[int], best: int) -> None:
    played = []

    def play(first: int, second: int) -> int | None:
        played.append((first, second))
        a, b = strength[first], strength[second]
        return None if a == b else int(b > a)

    n = len(strength)
    assert best_of(range(n), play) == best
    assert sorted(played) == [(a, b) for a in range(n) for b in range(n) if a != b]


def test_best_of_counts_wins_not_points() -> None:
    """The first wins twice and loses twice; the second draws all and has as many points."""
    results = {(0, 2): 0, (2, 0): 1, (0, 3): 1, (3, 0): 0}
    assert best_of(range(4), lambda a, b: results.get((a, b))) == 3
    assert best_of(range(3), lambda a, b: results.get((a, b))) == 0


def test_figures_of_a_session_are_those_of_its_games(course: Course) -> None:
    total = dict.fromkeys(("wins", "draws", "losses", "loops"), 0)
    for progress in course.sessions:
        games = course.of("training", progress.session)
        points = [game.outcome.points(game.learner or 0) for game in games]
        numbers = progress.numbers
        expected = points.count(2), points.count(1), points.count(0)
        assert (numbers["wins"], numbers["draws"], numbers["losses"]) == expected
        assert numbers["loops"] == sum(game.outcome.loop for game in games)
        assert numbers["mean_plies"] == np.mean([len(game.codes) for game in games])
        assert numbers["games_per_second"] > 0
        for name in total:
            total[name] += int(numbers[name])
    assert {name: course.trained.summary[name] for name in total} == total
    assert course.trained.summary["games"] == 44
