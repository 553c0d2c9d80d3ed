"""Random opening plies and exploration: they vary the games of a training, and no board approaches a random one."""

import attrs
import numpy as np
import pytest
from gameforge_learn_td import training_games as handing_out
from gameforge_learn_td.learner import TD
from td_reference import Course, Procedure, boards, reward, train
from td_toys import INPUTS, Perceptron, parts


def procedure(course: Course) -> Procedure:
    rates = np.append(np.full(INPUTS, 1 / INPUTS), 1 / 2)
    net, initial = Perceptron(), course.trained.initial_weights.astype(np.float64)
    return Procedure(value=net.value, gradient=net.gradient, w=initial, rates=rates)


def distinct(course: Course) -> int:
    return len({game.codes for game in course.of("training")})


@pytest.mark.parametrize("plies", [1, 2, 3])
@pytest.mark.parametrize("regime", ["block", "straight"])
def test_boards_of_a_random_opening_are_not_trained(plies: int, regime: str) -> None:
    """The weights are those of the reference, which begins at the first own move after the opening."""
    course = train(parts(), TD(sessions=2, games=12, regime=regime, result="net", opening_plies=plies), seed=3)
    pupil = procedure(course)
    for game in course.of("training"):
        assert game.learner is not None
        assert game.opening_plies == plies
        own = boards(parts(), game)
        in_opening = sum(ply % 2 == game.learner for ply in range(plies))
        pupil.play_again(own[in_opening:], reward(game))
    np.testing.assert_allclose(course.trained.weights, pupil.w, atol=5e-5)


def test_a_board_after_a_random_move_ends_the_trace() -> None:
    """If all moves are random, only the last own board of a game is corrected, towards the reward."""
    course = train(parts(), TD(sessions=2, games=20, result="net", regime="block", epsilon=1.0), seed=3)
    pupil = procedure(course)
    for game in course.of("training"):
        pupil.play_again(boards(parts(), game)[-1:], reward(game))
    np.testing.assert_allclose(course.trained.weights, pupil.w, atol=5e-5)


def test_both_vary_the_games() -> None:
    plain, opened, explored, rarely = (
        distinct(train(parts(), TD(sessions=2, games=40, **more), seed=3))
        for more in ({}, {"opening_plies": 2}, {"epsilon": 0.5}, {"epsilon": 0.01})
    )
    assert plain < rarely < explored
    assert plain < opened


def test_test_and_tournament_games_are_played_without_random_moves() -> None:
    """The net that does not learn, at rates near 0, plays the same test games with and without exploration."""
    still = {"rate1": 1e-30, "rate2": 1e-30, "sessions": 2, "games": 4}
    plain, varied = (train(parts(), TD(**still, **more)) for more in ({}, {"opening_plies": 3, "epsilon": 0.5}))
    for phase in ("test", "tournament"):
        assert [game.codes for game in plain.of(phase)] == [game.codes for game in varied.of(phase)]
    assert plain.of("training") != varied.of("training")


@pytest.mark.parametrize("games", [1, 7])
def test_the_same_seed_gives_the_same_games_in_any_batches_and_after_any_interruption(
    games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = TD(sessions=2, games=10, opening_plies=2, epsilon=0.3)
    whole = train(parts(), settings, seed=5)
    monkeypatch.setattr(handing_out, "_BATCH_GAMES", games)
    assert train(parts(), settings, seed=5).games == whole.games
    assert train(parts(), settings, seed=6).games != whole.games
    for state, reported, _ in whole.states:
        assert train(parts(), settings, seed=5, saved=state).games == whole.games[reported:]


def test_a_game_that_ends_in_its_opening_teaches_nothing() -> None:
    course = train(parts(), TD(sessions=1, games=20, opening_plies=1000, result="net"))
    assert all(game.opening_plies == len(game.codes) for game in course.of("training"))
    assert (course.trained.weights == course.trained.initial_weights).all()


def test_the_defaults_explore_nothing() -> None:
    fields = attrs.fields_dict(TD)
    assert (fields["opening_plies"].default, fields["epsilon"].default) == (0, 0.0)
