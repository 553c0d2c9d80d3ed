"""Studies: their variants, budgets, folders, plans and reports."""

import csv
import itertools
import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
import toy_contest
from machines import dask_executor
from toy_experiment import PARTS
from toy_site import TOY

import gameforge as gf
from gameforge.cli.main import run
from gameforge.config import dump_toml, read_toml
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.experiments.schedule import TRIALS, FinishedTrial, Resources
from gameforge.experiments.tally import Tally
from gameforge.interfaces.learner import TrainingTask
from gameforge.storage.stored import read_as
from gameforge.studies.comparisons import compare, scores_of, settings_of
from gameforge.studies.measures import FixedOpponent, Opponents
from gameforge.studies.study import Study
from gameforge.studies.tables import score_rows
from gameforge.studies.trials import Finished, LeagueMatch, Training, read_clock
from gameforge.training import spending
from gameforge.training.run_report import RunReport
from gameforge.training.spending import ProcessorTime, UsedUp, read_processor_time

T = TypeVar("T")
TD = {"game": "draughts", "searcher": "minimax:depth=1", "learner": "td:games=20", "oracle": "none"}
SCRIPT = f"script:moves=[{','.join('1' * 20)}]"  # longer than any game
FILE = f"""
seeds = 2

[pipeline]
{PARTS}
[grid]
learner.rounds = [1, 2]

[yardstick]
player = "{SCRIPT}"
games = 4
every = 1
"""


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry(load([TOY]))


def toy(registry: Registry, **changes: Any) -> Study:
    """Two lengths of the toy learner, with two seeds, against a script."""
    settings: dict[str, Any] = {"grid": {"learner.rounds": [1, 2]}, "seeds": 2, "registry": registry}
    if "league" not in changes:
        settings["yardstick"] = {"player": SCRIPT, "games": 4, "every": 1}
    if "variants" in changes:
        del settings["grid"]
    table = dict(line.split(" = ") for line in PARTS.splitlines())
    return Study({key: value.strip('"') for key, value in table.items()}, **(settings | changes))


def names(study: Study) -> list[str]:
    return [variant.name for variant in study.variants]


class TestVariants:
    def test_a_grid_has_all_combinations(self) -> None:
        study = gf.Study(TD, grid={"learner": {"lambda": [0, 0.3]}, "searcher.depth": [1, 2]})
        assert names(study) == ["lambda=0, depth=1", "lambda=0, depth=2", "lambda=0.3, depth=1", "lambda=0.3, depth=2"]
        assert study.variants[3].pipeline.settings["learner"]["lambda"] == 0.3
        assert study.variants[3].pipeline.settings["learner"]["games"] == 20
        assert study.variants[3].pipeline.settings["searcher"]["depth"] == 2

    def test_a_list_changes_whole_components(self) -> None:
        listed = [{"name": "deep", "searcher": "minimax:depth=3"}, {"learner": {"use": "td", "lambda": 0.5}}]
        study = gf.Study(TD, variants=listed)
        assert names(study) == ["deep", "learner=td:lambda=0.5"]
        assert study.variants[0].pipeline.settings["searcher"]["depth"] == 3

    def test_equal_keys_at_the_end_are_written_in_full(self) -> None:
        study = gf.Study(TD, grid={"learner.games": [10], "learner.sessions": [1], "searcher.depth": [1, 2]})
        assert names(study)[0] == "games=10, sessions=1, depth=1"

    def test_settings_make_the_same_study(self, tmp_path: Path) -> None:
        study = gf.Study(TD, grid={"learner.lambda": [0, 0.3]}, budget={"games": 100, "by": "learner.sessions"})
        (tmp_path / "study.toml").write_text(dump_toml(study.settings))
        again = gf.Study.read(tmp_path / "study.toml")
        assert [one.digest for one in again.variants] == [one.digest for one in study.variants]
        assert again.settings == study.settings


class TestBudget:
    def test_every_variant_plays_the_same_number_of_games(self) -> None:
        study = gf.Study(TD, grid={"learner.games": [10, 20, 50]}, budget={"games": 100, "by": "learner.sessions"})
        assert [one.pipeline.settings["learner"]["sessions"] for one in study.variants] == [10, 5, 2]

    def test_lengths_that_are_right_already(self) -> None:
        variants = [{"learner": "td:games=10,sessions=4"}, {"learner": "td:games=20,sessions=2"}]
        study = gf.Study(TD, variants=variants, budget={"games": 40})
        assert [one.pipeline.learner.training_games for one in study.variants] == [40, 40]


class TestEvaluations:
    def test_trainings_end_after_the_session_in_which_they_are_used_up(self, tmp_path: Path) -> None:
        base = TD | {"game": "draughts:max_plies=40", "learner": "td:games=1,sessions=40,clone_points=2"}
        study = gf.Study(
            base,
            grid={"searcher.depth": [1, 2]},
            seeds=1,
            budget={"evaluations": 1000},
            yardstick={"player": "material", "games": 2, "every": 1},
        )
        assert (study.plan().games, study.plan().seconds) == (None, None)
        report, again = (study.run(tmp_path / str(workers), workers=workers) for workers in (1, 2))
        shallow, deep = report.rows
        assert 1000 <= shallow["evaluations"] < 2000
        assert deep["evaluations"] >= 1000
        assert shallow["training games"] > deep["training games"]
        assert "had used 1,000 evaluations: positions that its searches" in report.text
        assert RunReport.read(tmp_path / "1" / shallow["run"]).figures["evaluations"] == shallow["evaluations"]
        timeless = [{key: value for key, value in row.items() if key != "seconds"} for row in report.rows]
        assert timeless == [{key: value for key, value in row.items() if key != "seconds"} for row in again.rows]
        with (tmp_path / "1" / "curves.csv").open() as file:
            assert [float(row["evaluations"]) for row in csv.DictReader(file)][-1] == deep["evaluations"]

    def test_trainings_without_evaluations_are_refused(self, registry: Registry, tmp_path: Path) -> None:
        report = toy(registry, budget={"evaluations": 5}, variants=[{"searcher": "random"}], seeds=1).run(tmp_path)
        assert "no position has been evaluated by the end of session 1" in str(report.failures[0])


class TestProcessorTime:
    def test_trainings_end_after_the_session_in_which_it_is_used_up(self, registry: Registry, tmp_path: Path) -> None:
        study = toy(registry, budget={"processor_seconds": 1e-6}, grid={"learner.rounds": [5, 6]}, seeds=1)
        assert (study.plan().games, study.plan().seconds) == (None, 2e-6)
        report = study.run(tmp_path)
        assert [row["training games"] for row in report.rows] == [1, 1]
        assert all(row["processor seconds"] > 0 for row in report.rows)
        log = (tmp_path / report.rows[0]["run"] / "log.txt").read_text()
        assert re.search(r"the training ends with session 1: it has used \d+\.\d of 1e-06 processor seconds", log)
        assert "it had used 1e-06 processor seconds" in report.text
        assert "a repetition does not have the same results bit for bit" in report.text
        with pytest.raises(GameforgeError, match=r"yardstick.games is 4 there|budget"):
            toy(registry, budget={"processor_seconds": 2}).run(tmp_path)

    def test_trainings_that_are_too_short_are_counted(self, registry: Registry, tmp_path: Path) -> None:
        report = toy(registry, budget={"processor_seconds": 1000}, seeds=1).run(tmp_path)
        assert [row["training games"] for row in report.rows] == [1, 2]
        assert "**2 of 2 trainings ended earlier**" in report.text

    def test_one_thread_at_a_time(self, registry: Registry, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match=r"^budget.processor_seconds: trainings can be timed only one after"):
            toy(registry, budget={"processor_seconds": 1}).run(tmp_path / "new", workers=2)

    def test_a_resumed_training_begins_where_it_was(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        clock = SimpleNamespace(now=100.0)
        clock.process_time = clock.monotonic = lambda: clock.now
        monkeypatch.setattr(spending, "time", clock)
        spent = ProcessorTime(tmp_path, 5)
        clock.now += 3
        with spent.paused():  # a measurement, during which a kernel is compiled
            clock.now += 10
            spent.compiling("search", 1.0)
            clock.now += 10
            spent.compiling("search", 2.0)
            spent.compiling(None, 3.0)
            clock.now += 10
        spent.session_finished(1)
        clock.now += 1
        spent.advance()
        assert read_processor_time(tmp_path) == 4
        clock.now += 50  # killed
        again = ProcessorTime(tmp_path, 5)
        clock.now += 1
        with pytest.raises(UsedUp, match=r"^the training ends with session 2: it has used 5\.0 of 5 processor sec"):
            again.session_finished(2)

    def test_a_damaged_record_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "processor.json").write_text("{}")
        with pytest.raises(GameforgeError, match=r"processor.json is damaged: "):
            read_processor_time(tmp_path)


class TestFolder:
    def test_results_depend_neither_on_workers_nor_on_order(self, registry: Registry, tmp_path: Path) -> None:
        toy(registry).run(tmp_path / "one")
        toy(registry, grid={"learner.rounds": [2, 1]}, seeds=[2, 1]).run(tmp_path / "two", workers=2)
        with ThreadPoolExecutor(2) as executor:
            toy(registry).run(tmp_path / "three", executor=executor)
        for other in ("two", "three"):
            assert results(tmp_path / "one") == results(tmp_path / other)
            assert weights(tmp_path / "one") == weights(tmp_path / other)

    def test_a_trial_is_a_run(self, registry: Registry, tmp_path: Path) -> None:
        """Alone, with `Pipeline.run`, it has the same weights."""
        study = toy(registry)
        study.run(tmp_path / "study")
        study.variants[1].pipeline.run(tmp_path / "alone", seed=2, yardstick=None)
        alone = (tmp_path / "alone" / "player" / "weights.npz").read_bytes()
        assert weights(tmp_path / "study")[2, study.variants[1].name] == alone

    def test_only_new_trials_are_run(self, registry: Registry, tmp_path: Path) -> None:
        toy(registry).run(tmp_path)
        kept = (tmp_path / "trials.jsonl").read_text()
        ran: list[FinishedTrial] = []
        more = toy(registry, grid={"learner.rounds": [1, 2, 3]}, seeds=3)
        report = more.run_with(Resources(finished=ran.append), tmp_path)
        assert [(trial.condition, trial.seed) for trial in ran] == [
            ("rounds=3", 1),
            ("rounds=3", 2),
            ("rounds=1", 3),
            ("rounds=2", 3),
            ("rounds=3", 3),
        ]
        assert (tmp_path / "trials.jsonl").read_text().startswith(kept)
        assert len(report.rows) == 9

    def test_a_new_axis_keeps_the_trials_at_its_old_value(self, registry: Registry, tmp_path: Path) -> None:
        toy(registry).run(tmp_path)
        scale = toy(registry).variants[0].pipeline.settings["evaluator"]["scale"]
        wider = toy(registry, grid={"learner.rounds": [1, 2], "evaluator.scale": [scale, scale / 2]})
        assert sum(one.finished for one in wider.plan(tmp_path).variants) == 4

    def test_variants_can_be_removed(self, registry: Registry, tmp_path: Path) -> None:
        toy(registry).run(tmp_path)
        report = toy(registry, grid={"learner.rounds": [2]}).run(tmp_path)
        assert {row["variant"] for row in report.rows} == {"rounds=2"}

    def test_a_league_pairs_players_of_the_same_seed(self, registry: Registry, tmp_path: Path) -> None:
        study = toy(registry, league={"games": 4}, grid={"learner.rounds": [1, 2, 3]})
        report = study.run(tmp_path, workers=2)
        matches = finished(tmp_path, LeagueMatch)
        assert len(matches) == 2 * 3
        assert all(match.tally.games == 4 for match in matches.values())
        for seed in (1, 2):
            assert sum(row["score"] for row in report.rows if row["seed"] == seed) == pytest.approx(1.5)
        assert "## League" in report.text

    def test_a_league_does_not_depend_on_the_order(self, registry: Registry, tmp_path: Path) -> None:
        toy(registry, league={"games": 4}).run(tmp_path / "one")
        toy(registry, league={"games": 4}, grid={"learner.rounds": [2, 1]}).run(tmp_path / "two")
        first, second = (finished(tmp_path / name, LeagueMatch) for name in ("one", "two"))
        assert [*first.values()] == [*second.values()]

    def test_the_clock_goes_on_where_a_run_was_interrupted(self, registry: Registry, tmp_path: Path) -> None:
        toy(registry).run(tmp_path)
        [training, *_] = finished(tmp_path, Training).values()
        times = [reading.seconds for reading in read_clock(tmp_path / training.run)]
        assert times == sorted(times)
        assert training.seconds == times[-1]

    def test_another_study_is_refused(self, registry: Registry, tmp_path: Path) -> None:
        toy(registry).run(tmp_path)
        with pytest.raises(GameforgeError, match=r"holds another study: yardstick\.games is 4 there and 6 here"):
            toy(registry, yardstick={"player": SCRIPT, "games": 6, "every": 1}).run(tmp_path)

    def test_an_interrupted_study_goes_on(self, registry: Registry, tmp_path: Path) -> None:
        class Interrupted(Exception):
            pass

        def interrupt(*_: object) -> None:
            raise Interrupted

        with pytest.raises(Interrupted):
            toy(registry).run_with(Resources(finished=interrupt), tmp_path / "cut")
        assert len(finished(tmp_path / "cut", Training)) == 1
        toy(registry).run(tmp_path / "cut")
        toy(registry).run(tmp_path / "whole")
        assert results(tmp_path / "cut") == results(tmp_path / "whole")
        assert weights(tmp_path / "cut") == weights(tmp_path / "whole")

    def test_a_wrong_opponent_is_refused_at_once(self, registry: Registry, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match=r"^yardstick: player 'nobody': "):
            toy(registry, yardstick="nobody").run(tmp_path / "out")
        with pytest.raises(GameforgeError, match=r"^yardstick: shuttle names no evaluator; name a player"):
            toy(registry, yardstick={}).run(tmp_path / "out")
        assert not (tmp_path / "out").exists()


class TestYardstick:
    def test_an_evaluator_gets_the_search_of_the_study(self) -> None:
        """Also if a variant has another one."""
        study = gf.Study(TD, grid={"searcher.depth": [1, 2]}, yardstick="material")
        opponents = Opponents(study.base, FixedOpponent(player="material"), study.registry)
        found = [opponents.yardstick(variant.pipeline).opponent for variant in study.variants]
        assert [one and one.spec["searcher"]["depth"] for one in found] == [1, 1]
        assert [one and one.name for one in found] == ["material with the search of the study"] * 2

    def test_each_game_has_its_own(self) -> None:
        settings = {"searcher": "minimax:depth=1", "learner": "td", "oracle": "none"}
        study = gf.Study({**settings, "game": "draughts"}, grid={"game": ["draughts", "othello"]})
        opponents = Opponents(study.base, FixedOpponent(), study.registry)
        found = [opponents.yardstick(variant.pipeline).opponent for variant in study.variants]
        assert [one and one.game.rules.name for one in found] == ["draughts", "othello"]


class TestBase:
    def test_a_file_a_preset_or_a_pipeline(self, tmp_path: Path) -> None:
        (tmp_path / "base.toml").write_text(dump_toml({**TD, "seed": 3}))
        grid = {"learner.lambda": [0, 0.3]}
        expected = [variant.digest for variant in gf.Study(TD, grid=grid).variants]
        for base in (str(tmp_path / "base.toml"), tmp_path / "base.toml", gf.Pipeline(**TD)):
            assert [variant.digest for variant in gf.Study(base, grid=grid).variants] == expected
        assert gf.Study("draughts", grid=grid).base["game"]["use"] == "draughts"


@pytest.mark.slow
def test_two_processes_of_dask_give_the_same_trials_as_threads(tmp_path: Path) -> None:
    tuned = {"iterations": 3, "games": 4, "openings": "random:0", "tune": {"searcher": {"aim": [0, 1]}}}
    study = gf.Study(
        {"game": "target", "searcher": "thrower", "learner": {"use": "cem", **tuned}},
        grid={"learner.samples": [4, 6]},
        seeds=2,
        league={"games": 8},
        registry=Registry(load([Path(toy_contest.__file__)])),
    )
    reports = [study.run(tmp_path / "threads", workers=2)]
    with dask_executor(tmp_path / "dask", processes=2, threads=1) as executor:
        reports.append(study.run(tmp_path / "processes", executor=executor))
    local, dask = ([{**row, "seconds": None} for row in report.rows] for report in reports)
    assert len(local) == 4
    assert local == dask
    for row in local:
        runs = (tmp_path / where / str(row["run"]) for where in ("threads", "processes"))
        metrics = [[{**session, "games_per_second": 0} for session in RunReport.read(run).metrics] for run in runs]
        assert metrics[0] == metrics[1]


def finished(folder: Path, kind: type[T]) -> dict[tuple[int, str], T]:
    """The figures of the finished trials of a kind in the folder of a study."""
    lines = [read_as(FinishedTrial, json.loads(line)) for line in (folder / TRIALS).read_text().splitlines()]
    of_kind = [line for line in lines if ("first" in line.numbers) is (kind is LeagueMatch)]
    return {line.key: read_as(kind, line.numbers) for line in of_kind}


def results(folder: Path) -> dict[tuple[int, str], Tally | None]:
    return {key: one.tally for key, one in finished(folder, Training).items()}


def weights(folder: Path) -> dict[tuple[int, str], bytes]:
    trainings = finished(folder, Training)
    return {key: (folder / one.run / "player" / "weights.npz").read_bytes() for key, one in trainings.items()}


class TestFailure:
    @pytest.fixture
    def fails(self, registry: Registry, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
        """Trainings of two rounds fail with seed 1, until the patch is undone."""
        learner: Any = type(toy(registry).variants[0].pipeline.learner)
        train = learner.train

        def failing(self: Any, task: TrainingTask) -> Any:
            if self.rounds == 2 and task.seed.entropy == 1:
                raise GameforgeError("no light")
            return train(self, task)

        monkeypatch.setattr(learner, "train", failing)
        return monkeypatch

    def test_the_others_go_on(self, registry: Registry, tmp_path: Path, fails: pytest.MonkeyPatch) -> None:
        study = toy(registry)
        report = study.run(tmp_path)
        assert [str(failure) for failure in report.failures] == ["rounds=2, seed 1: no light"]
        assert len(report.rows) == 3
        assert "**Trials failed**, and are missing:\n\n* rounds=2, seed 1: no light\n" in report.text
        fails.undo()
        again = study.run(tmp_path)
        assert (again.failures, len(again.rows)) == ([], 4)

    def test_a_match_without_its_player_is_left_out(
        self, registry: Registry, tmp_path: Path, fails: pytest.MonkeyPatch
    ) -> None:
        report = toy(registry, league={"games": 4}).run(tmp_path)
        assert [failure.why for failure in report.failures] == ["no light"]
        assert [seed for seed, _ in finished(tmp_path, LeagueMatch)] == [2]


class TestPlan:
    def test_runs_nothing(self, registry: Registry, tmp_path: Path) -> None:
        plan = toy(registry).plan(tmp_path / "new")
        assert (plan.trials, plan.measured, plan.games, plan.seconds) == (4, 16, None, None)
        assert not (tmp_path / "new").exists()

    def test_text(self, registry: Registry, tmp_path: Path) -> None:
        plan = toy(registry, seeds=1).plan(tmp_path / "new")
        assert "2 variants, 1 seed: 2 trials left, an unknown number of training games" in str(plan)

    def test_a_folder_with_other_files_is_refused(self, registry: Registry, tmp_path: Path) -> None:
        (tmp_path / "mine.txt").touch()
        with pytest.raises(GameforgeError, match="study"):
            toy(registry).plan(tmp_path)

    def test_counts_what_is_left(self, registry: Registry, tmp_path: Path) -> None:
        toy(registry).run(tmp_path)
        plan = toy(registry, seeds=5).plan(tmp_path)
        assert [(one.left, one.finished) for one in plan.variants] == [(3, 2), (3, 2)]
        assert plan.seconds is not None

    def test_training_games(self) -> None:
        plan = gf.Study(TD, grid={"learner.lambda": [0, 0.3]}, budget={"games": 100, "by": "learner.sessions"}).plan()
        assert (plan.games, plan.measured) == (1000, 1000)
        assert "2 variants, 5 seeds: 10 trials left, 1,000 training games" in str(plan)

    def test_matches_of_a_league(self, registry: Registry) -> None:
        plan = toy(registry, league={"games": 4}, grid={"learner.rounds": [1, 2, 3]}).plan()
        assert (plan.matches, plan.measured) == (6, 24)


class TestComparisons:
    """By hand: four games a trial, so that a score is a number of eighths."""

    def trials(self, study: Study, points: Sequence[Sequence[int]]) -> Finished:
        trainings = {
            (seed, variant.name): Training(
                digest=variant.digest,
                run="",
                games=0,
                tally=Tally(wins=own // 2, draws=own % 2, losses=4 - own // 2 - own % 2),
            )
            for variant, row in zip(study.variants, points, strict=True)
            for seed, own in enumerate(row, 1)
        }
        return Finished(trainings, {})

    def scored(self, study: Study, points: Sequence[Sequence[int]]) -> Any:
        scores = scores_of(self.trials(study, points), study.variants)
        return compare(scores, settings_of(study.variants, study.baseline), study.baseline)

    def test_variants_are_paired_by_seed(self) -> None:
        [one] = self.scored(gf.Study(TD, grid={"learner.lambda": [0, 0.3]}), [[8, 6, 4], [6, 4, 2]])
        assert one.difference.values == (0.25, 0.25, 0.25)
        assert (one.seeds, one.p, one.corrected, one.verdict) == (3, 0.25, 0.25, "not shown")
        assert one.improvement.value == 7 / 9  # 8 > 6, 4, 2; 6 = 6, 6 > 4, 2; 4 < 6, 4 = 4, 4 > 2
        assert one.needed == 6

    def test_elo_is_that_of_the_scores_over_seeds(self) -> None:
        """The interval of three trainings is wide, however many games each of them played."""
        study = gf.Study(TD, grid={"learner.lambda": [0, 0.3]}, seeds=3)
        trials = self.trials(study, [[5, 6, 7], [8, 8, 8]])
        rows = score_rows(study.variants, scores_of(trials, study.variants), trials, with_elo=True)
        assert rows[0]["score (95 %)"] == "0.750 (0.439 to 1.000)"
        assert [row["Elo (95 %)"] for row in rows] == ["+191 (more than -42)", "+inf (all 3 seeds equal)"]

    def test_seeds_that_one_of_them_lacks_are_left_out(self) -> None:
        [one] = self.scored(gf.Study(TD, grid={"learner.lambda": [0, 0.3]}), [[8, 6, 4, 0], [6, 4, 2]])
        assert one.seeds == 3

    def test_a_grid_compares_the_values_of_each_axis(self) -> None:
        study = gf.Study(TD, grid={"learner.lambda": [0, 0.3], "searcher.depth": [1, 2]})
        found = self.scored(study, [[4, 4], [6, 5], [5, 6], [7, 8]])
        assert [(one.first, one.second) for one in found] == [("lambda=0", "lambda=0.3"), ("depth=1", "depth=2")]
        assert found[0].difference.values == pytest.approx((-(1 + 1) / 16, -(2 + 3) / 16))
        assert found[1].difference.values == pytest.approx((-(2 + 2) / 16, -(1 + 2) / 16))

    def test_all_pairs_of_variants_or_those_with_the_baseline(self) -> None:
        points = [[4, 4], [6, 5], [5, 6]]
        every = self.scored(gf.Study(TD, grid={"learner.lambda": [0, 0.3, 0.6]}), points)
        assert [(one.first, one.second) for one in every] == [
            *itertools.combinations(["lambda=0", "lambda=0.3", "lambda=0.6"], 2)
        ]
        study = gf.Study(TD, grid={"learner.lambda": [0, 0.3, 0.6]}, baseline="lambda=0")
        some = self.scored(study, points)
        assert [(one.first, one.second) for one in some] == [("lambda=0.3", "lambda=0"), ("lambda=0.6", "lambda=0")]
        assert some[0].corrected <= every[0].corrected


@pytest.fixture(scope="module")
def folder(registry: Registry, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study that has been run."""
    folder = tmp_path_factory.mktemp("report") / "out"
    toy(registry, title="Rounds").run(folder)
    return folder


class TestReport:
    def test_its_files(self, folder: Path) -> None:
        figures = [f"{name}{end}" for name in ("curves", "profiles", "scores") for end in (".pdf", ".png", ".svg")]
        tables = [f"{name}{end}" for name in ("comparisons", "curves", "trials") for end in (".csv", ".parquet")]
        others = ["report.md", "seed-1", "seed-2", "study.json", "study.toml", "tables.tex"]
        assert sorted(path.name for path in folder.iterdir()) == sorted([*figures, *tables, *others, "trials.jsonl"])
        assert (folder / "scores.svg").read_bytes().startswith(b"<?xml")
        assert (folder / "scores.pdf").read_bytes().startswith(b"%PDF")

    def test_the_rows_of_the_trials(self, folder: Path) -> None:
        with (folder / "trials.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert [(row["variant"], row["rounds"], row["seed"]) for row in rows] == [
            ("rounds=1", "1", "1"),
            ("rounds=1", "1", "2"),
            ("rounds=2", "2", "1"),
            ("rounds=2", "2", "2"),
        ]
        assert all(int(row["wins"]) + int(row["draws"]) + int(row["losses"]) == 4 for row in rows)

    def test_curves_have_a_point_for_each_session(self, folder: Path) -> None:
        with (folder / "curves.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert [(row["variant"], row["session"], row["games"]) for row in rows] == [
            ("rounds=1", "1", "1.0"),
            ("rounds=2", "1", "1.0"),
            ("rounds=2", "2", "2.0"),
        ]
        assert {row["figure"] for row in rows} == {"yardstick score"}

    def test_figures_are_the_same_again(self, registry: Registry, folder: Path) -> None:
        before = {path.name: path.read_bytes() for path in folder.glob("*.*") if path.suffix in (".svg", ".pdf", ".md")}
        toy(registry, title="Rounds").run(folder)
        assert {name: (folder / name).read_bytes() for name in before} == before

    def test_latex_is_escaped(self, folder: Path) -> None:
        text = (folder / "tables.tex").read_text()
        assert "score (95 \\%)" in text
        assert text.count("\\begin{tabular}") == text.count("\\end{tabular}") == 2

    def test_markdown(self, folder: Path) -> None:
        text = (folder / "report.md").read_text()
        assert text.startswith("# Rounds\n\n2 variants, 2 seeds; 4 trials.\n")
        assert "Fewer than 6 seeds cannot show any difference in 1 comparison." in text
        assert re.search(r"\| rounds=1 \| rounds=2 \| 2 \| [+-]0\.\d{3}", text)


BAD: list[tuple[str, str, str]] = [
    ("learner.rounds = [1, 2]", "learner.rounds = [1, 1]", "the variants 'rounds=1' and 'rounds=1' are equal"),
    ("learner.rounds = [1, 2]", "learner.rounds = 1", "grid.learner.rounds = 1: must be a list of one or more values"),
    ("learner.rounds = [1, 2]", "learner.round = [1]", "variant round=1: learner.round: no such parameter"),
    ("[grid]\nlearner.rounds = [1, 2]", "", "a study needs a grid or a list of variants"),
    ("[grid]", "[[variants]]\n[grid]", "a study needs a grid or a list of variants, not both"),
    ("seeds = 2", "seeds = 0", "seeds = 0: must be from 1 to 100,000, or a list of seeds"),
    ("seeds = 2", f"seeds = {10**20}", f"seeds = {10**20}: must be from 1 to 100,000, or a list of seeds"),
    ("seeds = 2", "seeds = [1, 1]", "seeds = [1, 1]: the seeds must differ"),
    ("seeds = 2", "seed = 2", "no such key 'seed' (did you mean 'seeds'?)"),
    ("seeds = 2", "baseline = 'rounds=3'", "baseline 'rounds=3' is not a variant (did you mean 'rounds="),
    ("games = 4", "games = 3", "yardstick.games = 3: must be even"),
    ("[yardstick]", "[league]\n[yardstick]", "a study has either a yardstick or a league, not both"),
    (f'player = "{SCRIPT}"', "opponent = 1", "yardstick.opponent: no such parameter"),
    (
        "[yardstick]",
        "[budget]\ngames = 5\n[yardstick]",
        "budget.games: variant rounds=1 does not know how many games its learner will play",
    ),
    ("[yardstick]", "[budget]\nevaluations = 0\n[yardstick]", "budget.evaluations = 0: must be 1 or more"),
    ("[yardstick]", "[budget]\nseconds = 5\n[yardstick]", "budget.seconds: they depend on what else the computer does"),
    ("[yardstick]", "[budget]\nprocessor_seconds = 0\n[yardstick]", "budget.processor_seconds = 0"),
    ("[yardstick]", "[budget]\n[yardstick]", "budget: needs either games, evaluations or processor_seconds"),
    (
        "[yardstick]",
        "[budget]\nprocessor_seconds = 5\nby = 'learner.rounds'\n[yardstick]",
        "budget: by belongs to games; the others end a training of any length",
    ),
]
"""What is replaced in FILE, and the error."""


@pytest.mark.parametrize(("old", "new", "message"), BAD, ids=[message for *_, message in BAD])
def test_bad_input(
    old: str,
    new: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert old in FILE
    monkeypatch.chdir(tmp_path)
    Path("toy.toml").write_text(FILE.replace(old, new))
    assert run(["--plugin", str(TOY), "study", "toy.toml"]) == 2
    printed, errors = capsys.readouterr()
    assert (printed, errors.count("\n")) == ("", 1)
    assert errors.startswith(f"error: toy.toml: {message}")
    assert not Path("studies").exists()


@pytest.mark.parametrize(
    ("grid", "budget", "message"),
    [
        (
            {"learner.games": [30]},
            {"games": 100},
            "cannot play exactly as many; with learner.sessions it plays 90 or 120",
        ),
        (
            {"learner.games": [200]},
            {"games": 100},
            "cannot play exactly as many; with learner.sessions it plays at least 200",
        ),
    ],
)
def test_a_budget_out_of_reach(grid: dict[str, Any], budget: dict[str, Any], message: str) -> None:
    with pytest.raises(GameforgeError, match=message):
        gf.Study(TD, grid=grid, budget={**budget, "by": "learner.sessions"})


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("toy.toml").write_text(FILE)
    command = ["--plugin", str(TOY), "study", "toy.toml"]
    assert run([*command, "--plan"]) == 0
    assert "2 variants, 2 seeds: 4 trials left, an unknown number of training games" in capsys.readouterr().out
    assert not Path("studies").exists()
    assert run([*command, "--workers", "2"]) == 0
    assert capsys.readouterr().out.endswith("report saved in studies/toy/report.md\n")
    assert read_toml("studies/toy/study.toml")["seeds"] == [1, 2]
    assert run([*command, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["trials"]) == 4


def test_a_failed_trial_is_an_error_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("failing.py").write_text(
        TOY.read_text().replace("        rng = np", "        1 / (self.rounds - 2)\n        rng = np", 1)
    )
    Path("toy.toml").write_text(FILE)
    assert run(["--plugin", "failing.py", "study", "toy.toml"]) == 2
    printed, errors = capsys.readouterr()
    assert "2 variants, 2 seeds; 2 trials." in printed
    assert "error: a trial failed: rounds=2, seed 1: " in errors
    assert "ZeroDivisionError" in errors
    assert "and 1 other trial" in errors
