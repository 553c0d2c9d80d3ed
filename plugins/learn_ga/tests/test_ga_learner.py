"""The learner `ga` as a whole: it finds the best features with any executor, and resumes interrupted runs."""

import contextlib
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from ga_runs import TOYS, pipeline, registry
from gameforge_learn_ga import learner
from reported import Reported, same, train
from toy_contest import BEST_FEATURES, NAMES

import gameforge as gf
from gameforge.cli.main import run as run_command
from gameforge.config import Spec
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState
from gameforge.training.work import pipeline_work


@pytest.mark.parametrize(
    ("seed", "opponents", "population"),
    [(1, "random", 8), pytest.param(2, "random", 8, marks=pytest.mark.slow), (3, "all", 6)],
)
def test_it_finds_the_best_features(seed: int, opponents: str, population: int) -> None:
    settings = {"population": population, "generations": population, "games": 4, "opponents": opponents}
    reported = train(pipeline(settings, seed=seed))
    assert reported.trained.features.selectable == BEST_FEATURES  # type: ignore[union-attr]
    assert reported.trained.summary["features"] == list(BEST_FEATURES)


def test_features_that_are_left_out_of_the_map_are_never_chosen() -> None:
    reported = train(
        pipeline({"population": 6, "generations": 6}, features={"use": "digits", "names": ["a", "b", "c", "d"]})
    )
    assert reported.trained.summary["features"] == ["b", "d"]


@pytest.fixture(scope="module")
def whole() -> Reported:
    return train(pipeline())


def test_what_it_tells(whole: Reported) -> None:
    assert [progress.session for progress in whole.sessions] == [1, 2, 3, 4, 5]
    assert {progress.sessions for progress in whole.sessions} == {5}
    assert [progress.games for progress in whole.sessions] == [12, 24, 36, 48, 60]
    assert {progress.total for progress in whole.sessions} == {60}
    assert [game.number for game in whole.games] == list(range(1, 6 * 4 + 4 * 12 * 4 + 1))
    assert {game.phase for game in whole.games} == {"tournament"}
    last = whole.sessions[-1]
    assert last.features == whole.trained.features
    np.testing.assert_array_equal(last.weights, whole.trained.weights)
    assert whole.trained.summary["games"] == 60
    assert (whole.trained.summary["probes"], whole.trained.summary["hits"]) == (30 * 4, 30 * 3)
    assert re.fullmatch(
        r"[0-9]+ training games/s measured .*; 30 individuals x 2 training games and 216 tournament games, "
        "1 at once: about .*",
        whole.notices[0],
    )


def test_the_best_of_each_generation_is_kept(whole: Reported) -> None:
    kept = dict(zip((name for name, _ in whole.trained.generations), whole.trained.generation_features, strict=True))
    weights = dict(whole.trained.generations)
    for generation, progress in enumerate(whole.sessions):
        assert kept[f"best of generation {generation}"] == progress.features
        np.testing.assert_array_equal(weights[f"best of generation {generation}"], progress.weights)


def test_the_time_is_estimated_again_when_one_generation_is_known(whole: Reported) -> None:
    assert re.fullmatch(
        r"[0-9.e-]+ s for each individual of generation 0, .*: about .* for the remaining 4 generations",
        whole.notices[1],
    )
    assert len(whole.notices) == 2


def test_the_fittest_never_gets_lost_where_fitness_is_certain() -> None:
    """All play all and the best wins: the best individual is at least as near to the best features as before."""
    reported = train(pipeline({"opponents": "all"}))
    worth = [len({*one.features.selectable} ^ {*BEST_FEATURES}) for one in reported.sessions]  # type: ignore[union-attr]
    assert worth == sorted(worth, reverse=True)


@pytest.mark.parametrize("workers", [2, 5])
def test_results_do_not_depend_on_workers(workers: int, whole: Reported) -> None:
    same(train(pipeline({"inner": {"use": "ready", "pause": 0.01}}), workers), whole)
    with ThreadPoolExecutor(workers) as threads:
        same(train(pipeline(), executor=threads), whole)


def test_another_seed_another_course(whole: Reported) -> None:
    assert train(pipeline(seed=6)).games != whole.games


def test_it_goes_on_from_every_state_as_if_it_had_not_stopped(whole: Reported) -> None:
    assert len(whole.states) == 30 + 4
    for state, games, sessions in whole.states[::9]:
        kept = attrs.evolve(state, values=json.loads(json.dumps(dict(state.values))))
        same(train(pipeline(), saved=kept), whole, games, sessions)


def test_nothing_is_compiled_for_another_choice_of_features() -> None:
    parts = pipeline().parts()
    evaluations = [parts.with_features(parts.features.selected(names)).evaluation for names in ("a", NAMES)]  # type: ignore
    for function in ("features", "forward", "backward"):
        one, other = (getattr(evaluation, function) for evaluation in evaluations)
        assert one.__wrapper_address__() == other.__wrapper_address__()


def test_the_run_keeps_a_player_of_the_chosen_features(tmp_path: Path) -> None:
    run = pipeline().run(tmp_path / "run")
    assert run.trained is not None
    player = gf.player(tmp_path / "run", registry=registry())
    assert player.spec["evaluator"]["features"]["names"] == run.trained.summary["features"]
    np.testing.assert_array_equal(player.weights, run.trained.weights)
    kept = [gf.player(folder, registry=registry()) for folder in (tmp_path / "run" / "generations").iterdir()]
    assert {one.name: one.spec["evaluator"]["features"]["names"] for one in kept} == {
        name: list(chosen.selectable)  # type: ignore[attr-defined]
        for (name, _), chosen in zip(run.trained.generations, run.trained.generation_features, strict=True)
    }
    assert len(kept) == 6 + 5
    log = (tmp_path / "run" / "log.txt").read_text()
    assert "training games/s measured" in log


def test_the_resolved_pipeline_has_the_inner_learners_parameters() -> None:
    settings = pipeline({"inner": "ready:pause=0.5"}).settings
    assert settings["learner"]["inner"] == {"use": "ready", "pause": 0.5, "fails": False}
    assert gf.Pipeline.from_settings(settings, registry()).settings == settings


@pytest.mark.parametrize(
    ("changes", "parts", "sentence"),
    [
        ({"population": 1}, {}, r"learner\.population = 1: must be 2 or more"),
        ({"generations": 0}, {}, r"learner\.generations = 0: must be 1 or more"),
        ({"inner": "redy"}, {}, r"ga\.inner: unknown learner 'redy' \(did you mean 'ready'\?\)"),
        ({"inner": "ready:paws=1"}, {}, r"ga\.inner: learner\.paws: no such parameter"),
        ({"flips": 9}, {}, "learner ga: flips = 9 is more than the 8 features to choose from"),
        (
            {},
            {"features": "fixed"},
            "learner ga: the pipeline needs a feature map to choose features from: "
            "the features of Fixed are not selectable",
        ),
    ],
)
def test_bad_input(changes: dict[str, Any], parts: dict[str, Any], sentence: str) -> None:
    with pytest.raises(GameforgeError, match=sentence) as error:
        train(pipeline(changes, **parts))
    assert "\n" not in str(error.value)


def test_what_the_inner_learner_raises_ends_the_training() -> None:
    with pytest.raises(ValueError, match="not ready"):
        train(pipeline({"inner": {"use": "ready", "fails": True}}), workers=3)


def test_what_goes_on_is_given_up_when_the_training_ends_early() -> None:
    """Whatever ends it between two individuals: all but the first would be trained for hours."""
    toys = pipeline()
    learners = [Spec("ready"), *[Spec("td", {"sessions": 10**6, "games": 1000})] * 5]
    arguments = [(learner, ("a",), np.random.SeedSequence(1)) for learner in learners]
    with (
        pipeline_work(toys, toys.parts(), None, workers=2) as work,
        contextlib.closing(work.each(learner.train_individual, arguments)) as trained,
    ):
        assert next(trained)[0] == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda state: attrs.evolve(state, arrays={"genes 1": state.arrays["genes 1"]}),
        lambda state: attrs.evolve(state, arrays=state.arrays | {"genes 2": state.arrays["genes 2"][:-1]}),
        lambda state: attrs.evolve(state, values={"generation": 2}),
        lambda state: LearnerState(arrays={}, values={}),
    ],
)
def test_a_state_of_something_else_is_refused_in_one_sentence(change: Any, whole: Reported) -> None:
    with pytest.raises(GameforgeError, match="learner ga: the checkpoint does not match these features"):
        train(pipeline(), saved=change(whole.states[3][0]))


def test_the_final_match_of_a_very_short_game_begins_at_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learner = "ga:population=6,generations=2,flips=1,games=4,inner={use='ready'}"
    parts = ["--searcher", "oneply", "--evaluator", "sum", "--features", "digits", "--learner", learner]
    options = ["--match-games", "2", "--out", str(tmp_path / "run")]
    assert run_command(["--plugin", str(TOYS), "run", "--game", "auction", *parts, *options]) == 0
    assert "trained - untrained: " in capsys.readouterr().out
