"""The learner `expert`: NeuroDraughts' procedure over the games of files."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from gameforge_learn_td.learner import Expert
from td_reference import Procedure, train
from td_toys import INPUTS, Cells, Perceptron, parts
from toy_contest import OnePly
from toy_games import Noughts

import gameforge as gf
from gameforge.config import Spec, structure
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import GameFiles
from gameforge.interfaces.games import GameBoards, GameRecord
from gameforge.interfaces.rules import Outcome, State
from gameforge.play.game import Game
from gameforge.play.parts import Parts


class Lines(GameFiles):
    """A file has a line for each game: the cells in the order of play, then X, O, = or * as its result."""

    suffix = ".txt"

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[GameRecord]:
        for line in path.read_text().split():
            moves = tuple(1 << int(cell) for cell in line[:-1])
            winner = {"X": 0, "O": 1}.get(line[-1])
            yield GameRecord(
                start=(0, 0), moves=moves, outcome=Outcome.UNFINISHED if line[-1] == "*" else Outcome(winner, "")
            )

    def game_text(self, game: GameRecord) -> str:
        raise NotImplementedError


class Boards(Lines):
    """It also knows files of boards: those of the other suffixes."""

    def read_boards(self, path: Path) -> Iterator[GameBoards]:
        for game in self.read_games(path):
            yield GameBoards(boards_of(game.codes), game.outcome.winner)


class Filed(Noughts):
    files = Lines()


class Boarded(Noughts):
    files = Boards()


def boards_of(moves: tuple[int, ...]) -> tuple[tuple[State, ...], tuple[State, ...]]:
    states = [(0, 0)]
    for move in moves:
        mover, other = states[-1]
        states.append((other, mover | move))
    return tuple(states[1::2]), tuple(states[2::2])


def filed(rules: Noughts) -> Parts:
    return Parts(Game(rules), OnePly(), Perceptron(), Cells())


FILED = filed(Filed())
LINES = "04813627X 4082617O 40862X 401725386= 0X 402613578= *"
"""Who wins need not have three in a row: a side may resign."""


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.txt"
    path.write_text(LINES)
    return path


def seen(state: State) -> Any:
    """Inputs of the feature map Cells."""
    return np.array([cells >> i & 1 for cells in reversed(state) for i in range(9)], np.float64)


def procedure(initial: Any, **td: Any) -> Procedure:
    net = Perceptron()
    rates = np.append(np.full(INPUTS, 1 / INPUTS), 1 / 2)
    return Procedure(value=net.value, gradient=net.gradient, w=initial.astype(np.float64), rates=rates, **td)


@pytest.mark.parametrize(
    ("settings", "td"),
    [({}, {}), ({"draws": False}, {}), ({"lambda_": 0.5, "gamma": 1.0}, {"lambda_": 0.5, "gamma": 1.0})],
)
@pytest.mark.parametrize("epochs", [1, 3])
def test_a_game_is_trained_from_the_first_side_and_then_from_the_second(
    games: Path, epochs: int, settings: dict[str, Any], td: dict[str, Any]
) -> None:
    course = train(FILED, Expert(games=(games,), epochs=epochs, draw_first=-0.5, draw_second=0.5, **settings))
    pupil = procedure(course.trained.initial_weights, **td)
    for epoch in range(epochs):
        for line in LINES.split():
            winner = {"X": 0, "O": 1}.get(line[-1])
            if line[-1] == "*" or (winner is None and not settings.get("draws", True)):
                continue
            for side, states in enumerate(boards_of(tuple(1 << int(cell) for cell in line[:-1]))):
                reward = (-0.5, 0.5)[side] if winner is None else 1.0 if winner == side else -1.0
                pupil.play_again([seen(state) for state in states], reward)
        np.testing.assert_allclose(course.sessions[epoch].weights, pupil.w, atol=5e-5)
    assert (course.trained.weights == course.sessions[-1].weights).all()
    assert np.abs(pupil.w - course.trained.initial_weights).max() > 0.02


def test_what_it_tells(games: Path) -> None:
    course = train(FILED, Expert(games=(games, games), epochs=2))
    assert course.trained.summary == {"games": 12, "positions": 78, "left_out": 2, "epochs": 2}
    assert [(p.session, p.sessions, p.games, p.total) for p in course.sessions] == [(1, 2, 12, 24), (2, 2, 24, 24)]
    assert all(0 < p.numbers["error"] < 2 for p in course.sessions)
    assert not course.games
    without = train(FILED, Expert(games=(games,), draws=False)).trained.summary
    assert (without["games"], without["left_out"]) == (4, 3)


def test_the_error_is_that_of_the_last_predictions_before_they_are_corrected(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text("0X")
    course = train(FILED, Expert(games=(path,), epochs=1))
    net, initial = Perceptron(), course.trained.initial_weights.astype(np.float64)
    assert course.sessions[0].numbers["error"] == pytest.approx(1 - net.value(initial, seen((0, 1))), abs=1e-6)


def test_it_comes_to_predict_the_games(games: Path) -> None:
    sessions = train(FILED, Expert(games=(games,), epochs=200, draws=False)).sessions
    assert sessions[-1].numbers["error"] < 0.5 * sessions[0].numbers["error"]


def test_files_of_positions_are_read_as_such(games: Path, tmp_path: Path) -> None:
    boards = tmp_path / "games.boards"
    boards.write_text(LINES.replace(" *", ""))
    both = filed(Boarded())
    weights = [train(both, Expert(games=(path,), epochs=2)).trained.weights for path in (games, boards)]
    assert (weights[0] == weights[1]).all()


def test_it_goes_on_from_every_epoch_as_if_it_had_not_stopped(games: Path) -> None:
    settings = Expert(games=(games,), epochs=4)
    whole = train(FILED, settings)
    assert len(whole.states) == 4
    for state, _, sessions in whole.states:
        course = train(FILED, settings, saved=state)
        assert (course.trained.weights == whole.trained.weights).all()
        assert (course.trained.initial_weights == whole.trained.initial_weights).all()
        assert [p.session for p in course.sessions] == [p.session for p in whole.sessions[sessions:]]


def test_a_state_of_other_games_or_another_net_is_refused(games: Path, tmp_path: Path) -> None:
    state = train(FILED, Expert(games=(games,), epochs=1)).states[0][0]
    other = tmp_path / "other.txt"
    other.write_text("04813627X")
    with pytest.raises(GameforgeError, match="the game files have changed since this training began"):
        train(FILED, Expert(games=(other,)), saved=state)
    short = attrs.evolve(state, arrays={name: array[1:] for name, array in state.arrays.items()})
    with pytest.raises(GameforgeError, match="does not match this network, which has 19 weights"):
        train(FILED, Expert(games=(games,)), saved=short)
    with pytest.raises(GameforgeError, match="the checkpoint is damaged"):
        train(FILED, Expert(games=(games,)), saved=attrs.evolve(state, values={}))


@pytest.mark.parametrize(
    ("text", "settings", "sentence"),
    [
        ("04* 0481*", {}, "learner.games: .*games.txt has no games with a result, so there is nothing to learn from"),
        ("", {}, "learner.games: .*games.txt has no games with a result"),
        ("401725386=", {"draws": False}, "all games are drawn, and draws = false skips drawn games"),
    ],
)
def test_files_without_results_are_refused(games: Path, text: str, settings: dict[str, Any], sentence: str) -> None:
    games.write_text(text)
    with pytest.raises(GameforgeError, match=sentence) as error:
        train(FILED, Expert(games=(games,), **settings))
    assert "\n" not in str(error.value)


def test_a_game_without_a_format_of_its_own_has_lines_of_moves(games: Path) -> None:
    with pytest.raises(GameforgeError, match=r"has no games: .*no line of ours"):
        train(parts(), Expert(games=(games,)))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("expert", "learner.games is missing: must be a list of paths"),
        ("expert:games=[]", "learner.games = []: length must be >= 1"),
        ("expert:games=[1]", "learner.games = [1]: must be a list of paths"),
        ('expert:games=["a"],epochs=0', "learner.epochs = 0: must be 1 or more"),
        ('expert:games=["a"],draws=1', "learner.draws = 1: must be true or false"),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(spec: str, message: str) -> None:
    with pytest.raises(GameforgeError) as error:
        structure(Expert, Spec.parse(spec).params, "learner")
    assert str(error.value).startswith(message)


def test_training_that_diverges_is_stopped(games: Path) -> None:
    squareless = Parts(Game(Filed()), OnePly(), Perceptron(squashed=False), Cells())
    with pytest.raises(GameforgeError, match=r"the weights diverged in epoch .*; lower rate1, rate2 or momentum"):
        train(squareless, Expert(games=(games,), epochs=50, rate1=100.0, gamma=1.0, lambda_=1.0))


def draughts(path: Path) -> gf.Pipeline:
    try:
        return gf.Pipeline(
            game="draughts",
            searcher="minimax:depth=1",
            evaluator="mlp:hidden=12,direct=true",
            features="netfeaturemap:set=neurodraughts",
            oracle="none",
            learner={"use": "expert", "games": [str(path)], "epochs": 1},
        )
    except GameforgeError as error:
        pytest.skip(str(error))


def test_draughts_players_learn_from_pdn(tmp_path: Path) -> None:
    path = tmp_path / "games.pdn"
    path.write_text('[Result "1-0"]\n1. 11-15 23-19 2. 8-11 22-17 1-0\n\n[Result "*"]\n1. 9-14 *\n')
    trained = train(draughts(path).parts(), draughts(path).learner).trained
    assert trained.summary == {"games": 1, "positions": 4, "left_out": 1, "epochs": 1}
    path.write_text('[Result "*"]\n1. 9-14 *\n')
    with pytest.raises(GameforgeError, match="has no games with a result"):
        train(draughts(path).parts(), draughts(path).learner)


def test_master_games_teach_it_to_tell_winners_from_losers(shared: Path) -> None:
    pipeline = draughts(shared / "data/games/acf_4000.pdn")
    course = train(pipeline.parts(), pipeline.learner)
    assert course.trained.summary["games"] == 4000
    assert course.sessions[0].numbers["error"] < 0.75
