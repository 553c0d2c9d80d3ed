"""The whole experiment, as short as it can be, and what its parameters change."""

import json
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gameforge_examples.folder import ExampleFolder
from gameforge_examples.making import Plan
from gameforge_uct_ccnn import stages
from gameforge_uct_ccnn.experiment import UctCcnn

from gameforge.cli.main import run
from gameforge.config import Spec
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import GameforgeError
from gameforge.experiments.report import Verdict
from gameforge.experiments.reproduction import RESULTS, reproduce
from gameforge.experiments.schedule import Resources
from gameforge.experiments.trial import Trial

CONNECT_FOUR = Path(__file__).parents[3] / "examples" / "third_party_plugin" / "gameforge_connect_four.py"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """As few matches and hidden units as can be, and shallow searches."""
    for name in ("LEAST_CLEAR", "LEAST_START", "LEAST_NEURONS"):
        monkeypatch.setattr(stages, name, 2)
    for name in ("NETS_GAMES", "MATCHES", "OPPONENT_DEPTH"):
        monkeypatch.setattr(stages, name, 1)
    monkeypatch.setattr(stages, "OPPONENT_DEPTH", 1)


@pytest.mark.slow
def test_no_figure_depends_on_workers(small: None, tmp_path: Path) -> None:
    spec = Spec.parse("uct-ccnn:game=morris,simulations=5,match_simulations=5,cp=0.4")
    found = []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        report = reproduce(out, spec, default_registry(), Resources(workers=workers), scale=UctCcnn.least_scale)
        assert "Table 4" in report.text
        assert "Table 5" in report.text
        found.append(json.loads((out / RESULTS).read_text())["summary"])
    assert found[0] == found[1]


class Asked(Exception):
    """Carries what a stage would train, or who would play."""


@pytest.mark.parametrize("reuse", [True, False])
def test_trees_of_the_examples_may_begin_with_their_root(
    reuse: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(*players: Any, searcher: Any, **more: Any) -> None:
        raise Asked(searcher)

    monkeypatch.setattr(stages, "make_player", ask)
    earlier = {"cp": {"cp": 0.4}}
    trial = Trial(condition="longer examples", seed=1, registry=default_registry(), earlier=earlier, home=tmp_path)
    with pytest.raises(Asked) as asked:
        UctCcnn(game="morris", reuse=reuse).run(trial)
    assert asked.value.args[0]["reuse"] is reuse


@pytest.mark.parametrize("rule", ["irprop-", "irprop+"])
@pytest.mark.parametrize("error", ["difference", "output"])
def test_readings_of_the_net(error: Any, rule: Any, tmp_path: Path) -> None:
    """The errors on which candidates are trained, and the rule of the training."""

    def ask(pipeline: Any, name: str) -> None:
        raise Asked(pipeline)

    trial: Any = SimpleNamespace(
        folder=tmp_path, registry=default_registry(), seed=1, scaled=lambda number: number, run=ask
    )
    with pytest.raises(Asked) as asked:
        stages.STAGES["longer net"].run(UctCcnn(game="morris", candidate_error=error, rule=rule), trial)
    learner = asked.value.args[0].settings["learner"]
    assert learner["rule"] == rule
    assert (learner["candidate_error"], learner["least_step"]) == (error, {"difference": 0, "output": 0.0001}[error])


def test_an_opponent_that_does_not_exist_is_refused_at_once(tmp_path: Path) -> None:
    spec = Spec.parse("uct-ccnn:game=morris,cp=0.4,opponent=nosuch")
    with pytest.raises(GameforgeError, match="unknown evaluator 'nosuch'"):
        reproduce(tmp_path / "out", spec, default_registry(), scale=UctCcnn.least_scale)
    assert not list(tmp_path.rglob("*examples*"))


def test_an_opponent_that_needs_more_than_a_name_is_refused_at_once() -> None:
    trial = Trial(condition="cp", seed=1, registry=Registry(load([CONNECT_FOUR])))
    with pytest.raises(GameforgeError, match=r"feature map.*; name another one, as in uct-ccnn:opponent=EVALUATOR$"):
        UctCcnn(game="connect-four", opponent="mlp", cp=0.4).run(trial)


def test_a_game_of_another_plugin_needs_no_options(small: None, tmp_path: Path) -> None:
    """Connect Four names no evaluator, so UCT is the opponent; the paper says nothing about it."""
    spec = Spec.parse("uct-ccnn:game=connect-four,simulations=5,match_simulations=7,cp=0.4")
    report = reproduce(tmp_path / "out", spec, Registry(load([CONNECT_FOUR])), scale=UctCcnn.least_scale)
    assert "The opponent is UCT without an evaluator, 7 simulations a move." in report.text
    assert "more wins" not in report.text
    assert {(row["published"], row["mark"]) for row in report.numbers["rows"]} == {("", Verdict.UNAVAILABLE)}


def test_the_command_plays_the_game_that_it_names(
    small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The default is Othello."""
    monkeypatch.chdir(tmp_path)
    spec = "uct-ccnn:simulations=5,match_simulations=5,cp=0.4,tables=false"
    command = ["reproduce", spec, "--game", "morris", "--scale", str(UctCcnn.least_scale)]
    assert run(command) == 0
    out = Path("experiments") / "uct-ccnn-morris"
    assert f"report saved in {out / 'report.md'}\n" in capsys.readouterr().out
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    assert json.loads((out / "experiment.json").read_text())["parameters"]["game"] == "morris"
    pipelines = [tomllib.loads(path.read_text()) for path in out.rglob("pipeline.toml")]
    assert pipelines
    assert {settings["game"]["use"] for settings in pipelines} == {"morris"}


def test_damaged_figures_of_an_earlier_stage_are_named(tmp_path: Path) -> None:
    out = tmp_path / "out"
    spec = Spec.parse("uct-ccnn:game=morris,simulations=5,match_simulations=5,cp=0.4,tables=false")
    with pytest.raises(KeyboardInterrupt):
        reproduce(out, spec, default_registry(), Resources(finished=_interrupt), scale=UctCcnn.least_scale)
    log = out / "trials.jsonl"
    log.write_text(json.dumps(json.loads(log.read_text().splitlines()[0]) | {"numbers": {}}) + "\n")
    with pytest.raises(GameforgeError, match=r"cannot run shorter examples from the figures in .*trials\.jsonl"):
        reproduce(out, spec, default_registry(), scale=UctCcnn.least_scale)


def _interrupt(*finished: Any) -> None:
    raise KeyboardInterrupt


def test_a_filter_that_was_killed_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder exists, but holds nothing yet."""
    small = Plan(start_matches=4, states=0, seed=1)
    monkeypatch.setattr(stages, "plan", lambda trial: small)
    trial: Any = SimpleNamespace(
        folder=tmp_path, registry=default_registry(), seed=1, workers=1, executor=None, check=lambda: None,
        earlier={"cp": {"cp": 0.4}},
    )  # fmt: skip
    settings = UctCcnn(game="morris", simulations=5)
    with monkeypatch.context() as killed:

        def kill(folder: ExampleFolder, *rows: Any) -> None:
            raise KeyboardInterrupt

        killed.setattr(ExampleFolder, "fill", kill)
        with pytest.raises(KeyboardInterrupt):
            stages.STAGES["shorter examples"].run(settings, trial)
        kept = tmp_path / "shorter-examples"
        kept.mkdir(exist_ok=True)
    found = stages.STAGES["shorter examples"].run(settings, trial)
    assert found["kept"] == ExampleFolder.read(kept).examples > 0
