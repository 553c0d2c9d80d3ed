"""The whole experiment, as short as it can be, and what its parameters change."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gameforge_uct_ccnn import stages
from gameforge_uct_ccnn.experiment import UctCcnn

from gameforge.config import parse_spec
from gameforge.experiments.reproduction import RESULTS, reproduce
from gameforge.plugins.registry import default_registry


@pytest.mark.slow
def test_no_figure_depends_on_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LEAST_CLEAR", "LEAST_START", "LEAST_NEURONS"):
        monkeypatch.setattr(stages, name, 2)
    monkeypatch.setattr(stages, "NETS_GAMES", 1)
    spec = parse_spec("uct-ccnn:game=morris,simulations=5,match_simulations=5,cp=0.4")
    found = []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        report = reproduce(out, spec, default_registry(), workers=workers, scale=UctCcnn.least_scale)
        assert "Table 4" in report.text
        assert "Table 5" in report.text
        found.append(json.loads((out / RESULTS).read_text())["summary"])
    assert found[0] == found[1]


@pytest.mark.parametrize("error", ["difference", "output"])
def test_both_readings_of_the_candidates_errors(error: Any, tmp_path: Path) -> None:
    class Asked(Exception):
        """Carries the pipeline of the net."""

    def ask(pipeline: Any, name: str) -> None:
        raise Asked(pipeline)

    trial: Any = SimpleNamespace(
        folder=tmp_path, registry=default_registry(), seed=1, scaled=lambda number: number, run=ask
    )
    with pytest.raises(Asked) as asked:
        stages.STAGES["longer net"].run(UctCcnn(game="morris", candidate_error=error), trial)
    assert asked.value.args[0].settings["learner"]["candidate_error"] == error
