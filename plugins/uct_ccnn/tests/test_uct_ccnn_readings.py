"""The experiment `uct-ccnn-readings`: what its conditions change, its report, and a whole small one."""

import json
from pathlib import Path
from typing import Any

import pytest
from gameforge_uct_ccnn import stages
from gameforge_uct_ccnn.readings import DEFAULT, IRPROP_PLUS, PLIES, PRIOR, REUSED, UctCcnnReadings
from gameforge_uct_ccnn.settings import UctCcnnSettings

from gameforge.config import Spec
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.experiments.reproduction import create_experiment, reproduce
from gameforge.experiments.schedule import Resources
from gameforge.experiments.trial import Trial

WON = {"wins": 40, "draws": 0, "losses": 0, "pairs": [0, 0, 0, 0, 20], "distinct": 40, "distinct_pairs": 20}


class Made(Exception):
    """Carries the settings and the folder of a stage."""


@pytest.mark.parametrize(
    ("condition", "reuse", "rule", "examples"),
    [
        (DEFAULT, False, "irprop-", "as printed"),
        (REUSED, True, "irprop-", "reused trees"),
        (IRPROP_PLUS, False, "irprop+", "as printed"),
    ],
)
def test_each_reading_changes_one_thing(
    condition: str, reuse: bool, rule: str, examples: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """iRprop+ trains on the examples of the default."""
    made = []

    def make(settings: UctCcnnSettings, trial: Trial, folder: Path, simulations: int, cp: float) -> None:
        made.append((settings.reuse, folder.name, simulations, cp))

    def train(settings: UctCcnnSettings, trial: Trial, folder: Path, name: str) -> None:
        raise Made(settings, folder.name, name)

    monkeypatch.setattr(stages, "games_of_uct", make)
    monkeypatch.setattr(stages, "keep_printed", lambda *folders: None)
    monkeypatch.setattr(stages, "trained_net", train)
    trial = Trial(condition=condition, seed=1, registry=default_registry(), home=tmp_path)
    with pytest.raises(Made) as found:
        UctCcnnReadings(game="morris", simulations=50, cp=0.35).run(trial)
    settings, kept, name = found.value.args
    assert made == ([] if condition == IRPROP_PLUS else [(reuse, f"{examples}, made", 50, 0.35)])
    assert (settings.game, settings.rule, settings.reuse, kept) == ("morris", rule, reuse, f"{examples}, kept")
    assert name == condition


def net(*errors: float) -> dict[str, Any]:
    return {"train_mse by neuron": list(errors), "test_mse by neuron": list(errors)}


def test_the_report_has_the_differences_seed_by_seed() -> None:
    results = {
        DEFAULT: [net(0.05, 0.04, 0.045 + 0.001 * seed) for seed in range(5)],
        REUSED: [{**net(0.05, 0.03), "matches": {PLIES: WON, PRIOR: WON}}] * 5,
        IRPROP_PLUS: [{**net(0.05 + 0.001 * seed), "matches": {PLIES: WON, PRIOR: WON}} for seed in range(5)],
    }
    text = UctCcnnReadings().report(results, 0.1).text
    assert "| as printed | 1.0 (all 5 seeds equal) | 0.0400 (all 5 seeds equal) |  |  |  |  |" in text
    assert "| 0.0300 (all 5 seeds equal) | -0.0100 (all 5 seeds equal) | 1.00 (all 5 seeds equal) |" in text
    assert "| +0.0120 (0.0100 to 0.0140) |" in text  # 0.012 +- 2.776 * sqrt(0.0000025 / 5)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("uct-ccnn-readings:games=3", "games = 3: must be even"),
        ("uct-ccnn-readings:cp=0", "cp = 0"),
        ("uct-ccnn-readings:simulations=0", "simulations = 0"),
    ],
)
def test_bad_input(spec: str, sentence: str) -> None:
    with pytest.raises(GameforgeError, match=sentence):
        create_experiment(default_registry(), Spec.parse(spec))


@pytest.mark.slow
def test_no_figure_depends_on_the_workers(tmp_path: Path) -> None:
    spec, figures = Spec.parse("uct-ccnn-readings:game=morris,simulations=5,match_simulations=5,games=2"), []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        resources = Resources(workers=workers)
        reproduce(out, spec, default_registry(), resources, seeds=1, scale=UctCcnnReadings.least_scale)
        figures.append(json.loads((out / "results.json").read_text())["summary"])
    assert figures[0] == figures[1]
