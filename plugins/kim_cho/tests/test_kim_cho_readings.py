"""The experiment `kim-cho-readings`: what its conditions change, its report, and a whole small one."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gameforge_kim_cho import evolved_players
from gameforge_kim_cho.readings import ALWAYS, DRAWN, GATE, LEAVES, ROOT, SEARCHED, WITHOUT, KimChoReadings

import gameforge as gf
from gameforge.config import Spec
from gameforge.discovery.registry import default_registry
from gameforge.experiments.reproduction import reproduce
from gameforge.experiments.schedule import Resources
from gameforge.experiments.trial import Trial

WON = {"wins": 40, "draws": 0, "losses": 0, "pairs": [0, 0, 0, 0, 20], "distinct": 40, "distinct_pairs": 20}
DRAWS = {"wins": 0, "draws": 40, "losses": 0, "pairs": [0, 0, 20, 0, 0], "distinct": 40, "distinct_pairs": 20}


def trial(condition: str, folder: Path) -> Trial:
    return Trial(condition=condition, seed=1, registry=default_registry(), scale=0.1, home=folder)


class Evolves(Exception):
    """Carries the pipeline that a condition would evolve."""


def test_the_evolutions_differ_in_nothing_but_the_kings_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(self: Trial, pipeline: gf.Pipeline, name: str) -> None:
        raise Evolves(pipeline)

    monkeypatch.setattr(Trial, "run", run)
    settings: dict[str, Any] = {}
    for condition in (DRAWN, ALWAYS):
        with pytest.raises(Evolves) as evolves:
            KimChoReadings(population=20, piece_diff=True).run(trial(condition, tmp_path))
        settings[condition] = evolves.value.args[0].settings
    assert [found["learner"].pop("stepped") for found in settings.values()] == ["drawn", "always"]
    assert settings[DRAWN] == settings[ALWAYS]
    assert (settings[DRAWN]["learner"]["population"], settings[DRAWN]["learner"]["generations"]) == (20, 5)
    assert settings[DRAWN]["evaluator"]["piece_diff"]


def test_one_net_plays_with_each_reading_of_the_gate_and_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(trial: Trial, one: Any, name: str, others: Any, games: int) -> Any:
        met.append((one, *others.values()))
        return dict.fromkeys(others, WON)

    met: list[Any] = []
    monkeypatch.setattr(Trial, "player", lambda self, name: SimpleNamespace(weights=f"weights of {name}"))
    monkeypatch.setattr(gf.Pipeline, "parts", lambda self: self.settings["oracle"])
    monkeypatch.setattr("gameforge_kim_cho.readings.Player", lambda parts, weights, name: (weights, parts))
    monkeypatch.setattr(evolved_players, "played", played)
    found = KimChoReadings(pieces=3).run(trial(GATE, tmp_path))["matches"]
    before = [f"{ROOT} - {LEAVES}", f"{ROOT} - {WITHOUT}", f"{LEAVES} - {WITHOUT}"]
    assert list(found) == [*before, f"{SEARCHED} - {LEAVES}", f"{SEARCHED} - {ROOT}", f"{SEARCHED} - {WITHOUT}"]
    assert {weights for players in met for weights, _ in players} == {f"weights of {DRAWN}"}
    oracles = [[oracle for _, oracle in players] for players in met]
    assert {one["oracle"]["pieces"] for both in oracles for oracle in both for one in oracle} == {3}
    places = [[[one["at"] for one in oracle] for oracle in both] for both in oracles]
    assert places[:3] == [[["root"], ["leaves"]], [["root"], []], [["leaves"], []]]
    assert places[3:] == [[["searched"], ["leaves"]], [["searched"], ["root"]], [["searched"], []]]


def test_the_report_says_which_reading_is_better() -> None:
    evolved = {"games": 500, "generations": 5, "king": 2.1}
    gates = {f"{ROOT} - {LEAVES}": DRAWS, f"{ROOT} - {WITHOUT}": WON, f"{LEAVES} - {WITHOUT}": WON}
    results = {
        DRAWN: [evolved] * 5,
        ALWAYS: [{**evolved, "king": 1 + 0.5 * seed, "matches": {DRAWN: WON}} for seed in range(5)],
        GATE: [{"matches": gates}] * 5,
    }
    report = KimChoReadings().report(results, 0.1)
    assert "5 seeds; each evolution has 5 generations (500 games) of 100 nets" in report.text
    assert "| king drawn | 200/0/0 | 200 | 1.00 (all 5 seeds equal) | 1.00 to 1.00 | better |" in report.text
    assert "| gate at the root - gate at the leaves | 0/0/200 | 200 | 0.50 (all 5 seeds equal)" in report.text
    assert "| king always moved | 2.00 (1.02 to 2.98) | 1.00 to 3.00 |" in report.text  # 2 +- 2.776 * sqrt(0.625 / 5)


@pytest.mark.slow
def test_no_figure_depends_on_the_workers(tmp_path: Path) -> None:
    spec, figures = Spec.parse("kim-cho-readings:games=2,population=4,pieces=2"), []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        resources = Resources(workers=workers)
        reproduce(out, spec, default_registry(), resources, seeds=1, scale=KimChoReadings.least_scale)
        figures.append(json.loads((out / "results.json").read_text())["summary"])
    assert figures[0] == figures[1]
