"""The experiment `loop-readings`: its pipelines, a tiny run, and verdicts from figures that are made up."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gameforge_ls_draughts.loop_readings import LoopReadings, Reading, effects, readings
from gameforge_ls_draughts.published import EXTENDED, NEURODRAUGHTS, ORIGINAL

from gameforge.cli.main import run
from gameforge.config import Spec, merge, normal
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.experiments.reproduction import create_experiment, reproduce
from gameforge.experiments.trial import Trial
from gameforge.interfaces.experiment import Experiment
from gameforge.interfaces.learner import Numbers
from gameforge.play.pipeline import Pipeline

pytest.importorskip("gameforge_draughts")

ALL = list(readings((5, 6)))
DEPTH = 2


def test_every_combination_is_there_once() -> None:
    assert isinstance(LoopReadings(), Experiment)
    assert len(ALL) == 2 + 2 + 2 * 2 * 2 * 2 == len({one.name for one in ALL}) == len(LoopReadings().conditions)


@pytest.mark.parametrize("reading", ALL, ids=lambda one: one.name)
def test_each_reading_is_a_pipeline(reading: Reading) -> None:
    registry = default_registry()
    settings = merge(normal(registry.preset("neurodraughts-2009")), normal(reading.settings))
    made = Pipeline.from_settings(settings, registry).settings
    assert made["searcher"]["ties"] == reading.ties
    assert made["learner"]["target"] == reading.target
    assert [one["quiet"] for one in made["oracle"]] == ([reading.quiet] if reading.pieces else [])
    assert made["evaluator"]["features"]["set"] == ("neurodraughts" if reading.player == NEURODRAUGHTS else "ls")


def test_an_effect_compares_readings_that_differ_in_one_thing() -> None:
    found = list(effects(ALL))
    assert len(found) == 11
    for effect in found:
        for before, after in effect.pairs:
            fields = ("player", "ties", "pieces", "target", "quiet")
            differing = {field for field in fields if getattr(before, field) != getattr(after, field)}
            assert differing in ({"player"}, {"player", "pieces"}, {"ties"}, {"pieces"}, {"target"}, {"quiet"})
    assert sum(len(effect.pairs) for effect in found) == 2 + 8 + 2 * (1 + 2 + 4 + 4) + 8


def figures(
    loops: Callable[[Reading], float], points: Callable[[Reading], int], seeds: int = 5
) -> dict[str, list[Numbers]]:
    """Results in which the seed adds little to the loops; points: pairs of 10 that the trained player wins."""
    return {
        one.name: [
            {
                "games": 1000,
                "loops": loops(one) / 2 + seed,
                "losses": 400,
                "spoilt": 10,
                "clones": 3,
                "distinct": 800,
                "match": {
                    "pentanomial": [10 - points(one) - seed % 2, 0, 0, 0, points(one) + seed % 2],
                    "wins": 2 * (points(one) + seed % 2),
                    "draws": 0,
                    "losses": 20 - 2 * (points(one) + seed % 2),
                    "loops": 0,
                    "distinct": 20,
                    "distinct_pairs": 10,
                },
            }
            for seed in range(1, seeds + 1)
        ]
        for one in ALL
    }


def as_published(one: Reading) -> float:
    """The published counts, with a database only under random ties and with its values as targets."""
    shown = one.ties == "random" and one.target == "oracle"
    return {NEURODRAUGHTS: 1045, ORIGINAL: 759, EXTENDED: 168 if shown else 900}[one.player]


class TestVerdict:
    def test_under_some_readings(self) -> None:
        report = LoopReadings().report(figures(as_published, lambda one: 5), 1.0)
        assert "**Verdict**: **reproduced, but only under some readings**" in report.text
        shown = "random ties, 5 pieces, all lookups, as target; random ties, 5 pieces, quiet lookups, as target; "
        assert f"* Both: {shown}" in report.text
        assert (
            "| random ties, 5 pieces, all lookups, as target | 172 | 174 (170 to 178) | 170 to 178 | 17% |"
            in report.text
        )
        assert report.text.count("| 80.0% | 100.0% |") == len(ALL)

    def test_readings_that_make_the_player_weaker(self) -> None:
        report = LoopReadings().report(figures(as_published, lambda one: 2 if one.target == "oracle" else 7), 1.0)
        assert "only by readings under which the trained player is weaker" in report.text

    def test_under_no_reading(self) -> None:
        report = LoopReadings().report(figures(lambda one: 900, lambda one: 5), 1.0)
        assert "**not reproduced under any of these readings**" in report.text
        assert "each step beyond chance: none." in report.text

    def test_fewer_than_five_seeds_give_none(self) -> None:
        for seeds in (1, 4):
            report = LoopReadings().report(figures(as_published, lambda one: 5, seeds), 1.0)
            assert f"none, because a verdict needs 5 seeds and there are {seeds}" in report.text

    def test_short_trainings_give_none(self) -> None:
        report = LoopReadings().report(figures(as_published, lambda one: 5, 5), 0.5)
        assert "none, because the trainings are shorter than published" in report.text


@pytest.mark.parametrize("pieces", ["[]", "[5,5]", "[7]"])
def test_databases_that_cannot_be_built_are_refused(pieces: str) -> None:
    with pytest.raises(GameforgeError, match=r"pieces.*must be different numbers from 2 to 6"):
        create_experiment(default_registry(), Spec.parse(f"loop-readings:pieces={pieces}"))


def test_further_databases_are_consulted_after_the_largest() -> None:
    found = list(readings((5, 6), ("runs/db7",)))
    added = found[len(ALL) :]
    assert found[: len(ALL)] == ALL
    assert len(added) == 8
    assert added[0].name == "first ties, 6 pieces and db7, all lookups"
    assert added[1].settings["oracle"] == [
        {"use": "chinook", "quiet": True, "pieces": 6},
        {"use": "chinook", "quiet": True, "path": "runs/db7"},
    ]
    last = list(effects(found))[-1]
    assert last.says == "6 pieces and db7 instead of 6"
    assert [(before.name.replace("6 pieces", "6 pieces and db7")) for before, _ in last.pairs] == [
        after.name for _, after in last.pairs
    ]


def test_a_further_database_that_cannot_be_read_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(GameforgeError, match="loop-readings: further: no such file or folder: db9"):
        create_experiment(default_registry(), Spec.parse('loop-readings:further=["db9"]'))
    with pytest.raises(GameforgeError, match="is named twice, and would be compared with itself"):
        create_experiment(default_registry(), Spec.parse(f'loop-readings:further=["{tmp_path}","{tmp_path}/."]'))
    with pytest.raises(GameforgeError, match="loop-readings: further: "):
        create_experiment(default_registry(), Spec.parse(f'loop-readings:further=["{tmp_path}"]'))


def test_a_further_database_that_knows_nothing_more_is_refused(tmp_path: Path) -> None:
    """It would never be consulted, and its readings would repeat those of the first database."""
    for name, material in (("two", ["--pieces", "2"]), ("four", ["--pieces", "4", "--material", "0022"])):
        assert run(["egdb", "build", "--game", "draughts", *material, "--out", str(tmp_path / name)]) == 0
    for pieces, further in (("[4]", ["two"]), ("[3,5]", ["four"]), ("[3]", ["four", "two"])):
        paths = json.dumps([str(tmp_path / name) for name in further])
        with pytest.raises(
            GameforgeError, match=f"loop-readings: further: {tmp_path / further[-1]} knows no ending that the databases"
        ):
            create_experiment(default_registry(), Spec.parse(f"loop-readings:pieces={pieces},further={paths}"))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a further database, `four`, and a finished experiment that names it, `out`: with shallow searches
    and matches of two games."""
    folder = tmp_path_factory.mktemp("tiny")
    build(folder / "four", "--pieces", "4", "--material", "0022")
    pipeline = Trial.pipeline

    def shallow(trial: Trial, source: str, *changes: Any) -> Pipeline:
        return pipeline(trial, source, *changes, {"searcher": {"depth": DEPTH}})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trial, "pipeline", shallow)
        patch.setattr(f"{LoopReadings.__module__}.OPPONENT", f"minimax:depth={DEPTH}")
        patch.setattr(f"{LoopReadings.__module__}.LEAST_PAIRS", 1)
        reproduce(folder / "out", Spec.parse(with_four(folder)), default_registry(), seeds=1, scale=0.01)
    return folder


def build(database: Path, *content: str) -> None:
    assert run(["egdb", "build", "--game", "draughts", *content, "--out", str(database)]) == 0


def with_four(folder: Path) -> str:
    return f'loop-readings:pieces=[3],further=["{folder / "four"}"]'


def test_a_tiny_run(tiny: Path) -> None:
    results: dict[str, Any] = json.loads((tiny / "out" / "results.json").read_text())
    numbers = {trial["condition"]: trial["numbers"] for trial in results["trials"]}
    assert {one["games"] for one in numbers.values()} == {20}
    assert all(one["match"]["games"] == 4 for one in numbers.values())
    asked = [numbers[f"first ties, 3 pieces, {lookups}"]["hits"] for lookups in ("all lookups", "quiet lookups")]
    assert asked[0] > 0
    assert numbers["first ties, 3 pieces and four, all lookups"]["hits"] > asked[0]
    assert "a verdict needs 5 seeds" in (tiny / "out" / "report.md").read_text()


def test_no_seed_is_added_without_the_database(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The database may have been moved, or replaced by one that knows less, since the other seeds were run."""
    four, trials = tiny / "four", (tiny / "out" / "trials.jsonl").read_bytes()
    four.rename(tiny / "moved")
    try:
        command = ["reproduce", with_four(tiny), "--seeds", "2", "--scale", "0.01", "--out", str(tiny / "out")]
        for made, message in (
            ((), f"no such file or folder: {four}"),
            (
                ("--pieces", "2"),
                f"{four} knows no ending that the databases before it do not know, and would never be used",
            ),
        ):
            if made:
                build(four, *made)
            capsys.readouterr()
            assert run(command) == 2
            assert capsys.readouterr() == (
                "",
                f"error: experiment: loop-readings: further: {message}\n",
            )
            assert (tiny / "out" / "trials.jsonl").read_bytes() == trials
    finally:
        shutil.rmtree(four, ignore_errors=True)
        (tiny / "moved").rename(four)
