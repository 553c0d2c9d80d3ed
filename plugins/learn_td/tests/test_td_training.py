"""What holds for any training: it repeats, it stops, it refuses what it cannot do."""

import os
import signal
from typing import Any

import numpy as np
import pytest
from gameforge_learn_td import training_games as handing_out
from gameforge_learn_td.learner import TD
from td_reference import final_state, train
from td_toys import GAME, Cells, Even, Perceptron, features, parts

import gameforge as gf
from gameforge.config import Spec, structure
from gameforge.errors import ComponentError, GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import TrainingTask
from gameforge.kernel.compile.jit import COMPILED

SETTINGS = TD(sessions=3, games=20)


def fingerprint(seed: int) -> Any:
    course = train(parts(), SETTINGS, seed)
    weights = [course.trained.weights, course.trained.initial_weights, *(p.weights for p in course.sessions)]
    return [w.tobytes() for w in weights], [game.codes for game in course.games]


def test_the_same_seed_gives_the_same_weights_and_games() -> None:
    assert fingerprint(1) == fingerprint(1)
    assert fingerprint(1)[0] != fingerprint(2)[0]


@pytest.mark.parametrize(("games", "seconds"), [(1, 0.2), (7, 1e9), (64, 1e9), (64, 1e-9)])
def test_results_do_not_depend_on_how_games_are_handed_out(
    games: int, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = fingerprint(5)
    monkeypatch.setattr(handing_out, "_BATCH_GAMES", games)
    monkeypatch.setattr(handing_out, "_BATCH_SECONDS", seconds)
    assert fingerprint(5) == expected


def test_initial_weights_are_what_the_evaluator_draws_from_the_seed() -> None:
    toys = parts()
    course = train(toys, SETTINGS, seed=4)
    drawn = toys.initial_weights(np.random.default_rng(np.random.SeedSequence(4)))
    assert (course.trained.initial_weights == drawn).all()
    assert not (course.trained.weights == drawn).all()


@pytest.mark.parametrize("seed", range(4))
def test_against_the_same_opponent_it_comes_to_win_all_games(seed: int) -> None:
    games = train(parts(), TD(sessions=1, games=100), seed).of("training")
    assert {game.outcome.winner == game.learner for game in games[-20:]} == {True}
    assert not all(game.outcome.winner == game.learner for game in games[:20])


def test_an_evaluator_without_weights_is_refused() -> None:
    with pytest.raises(GameforgeError, match="Even has no weights") as error:
        train(parts(Even()), SETTINGS)
    assert "\n" not in str(error.value)


def test_training_that_diverges_is_stopped() -> None:
    with pytest.raises(GameforgeError, match="the weights diverged in session 1; lower rate1, rate2 or momentum"):
        train(parts(Perceptron(squashed=False)), TD(sessions=5, games=100, rate1=100.0, gamma=1.0, lambda_=1.0))


@pytest.mark.skipif(not COMPILED, reason="an uncompiled kernel is not interrupted by a callback of its own")
@pytest.mark.parametrize("phase", ["training", "test", "tournament"])
def test_ctrl_c_ends_a_training_at_once_without_half_a_game(phase: str) -> None:
    """The signal comes while a kernel runs; only finished games were reported."""
    reported: list[GameRecord] = []
    calls, armed, signalled = 0, False, 0

    def watch(fd: Any, s: Any, x: Any) -> None:
        nonlocal calls, signalled
        calls += 1
        features(fd, s, x)
        if armed and not signalled and calls % 50 == 0:
            signalled = calls
            os.kill(os.getpid(), signal.SIGINT)

    def game_finished(game: GameRecord) -> None:
        nonlocal armed
        reported.append(game)
        armed |= game.phase == phase

    task = TrainingTask(
        parts=parts(cells=Cells(function=watch, compiled=False)),
        seed=np.random.SeedSequence(1),
        game_finished=game_finished,
        session_finished=lambda progress: None,
    )
    endless = {"training": TD(sessions=1, games=10**6), "test": TD(sessions=10**6, games=2)}
    with pytest.raises(KeyboardInterrupt):
        endless.get(phase, TD(sessions=20, games=10, clone_points=0)).train(task)
    assert signalled
    for game in reported:
        state = final_state(GAME, game)
        assert GAME.code(state, len(GAME.legal(state)))


def test_a_failing_feature_map_is_reported() -> None:
    def broken(fd: Any, s: Any, x: Any) -> None:
        raise RuntimeError("no features today")

    with pytest.raises(ComponentError, match="raised RuntimeError: no features today"):
        train(parts(cells=Cells(function=broken, compiled=False)), SETTINGS)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("td:sessions=0", "learner.sessions = 0: must be 1 or more"),
        ("td:games=-5", "learner.games = -5: must be 1 or more"),
        ("td:games=2.5", "learner.games = 2.5: must be an integer"),
        ("td:lambda=1.5", "learner.lambda = 1.5: must be a number from 0 to 1"),
        ("td:lamda=0.5", "learner.lamda: no such parameter (did you mean 'lambda'?)"),
        ("td:gamma=-0.1", "learner.gamma = -0.1: must be a number from 0 to 1"),
        ("td:momentum=nan", "learner.momentum = nan: must be a number from 0 to 1"),
        ("td:rate1=-1.0", "learner.rate1 = -1.0: must be a number from 0 to 1000"),
        ("td:clone_points=5", "learner.clone_points = 5: must be a number from 0 to 4"),
        ("td:rule=tdlaef", "learner.rule = \"tdlaef\": must be 'td' or 'tdleaf' or 'treestrap'"),
        ("td:coherence=1", "learner.coherence = 1: must be 'none' or 'linear' or 'exponential'"),
        ("td:rate=-1.0", "learner.rate = -1.0: must be a number from 0 to 1000"),
        ("td:draw=-2.0", "learner.draw = -2.0: must be a number from -1 to 1"),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(spec: str, message: str) -> None:
    with pytest.raises(GameforgeError) as error:
        structure(TD, Spec.parse(spec).params, "learner")
    assert str(error.value).startswith(message)


def test_the_defaults_are_the_papers() -> None:
    """The loop experiment of [Neto2009], section 7, with the parameter file of [Lynch1997], section 9.1."""
    settings = gf.Pipeline(game=GAME, learner="td").settings["learner"]
    assert settings == {
        "use": "td",
        "sessions": 10,
        "games": 200,
        "regime": "cloning",
        "lambda": 0.1,
        "gamma": 0.98,
        "momentum": 0.9,
        "sign_test": True,
        "rate1": 0.0,
        "rate2": 0.0,
        "rate": 1.0,
        "rule": "td",
        "coherence": "none",
        "clone_points": 3,
        "clone_share": 0.85,
        "draw": 0.0,
        "adjudicate": False,
        "target": "net",
        "opening_plies": 0,
        "epsilon": 0.0,
        "boards": [],
        "result": "tournament",
    }
