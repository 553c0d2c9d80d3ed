"""The evaluator `nnue`: its scores, its accumulators in a search, fits, and what it refuses."""

import itertools
import math
import random
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from gameforge_eval_nnue.layout import STEP, views_of
from gameforge_eval_nnue.nnue import Nnue
from gameforge_examples.positions import GameSettings, SelfplayPlan, make_positions
from gameforge_learn_regress.learner import Regress
from toy_site import shuttle

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import EvaluatorFunctions
from gameforge.interfaces.learner import TrainingTask
from gameforge.interfaces.rules import State
from gameforge.kernel.compile.functions import bound, compiled_function
from gameforge.kernel.counting import EvaluationCount
from gameforge.play.player import Player
from gameforge.play.saved_players import save_player
from gameforge.play.workshop import Workshop
from gameforge.testing.uncompiled import uncompiled

GAMES = {name: gf.game(name) for name in ("draughts", "othello", "morris")}
SMALL = Nnue(units=32, second=4, phases=3)
SEARCHER = "alphabeta:depth=4,memory=1"


def game_of(name: str, plies: int, seed: int = 1) -> list[State]:
    """The states of a random game."""
    rng, game = random.Random(seed), GAMES[name]
    states = [game.rules.initial()]
    while (legal := game.legal(states[-1])) and not game.code(states[-1], len(legal)) and len(states) <= plies:
        states.append(game.play(states[-1], rng.choice(legal)))
    return states


def drawn(functions: EvaluatorFunctions, seed: int = 1) -> Any:
    """Weights at random, some of which are beyond the limits of the integers."""
    assert functions.vector is not None
    return np.random.default_rng(seed).normal(0, 0.4, functions.vector.length).astype(np.float32)


def by_hand(name: str, component: Nnue, weights: Any, state: State) -> float:
    """The formula, with floats, in the order of the README."""
    rules = GAMES[name].rules
    cells, views = rules.cells, views_of(rules, rules.cells)
    codes, n, numbers = len(cells.codes), len(cells.places), len(cells.numbers)
    planes = np.zeros(codes + numbers, np.uint64)
    data = np.zeros(1, np.uint64) if cells.data is None else cells.data
    bound(compiled_function("cells", cells.cells), data)(np.array(state, np.uint64), planes)
    board = (planes[:codes, None] >> np.arange(n, dtype=np.uint64) & np.uint64(1)).astype(float)
    other = np.zeros_like(board)
    for code, cell in itertools.product(range(codes), range(n)):
        other[views.swap[code], views.turn[cell]] = board[code, cell]
    first, tail = (codes * n + 1) * component.units, 2 * component.second + numbers + 1
    wide = first + component.phases * tail
    steps = np.rint(weights.astype(float) / STEP)
    steps[:first] = steps[:first].clip(-(32767 // (n + 1)), 32767 // (n + 1))
    steps[wide:] = steps[wide:].clip(-127, 127)
    w = steps * STEP
    rows, bias = w[: first - component.units].reshape(codes * n, -1), w[first - component.units : first]
    halves = [(bias + view.reshape(-1) @ rows).clip(0, 127 / 128) for view in (board, other)]
    phase = int(min(board.sum(), views.pieces)) * component.phases // (views.pieces + 1)
    of_phase = w[first + phase * tail : first + (phase + 1) * tail]
    second = w[wide:].reshape(component.phases, component.second, -1)[phase]
    hidden = (of_phase[: component.second] + second @ np.concatenate(halves)).clip(0, 127 / 128)
    v = hidden @ of_phase[component.second : 2 * component.second] + of_phase[-1]
    v += planes[codes:].view(np.int64) @ of_phase[2 * component.second : -1] / 16
    return math.tanh(v / 2)


@pytest.mark.parametrize("name", GAMES)
def test_the_score_is_that_of_the_formula_and_update_gives_what_refresh_gives(name: str) -> None:
    """Uncompiled, along a random game."""
    kernel = uncompiled("gameforge_eval_nnue.nnue")
    kernel.cells = uncompiled(f"gameforge_{name}.cells").cells
    functions = SMALL.functions(GAMES[name].rules, None)
    assert functions.vector is not None
    weights, ed = drawn(functions), functions.data
    w = functions.vector.block(weights)
    x, size = np.zeros(functions.scratch, np.float32), functions.accumulator
    with np.errstate(over="ignore"):
        states = game_of(name, 24)
        before = np.zeros(size, np.uint64)
        kernel.refresh(ed, w, np.array(states[0], np.uint64), before)
        for number, state in enumerate(states[1:]):
            words, fresh, updated = np.array(state, np.uint64), np.zeros(size, np.uint64), np.full(size, 7, np.uint64)
            kernel.refresh(ed, w, words, fresh)
            kernel.update(ed, w, before, words, np.uint64(0), updated)
            assert updated.tobytes() == fresh.tobytes()
            before = updated
            if number % 8 == 0:
                score = kernel.evaluate(ed, w, words, x)
                assert kernel.accumulated(ed, w, updated, x) == score
                assert score == pytest.approx(by_hand(name, SMALL, weights, state), abs=1e-6)


def test_both_sides_see_the_board() -> None:
    """Draughts turns the board by half a turn, the other games do not."""
    draughts, othello = (views_of(GAMES[name].rules, GAMES[name].rules.cells) for name in ("draughts", "othello"))
    assert (draughts.turn, draughts.swap, draughts.pieces) == (tuple(range(31, -1, -1)), (1, 0, 3, 2), 24)
    assert (othello.turn, othello.swap) == (tuple(range(64)), (1, 0))


class Whole(Nnue):
    """The same net without accumulators."""

    def functions(self, rules: Any, features: Any) -> EvaluatorFunctions:
        functions = super().functions(rules, features)
        return attrs.evolve(functions, refresh=None, update=None, accumulated=None, accumulator=0)


@pytest.mark.parametrize("selective", [False, True])
def test_alphabeta_finds_the_same_with_accumulators(selective: bool) -> None:
    """Also behind the horizon, in endings with kings, and where a node is entered again."""
    searcher = f"alphabeta:nodes=3000,memory=1,selective={str(selective).lower()}"
    with_them, without = (
        gf.player("draughts", searcher=searcher, evaluator=one, oracle="none", seed=2) for one in (SMALL, WHOLE)
    )
    for state in game_of("draughts", 60, seed=3)[::12]:
        position = GAMES["draughts"].position(GAMES["draughts"].position_text(state))
        assert with_them.analyse(position) == without.analyse(position)


WHOLE = Whole(units=32, second=4, phases=3)


def test_scores_from_accumulators_count_as_evaluations() -> None:
    """A training may be limited to a number of evaluations; refresh and update are none."""
    totals = []
    for evaluator in (SMALL, WHOLE):
        parts = gf.player("draughts", searcher="alphabeta:depth=3,memory=0", evaluator=evaluator, oracle="none").parts
        parts.count = EvaluationCount()
        weights = drawn(evaluator.functions(GAMES["draughts"].rules, None))
        Player(parts, weights).analyse(GAMES["draughts"].position())
        totals.append(parts.count.total)
    assert totals[0] == totals[1] > 100


def test_evaluators_offer_all_functions_of_accumulators_or_none() -> None:
    with pytest.raises(GameforgeError, match="refresh, update, accumulated and the size of an accumulator are offered"):
        EvaluatorFunctions(evaluate=lambda ed, w, s, x: 0.0, refresh=lambda ed, w, s, acc: None)


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("examples") / "draughts"
    one = gf.player("draughts", searcher="alphabeta:depth=2,memory=0", evaluator="material", oracle="none")
    make_positions(out, one, SelfplayPlan(games=120, settings=GameSettings(random_moves=0.2)))
    return out


def test_a_fit_learns_and_does_not_depend_on_workers(examples: Path) -> None:
    parts = gf.player("draughts", searcher=SEARCHER, evaluator=SMALL, oracle="none").parts

    def fitted(rate: float, workers: int = 1) -> Any:
        task = TrainingTask(
            parts=parts,
            seed=np.random.SeedSequence(1),
            game_finished=lambda game: None,
            session_finished=lambda progress: None,
            work=attrs.make_class("Work", {"workers": attrs.field(default=workers)})(),
        )
        return Regress(examples=examples, epochs=4, rate=rate, weight_decay=1.0).train(task)

    hardly, found, same = fitted(1e-9), fitted(0.003), fitted(0.003, workers=2)
    assert found.summary["test_loss"] < min(hardly.summary["test_loss"], 0.69) - 0.02
    assert found.weights.tobytes() == same.weights.tobytes()


def test_a_fitted_player_is_saved_in_two_bytes_a_weight(tmp_path: Path) -> None:
    made = gf.player("draughts", searcher=SEARCHER, evaluator=SMALL, oracle="none", seed=1)
    assert made.parts.vector is not None
    assert made.weights is not None
    made = Player(made.parts, made.parts.vector.rounded(made.weights), spec=made.spec)
    save_player(tmp_path / "player", made)
    again = Workshop().load(tmp_path / "player")
    assert again.weights is not None
    assert made.weights is not None
    assert again.weights.tobytes() == made.weights.tobytes()
    assert (tmp_path / "player" / "weights.npz").stat().st_size < 2 * len(made.weights) + 1000


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("units=40", "evaluator.units = 40: must be a multiple of 32"),
        ("units=1024", "evaluator.units = 1024: must be a whole number from 32 to 512"),
        ("second=6", "evaluator.second = 6: must be a multiple of 4"),
        ("phases=0", "evaluator.phases = 0: must be a whole number from 1 to 32"),
    ],
)
def test_sizes_out_of_range_are_refused(parameters: str, message: str) -> None:
    with pytest.raises(GameforgeError) as error:
        gf.player("draughts", searcher=SEARCHER, evaluator=f"nnue:{parameters}")
    assert str(error.value) == message


def test_a_game_without_cells_is_refused() -> None:
    with pytest.raises(GameforgeError, match="nnue needs the cells of the board; shuttle does not offer any"):
        Nnue().functions(shuttle().rules, None)


def test_a_net_for_another_board_is_refused(tmp_path: Path) -> None:
    """Also if the number of weights is the same."""
    nets = [SMALL.functions(GAMES[name].rules, None).vector for name in ("draughts", "othello")]
    assert len({net.layout for net in nets if net}) == 2
    made = gf.player("draughts", searcher=SEARCHER, evaluator=SMALL, oracle="none", seed=1)
    assert made.weights is not None
    with pytest.raises(GameforgeError, match=r"player of another: got \d+ weights, but its evaluator has"):
        Player(
            gf.player("othello", searcher=SEARCHER, evaluator=SMALL, oracle="none").parts, made.weights, "of another"
        )
    made.weights[5] = np.nan
    with pytest.raises(GameforgeError, match="player player: 1 of its weights are not finite numbers"):
        Player(made.parts, made.weights)
