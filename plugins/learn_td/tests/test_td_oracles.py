"""Training with an oracle: games that end with what it knows, its values as targets, and counts of lookups."""

from typing import Any

import numpy as np
import pytest
from gameforge_learn_td.learner import TD
from td_reference import Procedure, boards, reward, train
from td_toys import GAME, INPUTS, Cells, Perceptron, parts
from toy_contest import OnePly

from gameforge.errors import GameforgeError
from gameforge.interfaces import WIN
from gameforge.interfaces.oracle import OracleFunctions
from gameforge.kernel import UNKNOWN, slots
from gameforge.play.parts import Parts

KNOWN = 5
"""Pieces on the board from which the toy's oracle knows."""


def probe(od: Any, s: Any, out: Any) -> Any:
    """The side to move wins, whatever the board."""
    pieces = 0
    for i in range(9):
        pieces += np.int64(((s[0] | s[1]) >> np.uint64(i)) & np.uint64(1))
    out[slots.PROBE_DISTANCE] = np.uint64(0)
    return WIN if pieces >= KNOWN else UNKNOWN


def with_oracle() -> Parts:
    oracle = OracleFunctions(probe=probe, data=np.zeros(1, np.uint64), covers="much", why_not=lambda state: "early")
    return Parts(GAME, OnePly(), Perceptron(), Cells(), (oracle,))


def test_a_training_game_ends_with_what_the_oracle_says() -> None:
    """It learns from that as from any result. Without adjudication games are played to their end."""
    course = train(with_oracle(), TD(sessions=2, games=10, result="net", clone_points=4, adjudicate=True), seed=3)
    for game in course.of("training"):
        assert game.outcome.reason in ("adjudicated", "three in a row")
        if game.outcome.reason == "adjudicated":
            assert (len(game.codes), game.outcome.winner) == (KNOWN, KNOWN % 2)
    assert any(game.outcome.reason == "adjudicated" for game in course.of("training"))
    assert all(game.outcome.reason != "adjudicated" for game in course.of("test"))

    initial = course.trained.initial_weights.astype(np.float64)
    rates = np.append(np.full(INPUTS, 1 / INPUTS), 1 / 2)
    net = Perceptron()
    pupil = Procedure(value=net.value, gradient=net.gradient, w=initial, rates=rates)
    for game in course.of("training"):
        assert game.learner is not None
        pupil.play_again(boards(with_oracle(), game, game.learner), reward(game))
    np.testing.assert_allclose(course.trained.weights, pupil.w, atol=5e-5)


def test_questions_and_hits_are_counted() -> None:
    """The toy searcher looks up nothing: one lookup per position to adjudicate, one per move for distances."""
    course = train(with_oracle(), TD(sessions=2, games=10, result="net", adjudicate=True), seed=3)
    for session, progress in enumerate(course.sessions, 1):
        games = [game for game in course.of("training") if game.session == session]
        adjudicated = sum(game.outcome.reason == "adjudicated" for game in games)
        assert progress.numbers["hits"] == adjudicated
        assert progress.numbers["probes"] == adjudicated + 2 * sum(len(game.codes) for game in games)
    assert course.trained.summary["hits"] == sum(int(progress.numbers["hits"]) for progress in course.sessions)
    assert "hits" not in train(parts(), TD(sessions=1, games=2), seed=3).sessions[0].numbers


@pytest.mark.parametrize("regime", ["cloning", "straight"])
def test_known_values_are_targets(regime: Any) -> None:
    """The boards that are trained have the other side to move, which wins those that the oracle knows: -1."""
    settings = {"sessions": 2, "games": 10, "regime": regime, "result": "net", "clone_points": 4}
    course = train(with_oracle(), TD(**settings, target="oracle"), seed=3)
    assert all(game.outcome.reason != "adjudicated" for game in course.games)
    initial = course.trained.initial_weights.astype(np.float64)
    rates = np.append(np.full(INPUTS, 1 / INPUTS), 1 / 2)
    net = Perceptron()
    pupil = Procedure(value=net.value, gradient=net.gradient, w=initial, rates=rates)
    known = 0
    for game in course.of("training"):
        seen = boards(with_oracle(), game, game.learner)
        targets = [-1.0 if x.sum() >= KNOWN else None for x in seen]
        known += sum(target is not None for target in targets[1:])
        pupil.play_again(seen, reward(game), targets)
    assert known > 20
    np.testing.assert_allclose(course.trained.weights, pupil.w, atol=5e-5)
    assert course.trained.summary["hits"] >= known


@pytest.mark.parametrize(
    ("settings", "named"), [({"adjudicate": True}, "adjudicate = true"), ({"target": "oracle"}, 'target = "oracle"')]
)
def test_there_is_no_oracle(settings: dict[str, Any], named: str) -> None:
    message = f"learner td: {named} needs an oracle that knows results, but the pipeline has none"
    with pytest.raises(GameforgeError, match=message):
        train(parts(), TD(sessions=1, games=2, **settings), seed=3)
