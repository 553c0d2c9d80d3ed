"""`gameforge run --seeds`: a run for each seed, a table and curves over seeds, resumed and extended by repetition."""

import math
from pathlib import Path
from typing import Any

import attrs
import pytest
from toy_site import TOY

from gameforge.cli.main import run as command
from gameforge.discovery.registry import default_registry
from gameforge.experiments.seed_runs import SeedRuns, mean_curve, seed_runs
from gameforge.experiments.statistics import Sample
from gameforge.training.run_report import RunReport, run_folders

PARTS = ["--searcher", "greedy", "--evaluator", "linear", "--features", "lanes"]
REGISTRY = default_registry()
UNMEASURED = ["--match-games", "0", "--yardstick", "none"]


def train(folder: Path, *more: str, learner: str = "drift:rounds=2", seed: str = "7") -> int:
    toy = ["--plugin", str(TOY), "run", "--game", "shuttle", *PARTS, *UNMEASURED, "--learner", learner]
    return command([*toy, "--seed", seed, "--out", str(folder), *more])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seeds") / "runs"
    assert train(folder, "--seeds", "3") == 0
    return folder


def test_there_is_a_run_for_each_seed_as_if_it_were_trained_alone(folder: Path, tmp_path: Path) -> None:
    names = [path.name for path in run_folders(folder)]
    assert names == ["seed-7", "seed-8", "seed-9"]
    assert train(tmp_path / "alone", seed="8") == 0
    files = [here / "metrics.jsonl" for here in (tmp_path / "alone", folder / "seed-8")]
    rows = [RunReport.read(file.parent).figures for file in files]
    assert rows[0] == rows[1]


def test_repeating_the_command_trains_nothing_again_and_more_seeds_are_added(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path.name: RunReport.read(path).began for path in run_folders(folder)}
    capsys.readouterr()
    assert train(folder, "--seeds", "4") == 0
    said = capsys.readouterr().out
    assert "seed 10, 4 of 4:" in said
    assert "seed 7" not in said
    assert f"{folder} (4 seeds)" in said
    assert {path.name: RunReport.read(path).began for path in run_folders(folder)}.items() >= before.items()


@pytest.mark.parametrize("seeds", [100_001, 2**64])
def test_too_many_seeds_are_refused_before_anything_is_trained(
    seeds: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(tmp_path / "runs", "--seeds", str(seeds)) == 2
    assert capsys.readouterr().err.startswith("error: --seeds")
    assert not (tmp_path / "runs").exists()


def test_the_table_has_means_and_intervals(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert command(["runs", str(folder), "--compare"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    (group,) = seed_runs([RunReport.read(path) for path in run_folders(folder)], REGISTRY)
    values = group.figures["drift"]
    assert ["drift", *group.figure_text("drift", values).split()] in rows
    low, high = Sample(values).interval
    assert group.figure_text("drift", values) == f"{sum(values) / len(values):.4g} ({low:.4g} to {high:.4g})"
    assert not any(row[:1] == ["seed"] for row in rows)


def test_other_pipelines_are_other_columns(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(tmp_path / "longer", "--seeds", "2", learner="drift:rounds=3") == 0
    capsys.readouterr()
    assert command(["runs", str(folder), str(tmp_path / "longer"), "--compare"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["learner.rounds", "2", "3"] in rows


def test_curves_have_a_band(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    assert (folder / "curves.png").read_bytes().startswith(b"\x89PNG")
    (group,) = seed_runs([RunReport.read(path) for path in run_folders(folder)], REGISTRY)
    points = mean_curve(group, "drift")
    assert len(points) == 2
    assert all(low <= mean <= high for _, mean, low, high in points)


def report(folder: str, seed: int, **settings: Any) -> RunReport:
    return RunReport(
        folder=Path(folder), game="g", state="finished", began="", settings={"seed": seed, **settings}, metrics=[],
        summary={},
    )  # fmt: skip


def of_learner(use: str, **settings: Any) -> SeedRuns:
    """Two seeds of a pipeline with this learner."""
    learner = {"use": use, **settings}
    (group,) = seed_runs([report(f"a/seed-{seed}", seed, learner=learner) for seed in (1, 2)], REGISTRY)
    return group


def test_only_folders_of_seeds_are_taken_together() -> None:
    runs = [report("a/seed-2", 2), report("a/seed-1", 1), report("b", 1), report("c", 2), report("a/seed-3", 3, x=1)]
    groups = seed_runs(runs, REGISTRY)
    assert [one.title for one in groups] == ["a (2 seeds)", "b", "c", "a/seed-3"]
    assert [run.settings["seed"] for run in groups[0].runs] == [1, 2]
    started = attrs.evolve(runs[0], state="running")
    assert SeedRuns(Path("a"), (runs[1], started)).state == "1 of 2 finished"
    assert groups[1].figure_text("score", [0.25]) == "0.25"
    assert math.isinf(Sample([1.0]).interval[1])


@pytest.mark.parametrize("key", ["score", "gate score", "yardstick score", "loop rate"])
def test_intervals_of_shares_end_at_0_and_1(key: str) -> None:
    """Student's t of two seeds reaches far beyond: 0.5 +- 12.7 * 0.1."""
    assert of_learner("td").figure_text(key, [0.4, 0.6]) == "0.5 (0 to 1)"


@pytest.mark.parametrize("key", ["games/s", "clones", "moves a game", "test loss", "searcher.c_p deviation"])
def test_intervals_of_counts_and_rates_end_at_0(key: str) -> None:
    group = of_learner("cem", tune={"searcher.c_p": "0.2..2"})
    assert group.figure_text(key, [0.4, 0.6]) == "0.5 (0 to 1.771)"
    assert group.interval(key, [0.4, 0.6])[0] == 0


@pytest.mark.parametrize("key", ["piece balance", "yardstick elo", "gate elo", "searcher.c_p", "searcher.c p"])
def test_intervals_of_differences_and_tuned_parameters_have_no_end(key: str) -> None:
    group = of_learner("cem", tune={"searcher.c_p": "0.2..2"})
    assert group.figure_text(key, [0.4, 0.6]) == "0.5 (-0.7706 to 1.771)"


def test_a_learner_names_its_figures_that_can_be_negative() -> None:
    """Evolution takes points away for lost games; in the learner `roulette` no game costs points."""
    assert of_learner("evolve").figure_text("mean fitness", [0.4, 0.6]) == "0.5 (-0.7706 to 1.771)"
    assert of_learner("roulette").figure_text("mean fitness", [0.4, 0.6]) == "0.5 (0 to 1.771)"


def test_figures_that_their_learner_does_not_describe() -> None:
    """Its plugin may be gone, or it may have left out a figure that is negative."""
    gone = of_learner("gone")
    assert gone.figure_text("games/s", [0.4, 0.6]) == "0.5 (0 to 1.771)"
    assert gone.figure_text("gain", [-0.6, -0.4]) == "-0.5 (-1.771 to 0.7706)"


def test_equal_seeds_have_no_interval() -> None:
    """Their spread, of which an interval is made, is 0."""
    assert of_learner("td").figure_text("moves a game", [70.0] * 5) == "70 (all 5 seeds equal)"


def test_trials_of_an_experiment_are_taken_together_by_name() -> None:
    """They may read files that other trials of their seed wrote."""
    runs = [report(f"a/seed-{seed}/net", seed, file=f"a/seed-{seed}/examples") for seed in (1, 2)]
    runs += [report(f"a/seed-{seed}/other", seed) for seed in (1, 2)] + [report("a/seed-3/net", 3, file="b")]
    assert [one.title for one in seed_runs(runs, REGISTRY)] == ["a/net (2 seeds)", "a/other (2 seeds)", "a/seed-3/net"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--seeds", "0"], "Invalid value for '--seeds'"),
        (["--seeds", "2"], "seed-7"),
    ],
)
def test_bad_input(
    folder: Path, tmp_path: Path, more: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Runs of another pipeline are not continued, and what is finished stays."""
    assert train(folder, *more, learner="drift:rounds=5") == 2
    assert message in capsys.readouterr().err


def test_a_folder_of_a_single_run_and_resume_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(tmp_path / "one") == 0
    assert train(tmp_path / "one", "--seeds", "2") == 2
    assert "is a run; runs with several seeds need a folder of their own; use another folder" in capsys.readouterr().err
    (tmp_path / "one" / "player" / "seed-1").mkdir()  # as a study has them, in which there are no runs of its own
    assert train(tmp_path / "one" / "player", "--seeds", "2") == 2
    assert "player holds other files; runs with several seeds need a folder of their own" in capsys.readouterr().err
    assert command(["run", "--resume", str(tmp_path / "one"), "--seeds", "2"]) == 2
    assert "to resume runs of several seeds, repeat their command with --out" in capsys.readouterr().err
