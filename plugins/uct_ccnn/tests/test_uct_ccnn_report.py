"""The experiment's report, of figures that are made up, and what it takes from the paper."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from gameforge_uct_ccnn.experiment import UctCcnn, draw_training
from gameforge_uct_ccnn.settings import PAPER
from gameforge_uct_ccnn.stages import NETS, PRINTED, STAGES, net_games, plan, together
from gameforge_uct_ccnn.stages import tally as tally_of

from gameforge.arena.elo import score_interval
from gameforge.cli.main import run
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.experiments.report import Verdict
from gameforge.experiments.schedule import needed_before
from gameforge.experiments.statistics import Sample
from gameforge.experiments.tally import Tally
from gameforge.experiments.trial import Trial
from gameforge.interfaces.learner import Numbers


def tally(wins: int, losses: int, pairs: tuple[int, ...] = (5, 0, 10, 0, 5)) -> dict[str, Any]:
    low, high = score_interval(pairs)
    return {
        "begins": [wins, 0, losses],
        "follows": [losses, 0, wins],
        "games": 2 * (wins + losses),
        "distinct": 3,
        "distinct_pairs": sum(pairs),
        "pairs": list(pairs),
        "score": 0.5,
        "interval": [low, high],
        "simulations": 300,
    }


EVERYBODY = (*NETS, *PRINTED.values())


def results(game: str, ahead: dict[str, Any], seeds: int = 5) -> dict[str, list[Numbers]]:
    """`ahead`: the tally of all matches that must be won."""
    net = {
        "neurons by neuron": [0, 1, 2, 3],
        "train_mse by neuron": [0.04, 0.03, 0.02, 0.01],
        "test_mse by neuron": [0.05, 0.04, 0.03, 0.04],
    }
    made = {"simulations": 100, "matches": 20, "kept": 500, "examples": 900}
    plies = UctCcnn(game=game).setting.heights
    heights = {f"{opened} {height}": tally(7, 3) for opened in ("start", "random") for height in plies}
    pairs = ("longer, shorter", f"{PRINTED['longer']}, {PRINTED['shorter']}", f"longer, {PRINTED['longer']}")
    equal = {f"{name}, opponent": ahead for name in EVERYBODY}
    numbers: dict[str, Any] = {
        "cp": {"cp": 0.4, "opponent": "wpc"},
        "equal depth": equal | dict.fromkeys(pairs, ahead),
        "uct": dict.fromkeys(("prior", "expand", "leaf", "prior, winner's"), ahead),
    }
    for name in EVERYBODY:
        numbers |= {f"{name} examples": made, f"{name} net": net, f"{name} at heights": heights}
    return {condition: [numbers[condition]] * seeds for condition in STAGES}


def without_tables(found: dict[str, list[Numbers]]) -> dict[str, list[Numbers]]:
    return {condition: found[condition] for condition in UctCcnn(tables=False).conditions}


@pytest.mark.parametrize("game", PAPER)
def test_rows_say_what_holds(game: str) -> None:
    for score, found in ((0.7, "holds"), (0.5, "not shown"), (0.3, "does not hold")):
        ahead = tally(round(100 * score), round(100 - 100 * score)) | {"score": score}
        report = UctCcnn(game=game).report(results(game, ahead), 0.1)
        rows = report.numbers["rows"]
        assert [row["verdict"] for row in rows[:4]] == [found] * 4
        assert {row["mark"] for row in rows if "the opponent, " in row["what"]} == {Verdict.UNAVAILABLE}
        assert all(row["published"] or row["mark"] == Verdict.UNAVAILABLE for row in rows)
        tables = [row for row in rows if "height" in row["what"]]
        assert len(tables) == 2 * 2 * len(PAPER[game].heights)
        assert {row["mark"] for row in tables} == {"not informative"}
        assert "lowest test error" in report.text
        assert f"qualitative ordering at scale 0.1: {found} |" in report.text


def test_one_seed_is_described() -> None:
    report = UctCcnn().report(results("othello", tally(70, 30) | {"score": 0.7}, seeds=1), 0.1)
    assert {row["mark"] for row in report.numbers["rows"][:4]} == {"descriptive: fewer than 5 seeds"}


def test_claims_need_no_tables() -> None:
    """The matches at heights decide no claim, and take more than half of the time."""
    won = results("othello", tally(70, 30) | {"score": 0.7})
    whole, short = UctCcnn().report(won, 0.1), UctCcnn(tables=False).report(without_tables(won), 0.1)
    claims = [row for row in whole.numbers["rows"] if "height" not in row["what"]]
    assert short.numbers["rows"] == claims
    assert set(short.figures) == {"training"}
    needed_before(UctCcnn(tables=False))
    costs = [sum(one.seconds(name, 0.15) for name in one.conditions) for one in (UctCcnn(), UctCcnn(tables=False))]
    assert costs[1] < costs[0] / 2


def test_claims_have_intervals_over_seeds() -> None:
    """Four seeds score 0.7 and one 0.85: the mean is 0.73, and Student's interval 0.083 on both sides."""
    usual, last = (
        tally(10, 0) | {"begins": [wins, 0, 10 - wins], "follows": [7, 0, 3], "score": (wins + 7) / 20}
        for wins in (7, 10)
    )
    found = results("othello", tally(70, 30), seeds=5)
    found["uct"] = [dict.fromkeys(found["uct"][0], one) for one in (usual, usual, usual, usual, last)]
    row = next(row for row in UctCcnn().report(found, 0.1).numbers["rows"] if "UCT with the net (prior)" in row["what"])
    assert row["ours"].endswith(": 73.0 % (64.7 to 81.3)")


def test_figures_of_nets_have_intervals_over_seeds() -> None:
    """The test error of the nets is lowest with 2 units, that of the last seed with 3."""
    found = results("othello", tally(70, 30), seeds=5)
    last = {"neurons by neuron": [0, 1, 2, 3], "train_mse by neuron": [0.05, 0.06, 0.02, 0.01]}
    last["test_mse by neuron"] = [0.05, 0.04, 0.03, 0.02]
    found["longer net"] = [*found["longer net"][:4], last]
    report = UctCcnn().report(found, 0.1)
    ours = {row["what"]: row["ours"] for row in report.numbers["rows"]}
    assert ours["longer net: hidden units with the lowest test error"] == "2.2 (1.6 to 2.8) of 3"
    assert ours["longer net: training error falls with every unit"] == (
        "0.0420 (0.0364 to 0.0476) to 0.0100 (all 5 seeds equal), rises 0.2 (-0.4 to 0.8) times"
    )
    assert (
        "0.0280 (0.0224 to 0.0336) with 2.2 (1.6 to 2.8) units"
        in (ours["longer net: test error has a minimum and rises after it"])
    )


def test_curves_of_several_seeds_are_means_with_a_band() -> None:
    figure = pytest.importorskip("matplotlib.figure")
    one = {"neurons by neuron": [0, 1], "train_mse by neuron": [0.2, 0.1], "test_mse by neuron": [0.4, 0.2]}
    other = {
        "neurons by neuron": [0, 1, 2],
        "train_mse by neuron": [0.4, 0.3, 0.2],
        "test_mse by neuron": [0.2, 0.4, 0],
    }
    for seeds, mean, bands in (([one], 0.2, 0), ([one, other], 0.3, 2)):
        drawn = figure.Figure()
        draw_training(drawn, {"shorter": seeds})
        (axes,) = drawn.axes
        assert axes.lines[0].get_ydata()[0] == pytest.approx(mean)
        assert len(axes.lines[0].get_ydata()) == 2
        assert len(axes.collections) == bands


def test_matches_of_uct_cost_in_proportion_to_their_simulations() -> None:
    usual, short = UctCcnn(), UctCcnn(match_simulations=30)
    for condition in usual.conditions:
        share = 0.1 if condition in ("cp", "uct") else 1
        assert short.seconds(condition, 0.1) == pytest.approx(share * usual.seconds(condition, 0.1))


@pytest.mark.parametrize("scale", [0.01, 0.05, 0.15, 1.0])
def test_examples_cost_in_proportion_to_their_matches(scale: float) -> None:
    def matches(scale: float) -> int:
        made = plan(Trial(condition="shorter examples", seed=1, registry=default_registry(), scale=scale))
        return made.start_matches + made.states * made.matches

    of = partial(UctCcnn().seconds, "shorter examples")
    assert of(scale) / of(1.0) == pytest.approx(matches(scale) / matches(1.0), rel=0.02)


@pytest.mark.parametrize("scale", [0.01, 0.05, 0.15, 0.3, 1.0])
@pytest.mark.parametrize("condition", ["equal depth", "uct"])
def test_comparisons_cost_in_proportion_to_their_games(condition: str, scale: float) -> None:
    of = partial(UctCcnn().seconds, condition)
    assert of(scale) / of(1.0) == pytest.approx(net_games(scale) / net_games(1.0))


def test_a_shorter_experiment_costs_less() -> None:
    """Comparisons have 300 games at both scales; everything else is shorter."""
    experiment = UctCcnn()
    for condition in set(experiment.conditions) - {"equal depth", "uct"}:
        assert experiment.seconds(condition, 0.05) < 0.4 * experiment.seconds(condition, 0.15)
    assert experiment.seconds("longer net", 0.05) < experiment.seconds("longer net", 0.1)


def test_a_given_cp_costs_nothing() -> None:
    assert UctCcnn(cp=0.4).seconds("cp", 1) < 1 < UctCcnn().seconds("cp", 1)


def test_any_game_has_a_setting() -> None:
    """With the game's yardstick as the opponent, unless another evaluator is named."""
    pytest.importorskip("gameforge_draughts")
    experiment = UctCcnn(game="draughts")
    assert experiment.setting.features == "bits"
    trial = Trial(condition="cp", seed=1, registry=default_registry())
    assert UctCcnn(game="draughts", cp=0.4).run(trial) == {"cp": 0.4, "opponent": "material"}
    assert UctCcnn(game="draughts", opponent="mlp", cp=0.4).run(trial)["opponent"] == "mlp"
    report = experiment.report(results("draughts", tally(70, 30)), 0.1)
    assert "The game is not one of the paper's" in report.text
    assert "Table" not in report.text
    assert "the paper says" not in report.text
    assert not any(row["published"] for row in report.numbers["rows"])


def test_an_unknown_game_is_refused_before_any_work() -> None:
    trial = Trial(condition="cp", seed=1, registry=default_registry())
    with pytest.raises(GameforgeError, match="unknown game 'chess'"):
        UctCcnn(game="chess", cp=0.4).run(trial)


def test_figures_can_be_drawn() -> None:
    figure = pytest.importorskip("matplotlib.figure")
    report = UctCcnn().report(results("othello", tally(70, 30)), 1.0)
    for draw in report.figures.values():
        drawn = figure.Figure()
        draw(drawn)
        assert len(drawn.axes) == 2


def test_published_counts_are_those_of_the_intervals() -> None:
    """Clopper and Pearson's intervals for 100 games distinguish the recovered counts."""
    for setting in PAPER.values():
        assert setting.paper is not None
        for table in setting.paper.wins:
            for wins in table.values():
                assert len(wins) == len(setting.heights)
                for count in wins:
                    low, high = Sample.binomial_interval(count or 0, 100)
                    assert low <= (count or 0) / 100 <= high
    low, high = Sample.binomial_interval(0, 100)
    assert (round(100 * low, 1), round(100 * high, 1)) == (0, 3.6)
    low, high = Sample.binomial_interval(100, 100)
    assert (round(100 * low, 1), round(100 * high, 1)) == (96.4, 100)


def test_stages_come_in_an_order() -> None:
    experiment = UctCcnn()
    assert needed_before(experiment)["uct"] == ("cp", "longer net", "longer winner's net")
    assert experiment.seconds("longer examples", 0.1) == 3 * experiment.seconds("shorter examples", 0.1)
    assert sum(experiment.seconds(condition, 0.05) for condition in experiment.conditions) < 2 * 900


def test_shares_of_wins_have_intervals_over_seeds() -> None:
    """Games of one net are not independent. Five seeds win 0.7, 0.7, 0.7, 0.7 and 0.2 of the games with the first move:
    the mean is 0.6, and Student's interval 0.278 on both sides. The paper's counts of 100 have no interval at all.
    """
    found = results("othello", tally(70, 30))
    for condition, seeds in found.items():
        if condition.endswith("heights"):
            found[condition] = [*seeds[:4], dict.fromkeys(seeds[4], tally(2, 8))]
    rows = UctCcnn(game="othello").report(found, 0.1).numbers["rows"]
    row = next(row for row in rows if row["what"] == "begins, height 3")
    assert "random openings 30 of 50 (0 d, 20 l; 32 to 88 %)" in row["ours"]
    assert row["published"] == "0 of 100"
    single = UctCcnn(game="othello").report(results("othello", tally(70, 30), seeds=1), 0.1).numbers["rows"]
    row = next(row for row in single if row["what"] == "begins, height 3")
    low, high = Sample.binomial_interval(7, 10)
    assert f"random openings 7 of 10 (0 d, 3 l; {100 * low:.0f} to {100 * high:.0f} %)" in row["ours"]


def test_all_matches_count_their_distinct_games() -> None:
    text = UctCcnn().report(results("othello", tally(70, 30), seeds=1), 0.1).text
    lines = [line for line in text.splitlines() if line.startswith("| uct: prior |")]
    assert [line.split(" | ")[-1] for line in lines] == ["3 of 200 |"]


def test_several_seeds_are_taken_together() -> None:
    both = together([tally(7, 3), tally(1, 9, (0, 0, 20, 0, 0))])
    assert tally_of(both) == Tally(wins=20, losses=20, pairs=(5, 0, 30, 0, 5), distinct=6, distinct_pairs=40)
    assert (both["games"], both["pairs"]) == (40, [5, 0, 30, 0, 5])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["uct-ccnn:simulations=0"], "simulations"),
        (["uct-ccnn:cp=0"], "cp = 0.0: must be a number above 0"),
        (["uct-ccnn:candidate_error=fann"], "candidate_error"),
        (["lambda-league", "--game", "othello"], "game"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reproduce", *arguments, "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert message in said
    assert not (tmp_path / "out").exists()
