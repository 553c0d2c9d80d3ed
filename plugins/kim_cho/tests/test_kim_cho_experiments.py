"""The experiments: what they compare, their reports, and whole small ones."""

import functools
import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gameforge_kim_cho.checkers import (
    AGAINST_SIMPLE,
    BOTH,
    ENDGAME,
    GATED,
    KNOWLEDGE,
    MATCHES,
    OPENING,
    PLAIN,
    PUBLISHED,
    SAME_NET,
    SIMPLE,
    SIMPLE_BOTH,
    WITHOUT,
    KimChoCheckers,
)
from gameforge_kim_cho.efficiency import GAMES_A_GENERATION, LINEAR_EVOLVED, LINEAR_TD, EvolvedOrTrained
from gameforge_kim_cho.efficiency import TD as BY_TD
from gameforge_kim_cho.evolved_players import (
    FIRST,
    FIRST_BEST,
    LADDER,
    MATERIAL,
    SHUFFLED,
    TD,
    curve,
    played_all,
    shuffled,
)
from gameforge_kim_cho.othello import BOOK as WITH_BOOK
from gameforge_kim_cho.othello import PLAIN as WITHOUT_BOOK
from gameforge_kim_cho.othello import PRESETS, STANDARD, KimChoOthello

import gameforge as gf
from gameforge.config import Spec
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.experiments.report import Report, Verdict
from gameforge.experiments.reproduction import create_experiment, reproduce
from gameforge.experiments.schedule import Resources
from gameforge.experiments.trial import Trial
from gameforge.interfaces.learner import Numbers
from gameforge.play.saved_players import save_player

WON, DRAWN = (
    {"wins": 40, "draws": 0, "losses": 0, "pairs": [0, 0, 0, 0, 20], "distinct": 40, "distinct_pairs": 20},
    {"wins": 0, "draws": 40, "losses": 0, "pairs": [0, 0, 20, 0, 0], "distinct": 40, "distinct_pairs": 20},
)
RUNGS = (*LADDER, TD)
SHORT = {"use": "draughts", "max_plies": 40}


def evolution(**more: Any) -> dict[str, Any]:
    return {
        "games": 20,
        "generations": 2,
        "king": 2.1,
        "curves": {"fitness": [1, 2], "mean_fitness": [0, 1], "diversity": [0.2, 0.1]},
        "matches": dict.fromkeys((FIRST, FIRST_BEST, SHUFFLED, MATERIAL, *RUNGS), WON),
        "controls": dict.fromkeys((FIRST_BEST, SHUFFLED), dict.fromkeys(RUNGS, DRAWN)),
        **more,
    }


def row(numbers: Mapping[str, Any], what: str) -> Mapping[str, Any]:
    return next(one for one in numbers["rows"] if what in one["what"])


class TestAnaconda:
    def report(self, **more: Any) -> Any:
        results = {"anaconda": [evolution(**more)] * 5}
        return create_experiment(default_registry(), Spec.parse("anaconda")).report(results, 0.1)

    def test_a_claim_holds_only_beyond_the_error(self) -> None:
        assert row(self.report().numbers, "counts material")["verdict"] is Verdict.HOLDS
        drawn = self.report(matches=dict.fromkeys((FIRST, FIRST_BEST, SHUFFLED, MATERIAL, *RUNGS), DRAWN))
        assert row(drawn.numbers, "counts material")["verdict"] is Verdict.NOT_SHOWN

    def test_the_comparison_has_intervals_over_seeds(self) -> None:
        """Every seed has the same score, so their mean has no interval; that of the pairs would have one."""
        assert row(self.report().numbers, "counts material")["ours"] == "1.00 (all 5 seeds equal)"

    def test_what_evolution_has_added_is_a_difference_seed_by_seed(self) -> None:
        controls = {"controls": dict.fromkeys((FIRST_BEST, SHUFFLED), dict.fromkeys(RUNGS, WON))}
        seeds = [evolution(), evolution(), evolution(), evolution(), evolution(**controls)]
        experiment = create_experiment(default_registry(), Spec.parse("anaconda"))
        numbers = experiment.report({"anaconda": seeds}, 0.1).numbers
        gain = row(numbers, "minus the best of the first generation, against material, alphabeta 4")
        assert gain["ours"] == "+0.40 (0.12 to 0.68)"  # 0.5 four times and 0: 0.4 +- 2.776 * 0.1

    def test_only_a_run_of_the_published_length_is_called_one(self) -> None:
        assert not any("training games" in one["what"] for one in self.report().numbers["rows"])
        length = row(self.report(games=126_000).numbers, "training games")
        assert length["mark"] == "not informative"  # the row cannot fail

    def test_what_was_not_verified_is_never_called_reproduced(self) -> None:
        assert row(self.report().numbers, "15 + 15")["mark"] == "unavailable in the source"


class TestCheckers:
    def results(self, between: Mapping[str, Any], seeds: int = 5) -> dict[str, list[Numbers]]:
        together = {
            "vote": dict.fromkeys(RUNGS, WON),
            "vote against single": {"champion": DRAWN},
            "alone": {"species 1": WON, "species 2": DRAWN},
            "ensembles": {combine: {"champion": DRAWN} for combine in ("average", "max", "min")},
            "species": {"members": [[1, 2], [3]], "representatives": [1, 3]},
        }
        same_net = {f"{one} - {other}": WON for one, other in SAME_NET}
        matches = {"vote": between, "champion": between, AGAINST_SIMPLE: {SIMPLE_BOTH: WON}}
        evolved = {name: evolution(**together) for name in (SIMPLE, SIMPLE_BOTH, *KNOWLEDGE)}
        numbers: dict[str, Numbers] = {**evolved, MATCHES: {"matches": matches, "database": same_net}}
        return {name: [one] * seeds for name, one in numbers.items()}

    def between(self, **others: Any) -> dict[str, Any]:
        pairs = itertools.combinations((BOTH, ENDGAME, OPENING, PLAIN), 2)
        return {f"{one} - {other}": DRAWN for one, other in pairs} | others

    def test_orderings_are_those_of_the_paper(self) -> None:
        won = dict.fromkeys((f"{BOTH} - {OPENING}", f"{ENDGAME} - {OPENING}", f"{ENDGAME} - {PLAIN}"), WON)
        numbers = KimChoCheckers().report(self.results(self.between(**won)), 0.1).numbers
        assert [one["verdict"] for one in numbers["rows"][:3]] == [Verdict.HOLDS] * 3
        assert row(numbers, "with the endgame database")["verdict"] is Verdict.HOLDS
        even = KimChoCheckers().report(self.results(self.between()), 0.1).numbers
        assert [one["verdict"] for one in even["rows"][:3]] == [Verdict.NOT_SHOWN, Verdict.HOLDS, Verdict.NOT_SHOWN]
        assert row(even, "with the endgame database")["verdict"] is Verdict.NOT_SHOWN

    def test_one_seed_describes_and_repeated_games_say_nothing(self) -> None:
        won = {f"{BOTH} - {OPENING}": WON, f"{ENDGAME} - {OPENING}": {**WON, "distinct": 11}}
        report = KimChoCheckers().report(self.results(self.between(**won), seeds=1), 0.1)
        marks = [one["mark"] for one in report.numbers["rows"][:3]]
        assert marks == ["descriptive: fewer than 5 seeds"] * 2 + ["not informative"]
        assert f"| {SIMPLE_BOTH} | 40/0/0 |" in report.text

    def test_every_table_of_matches_counts_distinct_games(self) -> None:
        """40 in each match; four matches of the representatives together, and two of single ones."""
        lines = KimChoCheckers().report(self.results(self.between(), seeds=1), 0.1).text.splitlines()

        def cells(begins: str) -> set[str]:
            return {line.split(" | ", 2)[2] for line in lines if line.startswith(f"| {begins} | ")}

        def last(begins: str) -> set[str]:
            return {line.rsplit(" | ", 1)[1] for line in lines if line.startswith(f"| {begins} | ")}

        assert all(one.startswith("40 | ") for one in cells(MATERIAL) | cells(FIRST) | cells(f"{GATED} - {WITHOUT}"))
        league = cells(f"{BOTH} - {OPENING}")
        assert [one.split(" | ")[0] for one in league] == ["40"]
        assert [one.split(" | ")[3] for one in league] == ["40"]
        assert last(PLAIN) == {"160 of 160 |", "80 of 80 |"}

    def test_five_seeds_are_units_even_if_their_games_repeat(self) -> None:
        """Scores of 0.5 and four times 1: 0.9 +- 2.776 * 0.1, at most 1; repeated games give no narrower interval."""
        few = {"distinct": 2, "distinct_pairs": 1}
        won = self.results(self.between(**{f"{BOTH} - {OPENING}": {**WON, **few}}))
        drawn = self.results(self.between(**{f"{BOTH} - {OPENING}": {**DRAWN, **few}}))
        results = {name: [*drawn[name][:1], *won[name][1:]] for name in won}
        found = row(KimChoCheckers().report(results, 0.1).numbers, f"{BOTH} against {OPENING}")
        assert found["ours"].endswith(": 0.90 (0.62 to 1.00)")
        assert found["verdict"] is Verdict.HOLDS

    def test_an_even_match_is_claimed_only_from_a_narrow_interval(self) -> None:
        """Scores of 0.5 and of 0, 1, 0 and 1 have the mean 0.5, but tell nothing about how even the players are."""
        lost = {**WON, "wins": 0, "losses": 40, "pairs": [20, 0, 0, 0, 0]}
        seeds = [
            self.results(self.between(**{f"{BOTH} - {ENDGAME}": score}), seeds=1)
            for score in (DRAWN, WON, lost, WON, lost)
        ]
        results = {name: [one[name][0] for one in seeds] for name in seeds[0]}
        found = row(KimChoCheckers().report(results, 0.1).numbers, f"{BOTH} against {ENDGAME}")
        assert (found["mark"], found["verdict"]) == (Verdict.NOT_INFORMATIVE, None)

    def test_published_games_are_30_each(self) -> None:
        assert [sum(match) for match in PUBLISHED.values()] == [30, 30, 30]

    def test_knowledge_is_a_wrapper_around_oracles(self) -> None:
        oracles = {name: [one["use"] for one in KimChoCheckers()._oracles(name)] for name in KNOWLEDGE}
        assert [one["use"] for one in KimChoCheckers()._oracles(SIMPLE_BOTH)] == ["book", "gated"]
        assert oracles == {PLAIN: [], OPENING: ["book"], ENDGAME: ["gated"], BOTH: ["book", "gated"]}

    def test_the_link_of_the_pieces_is_for_all_evolutions_or_for_none(self) -> None:
        for piece_diff in (False, True):
            experiment = KimChoCheckers(piece_diff=piece_diff)
            for name in (SIMPLE, SIMPLE_BOTH, *KNOWLEDGE):
                _, changes = experiment._evolution(name)
                assert changes["evaluator"] == {"piece_diff": piece_diff}

    def test_the_gate_and_the_kings_value_are_those_that_are_asked_for(self) -> None:
        _, changes = KimChoCheckers(at="root", stepped="always")._evolution(BOTH)
        assert changes["learner"]["stepped"] == "always"
        assert [oracle.get("at") for oracle in changes["oracle"]] == [None, "root"]


class TestOthello:
    def report(self, gain: float, seeds: int = 8) -> Any:
        def trial(seed: int, more: float) -> dict[str, Any]:
            last = 500 + seed + more
            fresh = {"champion": last - 20, FIRST_BEST: 300.0, SHUFFLED: 100.0, STANDARD: 500.0}
            distinct = dict.fromkeys(fresh, 9990 + seed)
            ladder = dict.fromkeys(fresh, dict.fromkeys((STANDARD, *RUNGS), WON))
            curves = {"best": [400.0, last], "mean": [200.0, 480.0 + seed]}
            return {"generations": 2, "games": 1000, "fresh": fresh, "distinct": distinct, "ladder": ladder, **curves}

        by = {WITHOUT_BOOK: 0.0, WITH_BOOK: gain}
        results = {name: [trial(seed, more) for seed in range(1, seeds + 1)] for name, more in by.items()}
        return create_experiment(default_registry(), Spec.parse("kim-cho-othello")).report(results, 0.1)

    def test_what_the_book_brings_is_tested_seed_by_seed(self) -> None:
        yes, fails = Verdict.HOLDS, Verdict.FAILS
        for gain, found in ((20.0, yes), (0.0, Verdict.NOT_SHOWN), (-20.0, fails)):
            judged = [one["verdict"] for one in self.report(gain).numbers["rows"][:8]]
            assert judged == [None, yes, yes if gain >= 0 else fails, fails, fails, None, found, yes]

    def test_a_published_value_must_lie_where_one_more_evolution_would(self) -> None:
        """The means of the last generation are 481 to 488, so one more has 478 to 491, but not the published 500."""
        found = row(self.report(20.0).numbers, "mean fitness of the last generation")
        assert found["ours"] == "484 (482 to 487); one more: 478 to 491"
        assert found["verdict"] is Verdict.FAILS

    def test_the_published_fitness_is_that_with_the_book(self) -> None:
        assert row(self.report(-20.0).numbers, "with the book: highest fitness")["verdict"] is Verdict.FAILS

    def test_three_seeds_only_describe(self) -> None:
        marks = [one["mark"] for one in self.report(20.0, seeds=3).numbers["rows"][:8]]
        no, few = Verdict.NOT_INFORMATIVE, Verdict.DESCRIPTIVE
        assert marks == [no, few, few, few, few, no, few, few]

    def test_intervals_of_few_seeds_are_students(self) -> None:
        """The scores are 501 to 505: 503 +- 2.776 * 0.707; a bootstrap gives 501.6 to 504.4."""
        found = row(self.report(0.0, seeds=5).numbers, "highest fitness, higher than the standard table")
        assert found["ours"] == "503 (501 to 505)"

    def test_champions_are_measured_again(self) -> None:
        assert "484" in row(self.report(20.0).numbers, "in new games")["ours"]

    def test_repeated_new_games_are_reported(self) -> None:
        """Without random moves there are two games, one for each colour."""
        notices: list[str] = []
        trial = Trial(condition=WITHOUT_BOOK, seed=1, registry=default_registry(), notice=notices.append)
        small = KimChoOthello(fresh=10)
        for random_moves in (0.1, 0.0):
            changes = {"learner": {"random_moves": random_moves}}
            pipeline = trial.pipeline(PRESETS[WITHOUT_BOOK], changes)
            standard = small.standard(trial, pipeline)
            _, distinct = small.measured_again(trial, "champion", standard, standard, pipeline)
            assert distinct == (2 if random_moves == 0 else 10)
        assert notices == [
            "new games: only 2 of 10 games between champion and standard table are distinct; "
            "repeated games add no evidence"
        ]

    def test_the_new_games_are_counted(self) -> None:
        assert "Of the 10,000 games of a player and seed, 9,991 or more are distinct." in self.report(20.0).text


@pytest.mark.parametrize(
    ("seeds", "band", "name"), [(5, (1.04, 4.96), "95 % intervals"), (4, (1, 4), "minimum to maximum")]
)
def test_bands_are_intervals_over_seeds_if_there_are_enough(seeds: int, band: tuple[float, float], name: str) -> None:
    """Of 1, 2, 3, 4, 5 the mean is 3 +- 2.776 * 0.707; few seeds are shown as they are."""
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.subplots()
    curve(axes, [[number, number] for number in range(1, seeds + 1)], "best")
    heights = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx(band, abs=0.01)
    assert axes.get_title() == f"means; bands: {name} over seeds"


def efficiency_report(by: Mapping[str, Sequence[Mapping[str, Any]]], question: str = "all") -> Report:
    """The report of these figures of each way of learning."""
    return EvolvedOrTrained(question=question).report(by, 1.0)


def test_darwens_claims_are_judged_seed_by_seed() -> None:
    """With hidden units TD learning is ahead in every seed; with a linear net neither way is."""

    def trial(final: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "points": [{"games": games, "ladder": {"material": found}} for games, found in ((0, DRAWN), (300, final))]
        }

    by = {name: [trial(WON if name == BY_TD else DRAWN)] * 5 for name in EvolvedOrTrained().conditions}
    rows = efficiency_report(by).numbers["rows"]
    assert {row["mark"] for row in rows} == {"qualitative ordering"}
    assert [row["verdict"] for row in rows] == [Verdict.HOLDS, Verdict.NOT_SHOWN]


def test_two_seeds_give_no_verdict_about_td_learning() -> None:
    """TD learning wins all games and evolution none, but nets also differ by their seed."""
    lost = {**WON, "wins": 0, "losses": WON["wins"], "pairs": WON["pairs"][::-1]}
    by = {}
    for name in EvolvedOrTrained().conditions:
        ladders = [(0, lost), (300, WON if name == BY_TD else lost)]
        by[name] = [{"points": [{"games": games, "ladder": {"material": found}} for games, found in ladders]}] * 2
    report = efficiency_report(by)
    assert {row["mark"] for row in report.numbers["rows"]} == {Verdict.DESCRIPTIVE}
    assert "With fewer than 5 seeds there is no verdict about TD learning and evolution." in report.text
    assert "beyond the error" not in report.text


def test_td_learning_and_evolution_are_compared_after_each_number_of_games() -> None:
    """With hidden units TD learning is half a point ahead after 300 games, in every seed."""

    def trial(final: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "points": [{"games": games, "ladder": {"material": found}} for games, found in ((0, DRAWN), (300, final))]
        }

    def text(question: str) -> str:
        names = EvolvedOrTrained(question=question).conditions
        return efficiency_report({name: [trial(WON if name == BY_TD else DRAWN)] * 5 for name in names}, question).text

    equal = "(all 5 seeds equal)"
    assert "| training games | with hidden units | linear net |" in text("all")
    assert f"| 300 | +0.50 {equal} | +0.00 {equal} |" in text("darwen")
    assert f"| 300 | +0.50 {equal} |\n" in text("neto")


def test_scores_by_training_games_have_intervals_over_seeds() -> None:
    """Both seeds have 40 drawn or won games: the pairs of games of a seed say nothing about another training."""

    def trial(final: Mapping[str, Any]) -> dict[str, Any]:
        return {"points": [{"games": games, "ladder": {"material": final}} for games in (0, 300)]}

    by = {name: [trial(WON), trial(DRAWN)] for name in EvolvedOrTrained(question="darwen").conditions}
    assert "| TD | 300 | 0.75 (0.00 to 1.00) | 0.50 to 1.00 | 80 of 80 |" in efficiency_report(by, "darwen").text


def test_one_question_needs_only_its_own_trainings() -> None:
    whole, darwen, neto = (EvolvedOrTrained(question=one).conditions for one in ("all", "darwen", "neto"))
    assert {**darwen, **neto} == dict(whole)
    assert all(("linear" in name) is (name not in neto) for name in darwen)
    trial = {"points": [{"games": games, "ladder": {"material": DRAWN}} for games in (0, 300)]}
    assert (
        efficiency_report({name: [trial] * 5 for name in neto}, "neto")
        .numbers["rows"][0]["what"]
        .startswith("TD learning is better")
    )


def test_shuffled_weights_are_the_same_but_for_their_order() -> None:
    player = gf.player("draughts", searcher="minimax:depth=1", evaluator="subboard", oracle="none", seed=3)
    one, same, other = (shuffled(player, seed).weights for seed in (1, 1, 2))
    assert player.weights is not None
    assert one is not None
    assert other is not None
    assert np.array_equal(one, same)  # type: ignore[arg-type]
    assert not np.array_equal(one, other)
    assert np.array_equal(np.sort(one), np.sort(player.weights))
    assert one[-1] == player.weights[-1]  # K


def test_a_champion_meets_its_whole_first_generation_from_different_openings(tmp_path: Path) -> None:
    """One net of them may be a lucky one: after 840 generations the champion lost to the best of the first 15."""
    parts = {"searcher": "minimax:depth=1", "evaluator": "subboard", "oracle": "none"}
    champion, *others = (gf.player(SHORT, **parts, seed=seed, name=f"net {seed}") for seed in range(4))
    trial = Trial(condition="", seed=1, registry=default_registry(), home=tmp_path)
    found = played_all(trial, champion, "all", others, 5)
    assert found["wins"] + found["draws"] + found["losses"] == 6  # two each
    openings = {pdn.read_text().split("\n1. ")[1].split(" 3. ")[0] for pdn in (tmp_path / "all").rglob("games.pdn")}
    assert len(openings) == 3


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("anaconda:games=3", "games = 3: must be even, because each opening is played twice"),
        ("kim-cho-checkers:pieces=9", "pieces = 9: must be a number from 2 to 6"),
        ("kim-cho-checkers:clusters=trees", 'clusters = "trees": must be one of'),
        ("kim-cho-checkers:population=7", "population = 7: must be even"),
        ("evolved-or-trained:games=0", "games = 0: must be 2 or more"),
        ("evolved-or-trained:question=both", 'question = "both": must be one of'),
        ("kim-cho-chekers", "did you mean 'kim-cho-checkers'"),
    ],
)
def test_bad_input(spec: str, sentence: str) -> None:
    with pytest.raises(GameforgeError, match=sentence):
        create_experiment(default_registry(), Spec.parse(spec))


@pytest.mark.parametrize("condition", [LINEAR_EVOLVED, LINEAR_TD])
def test_what_an_evolution_learned_does_not_depend_on_the_workers(condition: str, tmp_path: Path) -> None:
    """The shortest training of a method, by one worker and by two."""
    experiment, registry, found = EvolvedOrTrained(games=2), default_registry(), []
    for n in (1, 2):
        home, share = tmp_path / str(n), functools.partial(int, n)
        home.mkdir()
        trial = Trial(condition=condition, seed=1, registry=registry, scale=0.01, home=home, share=share)
        found.append(experiment.run(trial))
    one, two = found
    assert one == two
    assert [point["games"] for point in one["points"]] == [0, GAMES_A_GENERATION]


@pytest.mark.slow
def test_evolved_or_trained_does_not_depend_on_the_workers(tmp_path: Path) -> None:
    spec = Spec.parse("evolved-or-trained:games=2,pieces=2")
    figures = []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        reproduce(
            out, spec, default_registry(), Resources(workers=workers), seeds=1, scale=EvolvedOrTrained.least_scale
        )
        figures.append(json.loads((out / "results.json").read_text()))
    assert figures[0]["trials"] == figures[1]["trials"]
    assert set(EvolvedOrTrained().conditions) == {trial["condition"] for trial in figures[0]["trials"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [
        "anaconda:games=2,td_games=20",
        "kim-cho-checkers:games=2,td_games=20,population=6,species=2,pieces=2",
        "kim-cho-othello:games=2,td_games=20,fresh=20",
    ],
)
def test_whole_experiments(spec: str, tmp_path: Path) -> None:
    parsed = Spec.parse(spec)
    least = create_experiment(default_registry(), parsed).least_scale  # type: ignore[attr-defined]
    report = reproduce(tmp_path / "out", parsed, default_registry(), Resources(workers=2), seeds=1, scale=least)
    assert "descriptive: fewer than 5 seeds" in report.text
    assert (tmp_path / "out" / "ladder.png").stat().st_size > 1000


def test_the_players_of_a_vote_play_the_same_game(tmp_path: Path) -> None:
    """Representatives bring their database, and the vote its book."""
    gated = {"use": "gated", "oracle": "chinook:pieces=2"}
    for seed in (1, 2):
        parts = {"searcher": "minimax:depth=1", "evaluator": "subboard", "oracle": [gated]}
        save_player(tmp_path / str(seed), gf.player(SHORT, **parts, seed=seed))
    searcher = {"use": "vote", "players": [str(tmp_path)]}
    voters = gf.player(SHORT, searcher=searcher, evaluator="none", oracle="book")
    assert voters.choose(voters.game.position()) in voters.game.position().legal_moves
    assert len(gf.match(voters, gf.player(tmp_path / "1"), 2).games) == 2
