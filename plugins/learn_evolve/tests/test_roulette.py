"""The learner `roulette`: its operators, its fitness, and the whole of it on a game whose best weights are known."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import attrs
import ga_runs
import numpy as np
import pytest
from gameforge_learn_evolve.roulette import Roulette, chances, next_population, opponent_of, results
from hypothesis import given
from hypothesis import strategies as st
from reported import Reported, same, train

import gameforge as gf
from gameforge.arena.workspace import Workspace
from gameforge.config import Spec
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import Opening
from gameforge.interfaces.learner import LearnerState
from gameforge.play.player import Player
from gameforge.training.work import LocalSite

SMALL = {"opponent": {"use": "wpc"}, "population": 6, "generations": 3, "games": 20}


def pipeline(changes: dict[str, Any] | None = None, seed: int = 5, **parts: Any) -> gf.Pipeline:
    given = {
        "game": "othello",
        "searcher": "minimax:depth=1",
        "evaluator": "wpc:learned=true",
        "features": "none",
        "oracle": "none",
        "learner": {"use": "roulette", **SMALL, **(changes or {})},
    }
    return gf.Pipeline(registry=ga_runs.registry(), seed=seed, **(given | parts))


@pytest.fixture(scope="module")
def whole() -> Reported:
    return train(pipeline())


def test_the_defaults_are_those_of_the_paper() -> None:
    learner = Roulette(opponent=Spec("wpc"))
    assert (learner.population, learner.generations, learner.games) == (50, 100, 1000)
    assert (learner.random_moves, learner.crossover, learner.mutation) == (0.1, 0.8, 0.01)
    assert learner.training_games == 5_000_000


def test_parents_are_drawn_in_proportion_to_their_fitness() -> None:
    assert chances([1, 3, 0, 4]).tolist() == [0.125, 0.375, 0, 0.5]
    assert chances([0, 0]).tolist() == [0.5, 0.5]


def population(n: int, length: int) -> list[Any]:
    return [np.full(length, i, np.float32) for i in range(n)]


def test_without_crossover_and_mutation_children_are_parents() -> None:
    rng = np.random.default_rng(1)
    drawn: Counter[float] = Counter()
    for _ in range(500):
        born = next_population(population(4, 3), [1, 3, 0, 4], 0.0, 0.0, lambda: np.zeros(3, np.float32), rng)
        assert born[0].tolist() == [3, 3, 3]  # the best survives
        drawn.update(float(child[0]) for child in born[1:])
    assert drawn[2] == 0
    for i, chance in ((0, 1 / 8), (1, 3 / 8), (3, 1 / 2)):
        assert drawn[i] / 1500 == pytest.approx(chance, abs=0.06)


@given(st.integers(2, 9), st.integers(1, 10), st.integers(0, 2**32))
def test_crossover_and_mutation(n: int, length: int, seed: int) -> None:
    fresh = np.full(length, -1, np.float32)
    rng = np.random.default_rng(seed)
    born = next_population(population(n, length), [1.0] * n, 1.0, 0.0, lambda: fresh, rng)
    assert len(born) == n
    for child in born:
        assert (child[1:] != child[:-1]).sum() <= 1  # one place at most
    assert born[0].tolist() == [0] * length
    mutated = next_population(population(n, length), [1.0] * n, 1.0, 1.0, lambda: fresh, rng)
    assert all((child == -1).all() for child in mutated[1:])
    assert mutated[0].tolist() == [0] * length


def test_each_gene_is_drawn_anew_with_the_probability() -> None:
    born = next_population(
        population(11, 10_000), [1.0] * 11, 0.0, 0.01, lambda: np.full(10_000, -1, np.float32), np.random.default_rng(1)
    )
    assert sum(int((child == -1).sum()) for child in born[1:]) == pytest.approx(1000, abs=130)


def test_fitness_without_random_moves_is_that_of_two_games() -> None:
    site = LocalSite(pipeline(), pipeline().parts())
    weights = site.parts.initial_weights(np.random.default_rng(1))
    seed = np.random.SeedSequence(1)
    wins, draws = results(site, Spec("wpc"), weights, 10, 0.0, seed)
    workspace = Workspace(Player(site.parts, weights), opponent_of(site, Spec("wpc")))
    won = 0
    for swapped in (False, True):
        game = workspace.play(Opening("", site.parts.game.rules.initial()), swapped)
        won += game.outcome.winner == int(swapped)
    assert (wins, draws) == (5 * won, 0)


def test_only_the_evolved_player_has_the_book() -> None:
    there = pipeline(oracle="book")
    site = LocalSite(there, there.parts())
    assert site.parts.book is not None
    assert opponent_of(site, Spec("wpc")).parts.book is None


def test_the_standard_table_scores_about_a_half_against_itself() -> None:
    site = LocalSite(pipeline(), pipeline().parts())
    from gameforge_othello.evaluation import STANDARD

    weights = np.array(STANDARD, np.float32)
    wins, draws = results(site, Spec("wpc"), weights, 2000, 0.1, np.random.SeedSequence(3))
    assert wins + draws / 2 == pytest.approx(1000, abs=4 * (2000 / 4) ** 0.5)


@pytest.mark.parametrize(
    ("population", "games", "seed"),
    [(12, 100, 1), *(pytest.param(16, 200, seed, marks=pytest.mark.slow) for seed in (1, 2))],
)
def test_fitness_grows(population: int, games: int, seed: int) -> None:
    reported = train(pipeline({"population": population, "generations": 12, "games": games}, seed=seed))
    mean = [progress.numbers["mean_fitness"] for progress in reported.sessions]
    assert min(mean[-3:]) > mean[0] + 10


def test_what_it_tells(whole: Reported) -> None:
    assert [progress.session for progress in whole.sessions] == [1, 2, 3]
    assert [progress.games for progress in whole.sessions] == [120, 240, 360]
    assert {(progress.sessions, progress.total) for progress in whole.sessions} == {(3, 360)}
    assert whole.games == []
    last = whole.sessions[-1]
    assert whole.trained.summary == {
        "games": 360,
        "best": whole.trained.summary["best"],
        "fitness": last.numbers["fitness"],
    }
    np.testing.assert_array_equal(last.weights, whole.trained.weights)
    assert len(whole.trained.generations) == 6
    np.testing.assert_array_equal(whole.trained.generations[0][1], whole.trained.weights)


@pytest.mark.parametrize("workers", [3, 5])
def test_results_do_not_depend_on_workers(workers: int, whole: Reported) -> None:
    same(train(pipeline(), workers), whole)
    with ThreadPoolExecutor(workers) as threads:
        same(train(pipeline(), executor=threads), whole)


def test_another_seed_another_course(whole: Reported) -> None:
    other = train(pipeline(seed=6)).trained.weights
    assert (other != whole.trained.weights).any()


def test_it_goes_on_from_every_state_as_if_it_had_not_stopped(whole: Reported) -> None:
    assert len(whole.states) == 3 * 6 + 2
    for state, games, sessions in whole.states[::3]:
        kept = attrs.evolve(state, values=json.loads(json.dumps(dict(state.values))))
        same(train(pipeline(), saved=kept), whole, games, sessions)


@pytest.mark.parametrize(
    ("changes", "parts", "sentence"),
    [
        ({"population": 1}, {}, r"learner\.population = 1: must be 2 or more"),
        ({"random_moves": 2.0}, {}, r"learner\.random_moves = 2\.0: must be a number from 0 to 1"),
        ({"opponent": "wpcc"}, {}, r"roulette\.opponent: unknown evaluator 'wpcc' .*did you mean 'wpc'"),
        ({"opponent": "wpc:learned=true"}, {}, "the opponent wpc has weights; choose one without"),
        ({}, {"evaluator": "wpc"}, "nothing to train: Wpc has no weights"),
    ],
)
def test_bad_input(changes: dict[str, Any], parts: dict[str, Any], sentence: str) -> None:
    with pytest.raises(GameforgeError, match=sentence) as error:
        train(pipeline(changes, **parts))
    assert "\n" not in str(error.value)


def test_an_opponent_has_to_be_named() -> None:
    with pytest.raises(GameforgeError, match="opponent"):
        gf.Pipeline(game="othello", learner="roulette", registry=ga_runs.registry())


@pytest.mark.parametrize(
    "change",
    [
        lambda state: attrs.evolve(state, arrays={}),
        lambda state: attrs.evolve(state, arrays={"population": state.arrays["population"][:-1]}),
        lambda state: attrs.evolve(state, values={"generation": 1}),
        lambda state: LearnerState(arrays={}, values={}),
    ],
)
def test_a_state_of_something_else_is_refused_in_one_sentence(change: Any, whole: Reported) -> None:
    with pytest.raises(GameforgeError, match="learner roulette: the checkpoint does not match this"):
        train(pipeline(), saved=change(whole.states[3][0]))
