"""A training resumes from any checkpoint as if it had never been interrupted, with any searcher."""

import functools
import json
from typing import Any

import attrs
import numpy as np
import pytest
from gameforge_learn_td import training_games as handing_out
from gameforge_learn_td.learner import TD
from gameforge_learn_td.settings import Board
from td_reference import Course, train
from td_toys import GAME, Cells, Perceptron, parts
from toy_contest import first_best

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState, Progress
from gameforge.interfaces.rules import RulesFunctions
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel import slots
from gameforge.kernel.bits import below
from gameforge.kernel.compile.jit import inline
from gameforge.play.parts import Parts

_0, _1 = np.uint64(0), np.uint64(1)
one_ply = inline(first_best)


def moody(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """Plays any legal move now and then, by its random numbers and by how often it has moved in this game."""
    score = one_ply(ctx, s, limits, out)
    ctx.memory[0] += _1
    chance = below(ctx.rng, np.uint64(8)) + ctx.memory[0]
    if chance & np.uint64(3) == _0:
        out[slots.OUT_MOVE] = ctx.stack[ctx.rules.words + below(ctx.rng, out[slots.OUT_NODES])]
    return score


class Moody:
    """A searcher that depends on all that a searcher may keep between moves."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        room = rules.words + rules.max_moves
        return SearcherFunctions(search=moody, limits=(1,), stack=room, scores=1, memory=1)


@functools.cache
def moody_parts() -> Parts:
    return Parts(GAME, Moody(), Perceptron(), Cells())


TRAININGS = {
    "cloning": TD(
        sessions=3, games=4, boards=(Board(clone_points=1), Board(position="1,256", clone_points=0, draw_first=0.5))
    ),
    "block": TD(sessions=3, games=8, regime="block", clone_share=0.3),
    "straight": TD(sessions=3, games=8, regime="straight"),
}


def numbers(progress: Progress) -> dict[str, Any]:
    """What does not depend on the time that it took."""
    return {name: value for name, value in progress.numbers.items() if name != "games_per_second"}


def same(course: Course, whole: Course, games: int, sessions: int) -> None:
    assert course.games == whole.games[games:]
    assert list(map(numbers, course.sessions)) == list(map(numbers, whole.sessions[sessions:]))
    assert (course.trained.weights == whole.trained.weights).all()
    assert (course.trained.initial_weights == whole.trained.initial_weights).all()
    assert course.trained.summary == whole.trained.summary
    generations = zip(course.trained.generations, whole.trained.generations, strict=True)
    assert all(name == other and (a == b).all() for (name, a), (other, b) in generations)


@pytest.mark.parametrize("regime", TRAININGS)
def test_it_goes_on_from_every_state_as_if_it_had_not_stopped(regime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handing_out, "_BATCH_GAMES", 3)
    settings = TRAININGS[regime]
    whole = train(moody_parts(), settings, seed=5)
    assert len(whole.states) > 12
    assert {whole.of(phase) != [] for phase in ("training", "tournament")} == {True}
    for state, games, sessions in whole.states:
        kept = attrs.evolve(state, values=json.loads(json.dumps(dict(state.values))))
        same(train(moody_parts(), settings, seed=5, saved=kept), whole, games, sessions)


def test_games_do_not_depend_on_how_they_are_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = train(moody_parts(), TRAININGS["cloning"], seed=5)
    monkeypatch.setattr(handing_out, "_BATCH_GAMES", 1)
    same(train(moody_parts(), TRAININGS["cloning"], seed=5), whole, 0, 0)


def test_the_searchers_random_numbers_differ_from_game_to_game_and_come_from_the_seed() -> None:
    frozen = TD(sessions=1, games=40, rate1=1e-9, rate2=1e-9)
    games = [game.codes for game in train(moody_parts(), frozen, seed=5).of("training")]
    assert len(set(games)) > 20
    assert games != [game.codes for game in train(moody_parts(), frozen, seed=6).of("training")]


def test_a_state_is_not_changed_by_what_comes_after_it() -> None:
    course = train(parts(), TD(sessions=2, games=5))
    first, last = course.states[0][0], course.states[-1][0]
    assert (first.arrays["net"] != last.arrays["net"]).any()
    assert first.values["session"] == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda state: attrs.evolve(state, arrays={**state.arrays, "net": state.arrays["net"][:-1]}),
        lambda state: attrs.evolve(state, arrays={"net": state.arrays["net"]}),
        lambda state: attrs.evolve(state, values={"session": 2}),
        lambda state: LearnerState(arrays={}, values={}),
    ],
)
def test_a_state_of_something_else_is_refused_in_one_sentence(change: Any) -> None:
    state = train(parts(), TD(sessions=1, games=2)).states[0][0]
    with pytest.raises(GameforgeError, match="learner td: the checkpoint does not match this network") as error:
        train(parts(), TD(sessions=1, games=2), saved=change(state))
    assert "\n" not in str(error.value)
