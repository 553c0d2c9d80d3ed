"""Pipelines and players with other parameters than those that were named."""

from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from toy_site import registry

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import Progress, Trained, TrainingTask
from gameforge.play.display import duration_text

TOY = {"game": "shuttle", "searcher": "greedy", "evaluator": "linear", "features": "lanes", "learner": "drift"}


def toy(**parts: Any) -> gf.Pipeline:
    return gf.Pipeline(registry=registry(), **(TOY | parts))


class TestPipelines:
    def test_only_what_is_named_changes(self) -> None:
        pipeline = toy()
        other = pipeline.with_settings({"evaluator.scale": 2.0})
        assert other.evaluator.scale == 2.0
        assert other.settings == toy(evaluator="linear:scale=2.0").settings
        assert pipeline.settings == toy().settings
        assert other.game is pipeline.game
        assert other.searcher is pipeline.searcher
        assert other.learner is pipeline.learner

    def test_features_belong_to_the_evaluator(self) -> None:
        pipeline = gf.Pipeline(game="draughts", features="binarymap", oracle="none")
        other = pipeline.with_settings({"evaluator.features.off_value": -1.0, "searcher.depth": 2})
        assert other.features.off_value == -1.0
        assert other.searcher.depth == 2
        assert other.evaluator.hidden == pipeline.evaluator.hidden
        alone = pipeline.with_settings({"searcher.depth": 2})
        assert alone.features is pipeline.features
        assert alone.settings["evaluator"] == pipeline.settings["evaluator"]

    def test_nothing_changed_is_the_same(self) -> None:
        for pipeline in (toy(), toy(features="none", evaluator="none"), gf.Pipeline(game="draughts")):
            assert pipeline.with_settings({}).settings == pipeline.settings

    def test_oracles_stay_open(self) -> None:
        pipeline = gf.Pipeline(game="draughts", evaluator="material", oracle=["chinook:pieces=2", "chinook:pieces=3"])
        other = pipeline.with_settings({"oracle.1.pieces": 2})
        assert other.oracles[0] is pipeline.oracles[0]
        assert other.oracles[1] is not pipeline.oracles[1]
        assert other.settings["oracle"][1]["pieces"] == 2
        assert pipeline.with_settings({"searcher.depth": 3}).oracles == pipeline.oracles

    def test_objects_of_somebodys_own_stay(self) -> None:
        class Mine:
            def train(self, task: TrainingTask) -> Trained:
                raise AssertionError

        mine = Mine()
        assert toy(learner=mine).with_settings({"evaluator.scale": 2.0}).learner is mine

    @pytest.mark.parametrize(
        ("settings", "sentence"),
        [
            ({"evaluator.scal": 1.0}, r"evaluator\.scal: no such parameter \(did you mean 'scale'\?\)"),
            ({"evaluator.scale": "wide"}, r'evaluator\.scale = "wide": must be a number'),
            ({"learner.rounds": 1}, r"learner\.rounds is not a parameter of a player"),
            ({"game.stones": 1}, r"game\.stones is not a parameter of a player"),
            ({"oracle.0.pieces": 1}, "the list oracle has no entry '0'; the list is empty"),
        ],
    )
    def test_what_is_refused(self, settings: dict[str, Any], sentence: str) -> None:
        with pytest.raises(GameforgeError, match=sentence):
            toy().with_settings(settings)


@attrs.frozen(kw_only=True)
class Chooser:
    """A learner that chooses the scale of the evaluator."""

    tune = {"evaluator.scale": (0, 5)}

    def train(self, task: TrainingTask) -> Trained:
        weights = np.ones(3, np.float32)
        chosen = {"evaluator.scale": 4.0}
        for session in (1, 2):
            task.session_finished(
                Progress(
                    session=session, sessions=2, games=0, total=0, weights=weights, settings=chosen, numbers={"a b": 1}
                )
            )
        return Trained(
            weights=weights,
            initial_weights=np.zeros(3, np.float32),
            settings=chosen,
            generations=[("one", weights / 2)],
            summary={},
        )


class TestRuns:
    def test_players_of_a_run_have_what_the_learner_chose(self, tmp_path: Path) -> None:
        told: list[Progress] = []

        class Listener:
            @hookimpl
            def gameforge_checkpoint(self, progress: Progress) -> None:
                told.append(progress)

        run = toy(learner=Chooser()).run(tmp_path / "run", subscribers=[Listener()])
        assert run.player.spec["evaluator"]["scale"] == 4.0
        assert run.untrained.spec["evaluator"]["scale"] == 1.0
        for folder in (tmp_path / "run", tmp_path / "run" / "generations" / "one"):
            assert gf.player(folder, registry=registry()).spec["evaluator"]["scale"] == 4.0
        assert told[-1].settings == {"evaluator.scale": 4.0}

    def test_a_learner_of_weights_still_needs_an_evaluator(self, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match="the pipeline has no evaluator"):
            toy(evaluator="none", features="none").run(tmp_path / "run")
        assert not (tmp_path / "run").exists()


def test_what_was_tuned_is_drawn_first_with_its_deviation_as_a_band() -> None:
    from gameforge.training.run_report import RunReport, panels

    row = {"session": 1, "games": 2, "mean_plies": 20, "x.y": 0.5, "x.y deviation": 0.1, "other deviation": 1.0}
    report = RunReport(folder=Path(), game="", state="", began="", settings={}, metrics=[row], summary={})
    assert panels([report]) == ["x.y", "moves a game", "other deviation"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (99.4, "99 s"), (100, "2 min"), (5999, "100 min"), (7200, "2.0 h"), (1e6, "11.6 days")],
)
def test_spans(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text
