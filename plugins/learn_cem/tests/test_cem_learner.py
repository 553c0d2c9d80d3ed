"""The learner `cem` as a whole: it finds the best parameters with any executor, and resumes interrupted runs."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from cem_runs import pipeline, registry
from gameforge_learn_cem import learner
from reported import Reported, same, train
from toy_contest import BEST_SETTINGS

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import TrainingTask
from gameforge.training.run_report import RunReport

LARGE = {"iterations": 8, "samples": 24, "games": 6}


@pytest.fixture(scope="module", autouse=True)
def _short_measurements() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learner, "_MEASURE_SECONDS", 0.05)
        yield


@pytest.mark.parametrize(
    ("seed", "distribution"),
    [(1, "gaussian"), pytest.param(2, "gaussian", marks=pytest.mark.slow), (3, "uniform")],
)
def test_it_finds_the_best_parameters(seed: int, distribution: str) -> None:
    changes = {"tune": {"searcher": {"aim": "0..1", "power": "0..20"}}, "distribution": distribution, **LARGE}
    reported = train(pipeline(changes, seed=seed))
    found = reported.trained.settings
    assert found["searcher.aim"] == pytest.approx(BEST_SETTINGS["searcher.aim"], abs=0.08)
    assert abs(found["searcher.power"] - BEST_SETTINGS["searcher.power"]) <= 1
    assert type(found["searcher.power"]) is int
    deviations = [progress.numbers["searcher.aim deviation"] for progress in reported.sessions]
    assert deviations[-1] < deviations[0] / 4


@pytest.fixture(scope="module")
def whole() -> Reported:
    return train(pipeline())


def test_what_it_tells(whole: Reported) -> None:
    assert [progress.session for progress in whole.sessions] == [1, 2, 3, 4]
    assert [progress.games for progress in whole.sessions] == [24, 48, 72, 96]
    assert {(progress.sessions, progress.total) for progress in whole.sessions} == {(4, 96)}
    assert [game.number for game in whole.games] == list(range(1, 97))
    assert [game.session for game in whole.games] == [i // 24 + 1 for i in range(96)]
    last = whole.sessions[-1]
    assert last.settings == whole.trained.settings == {"searcher.aim": last.numbers["searcher.aim"]}
    assert (whole.trained.weights, whole.trained.initial_weights) == (None, None)
    assert whole.trained.summary["searcher.aim"] == last.numbers["searcher.aim"]
    assert re.fullmatch(
        r"[0-9.e-]+ s a game measured between two means; 96 games of 4 iterations x 6 samples x 4 games, 1 at once: "
        "about .* s",
        whole.notices[0],
    )


def test_every_sample_meets_the_mean_with_both_sides(whole: Reported) -> None:
    for i in range(0, 96, 2):
        first, second = whole.games[i : i + 2]
        assert first.players == second.players[::-1]
        sample, mean = first.players
        assert re.fullmatch(rf"sample {i % 24 // 4 + 1} \(searcher\.aim 0\.[0-9]+\)", sample)
        assert mean.startswith("mean (searcher.aim ")
        assert (first.learner, second.learner) == (0, 1)
    assert {game.players[0] for game in whole.games[:24] if game.learner == 1} == {"mean (searcher.aim 0.5)"}


def test_matches_begin_with_the_openings_that_are_named() -> None:
    reported = train(pipeline({"openings": "random:1"}))
    by_sample = [[game.codes[0] for game in reported.games[i : i + 4]] for i in range(0, 24, 4)]
    assert all(moves == by_sample[0] for moves in by_sample)
    assert by_sample[0][0] == by_sample[0][1]
    assert {game.opening_plies for game in reported.games} == {1}


@pytest.mark.parametrize("workers", [2, 3])
def test_results_do_not_depend_on_workers(workers: int, whole: Reported) -> None:
    same(train(pipeline(), workers), whole)
    with ThreadPoolExecutor(workers) as threads:
        same(train(pipeline(), executor=threads), whole)


def test_another_seed_another_course(whole: Reported) -> None:
    assert train(pipeline(seed=6)).games != whole.games


def test_it_goes_on_from_every_state_as_if_it_had_not_stopped(whole: Reported) -> None:
    assert len(whole.states) == 96 + 4
    for state, games, sessions in whole.states[::23]:
        kept = attrs.evolve(state, values=json.loads(json.dumps(dict(state.values))))
        same(train(pipeline(), saved=kept), whole, games, sessions)


def test_states_of_another_training_are_refused(whole: Reported) -> None:
    state, *_ = whole.states[30]
    two = pipeline({"tune": {"searcher": {"aim": [0, 1], "power": [0, 20]}}})
    with pytest.raises(GameforgeError, match="learner cem: the checkpoint does not match these parameters"):
        train(two, saved=state)


def test_a_game_that_contradicts_the_rules_is_refused(whole: Reported) -> None:
    state, *_ = whole.states[30]
    moves = state.arrays["moves"].copy()
    moves[-1] += np.uint64(1 << 40)
    damaged = attrs.evolve(state, arrays={**state.arrays, "moves": moves})
    sentence = r"learner cem: game \d+ of the checkpoint is damaged: move \d+ .* is not legal"
    with pytest.raises(GameforgeError, match=sentence):
        train(pipeline(), saved=damaged)


def test_the_run_keeps_a_player_with_the_parameters(tmp_path: Path) -> None:
    run = pipeline({"tune": {"searcher": {"power": [0, 20]}}}).run(tmp_path / "run")
    assert run.trained is not None
    player = gf.player(tmp_path / "run", registry=registry())
    power = run.trained.settings["searcher.power"]
    assert player.spec["searcher"]["power"] == run.player.spec["searcher"]["power"] == power
    assert run.untrained.spec["searcher"]["power"] == 3
    assert gf.match(player, run.untrained, 4, openings=0).wins >= 2
    manifest = json.loads((tmp_path / "run" / "run.json").read_text())
    assert manifest["summary"]["searcher.power"] == power
    assert "s a game measured between two means" in (tmp_path / "run" / "log.txt").read_text()
    rows = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert [row["session"] for row in rows] == [1, 2, 3, 4]
    assert {"searcher.power", "searcher.power deviation", "elite_score", "best_score"} <= rows[0].keys()


def test_reports_of_the_run_tell_the_parameters_as_they_were_last(tmp_path: Path) -> None:
    run = pipeline().run(tmp_path / "run")
    assert run.trained is not None
    report = RunReport.read(tmp_path / "run")
    assert report.tuned["searcher.aim"] == report.figures["searcher.aim"] == run.trained.settings["searcher.aim"]
    assert report.tuned["searcher.aim deviation"] == run.trained.summary["searcher.aim deviation"]


def test_numbers_of_an_evaluator_and_players_with_nets(tmp_path: Path) -> None:
    """A net that is not what is tuned keeps its first weights, the same for all."""
    tuned = train(pipeline({"tune": {"evaluator.sharpness": "0..1"}}, evaluator="eye")).trained
    assert 0 <= tuned.settings["evaluator.sharpness"] <= 1
    run = pipeline({"iterations": 1}, evaluator="brain", features="digits").run(tmp_path / "run")
    assert run.trained is not None
    np.testing.assert_array_equal(run.player.weights, run.untrained.weights)
    assert run.player.spec["evaluator"]["features"]["use"] == "digits"


def test_the_resolved_pipeline_is_the_same_pipeline() -> None:
    for tune in ({"searcher": {"aim": "0..1"}}, {"searcher.aim": [0.0, 1.0]}, {"searcher": {"aim": [0, 1]}}):
        composed = pipeline({"tune": tune})
        assert gf.Pipeline.from_settings(composed.settings, registry()).settings == composed.settings
        assert composed.learner.ranges == {"searcher.aim": (0, 1)}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"tune": {}},
            r"no parameter to tune is named; numbers of this pipeline: searcher\.aim, searcher\.power.* tune=...$",
        ),
        ({"tune": {"searcher.aime": [0, 1]}}, r"has no parameter searcher\.aime \(did you mean 'searcher\.aim'\?\)"),
        ({"tune": {"learner.games": [2, 8]}}, r"has no parameter learner\.games"),
        ({"tune": {"searcher.hand": [0, 1]}}, r"searcher\.hand = 'left' is not a number"),
        ({"tune": {"searcher.calm": [0, 1]}}, r"searcher\.calm = true is not a number"),
        ({"tune": {"searcher.aim": [1, 0]}}, r"searcher\.aim = \[1, 0\]: the lower end of the range must come first"),
        ({"tune": {"searcher.aim": "1..0"}}, r"searcher\.aim = 1\.\.0: the lower end of the range must come first"),
        ({"tune": {"searcher.aim": "1"}}, r"searcher\.aim = 1: must be LOW\.\.HIGH or \[LOW, HIGH\], two numbers"),
        ({"tune": {"searcher.aim": [0, float("nan")]}}, r"must be LOW\.\.HIGH or \[LOW, HIGH\], two numbers"),
        ({"tune": {"searcher.aim": [True, 2]}}, r"must be LOW\.\.HIGH or \[LOW, HIGH\], two numbers"),
        ({"tune": {"searcher.aim": [1, 1]}}, "the two ends of a range must differ"),
        ({"tune": {"searcher.aim": [0, 1], "searcher": {"aim": [0, 1]}}}, r"searcher\.aim is given twice"),
        ({"tune": {"searcher.aim": [-1, 1]}}, r"the range -1\.\.1 is not allowed: searcher\.aim = -1\.0: must be >= 0"),
        ({"tune": {"searcher.aim": [0, 2]}}, r"the range 0\.\.2 is not allowed: searcher\.aim = 2\.0: must be <= 1"),
        ({"tune": {"searcher.power": [0.5, 2]}}, r"searcher\.power is an integer, but its range 0\.5\.\.2 is not"),
        ({"iterations": 0}, r"learner\.iterations = 0: must be 1 or more"),
        ({"samples": 1}, r"learner\.samples = 1: must be 2 or more"),
        ({"games": 0}, r"learner\.games = 0: must be 2 or more"),
        ({"games": 3}, r"learner\.games = 3: must be even, because each opening is played twice"),
        ({"elite": 0.0}, r"learner\.elite = 0\.0: must be a number above 0, 1 at most"),
        ({"smoothing": 1.5}, r"learner\.smoothing = 1\.5: must be a number above 0, 1 at most"),
        ({"openings": "opened"}, "openings 'opened': no such set or file"),
    ],
)
def test_bad_input(changes: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(GameforgeError, match=sentence) as error:
        pipeline(changes).run(tmp_path / "run")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "run").exists()


def test_it_is_not_trained_without_workers() -> None:
    composed = pipeline()
    task = TrainingTask(
        parts=composed.parts(),
        seed=np.random.SeedSequence(1),
        game_finished=lambda game: None,
        session_finished=lambda progress: None,
    )
    with pytest.raises(GameforgeError, match="learner cem needs workers to play its matches, but the task has none"):
        composed.learner.train(task)
