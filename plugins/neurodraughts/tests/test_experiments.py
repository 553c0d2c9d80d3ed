"""The league of lambdas and the loop rate: what they train, count and conclude."""

import itertools
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import pytest
from gameforge_neurodraughts import regimes
from gameforge_neurodraughts.league import (
    LAMBDAS,
    THESIS,
    LambdaLeague,
    changes_beyond,
    placement_test,
    play_league,
    treatments_test,
)
from gameforge_neurodraughts.loops import VARIANTS, LoopRate
from gameforge_neurodraughts.regimes import BEST, CLAIMS, TrainingRegimes
from hypothesis import given
from hypothesis import strategies as st

import gameforge as gf
from gameforge.config import Spec, merge, normal
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.experiments.report import Report, Verdict
from gameforge.experiments.reproduction import reproduce
from gameforge.experiments.schedule import Resources
from gameforge.experiments.trial import Trial
from gameforge.interfaces.experiment import Experiment
from gameforge.interfaces.learner import Numbers
from gameforge.play.pipeline import Pipeline

WHOLE = st.integers(-20, 20)


def trial(condition: str, scale: float) -> Trial:
    return Trial(condition=condition, seed=1, registry=default_registry(), scale=scale)


def test_they_are_experiments() -> None:
    assert isinstance(LambdaLeague(), Experiment)
    assert isinstance(LoopRate(), Experiment)


class TestThesisTable:
    def test_is_consistent(self) -> None:
        """Each pairing has 4 points, the totals are those printed ([Lynch1997], section 7)."""
        assert all(THESIS[i][j] + THESIS[j][i] == 4 for i, j in itertools.combinations(range(5), 2))
        assert [sum(row) for row in THESIS] == [10, 8, 9, 6, 7]


class TestLeague:
    def test_a_trial(self) -> None:
        """Two sessions for each lambda; every pairing shares out its points."""
        numbers: Any = LambdaLeague().run(trial("legacy bits, legacy trace", 0.02))
        for points, games in ((numbers["points"], 2), (numbers["wide_points"], numbers["wide_games"])):
            pairs = list(itertools.combinations(range(5), 2))
            assert all(points[i][j] + points[j][i] == 2 * games for i, j in pairs)
            assert all(points[i][i] == 0 for i in range(5))
        assert [len(one["cloned"]) for one in numbers["training"]] == [2] * 5
        assert numbers["wide_games"] == 98
        assert 0 < numbers["distinct"] <= 10 * 2
        assert 0 < numbers["wide_distinct"] <= 10 * 98

    def test_repeated_games_are_reported(self) -> None:
        """Two players without randomness replay the two games of one opening."""
        notices: list[str] = []
        heard = attrs.evolve(trial("clean bits, true gradient", 1.0), notice=notices.append)
        players = [gf.player("draughts", searcher="minimax:depth=1", evaluator="material", name=name) for name in "ab"]
        for games in (10, 2):
            _, distinct = play_league(heard, players, games, [players[0].game.position()])
            assert distinct <= 2
        text = "games between a and b are distinct; repeated games add no evidence"
        assert [re.sub("only [12] of", "only", notice) for notice in notices] == [f"league of lambdas: only 10 {text}"]

    def test_nets_differ_in_lambda_alone(self) -> None:
        pipelines = []

        class Heard(Exception):
            pass

        def pipeline(self: Trial, source: str, *changes: Any) -> Pipeline:
            pipelines.append(trial_pipeline(self, source, *changes))
            if len(pipelines) == 5:
                raise Heard
            return pipelines[-1]

        trial_pipeline = Trial.pipeline
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Trial, "pipeline", pipeline)
            with pytest.raises(Heard):
                LambdaLeague().run(trial("clean bits, true gradient", 0.01))
        assert tuple(one.learner.lambda_ for one in pipelines) == LAMBDAS
        assert {
            json.dumps({**one.settings, "learner": {**one.settings["learner"], "lambda": 0}}) for one in pipelines
        } == {json.dumps({**pipelines[0].settings, "learner": {**pipelines[0].settings["learner"], "lambda": 0}})}

    def test_report_of_leagues_as_in_the_thesis(self) -> None:
        """Forty leagues that all end as the published one leave no doubt; chance would not do it."""
        report = league_report([THESIS] * 40)
        assert '40 leagues of two games a pairing confirm "0.0 best, 0.3 worst"' in report.text
        assert "| 0.0 | 10 | 10.00 | all 40 seeds equal | 10 to 10 | 40 | 0 |" in report.text
        assert "720 of the 800 games are distinct, counted within each pairing." in report.text
        assert report.numbers["clean bits"]["league"]["p_best"] == pytest.approx(5.0**-40)
        assert "4 points apart. They are at least as far apart in 40 of our 40 leagues" in report.text

    def test_report_of_leagues_without_a_difference(self) -> None:
        """Every net has every place once."""
        leagues = [_turned(THESIS, by) for by in range(5)]
        report = league_report(leagues)
        assert 'do not confirm "0.0 best, 0.3 worst"' in report.text
        assert set(report.numbers["clean bits"]["league"]["means"].values()) == {8.0}
        assert report.numbers["clean bits"]["league"]["p_differ"] == 1.0
        short = league_report(leagues, scale=0.1)
        assert "5 leagues of two games a pairing at scale 0.1 do not confirm" in short.text

    def test_one_league_confirms_nothing(self) -> None:
        text = league_report([THESIS]).text
        assert 'Fewer than 5 leagues of two games a pairing cannot confirm "0.0 best, 0.3 worst".' in text
        assert "| 0.0 | 10 | 10.00 |  | 10 to 10 | 1 | 0 |" in text
        assert "in 1 of our 1 league of two games" in text

    def test_clonings(self) -> None:
        """Balance 9 before and 2 after each cloning, and longer games."""
        report = league_report([THESIS] * 6)
        assert "| piece balance | falls | -7.0 | all 6 seeds equal | 0 : 6 | 0.031 |" in report.text
        assert "| plies a game | rises | 20.0 | all 6 seeds equal | 6 : 0 | 0.031 |" in report.text
        assert (
            "our nets were cloned 1.0 times on average (median 1, 1 to 1), 0 of 30 nets five times or more; "
            "in percent of a seed's nets: 0 (all 6 seeds equal)." in report.text
        )

    def test_a_cloning_is_compared_with_equally_good_sessions(self) -> None:
        """The balance falls by 7 after the cloning, but by 5 and 4 after two sessions that were as good."""
        cloned = [True, False, False, False, False]
        training = {
            "cloned": cloned,
            "balance": [9.0, 2.0, 9.5, 4.5, 8.5],
            "mean_plies": [40.0, 60.0, 41.0, 51.0, 40.0],
        }
        other = {"cloned": [False, False], "balance": [8.0, 4.0], "mean_plies": [40.0, 50.0]}
        both = {"training": [training, other]}
        assert [*changes_beyond(both, "balance")] == [-7 - (-5 - 4) / 2]
        assert [*changes_beyond(both, "mean_plies")] == [20 - (10 + 10) / 2]
        assert [*changes_beyond({"training": [{**other, "cloned": [True, False]}]}, "balance")] == []

    def test_balance_may_be_unknown(self) -> None:
        report = league_report([THESIS], balance=(None, None, None))
        assert "piece balance" not in report.text
        assert "plies a game" in report.text


def league_report(leagues: Sequence[Any], balance: Any = (9.0, 2.0, 3.0), scale: float = 1.0) -> Report:
    """The report of these points of each seed."""
    training = {"cloned": [True, False, False], "balance": list(balance), "mean_plies": [40.0, 60.0, 50.0]}
    trials = [
        {
            "points": points,
            "distinct": 18,
            "wide_games": 2,
            "wide_points": points,
            "wide_distinct": 18,
            "training": [training] * 5,
        }
        for points in leagues
    ]
    return LambdaLeague().report({"clean bits": trials}, scale)


def _turned(points: Any, by: int) -> list[list[int]]:
    """Every net takes another's place."""
    return [[points[(i + by) % 5][(j + by) % 5] for j in range(5)] for i in range(5)]


def test_intervals_over_few_seeds_are_students() -> None:
    """0.0 scores 10 points in two of five leagues, and 8 in three: 8.8 +- 2.776 * 0.49; a bootstrap gives 8 to 9.6."""
    even = [[0 if i == j else 2 for j in range(5)] for i in range(5)]
    text = league_report([THESIS] * 2 + [even] * 3).text
    assert "| 0.0 | 10 | 8.80 | 7.44 to 10.16 | 8 to 10 |" in text


class TestLoopConditions:
    def test_names_are_different(self) -> None:
        assert len({condition.name for condition in VARIANTS}) == len(VARIANTS)

    @pytest.mark.parametrize("condition", VARIANTS, ids=lambda condition: condition.name)
    def test_each_makes_a_pipeline_that_differs_from_the_preset(self, condition: Any) -> None:
        registry = default_registry()
        base = normal(registry.preset("neurodraughts-2009"))
        changed = Pipeline.from_settings(merge(base, normal(condition.changes)), registry)
        assert (changed.settings != Pipeline.from_settings(base, registry).settings) == (condition is not VARIANTS[0])
        assert changed.game.rules.name == "draughts"


class TestLoopRate:
    def test_counts(self) -> None:
        """Ten sessions of four games: every game is counted once, by its reason if it is drawn."""
        numbers = LoopRate().run(trial("base", 0.02))
        assert numbers["games"] == 40
        assert len(numbers["loops_by_session"]) == 10
        assert sum(numbers["loops_by_session"]) == numbers["loops"]
        assert 20 < numbers["distinct"] <= 40
        loops = sum(n for reason, n in numbers["draws_by_reason"].items() if reason in ("repetition", "shuffle"))
        assert (loops, sum(numbers["draws_by_reason"].values())) == (numbers["loops"], numbers["draws"])

    def test_without_rules_for_loops_games_end_at_the_cap(self) -> None:
        numbers = LoopRate().run(trial("51 moves", 0.02))
        assert numbers["loops"] == 0
        assert set(numbers["draws_by_reason"]) <= {"ply cap"}
        assert numbers["mean_plies"] <= 102

    def test_report_of_variants(self) -> None:
        loops = {"base": [1000, 1040, 1100, 1020, 980, 1060], "4 plies": [500, 520, 610, 530, 490, 540]}
        results = {one.name: [_loops(count) for count in loops.get(one.name, loops["base"])] for one in VARIANTS}
        report = LoopRate().report(results, 1.0)
        assert "**base**: 1,033 loop draws in 2,000 games (published: 1,045), the mean of 6 seeds" in report.text
        assert "the published run agrees with ours" in report.text
        row = next(line for line in report.text.splitlines() if line.startswith("| 4 plies"))
        assert ("-502" in row, "| 51% |" in row, "| 0.031 |" in row) == (True, True, True)
        assert report.numbers["conditions"]["momentum 0"]["p_difference"] == 1.0
        assert report.text.count("| 75.0% |") == len(VARIANTS)
        assert "each judged alone (so few seeds cannot give a p below 0.031): 4 plies (-502)." in report.text
        assert "clone at 4; it lies outside under: 4 plies.\n" in report.text

    def test_a_published_count_that_no_seed_comes_near(self) -> None:
        report = LoopRate(pipelines=("a.toml",), published=(1045,)).report(
            {"a.toml": [_loops(400 + seed) for seed in range(8)]}, 1.0
        )
        assert "the published run does not agree with ours" in report.text

    @pytest.mark.parametrize(("seeds", "games"), [(4, 2000), (8, 20)])
    def test_few_seeds_and_short_trainings_have_no_verdict(self, seeds: int, games: int) -> None:
        report = LoopRate(pipelines=("a.toml",), published=(1045,)).report(
            {"a.toml": [_loops(5 + seed, games=games) for seed in range(seeds)]}, games / 2000
        )
        assert "; no verdict, which needs 5 seeds of 2,000 games." in report.text
        assert "agree" not in report.text

    def test_games_of_other_lengths_are_set_to_2000(self) -> None:
        report = LoopRate(pipelines=("a.toml",)).report({"a.toml": [_loops(30, games=100)]}, 1.0)
        assert report.text.startswith("**a.toml**: 600 loop draws in 2,000 games; one seed does not show the spread")

    def test_one_number_for_each_pipeline(self) -> None:
        with pytest.raises(GameforgeError, match="published has 1 numbers for 2 pipelines"):
            LoopRate(pipelines=("a", "b"), published=(1,))

    def test_a_pipeline_twice(self) -> None:
        with pytest.raises(GameforgeError, match="pipelines has 'a' twice"):
            LoopRate(pipelines=("a", "b", "a"))

    def test_a_pipeline_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match="'nosuch' is not a file, folder or preset"):
            reproduce(tmp_path / "out", Spec.parse('loop-rate:pipelines=["nosuch"]'), default_registry())
        assert not (tmp_path / "out").exists()

    def test_a_pipeline_that_was_changed_between_trials(self, tmp_path: Path) -> None:
        file, table = tmp_path / "own.toml", 'game = "draughts"\noracle = "none"\nsearcher = "minimax:depth=1"\n'
        spec = Spec.parse(f'loop-rate:pipelines=["{file}"]')
        file.write_text(f'{table}learner = "td:sessions=1,games=2"\n')
        reproduce(tmp_path / "out", spec, default_registry(), seeds=1)
        file.write_text(f'{table}learner = "td:sessions=2,games=2"\n')
        with pytest.raises(GameforgeError, match=r"own.toml has changed between two trials"):
            reproduce(tmp_path / "out", spec, default_registry(), seeds=2)

    def test_another_pipeline(self, tmp_path: Path) -> None:
        """The same figures for one worker and two; the file's own number of sessions and games, scaled."""
        (tmp_path / "own.toml").write_text(
            'game = "draughts"\noracle = "none"\nsearcher = "minimax:depth=1"\nlearner = "td:sessions=2,games=40"\n'
        )
        spec = Spec.parse(f'loop-rate:pipelines=["{tmp_path / "own.toml"}"],published=[759]')
        for workers in (1, 2):
            reproduce(
                tmp_path / f"out{workers}", spec, default_registry(), Resources(workers=workers), seeds=2, scale=0.5
            )
        one, other = ((tmp_path / f"out{workers}" / "results.json").read_text() for workers in (1, 2))
        assert one == other
        numbers = json.loads(one)["trials"][0]["numbers"]
        assert (numbers["games"], len(numbers["loops_by_session"])) == (40, 2)
        assert math.isclose(json.loads(one)["summary"]["conditions"][str(tmp_path / "own.toml")]["published"], 759)


def _loops(loops: int, games: int = 2000) -> Numbers:
    return {
        "pipeline": "0123456789abcdef",
        "games": games,
        "draws": loops,
        "loops": loops,
        "draws_by_reason": {"repetition": loops},
        "mean_plies": 70.0,
        "clones": 5,
        "distinct": 0.75 * games,
    }


class TestRegimes:
    def test_every_combination_is_trained_and_plays(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """One seed at the least scale, in matches of 2 games instead of 98: the report has no verdict."""
        monkeypatch.setattr(regimes, "MATCH_GAMES", 2)
        report = reproduce(tmp_path / "regimes", Spec.parse("training-regimes"), default_registry(), seeds=1, scale=0.1)
        assert len(report.numbers["scores"]) == 4 * 3 * 2 + 4
        assert all(0 <= scores[0] <= 1 for scores in report.numbers["scores"].values())
        assert {row["verdict"] for row in report.numbers["rows"]} == {None}
        assert report.text.count(" of 8 |") == 4 * 3

    def test_the_last_clone_may_play_in_place_of_the_last_net(self) -> None:
        """Straight play has no clones."""

        class Asked(Exception):
            """Carries the learner's settings."""

        def ask(preset: str, of_map: Any, changes: Any) -> None:
            raise Asked(changes["learner"]["result"])

        found = {}
        for name, setting in TrainingRegimes().settings.items():
            asked: Any = SimpleNamespace(condition=name, scaled=lambda number: number, pipeline=ask)
            with pytest.raises(Asked) as error:
                TrainingRegimes(result="clone").run(asked)
            found.setdefault(setting.regime, set()).add(error.value.args[0])
        assert found == {"straight": {"net"}, "block": {"clone"}, "cloning": {"clone"}}

    def test_claims_are_judged_by_the_differences_of_each_seed(self) -> None:
        """Where every seed is a little better, the claim holds, however much the seeds differ."""
        settings = TrainingRegimes().settings

        def numbers(seed: int, more: int = 0) -> Numbers:
            wins = 4 * seed + more
            match = {"wins": wins, "losses": 98 - wins, "pairs": (49 - wins // 2, 0, 0, 0, wins // 2), "distinct": 98}
            return {"clones": 1, "matches": [match | {"distinct_pairs": 49}]}

        others = {name: [numbers(seed) for seed in range(1, 8)] for name in settings}
        best = [numbers(seed, more=2) for seed in range(1, 8)]
        report = TrainingRegimes().report({**others, BEST.name: best}, 1.0)
        assert all(any(better == BEST for better, _ in pairs) for _, pairs in CLAIMS)
        assert {row["verdict"] for row in report.numbers["rows"][: len(CLAIMS)]} == {Verdict.HOLDS}
        worse = {**others, BEST.name: [numbers(1)] * 7}
        found = {row["verdict"] for row in TrainingRegimes().report(worse, 1.0).numbers["rows"]}
        assert Verdict.HOLDS not in found


class TestPlacement:
    @given(st.lists(st.lists(WHOLE, min_size=3, max_size=3), min_size=1, max_size=5), st.integers(0, 2))
    def test_counts_every_order(self, blocks: list[list[int]], column: int) -> None:
        sums = [sum(chosen) for chosen in itertools.product(*blocks)]
        observed = sum(block[column] for block in blocks)
        high, low = placement_test(blocks, column)
        assert math.isclose(high, sum(s >= observed for s in sums) / len(sums))
        assert math.isclose(low, sum(s <= observed for s in sums) / len(sums))

    def test_the_best_of_five_ten_times(self) -> None:
        assert placement_test([[10, 8, 9, 6, 7]] * 10, 0) == (5**-10, 1.0)


class TestTreatments:
    def test_one_column_always_first(self) -> None:
        assert treatments_test([[3, 1, 1, 1]] * 10) < 0.001

    def test_columns_that_do_not_differ(self) -> None:
        assert treatments_test([[1, 2], [2, 1]] * 5) == 1.0
