"""Straight play, cloning by blocks, boards with rewards of their own, and what a training returns."""

from typing import Any

import attrs
import numpy as np
import pytest
from gameforge_learn_td.learner import TD
from gameforge_learn_td.settings import Board
from td_reference import Course, Procedure, boards, reward, train
from td_toys import INPUTS, Cells, Perceptron, parts
from toy_contest import OnePly
from toy_games import Noughts

from gameforge.config import structure, unstructure
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge.play.game import Game
from gameforge.play.parts import Parts

CENTRE, CORNER, SIDE = 1 << 4, 1, 1 << 1
AFTER_CENTRE = f"0,{CENTRE}"
"""Noughts to move."""
CORNERS = f"{CORNER},{1 << 8}"
"""Crosses to move, one piece each."""


def procedure(course: Course, net: Perceptron) -> Procedure:
    rates = np.append(np.full(INPUTS, 1 / INPUTS), 1 / 2)
    initial = course.trained.initial_weights.astype(np.float64)
    return Procedure(value=net.value, gradient=net.gradient, w=initial, rates=rates)


def test_in_straight_play_both_nets_learn_and_no_net_is_copied() -> None:
    net, toys = Perceptron(), parts()
    course = train(toys, TD(sessions=3, games=10, regime="straight", result="net", draw=0.25), seed=3)
    pupils = procedure(course, net), procedure(course, net)
    for game in course.of("training"):
        assert game.learner is not None
        for pupil, side in zip(pupils, (game.learner, 1 - game.learner), strict=True):
            seen = attrs.evolve(game, learner=side)
            pupil.play_again(boards(toys, game, side), reward(seen, draw=0.25))
    ((name, opponent),) = course.trained.generations
    assert name == "opponent"
    np.testing.assert_allclose(course.trained.weights, pupils[0].w, atol=5e-5)
    np.testing.assert_allclose(opponent, pupils[1].w, atol=5e-5)
    assert np.abs(course.trained.weights - opponent).max() > 0.01
    assert {game.phase for game in course.games} == {"training"}
    assert {game.players for game in course.games} == {("net", "opponent"), ("opponent", "net")}
    assert not any(progress.numbers["cloned"] or "test_points" in progress.numbers for progress in course.sessions)
    assert course.trained.summary["clones"] == 0


@pytest.mark.parametrize("share", [0.0, 0.5, 0.7, 1.0])
def test_a_block_clones_at_its_share_of_wins(share: float) -> None:
    course = train(parts(), TD(sessions=6, games=10, regime="block", clone_share=share), seed=7)
    assert not course.of("test")
    opponent = course.trained.initial_weights
    clones = []
    for progress in course.sessions:
        cloned = progress.numbers["wins"] >= share * 10
        assert progress.numbers["cloned"] == cloned
        assert "test_points" not in progress.numbers
        if cloned:
            opponent = progress.weights
            clones.append(opponent)
    assert [name for name, _ in course.trained.generations] == [f"clone {i + 1}" for i in range(len(clones))]
    for (_, kept), clone in zip(course.trained.generations, clones, strict=True):
        assert (kept == clone).all()
    if share in (0.0, 0.7):
        assert len(clones) == (6 if share == 0.0 else 3)


BOARDS = (
    Board(draw_first=-0.5, draw_second=0.5, clone_points=2),
    Board(position=AFTER_CENTRE, draw_first=0.1, draw_second=-0.2, clone_points=1),
    Board(position=CORNERS, draw_first=1.0, draw_second=-1.0, clone_points=0),
)


@pytest.fixture(scope="module")
def on_boards() -> Course:
    return train(parts(), TD(sessions=5, games=6, boards=BOARDS, result="net"), seed=11)


def test_a_session_plays_its_games_on_every_board(on_boards: Course) -> None:
    starts = [(0, 0), (0, CENTRE), (CORNER, 1 << 8)]
    for session in range(1, 6):
        games = on_boards.of("training", session)
        assert [game.start for game in games] == [start for start in starts for _ in range(6)]
        assert [game.learner for game in games] == [0, 1] * 9
        tests = on_boards.of("test", session)
        assert [game.start for game in tests] == [start for start in starts for _ in range(2)]
        assert [game.learner for game in tests] == [0, 1] * 3
        assert [game.players for game in tests] == [("net", "clone"), ("clone", "net")] * 3
    assert [game.number for game in on_boards.of("training")] == list(range(1, 91))
    assert [game.number for game in on_boards.of("test")] == list(range(1, 31))
    assert [(progress.games, progress.total) for progress in on_boards.sessions] == [(18 * n, 90) for n in range(1, 6)]


def test_the_reward_of_a_draw_depends_on_board_and_colour(on_boards: Course) -> None:
    net, toys = Perceptron(), parts()
    pupil = procedure(on_boards, net)
    drawn = set()
    for progress in on_boards.sessions:
        for i, game in enumerate(on_boards.of("training", progress.session)):
            board = BOARDS[i // 6]
            draw = board.draw_second if game.learner else board.draw_first
            if game.outcome.winner is None:
                drawn.add(draw)
            pupil.play_again(boards(toys, game), reward(game, draw))
        np.testing.assert_allclose(progress.weights, pupil.w, atol=5e-5)
    assert len(drawn) >= 3


def test_it_clones_only_with_enough_points_on_every_board(on_boards: Course) -> None:
    points_needed = [board.clone_points for board in BOARDS]
    seen = set()
    for progress in on_boards.sessions:
        tests = on_boards.of("test", progress.session)
        points = [sum(g.outcome.points(g.learner or 0) for g in tests[i : i + 2]) for i in (0, 2, 4)]
        assert progress.numbers["test_points"] == sum(points)
        assert progress.numbers["cloned"] == all(p >= n for p, n in zip(points, points_needed, strict=True))
        seen.add(progress.numbers["cloned"])
    assert seen == {True, False}


def test_what_a_training_returns() -> None:
    made = {
        result: train(parts(), TD(sessions=4, games=6, result=result), 7) for result in ("tournament", "clone", "net")
    }  # type: ignore[arg-type]
    names = [name for name, _ in made["net"].trained.generations]
    assert names == [f"clone {i + 1}" for i in range(len(names))] != []
    assert (made["net"].trained.weights == made["net"].sessions[-1].weights).all()
    assert (made["clone"].trained.weights == made["clone"].trained.generations[-1][1]).all()
    assert "best" in made["tournament"].trained.summary
    assert "best" not in made["clone"].trained.summary
    assert [bool(made[result].of("tournament")) for result in made] == [True, False, False]


def test_the_clone_of_a_net_that_was_never_copied_is_the_untrained_one() -> None:
    course = train(parts(), TD(sessions=1, games=20, regime="block", clone_share=1.0, result="clone"))
    assert not course.trained.generations
    assert (course.trained.weights == course.trained.initial_weights).all()


def count(state: State) -> tuple[float, float]:
    mover, other = (cells.bit_count() for cells in state)
    return (mover, other) if (mover + other) % 2 == 0 else (other, mover)


class Counted(Noughts):
    """With as much material as pieces, weighted so that it matters who has them."""

    def material(self, state: State) -> tuple[float, float]:
        crosses, noughts = count(state)
        return 2.5 * crosses, noughts


def test_the_balance_is_the_mean_of_the_learners_surplus_at_the_end() -> None:
    toys = Parts(Game(Counted()), OnePly(), Perceptron(), Cells())
    course = train(toys, TD(sessions=2, games=7, boards=BOARDS), seed=2)
    for progress in course.sessions:
        surplus = []
        for game in course.of("training", progress.session):
            state: Any = game.start
            for move in game.codes:
                state = toys.game.play(state, move)
            crosses, noughts = count(state)
            surplus.append((2.5 * crosses - noughts) * (-1 if game.learner else 1))
        assert progress.numbers["balance"] == pytest.approx(np.mean(surplus))
    assert "balance" not in train(parts(), TD(sessions=1, games=1)).sessions[0].numbers


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"regime": "strait"}, "learner.regime = \"strait\": must be 'cloning' or 'block' or 'straight' (did you mean"),
        ({"result": "best"}, "learner.result = \"best\": must be 'tournament' or 'clone' or 'net'"),
        ({"clone_share": 1.5}, "learner.clone_share = 1.5: must be a number from 0 to 1"),
        ({"boards": [{"clone_points": 5}]}, "learner.boards: clone_points = 5: must be a number from 0 to 4"),
        ({"boards": [{"draw_first": -2}]}, "learner.boards: draw_first = -2.0: must be a number from -1 to 1"),
        ({"boards": [{"draw_frist": 0}]}, "learner.boards: draw_frist: no such parameter (did you mean 'draw_first'?)"),
        ({"boards": [{}], "draw": 0.5}, "learner.boards = ["),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(GameforgeError) as error:
        structure(TD, parameters, "learner")
    assert str(error.value).startswith(sentence)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("position", "sentence"),
    [
        ("nonsense", "learner.boards.1.position: position 'nonsense': noughts has no notation"),
        (f"{0o700},{0o7}", "learner.boards.1.position: the game is over in "),
    ],
)
def test_boards_to_play_on_are_checked_before_the_first_game(position: str, sentence: str) -> None:
    with pytest.raises(GameforgeError) as error:
        train(parts(), TD(boards=(Board(), Board(position=position))))
    assert str(error.value).startswith(sentence)


def test_settings_survive_their_table() -> None:
    settings = TD(boards=BOARDS, regime="block")
    assert structure(TD, unstructure(settings)) == settings
