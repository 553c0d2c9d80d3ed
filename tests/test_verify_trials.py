"""`gameforge verify` of studies, experiments and databases of games: figures that their runs and games contradict."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
import test_folder_kills

import gameforge as gf
from gameforge.cli.commands.runs import CHECKS
from gameforge.discovery.registry import default_registry
from gameforge.experiments.schedule import TRIALS
from gameforge.training.verification import runs_to_repeat, verified

Edit = Callable[[dict[str, object]], object]


def found(folder: Path) -> tuple[bool, str]:
    """What the last line says: that of the study or experiment, since the folders of its seeds come before."""
    *_, last = verified(folder, test_folder_kills.plugins(), CHECKS)
    return last.holds, last.found


def edit(path: Path, trial: int, change: Edit) -> None:
    """Change a line of a log of trials."""
    lines = path.read_text().splitlines()
    row = json.loads(lines[trial])
    change(row)
    lines[trial] = json.dumps(row)
    path.write_text("".join(f"{line}\n" for line in lines))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study") / "study"
    test_folder_kills.study(folder)
    return folder


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("experiment") / "experiment"
    test_folder_kills.experiment(folder)
    return folder


def test_a_study_has_the_figures_of_its_runs_and_matches(study: Path) -> None:
    assert found(study) == (True, "study, 3 trials with the figures of their runs and matches")


def numbers(name: str, value: object) -> Edit:
    return lambda row: row["numbers"].__setitem__(name, value)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (numbers("games", 99), "seed 1: games is 99, not "),
        (numbers("digest", "0123abcd"), 'seed 1: digest is "0123abcd", not '),
        (numbers("run", "seed-2/other"), "its run is said to be seed-2/other, which is not in seed-1"),
        (numbers("run", "seed-1/other"), "seed-1/other holds no run"),
        (lambda row: row.__setitem__("seed", 2), "which is not in seed-2"),
    ],
)
def test_figures_that_its_runs_do_not_have(study: Path, change: Edit, problem: str) -> None:
    log = study / TRIALS
    before = log.read_text()
    try:
        edit(log, 0, change)
        holds, text = found(study)
    finally:
        log.write_text(before)
    assert not holds
    assert problem in text


def test_a_match_with_another_result(study: Path) -> None:
    log = study / TRIALS
    before = log.read_text()
    try:
        edit(log, 2, lambda row: row["numbers"]["tally"].__setitem__("wins", 7))  # type: ignore[index]
        assert found(study)[1].startswith(f"{log}: ")
        assert "tally.wins is 7, not " in found(study)[1]
    finally:
        log.write_text(before)


def test_of_the_runs_of_a_study_one_is_drawn(study: Path) -> None:
    runs = {path.parent for path in study.rglob("run.json")}
    assert len(runs) == 2
    drawn = {seed: [*runs_to_repeat(study.parent, seed, ["study.json"])] for seed in range(8)}
    assert all(len(one) == 1 for one in drawn.values())
    assert {run for one in drawn.values() for run in one} == runs
    assert [*runs_to_repeat(study / "seed-1", 0, ["study.json"])] == sorted(runs)


def test_an_experiment_has_the_summary_of_its_trials(experiment: Path) -> None:
    holds, text = found(experiment)
    assert holds, text
    assert text.startswith("experiment, ")
    assert text.endswith(" trials, which give the summary of its report")


def test_a_trial_of_an_experiment_that_is_not_as_reported(experiment: Path) -> None:
    log = experiment / TRIALS
    before = log.read_text()
    name = next(iter(json.loads(before.splitlines()[0])["numbers"]))
    try:
        edit(log, 0, numbers(name, "other"))
        assert f'{name} is "other", not ' in found(experiment)[1]
    finally:
        log.write_text(before)


def test_a_report_of_an_experiment_with_another_summary(experiment: Path) -> None:
    results = experiment / "results.json"
    before = results.read_text()
    content = json.loads(before)
    name = next(iter(content["summary"]))
    content["summary"][name] = "other"
    try:
        results.write_text(json.dumps(content))
        assert found(experiment) == (False, found(experiment)[1])
        assert f'results.json: {name} is "other", not ' in found(experiment)[1]
    finally:
        results.write_text(before)


def test_a_database_of_games(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    (tmp_path / "some.oth").write_text("f5d6c3d3c4 40-24\n")
    with gf.games_db(path, "othello") as db:
        db.add_file(tmp_path / "some.oth")

    def said() -> list[tuple[bool, str]]:
        return [(one.holds, one.found) for one in verified(tmp_path, default_registry(), CHECKS)]

    assert said() == [(True, "database, 1 games by the rules, in an index that fits them")]
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE games SET moves = x'ff'")
    [(holds, text)] = said()
    assert not holds
    assert "its move 1 is not legal" in text
