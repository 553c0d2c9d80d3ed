"""The learner as a whole, where the best weights are known: those with the signs of what counts for a number."""

import json
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import attrs
import ga_runs
import numpy as np
import pytest
from ga_runs import registry
from gameforge_learn_evolve.evolution import Evolve
from reported import Reported, same, train
from toy_contest import BEST_FEATURES, NAMES

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState

SIGNS = np.array([1 if name in BEST_FEATURES else -1 for name in NAMES])
SMALL = {"population": 6, "generations": 4, "games": 3, "boards": 10}
SCHEMES = {
    "best": {},
    "crowding": {"scheme": "crowding", "mutation": 0.5},
    "species": {"scheme": "crowding", "species": 3, "distance": "weights"},
    "means": {"species": 3, "clusters": "means"},
}


def pipeline(changes: dict[str, Any] | None = None, seed: int = 5, **parts: Any) -> gf.Pipeline:
    return ga_runs.pipeline(seed=seed, **{"learner": {"use": "evolve", **SMALL, **(changes or {})}} | parts)


def test_the_defaults_are_those_of_anaconda() -> None:
    """840 generations of 150 games: the 126,000 training games that [Neto2009] reports."""
    assert (Evolve().population, Evolve().games, Evolve().mutation, Evolve().step) == (15, 5, 1.0, 0.05)
    assert Evolve().training_games == 126_000


@pytest.fixture(scope="module", params=[*SCHEMES])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def whole(scheme: str) -> Reported:
    return train(pipeline(SCHEMES[scheme]))


@pytest.mark.parametrize(("scheme", "generations"), [("best", 12), ("crowding", 20)])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_it_finds_the_best_weights(scheme: str, generations: int, seed: int) -> None:
    settings = {"population": 10, "generations": generations, "games": 4, "scheme": scheme, "distance": "weights"}
    trained = train(pipeline(settings, seed=seed)).trained
    assert trained.weights is not None
    assert (np.sign(trained.weights) == SIGNS).sum() >= 7
    assert trained.initial_weights is not None
    assert not trained.initial_weights.any()


def test_what_it_tells(whole: Reported, scheme: str) -> None:
    games = 2 * 6 * 3
    assert [progress.session for progress in whole.sessions] == [1, 2, 3, 4]
    assert [progress.games for progress in whole.sessions] == [games, 2 * games, 3 * games, 4 * games]
    assert {(progress.sessions, progress.total) for progress in whole.sessions} == {(4, 4 * games)}
    assert [game.number for game in whole.games] == [*range(1, len(whole.games) + 1)]
    assert {game.phase for game in whole.games} == {"tournament"}
    for number, progress in enumerate(whole.sessions, 1):
        played = [game for game in whole.games if game.session == number][:games]
        drawn = sum(game.outcome.winner is None for game in played)
        assert progress.numbers["tournament_draws"] == drawn
        assert 0 <= progress.numbers["children"] <= 6
        assert progress.numbers["diversity"] >= 0
    assert whole.trained.summary["games"] == len(whole.games)
    if scheme in ("best", "crowding"):
        assert len(whole.games) == 4 * games
        assert len(whole.trained.generations) == 6


def test_species_and_their_representatives() -> None:
    trained = train(pipeline(SCHEMES["species"])).trained
    species = trained.summary["species"]
    assert len(trained.generations) == len(species["representatives"]) == 3
    for i, (name, _) in enumerate(trained.generations):
        assert name == f"species {i + 1} individual {species['representatives'][i]}"
        assert species["representatives"][i] in species["members"][i]
        assert len(species["places"][i]) == len(species["members"][i])
    assert sum(map(len, species["members"])) == 6


def test_names_of_ten_species_are_in_their_order() -> None:
    """Who reads the folder `generations` by name finds the best first."""
    many = {"population": 10, "generations": 1, "games": 1, "species": 10, "distance": "weights"}
    names = [name for name, _ in train(pipeline(many)).trained.generations]
    assert len(names) == 10
    assert names == sorted(names)


@pytest.mark.parametrize("workers", [3, 5])
def test_results_do_not_depend_on_workers(workers: int, whole: Reported, scheme: str) -> None:
    same(train(pipeline(SCHEMES[scheme]), workers), whole)


def test_another_seed_another_course(whole: Reported, scheme: str) -> None:
    assert train(pipeline(SCHEMES[scheme], seed=6)).games != whole.games


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def test_processes_build_the_pipeline_themselves(processes: Executor, whole: Reported, scheme: str) -> None:
    same(train(pipeline(SCHEMES[scheme]), executor=processes), whole)


def test_workers_of_dask(whole: Reported, scheme: str) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra `distributed` is not installed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        same(train(pipeline(SCHEMES[scheme]), executor=client.get_executor()), whole)


def test_it_goes_on_from_every_state_as_if_it_had_not_stopped(whole: Reported, scheme: str) -> None:
    assert len(whole.states) == len(whole.games) + 4
    for state, games, sessions in whole.states[::29]:
        kept = attrs.evolve(state, values=json.loads(json.dumps(dict(state.values))))
        same(train(pipeline(SCHEMES[scheme]), saved=kept), whole, games, sessions)


def test_the_run_keeps_players(tmp_path: Path) -> None:
    run = pipeline(SCHEMES["species"]).run(tmp_path / "run")
    assert run.trained is not None
    kept = [gf.player(folder, registry=registry()) for folder in sorted((tmp_path / "run" / "generations").iterdir())]
    assert [player.name for player in kept] == [name for name, _ in run.trained.generations]
    for player, (_, weights) in zip(kept, run.trained.generations, strict=True):
        np.testing.assert_array_equal(player.weights, weights)
    player = gf.player(tmp_path / "run", registry=registry())
    np.testing.assert_array_equal(player.weights, run.trained.weights)


@pytest.mark.parametrize(
    ("changes", "parts", "sentence"),
    [
        ({"population": 1}, {}, r"learner\.population = 1: must be 2 or more"),
        ({"generations": 0}, {}, r"learner\.generations = 0: must be 1 or more"),
        ({"scheme": "crowdin"}, {}, r"learner\.scheme = \"crowdin\": must be 'best' or 'crowding'"),
        ({"mutation": 1.5}, {}, r"learner\.mutation = 1\.5: must be a number from 0 to 1"),
        ({"step": 0.0}, {}, r"learner\.step = 0\.0: must be above 0"),
        ({"population": 7, "scheme": "crowding"}, {}, "population = 7 is odd; scheme = crowding needs an even number"),
        ({"species": 7}, {}, "species = 7 is more than the 6 individuals"),
        ({}, {"game": "othello", "evaluator": "material", "features": "none"}, "Material has no weights"),
    ],
)
def test_bad_input(changes: dict[str, Any], parts: dict[str, Any], sentence: str) -> None:
    with pytest.raises(GameforgeError, match=sentence) as error:
        train(pipeline(changes, **parts))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda state: attrs.evolve(state, arrays={"weights": state.arrays["weights"]}),
        lambda state: attrs.evolve(state, arrays=state.arrays | {"steps": state.arrays["steps"][:, :-1]}),
        lambda state: attrs.evolve(state, values={"generation": 2}),
        lambda state: LearnerState(arrays={}, values={}),
    ],
)
def test_a_state_of_something_else_is_refused_in_one_sentence(change: Any, whole: Reported) -> None:
    with pytest.raises(GameforgeError, match="learner evolve: the checkpoint does not match this"):
        train(pipeline(), saved=change(whole.states[3][0]))
