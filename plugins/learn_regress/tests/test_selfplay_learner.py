"""Trainings by self-play: generations, gates, the yardstick; the same on any workers and after any interruption."""

import json
import multiprocessing
import re
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from gameforge_learn_regress.generations import Generations
from gameforge_learn_regress.settings import GateSettings, SelfplaySettings, Stage
from machines import dask_executor
from reported import Reported, same, train
from toy_site import registry

import gameforge as gf
from gameforge import Pairs
from gameforge.arena.elo import elo
from gameforge.arena.played import MatchCounts
from gameforge.cli.main import run
from gameforge.config import Spec
from gameforge.errors import GameforgeError
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import LearnerState, Progress
from gameforge.play.workshop import Workshop
from gameforge.training.work import LocalSite

SMALL: dict[str, Any] = {
    "generations": 3,
    "games": 40,
    "window": 2,
    "play": {"random_moves": 0.1, "no_progress": 20},
    "fit": {"epochs": 3},
    "gate": {"games": 20, "elo0": -800, "elo1": -200},
    "match_searcher": "alphabeta:depth=1,memory=0",
    "opening_plies": 4,
    "yardstick_games": 6,
}
EVALUATOR = "patterns:patterns=lines 2"


def pipeline(changes: Mapping[str, Any] | None = None, **parts: Any) -> gf.Pipeline:
    given = {
        "game": "draughts",
        "searcher": "alphabeta:depth=1,memory=0",
        "evaluator": EVALUATOR,
        "features": "none",
        "oracle": "none",
        "learner": {"use": "selfplay", **SMALL, **(changes or {})},
    }
    return gf.Pipeline(registry=registry(), seed=5, **(given | parts))


@pytest.fixture(scope="module")
def whole() -> Reported:
    return train(pipeline())


def test_every_generation_plays_fits_and_is_gated(whole: Reported) -> None:
    assert [progress.session for progress in whole.sessions] == [1, 2, 3]
    assert [progress.games for progress in whole.sessions] == [40, 80, 120]
    positions = [progress.numbers["positions"] for progress in whole.sessions]
    assert positions[1] > positions[0] > 0
    for progress in whole.sessions:
        assert {"train_loss", "test_loss", "gate_games", "accepted"} <= set(progress.numbers)
        assert 2 <= progress.numbers["gate_games"] <= 20
    accepted = [progress.numbers["accepted"] for progress in whole.sessions]
    assert whole.trained.summary["accepted"] == sum(accepted) == len(whole.trained.generations)
    assert whole.trained.summary["games"] == 120
    gates = [game for game in whole.games if "yardstick" not in game.players]
    assert len(gates) == sum(int(progress.numbers["gate_games"]) for progress in whole.sessions)


def test_every_step_of_a_generation_says_how_far_it_is(whole: Reported) -> None:
    for session, games in (1, 0), (2, 40), (3, 80):
        steps = [step for step in whole.steps if step.session == session]
        assert [step.units for step in steps if not step.done] == ["games of self-play", "epochs of the fit"]
        assert [step.games for step in steps if step.units == "games of self-play"] == [games, games + 32, games + 40]
        assert [step.done for step in steps if step.units == "epochs of the fit"] == [0, 1, 2, 3]
        gate = [step for step in steps if step.units == "games of the gate"]
        assert [step.done for step in gate] == list(range(2, gate[-1].done + 1, 2))
        assert gate[-1].done == whole.sessions[session - 1].numbers["gate_games"]
        assert {(step.total, step.games) for step in gate} == {(20, games + 40)}
    measured = [step.done for step in whole.steps if step.units == "games against the yardstick"]
    assert measured == [2, 4, 6] * (len(measured) // 3)


def test_the_result_is_the_last_accepted_player(whole: Reported) -> None:
    name, weights = whole.trained.generations[-1]
    assert name == f"generation {whole.trained.summary['best']}"
    np.testing.assert_array_equal(whole.trained.weights, weights)


def test_the_yardstick_tells_the_elo_of_the_games_that_were_told(whole: Reported) -> None:
    """Games of one player in several generations add up."""
    played = [game for game in whole.games if "yardstick" in game.players]
    since = next(i for i, p in enumerate(whole.sessions) if p.session == whole.trained.summary["best"])
    measured = played[6 * (since - (3 - len(played) // 6)) :]
    points = [game.outcome.points(int(game.players[1] != "yardstick")) for game in measured]
    expected = sum(points) / (2 * len(points))
    last = whole.sessions[-1].numbers
    if "yardstick_elo" in last:
        assert last["yardstick_elo"] == pytest.approx(elo(expected))
    else:
        assert last["yardstick_score"] == pytest.approx(expected)


REPEATED = {"generations": 2, "opening_plies": 0, "gate": {"games": 40, "elo0": -200, "elo1": 0}}
"""Neither the openings nor the searches of the matches are random, so two players have two games."""


@pytest.fixture(scope="module")
def repeated() -> Reported:
    return train(pipeline(REPEATED))


def test_distinct_games_are_counted_and_repeated_ones_reported(whole: Reported, repeated: Reported) -> None:
    for progress in whole.sessions:
        assert 2 * progress.numbers["gate_distinct"] >= progress.numbers["gate_games"]
    assert not any("are distinct" in text for text in whole.notices)
    for progress in repeated.sessions:
        assert progress.numbers["gate_distinct"] == progress.numbers["yardstick_distinct"] == 2
        assert not {"gate_elo", "yardstick_elo"} & set(progress.numbers), "one pair determines no interval"
    assert repeated.trained.summary["yardstick_distinct"] == 2
    gates = [progress.numbers["gate_games"] for progress in repeated.sessions]
    assert min(gates) > 4
    rest = "are distinct; repeated games add no evidence; more opening_plies would vary them"
    assert repeated.notices == [
        f"only 2 of {gates[0]} games between generation 1 and teacher {rest}",
        f"only 2 of 6 games between generation 1 and yardstick {rest}",
        f"only 2 of {gates[1]} games between generation 2 and generation 1 {rest}",
        f"only 2 of 6 games between generation 2 and yardstick {rest}",
    ]


def test_the_deviation_is_that_of_the_distinct_games() -> None:
    """Ten pairs, each of which was played twice."""
    once = Pairs([4, 2, 3, 1, 2, 4, 3, 3, 0, 2], list(range(20)))
    twice = Pairs(once.points * 2, once.keys * 2)
    found, expected = twice.elo_figures("gate"), once.elo_figures("gate")
    assert found == pytest.approx(expected)
    assert set(found) == {"gate_score", "gate_elo", "gate_elo_deviation"}
    assert found != pytest.approx(Pairs(twice.points, list(range(40))).elo_figures("gate"))


def test_repeated_games_are_counted_after_any_interruption(repeated: Reported) -> None:
    for state, games, sessions in repeated.states[::5]:
        same(train(pipeline(REPEATED), saved=state), repeated, games, sessions)


def test_a_checkpoint_without_the_keys_of_games_is_resumed(whole: Reported) -> None:
    """Earlier versions kept only the points of the pairs; their games count as distinct."""
    state, games, _ = next(one for one in reversed(whole.states) if one[0].values["gate"])
    values = {name: value for name, value in state.values.items() if not name.endswith("_keys")}
    found = train(pipeline(), saved=attrs.evolve(state, values=values))
    assert found.games == whole.games[games:]
    np.testing.assert_array_equal(found.trained.weights, whole.trained.weights)
    last = found.sessions[-1].numbers
    assert last["gate_distinct"] == last["gate_games"]


def test_workers_change_nothing(whole: Reported) -> None:
    same(train(pipeline(), workers=3), whole)


def test_processes_build_the_pipeline_themselves(whole: Reported) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        same(train(pipeline(), executor=pool), whole)


@pytest.mark.slow
def test_workers_of_dask(whole: Reported, tmp_path: Path) -> None:
    with dask_executor(tmp_path) as executor:
        same(train(pipeline(), executor=executor), whole)


def test_it_goes_on_from_any_checkpoint(whole: Reported) -> None:
    for state, games, sessions in whole.states[::7]:
        same(train(pipeline(), saved=state), whole, games, sessions)


FURTHER = {"games": 50, "searcher": "alphabeta:depth=1,memory=0", "play": {"random_plies": 2, "random_moves": 0.2}}


@pytest.fixture(scope="module")
def both_kinds() -> Reported:
    return train(pipeline({"further": FURTHER}, searcher="alphabeta:depth=2,memory=0"))


def test_an_evaluator_with_a_gradient_is_trained_too() -> None:
    weights = train(pipeline({"generations": 1}, evaluator="subboard")).trained.weights
    assert weights is not None
    assert weights[-1] == 2.0  # K, which only moves by steps


def test_further_games_of_another_searcher_are_fitted_as_well(both_kinds: Reported) -> None:
    """By their numbers they follow those of the pipeline's searcher, which stay what they are without them."""
    assert [progress.games for progress in both_kinds.sessions] == [90, 180, 270]
    assert both_kinds.trained.summary["games"] == 270
    rows = next(state for state, _, sessions in reversed(both_kinds.states) if not sessions).arrays["window 0"]
    assert set(rows["match"]) == set(range(90))
    alone = train(pipeline({"generations": 1}, searcher="alphabeta:depth=2,memory=0"))
    own = next(state for state, _, sessions in reversed(alone.states) if not sessions).arrays["window 0"]
    np.testing.assert_array_equal(rows[rows["match"] < 40], own)
    assert rows["ply"][rows["match"] >= 40].min() == 1
    assert own["ply"].min() == 7


def test_further_games_may_have_an_oracle_of_their_own(both_kinds: Reported) -> None:
    """It knows endings that only they show, on processes as well; the other games stay what they are."""
    endings = FURTHER | {"oracle": "chinook:pieces=2", "play": {"random_plies": 60, "even": 0.8, "adjudicate": False}}
    changed = pipeline({"generations": 1, "further": endings}, searcher="alphabeta:depth=2,memory=0")
    found = train(changed)
    rows, without = (rows_at_the_end(reported, 1)["window 0"] for reported in (found, both_kinds))
    further = rows["match"] >= 40
    np.testing.assert_array_equal(rows[~further], without[without["match"] < 40])
    pieces = np.bitwise_count(rows["state"][:, 0]) + np.bitwise_count(rows["state"][:, 1])
    np.testing.assert_array_equal(rows["exact"], further & (pieces == 2))
    assert 0 < rows["exact"].sum() < further.sum()
    for state, games, sessions in found.states[::9]:
        same(train(changed, workers=3, saved=state), found, games, sessions)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        same(train(changed, executor=pool), found)


def test_a_stage_may_have_a_searcher_of_its_own() -> None:
    """Its games are those of a pipeline with this searcher; the gate does not use it."""
    one = {"generations": 1}
    own = train(pipeline(one | {"searcher": "alphabeta:depth=2,memory=0"}))
    pipelines, shallow = train(pipeline(one, searcher="alphabeta:depth=2,memory=0")), train(pipeline(one))
    games, same_games, others = (rows_at_the_end(found, 1)["window 0"] for found in (own, pipelines, shallow))
    np.testing.assert_array_equal(games, same_games)
    assert not np.array_equal(games, others)
    np.testing.assert_array_equal(own.trained.weights, pipelines.trained.weights)
    gates = [[game.codes for game in found.games if "yardstick" not in game.players] for found in (own, pipelines)]
    assert gates[0] == gates[1]
    two = pipeline({"generations": 1, "last": LAST | {"generations": 1, "searcher": "alphabeta:depth=2,memory=0"}})
    last, first = train(two), train(pipeline({"generations": 1, "last": LAST | {"generations": 1}}))
    np.testing.assert_array_equal(last.sessions[0].weights, first.sessions[0].weights)
    assert not np.array_equal(rows_at_the_end(last, 2)["window 0"], rows_at_the_end(first, 2)["window 0"])


def test_further_games_are_the_same_on_workers_and_after_any_interruption(both_kinds: Reported) -> None:
    changed = pipeline({"further": FURTHER}, searcher="alphabeta:depth=2,memory=0")
    for state, games, sessions in both_kinds.states[::18]:
        same(train(changed, workers=3, saved=state), both_kinds, games, sessions)


LAST = {
    "generations": 2,
    "games": 60,
    "window": 5,
    "play": {"random_plies": 2, "random_moves": 0.2},
    "fit": {"epochs": 2, "blend": 0.1},
    "gate": SMALL["gate"],
}
STAGES = {"generations": 2, "last": LAST}


@pytest.fixture(scope="module")
def stages() -> Reported:
    return train(pipeline(STAGES))


def rows_at_the_end(reported: Reported, generation: int) -> Mapping[str, np.ndarray]:
    """The windows of positions before this generation was closed."""
    states = [state for state, _, sessions in reported.states if sessions == generation - 1]
    return {name: rows for name, rows in states[-1].arrays.items() if name.startswith("window")}


def test_the_last_stage_goes_on_with_its_own_games_fit_and_gate(stages: Reported, whole: Reported) -> None:
    assert [progress.games for progress in stages.sessions] == [40, 80, 140, 200]
    assert [progress.total for progress in stages.sessions] == [200] * 4
    assert stages.trained.summary["games"] == 200
    for i in range(2):  # the first stage is what it is without a second
        np.testing.assert_array_equal(stages.sessions[i].weights, whole.sessions[i].weights)
    first, third, fourth = (rows_at_the_end(stages, generation) for generation in (1, 3, 4))
    assert first["window 0"]["ply"].min() == 7
    assert third.keys() == {"window 0"}, "the positions of the first stage are not fitted any more"
    assert third["window 0"]["ply"].min() == 1
    assert set(third["window 0"]["match"]) == set(range(60))
    assert fourth.keys() == {"window 0", "window 1"}
    np.testing.assert_array_equal(fourth["window 0"], third["window 0"])
    changed = LAST | {"fit": {"epochs": 2, "blend": 0.9}, "gate": {"games": 100, "elo0": 200, "elo1": 800}}
    other = train(pipeline({"generations": 2, "last": changed}))
    assert other.sessions[2].numbers["positions"] == stages.sessions[2].numbers["positions"]
    assert other.sessions[2].numbers["test_loss"] != stages.sessions[2].numbers["test_loss"]
    assert [progress.numbers["accepted"] for progress in stages.sessions] == [True, True, False, True]
    assert [progress.numbers["accepted"] for progress in other.sessions] == [True, True, False, False]


def test_the_last_stage_is_the_same_on_workers_and_after_any_interruption(stages: Reported) -> None:
    for state, games, sessions in stages.states[::18]:
        same(train(pipeline(STAGES), workers=3, saved=state), stages, games, sessions)


def test_a_stage_may_follow_the_last_and_tune_its_player(stages: Reported) -> None:
    """With a penalty that outweighs the positions, the tuned weights are those of the best player."""
    third = {"generations": 1, "games": 20, "tune": True, "fit": {"epochs": 2}, "gate": SMALL["gate"]}
    tuned, held = (
        train(pipeline({"generations": 2, "last": LAST | {"last": third | {"fit": {"epochs": 2, **fit}}}}))
        for fit in ({}, {"weight_decay": 1e9, "rate": 1e-6})
    )
    assert [progress.games for progress in tuned.sessions] == [40, 80, 140, 200, 220]
    np.testing.assert_array_equal(tuned.sessions[3].weights, stages.sessions[3].weights)
    assert rows_at_the_end(tuned, 5).keys() == {"window 0"}
    best, candidates = stages.trained.weights, [fitted_last(found) for found in (tuned, held)]
    assert np.abs(candidates[0] - best).max() > 0.01
    np.testing.assert_allclose(candidates[1], best, atol=1e-3)
    assert np.abs(best).max() > 0.1


def test_a_stage_may_fit_the_positions_of_the_stages_before_as_well(stages: Reported) -> None:
    """Its window goes on where that of the stage before ends; games of two stages are different games."""
    third = {"generations": 1, "window": 3, "earlier": True, "further": FURTHER, "gate": SMALL["gate"]}
    changed = pipeline({"generations": 2, "last": LAST | {"last": third | {"games": 20}}})
    found = train(changed)
    windows, before = rows_at_the_end(found, 5), rows_at_the_end(stages, 4)
    assert windows.keys() == {"window 0", "window 1", "window 2"}
    for name in before:
        np.testing.assert_array_equal(windows[name], before[name])
    assert set(windows["window 2"]["match"]) == set(range(70))
    rows = np.concatenate(list(windows.values()))
    assert found.sessions[-1].numbers["positions"] == len(np.unique(rows["state"], axis=0))
    for state, games, sessions in found.states[-12::4]:
        same(train(changed, workers=3, saved=state), found, games, sessions)


def fitted_last(reported: Reported) -> np.ndarray:
    """The weights that the last generation has fitted."""
    found: np.ndarray = [state for state, _, _ in reported.states if "candidate" in state.arrays][-1].arrays[
        "candidate"
    ]
    return found


def test_a_checkpoint_of_something_else_is_refused(whole: Reported) -> None:
    state = whole.states[-1][0]
    with pytest.raises(GameforgeError, match="learner selfplay: the checkpoint does not match this training"):
        train(pipeline(), saved=LearnerState(arrays={"initial": np.zeros(3)}, values=state.values))


@pytest.mark.parametrize("windows", [0, 10**15])
def test_a_checkpoint_of_impossible_windows_is_refused(whole: Reported, windows: int) -> None:
    state = whole.states[-1][0]
    with pytest.raises(GameforgeError, match=rf"windows = {windows}: does not match the arrays"):
        train(pipeline(), saved=LearnerState(arrays=state.arrays, values={**state.values, "windows": windows}))


def test_a_checkpoint_that_lacks_what_a_training_has_by_then_is_refused(whole: Reported) -> None:
    decided = next(state for state, _, _ in whole.states if state.values["decided"])
    with pytest.raises(GameforgeError, match="the gate is decided, but its figures do not say how"):
        train(pipeline(), saved=attrs.evolve(decided, values={**decided.values, "figures": {}}))
    first = whole.states[0][0]
    assert not {"best", "candidate"} & first.arrays.keys()
    with pytest.raises(GameforgeError, match="that of a finished training, but has no weights"):
        train(pipeline(), saved=attrs.evolve(first, values={**first.values, "generation": 10**6}))


def test_only_the_last_generations_are_kept(whole: Reported) -> None:
    windows = [name for name in whole.states[-1][0].arrays if name.startswith("window")]
    assert len(windows) == SMALL["window"]


def test_a_candidate_that_does_not_win_is_rejected() -> None:
    """A player that is to be 500 Elo better; the teacher plays on."""
    found = train(pipeline({"generations": 2, "gate": {"games": 40, "elo0": 0, "elo1": 500}}))
    assert [progress.numbers["accepted"] for progress in found.sessions] == [False, False]
    assert not found.trained.generations
    assert found.notices[-1] == "no generation beat the teacher; the result is the last candidate"
    assert {name for game in found.games for name in game.players} == {"generation 1", "generation 2", "teacher"}


def test_a_gate_that_its_games_do_not_decide_is_told() -> None:
    found = train(pipeline({"generations": 1, "gate": {"games": 4, "elo0": -800, "elo1": 800}, "teacher": "material"}))
    gate = GateSettings(games=4, elo0=-800, elo1=800)
    counts = MatchCounts.of(found.games[:4])
    undecided = counts.games == 4 and gate.sprt.accepted(counts.pentanomial) is None
    assert undecided == any("4 games did not decide the gate; it is rejected" in text for text in found.notices)


def test_without_a_teacher_the_untrained_evaluator_plays_half_at_random() -> None:
    found = train(
        pipeline(
            {"generations": 1, "play": {"random_plies": 1}, "games": 200},
            game="shuttle",
            evaluator="linear",
            features="lanes",
            searcher="alphabeta:depth=1,memory=0",
        )
    )
    assert "generations are not measured: there is no yardstick" in found.notices[0]
    assert found.sessions[0].numbers["positions"] > 0
    assert not any("yardstick" in name for name in found.sessions[0].numbers)


def test_the_default_teacher_is_the_evaluator_of_the_games_player() -> None:
    draughts, shuttle = pipeline(), pipeline(game="shuttle", evaluator="linear", features="lanes")
    found = LocalSite(draughts, draughts.parts()).default_evaluator()
    assert found is not None
    assert found.use == "material"
    assert LocalSite(shuttle, shuttle.parts()).default_evaluator() is None


@pytest.mark.parametrize(
    ("searcher", "expected"),
    [
        ("alphabeta:depth=5,memory=1", Spec("alphabeta", {"nodes": 2000, "memory": 1})),
        ("alphabeta:time=0.1,selective=true", Spec("alphabeta", {"nodes": 2000, "selective": True})),
        ("alphabeta:nodes=300", None),
        ("minimax:depth=2", None),
    ],
)
def test_matches_are_played_at_equal_nodes_if_the_searcher_can_limit_them(searcher: str, expected: Spec | None) -> None:
    made = pipeline(searcher=searcher)
    site = LocalSite(made, made.parts())
    found = Pairs.searcher(site, None)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert site.create("searcher", found) == site.create("searcher", expected)
    assert Pairs.searcher(site, Spec("random", {})) == Spec("random", {})


@pytest.mark.parametrize(
    ("changes", "parts", "message"),
    [
        (
            {"gate": {"games": 4}},
            {},
            "gate: the gate cannot accept a candidate: even if it wins all 4 games, the test of 0 against 25 Elo stays",
        ),
        ({"teacher": "mlp"}, {}, "mlp"),
        ({"yardstick": EVALUATOR}, {}, "patterns has weights to train; choose an evaluator without"),
        ({"match_searcher": "alphabetta"}, {}, "alphabetta"),
        ({"further": FURTHER | {"searcher": "alphabetta"}}, {}, "learner selfplay: unknown searcher 'alphabetta'"),
        ({"further": FURTHER | {"oracle": "chinok"}}, {}, "learner selfplay: further: unknown oracle 'chinok'"),
        (
            {"further": FURTHER | {"oracle": "chinook:pieces=99"}},
            {},
            "learner selfplay: further: oracle.pieces = 99: must",
        ),
        ({"further": FURTHER | {"games": 0}}, {}, "learner.further: games = 0: must be a whole number from 1"),
        ({"last": LAST | {"searcher": "alphabetta"}}, {}, "learner selfplay: unknown searcher 'alphabetta'"),
        ({"last": LAST | {"games": 1}}, {}, "learner.last: games = 1: must be a whole number from 2"),
        ({"last": LAST | {"play": {"judge": "alphabetta"}}}, {}, "learner selfplay: unknown searcher 'alphabetta'"),
        ({"play": {"balanced_by": EVALUATOR}}, {}, "learner selfplay: patterns has weights to train; choose"),
        ({"last": LAST | {"last": LAST | {"play": {"openings": "4move"}}}}, {}, "no openings '4move'"),
        ({"last": {"further": FURTHER | {"searcher": "alphabetta"}}}, {}, "unknown searcher 'alphabetta'"),
        ({}, {"evaluator": "material"}, "Material has no weights"),
        (
            {"play": {"random_plies": 5000}},
            {},
            "learner.play.random_plies = 5000: of 100 random games of draughts, fewer",
        ),
        ({"play": {"random_moves": 1.0}}, {}, "learner.play.random_moves = 1: no move would be searched; choose less"),
        ({"last": LAST | {"play": {"random_moves": 1.0}}}, {}, "learner.last.play.random_moves = 1: no move would"),
        ({"play": {"repetition": 1}}, {}, "repetition = 1: must be 0, or a whole number from 2 to 2^31"),
        ({"yardstick_games": 3}, {}, "yardstick_games = 3: must be even, because each opening is played twice"),
        ({"gate": {"games": 101}}, {}, "games = 101: must be even"),
    ],
)
def test_bad_input_is_one_sentence(changes: Mapping[str, Any], parts: Mapping[str, Any], message: str) -> None:
    with pytest.raises(GameforgeError) as error:
        train(pipeline(changes, **parts))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("game", "changes", "message"),
    [
        (
            "othello",
            {"last": LAST | {"play": {"random_plies": 62}}},
            "learner.last.play.random_plies = 62: of 100 random games of othello, fewer than 3 offer a choice",
        ),
        (
            "othello",
            {"further": FURTHER | {"play": {"random_plies": 62}}},
            "learner.further.play.random_plies = 62: of 100 random games of othello, fewer than 3 offer a choice",
        ),
        (
            "draughts",
            {"opening_plies": 200},
            "learner.opening_plies = 200: of 100 random games of draughts, fewer than 3 last longer",
        ),
    ],
)
def test_random_plies_are_checked_before_the_first_game(
    game: str, changes: Mapping[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Generations, "_play", lambda self: pytest.fail("a game was played"))
    with pytest.raises(GameforgeError, match=f"^{re.escape(message)}"):
        train(pipeline({"play": {}} | changes, game=game))


def test_a_window_that_does_not_fit_into_memory_is_told_after_the_first_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gameforge.memory.available_memory", lambda: 10**9)
    large = {"generations": 1000, "window": 1000, "games": 1_000_000}
    with pytest.raises(GameforgeError, match=r"^learner selfplay: a window of 1,000 generations of 1,000,000 games"):
        train(pipeline(large))


def test_a_fit_of_too_many_weights_is_told_before_the_first_game(monkeypatch: pytest.MonkeyPatch) -> None:
    given = pipeline()
    given.parts()
    monkeypatch.setattr("gameforge.memory.available_memory", lambda: 10_000)
    with pytest.raises(GameforgeError, match=r"^learner selfplay: a fit of [\d,]+ weights needs .* of memory"):
        train(given)


def test_the_command_trains_a_player_and_plots_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    learner = "selfplay:" + ",".join(f"{key}={_text(value)}" for key, value in SMALL.items())
    chosen = ["--evaluator", EVALUATOR, "--searcher", "alphabeta:depth=1,memory=0", "--oracle", "none"]
    short = ["--workers", "2", "--match-games", "2"]
    out = tmp_path / "run"
    assert run(["run", "--game", "draughts", *chosen, "--learner", learner, *short, "--out", str(out)]) == 0
    assert "session 3/3: " in capsys.readouterr().out
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert [line["session"] for line in lines] == [1, 2, 3]
    assert (out / "generations").is_dir()
    pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
    assert run(["plot", str(out)]) == 0
    assert (out / "plot.png").stat().st_size > 10_000


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}={_text(one)}" for key, one in value.items()) + "}"
    return f"'{value}'" if isinstance(value, str) else str(value)


def test_accepted_players_are_saved_at_once(tmp_path: Path) -> None:
    """They survive an interruption, and a resumed run writes the same ones again."""

    class Interrupts:
        @hookimpl
        def gameforge_checkpoint(self, progress: Progress) -> None:
            raise KeyboardInterrupt

    small = pipeline({"generations": 2})
    with pytest.raises(KeyboardInterrupt):
        small.run(tmp_path / "run", subscribers=[Interrupts()])
    first = tmp_path / "run" / "generations" / "generation-1"
    kept = Workshop(registry()).load(first)
    small.run(tmp_path / "run", resume=True)
    np.testing.assert_array_equal(Workshop(registry()).load(first).weights, kept.weights)


def test_the_defaults_of_the_gate_can_be_decided() -> None:
    assert SelfplaySettings().training_games == 40_000
    assert SelfplaySettings(last=Stage(generations=3, games=10)).training_games == 40_030
    assert SelfplaySettings(last=Stage(games=10, last=Stage(games=3))).games_before(21) == 40_103
    damaged = 10**15  # a generation that a damaged checkpoint may name, which must not be counted one by one
    assert SelfplaySettings(last=Stage(games=10)).games_before(damaged) == 40_000 + 10 * (damaged - 10)
    assert GateSettings(games=200, elo0=0, elo1=20).pairs == 100
