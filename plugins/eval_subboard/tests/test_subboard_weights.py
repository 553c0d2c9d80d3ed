"""How many weights there are and where, how they are drawn, parameters, players on disk."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from gameforge_draughts.rules import Draughts
from gameforge_eval_subboard.subboard import Subboard, of_net, windows

import gameforge as gf
from gameforge.config import Spec, structure
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import SteppedWeight
from gameforge.play.player import Player
from gameforge.play.saved_players import save_player
from gameforge.play.workshop import Workshop

WINDOWS = windows()
SIDES = [side for side, number in zip(range(3, 9), (36, 25, 16, 9, 4, 1), strict=True) for _ in range(number)]


def test_windows_are_those_of_the_paper() -> None:
    assert len(WINDOWS) == len(set(WINDOWS)) == len(SIDES) == 91
    sizes = {side: Counter(len(w) for s, w in zip(SIDES, WINDOWS, strict=True) if s == side) for side in range(3, 9)}
    assert sizes == {3: {4: 18, 5: 18}, 4: {8: 25}, 5: {12: 8, 13: 8}, 6: {18: 9}, 7: {24: 2, 25: 2}, 8: {32: 1}}
    weights = [sum(n * count for n, count in sizes[side].items()) for side in range(3, 9)]
    assert weights == [162, 200, 200, 162, 98, 32]
    assert sum(weights) == 854


def test_windows_come_row_by_row_from_the_corner_of_square_1() -> None:
    assert WINDOWS[0] == (1, 5, 6, 9)  # the 3x3 in the corner: no dark square in its own corner
    assert WINDOWS[1] == (1, 2, 6, 9, 10)
    assert WINDOWS[6] == (5, 6, 9, 13, 14)  # the second row of 3x3 windows
    assert WINDOWS[36] == (1, 2, 5, 6, 9, 10, 13, 14)
    assert WINDOWS[-1] == tuple(range(1, 33))


@pytest.mark.parametrize(
    ("has_windows", "link", "published"),
    [(True, True, 5046), (True, False, 5046), (False, False, 1741), (False, True, 1742)],
)
def test_the_vector_holds_what_the_papers_count_and_the_king_value(
    has_windows: bool, link: bool, published: int
) -> None:
    places = of_net(has_windows, link)
    assert (places.free, places.length) == (published, published + 1)
    used = places.places[places.places >= 0]
    assert sorted(used) == sorted([*range(published + 1)])  # each weight stands in one place


def test_the_king_value_is_moved_by_steps_and_everything_else_is_free() -> None:
    vector = Subboard().functions(Draughts(), None).vector
    assert vector is not None
    assert vector.length == 5047
    assert vector.stepped == (SteppedWeight(place=5046, low=1.0, high=3.0, step=0.1),)


@pytest.mark.parametrize(
    ("initial", "deviation", "most"),
    [("uniform", 0.2 / 3**0.5, 0.2), ("normal", 0.05, 0.3), ("uniform,spread=0.5", 0.5 / 3**0.5, 0.5)],
)
def test_initial_weights(initial: str, deviation: float, most: float) -> None:
    component = structure(Subboard, Spec.parse(f"subboard:initial={initial}").params, "evaluator")
    weights = component.initial_weights(component.functions(Draughts(), None), np.random.default_rng(1))
    assert weights.dtype == np.float32
    assert weights[-1] == 2.0
    drawn = weights[:-1]
    assert abs(drawn.mean()) < 4 * deviation / 5046**0.5
    assert drawn.std() == pytest.approx(deviation, rel=0.05)
    assert np.abs(drawn).max() <= np.float32(most)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("king=0.9", "evaluator.king = 0.9: must be a number from 1 to 3"),
        ("king=3.5", "evaluator.king = 3.5: must be a number from 1 to 3"),
        ("spread=-0.1", "evaluator.spread = -0.1: must be a number from 0 to 100"),
        ("spread=nan", "evaluator.spread = nan: must be a number from 0 to 100"),
        ("initial=gauss", "evaluator.initial = \"gauss\": must be 'uniform' or 'normal'"),
        ("window=false", "evaluator.window: no such parameter (did you mean 'windows'?)"),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(spec: str, message: str) -> None:
    with pytest.raises(GameforgeError) as error:
        structure(Subboard, Spec.parse(f"subboard:{spec}").params, "evaluator")
    assert str(error.value).startswith(message)


def test_a_feature_map_and_a_learner_for_nets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GameforgeError, match=r"evaluator.features: no such parameter"):
        gf.player("draughts", searcher="minimax:depth=1", evaluator="subboard", features="directmap")
    pipeline = gf.Pipeline(
        game="draughts", searcher="minimax:depth=1", evaluator="subboard", learner="td", oracle="none"
    )
    with pytest.raises(GameforgeError, match="the weights of Subboard cannot be changed one by one during a game"):
        pipeline.run(tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_player_is_saved_and_read_back(tmp_path: Path) -> None:
    player = gf.player("draughts", searcher="minimax:depth=3", evaluator="subboard:king=1.3,piece_diff=false", seed=5)
    save_player(tmp_path / "player", player)
    again = Workshop().load(tmp_path / "player")
    position = gf.game("draughts").position().play("11-15")
    assert again.weights is not None
    assert again.weights.tobytes() == player.weights.tobytes()  # type: ignore[union-attr]
    assert again.analyse(position) == player.analyse(position)


def test_a_vector_of_another_length_is_refused() -> None:
    player = gf.player("draughts", searcher="minimax:depth=1", evaluator="subboard")
    with pytest.raises(GameforgeError, match="10 weights, but its evaluator has 5047"):
        Player(player.parts, np.zeros(10, np.float32))
