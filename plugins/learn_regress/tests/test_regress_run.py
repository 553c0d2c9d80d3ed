"""Runs of the learner `regress`: examples in, a player out; resumed at any epoch; what is refused."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gameforge_examples.folder import ExampleFolder
from gameforge_examples.positions import GameSettings, SelfplayPlan, make_positions
from gameforge_learn_regress.learner import Regress

import gameforge as gf
from gameforge.cli.main import run
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState, Progress, Trained, TrainingTask
from gameforge.play.workshop import Workshop

SEARCHER = "alphabeta:depth=2,memory=0"


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("examples") / "draughts"
    one = gf.player("draughts", searcher=SEARCHER, evaluator="material", oracle="none")
    make_positions(out, one, SelfplayPlan(games=200, settings=GameSettings(random_moves=0.2)))
    return out


def task(
    seed: int = 1, saved: LearnerState | None = None, evaluator: str = "patterns", **callbacks: Any
) -> TrainingTask:
    parts = gf.player("draughts", searcher=SEARCHER, evaluator=evaluator, features="none", oracle="none").parts
    heard: dict[str, Any] = {"game_finished": lambda game: None, "session_finished": lambda progress: None}
    return TrainingTask(parts=parts, seed=np.random.SeedSequence(seed), saved=saved, **(heard | callbacks))


def test_a_fitted_player_beats_one_that_knows_nothing(examples: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    learner = f"regress:examples={examples},epochs=6"
    chosen = ["--evaluator", "patterns", "--searcher", SEARCHER, "--oracle", "none", "--learner", learner]
    assert run(["run", "--game", "draughts", *chosen, "--out", out]) == 0
    summary = json.loads((tmp_path / "run" / "run.json").read_text())["summary"]
    assert summary["train_positions"] > summary["test_positions"] > 0
    assert summary["test_loss"] < 0.69
    assert len(summary["calibration"]["actual"]) > 3
    trained = Workshop().load(tmp_path / "run")
    nobody = gf.player("draughts", searcher=SEARCHER, evaluator="none", oracle="none")
    assert gf.match(trained, nobody, games=20, seed=1).score > 0.8


def test_a_net_is_fitted_too(examples: Path, tmp_path: Path) -> None:
    done = gf.Pipeline(
        game="draughts",
        searcher=SEARCHER,
        evaluator="mlp:hidden=8",
        features="binarymap",
        learner=Regress(examples=examples, epochs=5),
        oracle="none",
    ).run(tmp_path / "run")
    assert done.trained.summary["test_loss"] < 0.69


@pytest.mark.parametrize("evaluator", ["subboard", "subboard:windows=false"])
def test_an_evaluator_with_a_gradient_is_fitted_too(evaluator: str, examples: Path) -> None:
    hardly = Regress(examples=examples, epochs=1, rate=1e-9).train(task(evaluator=evaluator))
    found = Regress(examples=examples, epochs=5).train(task(evaluator=evaluator))
    assert found.summary["test_loss"] < min(hardly.summary["test_loss"], 0.69) - 0.02
    assert found.weights is not None
    assert found.weights[-1] == 2.0  # K, which only moves by steps


def test_seed_and_examples_make_the_weights(examples: Path) -> None:
    one, same, other = (Regress(examples=examples, epochs=2).train(task(seed)) for seed in (1, 1, 2))
    assert one.weights is not None
    assert same.weights is not None
    assert other.weights is not None
    assert one.weights.tobytes() == same.weights.tobytes() != other.weights.tobytes()
    assert one.summary == same.summary


def test_it_goes_on_after_any_epoch(examples: Path) -> None:
    learner = Regress(examples=examples, epochs=5)
    saved: list[LearnerState] = []
    heard: list[Progress] = []
    whole = learner.train(task(checkpoint=lambda state: saved.append(state()), session_finished=heard.append))
    assert [progress.session for progress in heard] == list(range(1, len(saved) + 1))
    for state in saved:
        again: Trained = learner.train(task(saved=state))
        assert again.weights is not None
        assert whole.weights is not None
        assert again.weights.tobytes() == whole.weights.tobytes()
        assert again.summary == whole.summary


def test_what_was_saved_must_fit(examples: Path, tmp_path: Path) -> None:
    saved: list[LearnerState] = []
    Regress(examples=examples, epochs=1).train(task(checkpoint=lambda state: saved.append(state())))
    more = shutil.copytree(examples, tmp_path / "more")
    with pytest.raises(GameforgeError, match="the examples are not those with which the fit began"):
        Regress(examples=(examples, more)).train(task(saved=saved[0]))
    torn = LearnerState(arrays={"weights": np.zeros(3)}, values=saved[0].values)
    with pytest.raises(GameforgeError, match="the checkpoint does not match this fit"):
        Regress(examples=examples).train(task(saved=torn))


@pytest.mark.parametrize(
    ("learner", "evaluator", "message"),
    [
        ("regress", "patterns", "examples is missing: must be a path"),
        ("regress:examples=[]", "patterns", "learner.examples = []: must be a folder, or a list of at least one"),
        ("regress:examples={none}", "patterns", "none does not exist"),
        ("regress:examples={othello}", "patterns", "holds examples of othello, not of draughts"),
        ("regress:examples={examples},blend=2", "patterns", "learner.blend = 2.0: must be a number from 0 to 1"),
        ("regress:examples={examples}", "material", "Material has no weights"),
        ("regress:examples={empty}", "patterns", "holds no examples yet"),
    ],
)
def test_bad_input_is_one_sentence(
    learner: str, evaluator: str, message: str, examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    ExampleFolder.new(tmp_path / "empty", gf.game("draughts"), exact=True).with_batches()
    othello = gf.player("othello", searcher=SEARCHER, evaluator="wpc", oracle="none")
    make_positions(tmp_path / "othello", othello, SelfplayPlan(games=1))
    text = learner.format(
        none=tmp_path / "none", othello=tmp_path / "othello", examples=examples, empty=tmp_path / "empty"
    )
    chosen = ["--evaluator", evaluator, "--searcher", SEARCHER, "--oracle", "none", "--learner", text]
    assert run(["run", "--game", "draughts", *chosen, "--out", str(tmp_path / "run")]) == 2
    *_, said = capsys.readouterr().err.splitlines()
    assert said.startswith("error: ")
    assert message in said
    assert not (tmp_path / "run").exists()


def test_labels_that_are_all_alike_are_refused(tmp_path: Path) -> None:
    one = gf.player("draughts", searcher=SEARCHER, evaluator="none", oracle="none")
    make_positions(tmp_path / "a", one, SelfplayPlan(games=3, settings=GameSettings(no_progress=2, random_plies=2)))
    with pytest.raises(GameforgeError, match=r"positions have the same target value, 0.5; there is nothing"):
        Regress(examples=tmp_path / "a").train(task())
