"""The whole experiment at a toy size, and its report from figures that are made up."""

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from gameforge_ls_draughts import reproduction, settings
from gameforge_ls_draughts.counts import Count
from gameforge_ls_draughts.published import (
    CONTROL,
    CONTROLLED,
    EXTENDED,
    LOOP_GAMES,
    LOOP_SESSIONS,
    LOOPS,
    ORIGINAL,
    PAIRINGS,
    PLAYERS,
    Sizes,
)
from gameforge_ls_draughts.reproduction import LSDraughts
from gameforge_ls_draughts.settings import MATCHES, LSDraughtsSettings
from machines import Machines

import gameforge as gf
from gameforge.cli.main import run
from gameforge.config import Spec, dump_toml, merge, normal
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.experiments.report import Report
from gameforge.experiments.reproduction import reproduce
from gameforge.experiments.schedule import Resources, needed_before
from gameforge.interfaces.experiment import Costed, Experiment, Staged
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import Numbers
from gameforge.interfaces.rules import Outcome
from gameforge.play.pipeline import Pipeline
from gameforge.training.work import executor

pytest.importorskip("gameforge_draughts")

TOY = "ls-draughts:depth=1,repeats=1"
TINY = LSDraughts.least_scale
LEAST = 1e-12
"""The scale of the least sizes."""


def test_it_is_an_experiment_in_stages() -> None:
    experiment = LSDraughts(beyond=True)
    assert isinstance(experiment, Experiment)
    assert isinstance(experiment, Staged)
    assert isinstance(experiment, Costed)
    before = needed_before(experiment)
    assert before["matches"] == (*PLAYERS, CONTROL)
    assert before["adjudicated, 6 pieces"] == (*PLAYERS, "6 pieces")
    assert set(LSDraughts().conditions) < set(experiment.conditions)
    assert "6 pieces" not in LSDraughts(pieces=6, beyond=True).conditions


class TestSizes:
    def test_at_scale_1_they_are_the_papers(self) -> None:
        sizes = Sizes.at(1.0)
        assert (sizes.population, sizes.generations, sizes.games, sizes.fixed) == (50, 50, 400, 200)
        assert sizes.training_games == 2_500 * 1_600

    @pytest.mark.parametrize("scale", [0.5, 0.1, 0.01])
    def test_the_work_shrinks_with_the_scale(self, scale: float) -> None:
        assert Sizes.at(scale).training_games == pytest.approx(Sizes.at(1.0).training_games * scale, rel=0.15)

    def test_there_is_a_least_size(self) -> None:
        assert (Sizes.at(TINY).population, Sizes.at(TINY).generations) == (4, 4)
        assert Sizes.at(LEAST) == Sizes(population=4, generations=3, games=10, fixed=10)

    def test_generations_of_2007_stand_for_a_place_among_fewer(self) -> None:
        assert [Sizes.at(1.0).generation(published) for published in (9, 25)] == [9, 25]
        assert [Sizes.at(TINY).generation(published) for published in (9, 25)] == [1, 2]

    def test_one_genetic_algorithm_of_full_size_takes_less_than_half_a_day_of_two_cores(self) -> None:
        assert LSDraughts().seconds(EXTENDED, 1.0) / 2 < 12 * 3600


def game(moves: str, reason: str = "repetition", phase: str = "training") -> GameRecord:
    position = gf.game("draughts").position()
    played = []
    for text in moves.split():
        move = next(move for move in position.legal_moves if str(move) == text)
        played.append(move.code)
        position = position.play(move)
    return GameRecord(
        phase=phase,
        number=1,
        players=("net", "clone"),
        start=gf.game("draughts").position().state,
        moves=tuple(played),
        outcome=Outcome(None, reason, loop=reason == "repetition"),
        session=2,
    )


def test_what_is_counted_of_training_games() -> None:
    count = Count(gf.game("draughts"), gf.oracle("chinook", pieces=2))
    for record in (game("9-14 22-18"), game("9-14 22-18"), game("11-15", "ply cap"), game("", phase="test")):
        count.add(record)
    assert count.numbers(3) == {
        "games": 3,
        "draws": 3,
        "loops": 2,
        "by_pieces": {"4": 0, "6": 0, "8": 0, "more": 2},
        "spoilt": 0,
        "by_reason": {"repetition": 2},
        "by_session": [0, 2, 0],
        "plies": 5 / 3,
        "distinct": 2,
    }


def test_a_won_ending_that_was_spoilt() -> None:
    """Two kings against one win here; one against one in double corners is drawn."""
    count = Count(gf.game("draughts"), gf.oracle("chinook", pieces=3))
    for text in ("W:WK1,K2:BK32", "W:WK1:BK32", "W:W21,22,23,24:B1"):
        start = gf.game("draughts").position(text).state
        count.add(attrs.evolve(game(""), start=start))
    numbers = count.numbers(2)
    assert (numbers["loops"], numbers["spoilt"]) == (3, 1)
    assert numbers["by_pieces"] == {"4": 2, "6": 1, "8": 0, "more": 0}


@pytest.fixture(scope="module")
def smaller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """As small as its sizes can be, and with a tenth of the games that do not depend on the scale."""
    preset = tmp_path_factory.mktemp("preset") / "fixed.toml"
    settings = Pipeline.from_settings(
        normal(default_registry().preset(reproduction.FIXED)), default_registry()
    ).settings
    preset.write_text(dump_toml(merge(settings, {"learner": {"games": LOOP_GAMES // LOOP_SESSIONS // 10}})))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LSDraughts, "least_scale", LEAST)
        patch.setattr(reproduction, "FIXED", str(preset))
        patch.setattr(reproduction, "BALLOT_GAMES", 30)
        yield


@pytest.fixture(scope="module")
def made(smaller: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ls") / "out"
    reproduce(folder, Spec.parse(TOY), default_registry(), Resources(workers=2), scale=LEAST)
    return folder


def check(folder: Path, scale: float, loop_games: int, ballot_games: int) -> None:
    """Check the figures of a whole experiment."""
    results = json.loads((folder / "results.json").read_text())
    numbers = {trial["condition"]: trial["numbers"] for trial in results["trials"]}
    assert set(numbers) == set(LSDraughts().conditions)
    assert numbers[ORIGINAL]["games"] == numbers[EXTENDED]["games"] == Sizes.at(scale).training_games
    assert numbers[EXTENDED]["hits"] > 0
    assert "hits" not in numbers[ORIGINAL]
    for name in PLAYERS:
        (training,) = numbers[f"loops {name}"]["trainings"]
        assert training["games"] == loop_games
        assert sum(training["by_pieces"].values()) == sum(training["by_session"]) == training["loops"]
    for pair in PAIRINGS:
        played = numbers["matches"][" - ".join(pair)]
        assert (played["first_moves"]["games"], played["ballots"]["games"]) == (14, ballot_games)
        assert sum(played["as_black"]) == 7
    assert len(numbers[CONTROL]["features"]) == 12
    assert numbers["matches"][" - ".join(CONTROLLED)]["ballots"]["games"] == ballot_games
    assert set(numbers["2007"]) == {"9", "25"}
    text = (folder / "report.md").read_text()
    for sentence in ("| loop draws of 2,000, NeuroDraughts | 1,045 |", "unavailable in the source", "Seeds: 1;"):
        assert sentence in text


def test_the_whole_experiment(made: Path) -> None:
    check(made, LEAST, 200, 30)


@pytest.mark.slow
def test_the_whole_experiment_with_the_published_numbers_of_games(tmp_path: Path) -> None:
    reproduce(tmp_path / "out", Spec.parse(TOY), default_registry(), Resources(workers=2), scale=TINY)
    check(tmp_path / "out", TINY, 2000, 312)


@pytest.mark.slow
def test_figures_do_not_depend_on_workers(made: Path, tmp_path: Path) -> None:
    reproduce(tmp_path / "one", Spec.parse(TOY), default_registry(), Resources(workers=1), scale=LEAST)
    assert (tmp_path / "one" / "results.json").read_bytes() == (made / "results.json").read_bytes()


@pytest.mark.slow
def test_trials_that_share_the_only_worker_of_a_scheduler(made: Path, tmp_path: Path) -> None:
    """Genetic algorithms that run at once take turns on it, and the figures stay the same."""
    pytest.importorskip("distributed", reason="the extra `distributed` is not installed")
    with contextlib.ExitStack() as processes:
        machines = Machines(tmp_path, processes)
        machines.worker()
        with executor(machines.name) as there:
            reproduce(
                tmp_path / "there",
                Spec.parse(TOY),
                default_registry(),
                Resources(workers=3, executor=there),
                scale=LEAST,
            )
    assert (tmp_path / "there" / "results.json").read_bytes() == (made / "results.json").read_bytes()


@pytest.mark.slow
def test_beyond_the_paper(tmp_path: Path) -> None:
    """Also with databases of 5 and 6 pieces, which are built on first use."""
    spec = Spec.parse(f"{TOY},beyond=true")
    report = reproduce(tmp_path / "out", spec, default_registry(), Resources(workers=2), scale=TINY)
    for name in ("alphabeta", "no database", "5 pieces", "6 pieces", "adjudicated, 4 pieces", "adjudicated, 6 pieces"):
        assert len(report.numbers["beyond"][name]["loops"]) == 1
        assert f"| {name} |" in report.text
        assert name.startswith("adjudicated") or len(report.numbers["beyond"][name]["ballots"]["original"]) == 1


def played(points: tuple[int, int, int], games: int) -> dict[str, Any]:
    won, drawn, lost = points
    pairs = [lost // 2, 0, drawn // 2, 0, won // 2]
    counts = {"wins": won, "draws": drawn, "losses": lost, "loops": drawn, "distinct": games}
    counts["distinct_pairs"] = games // 2
    return {"games": games, "pentanomial": pairs, "elo": 1.0, "elo_interval": [0.5, 1.5], **counts}


def made_up_results(
    loops: dict[str, int], ahead: int, seeds: int = 1, control: int | None = None
) -> dict[str, list[Numbers]]:
    """Results in which the first player of each pairing wins by this number of ballot games.

    control: the same for the match against the best of as many nets with fixed features; default: `ahead`.
    """
    trained = {"probes": 50, "hits": 5, "features": ["Taken"]}
    match, controlled = (
        {
            "first_moves": played((6, 6, 2), 14),
            "as_black": [3, 3, 1],
            "ballots": played((100 + more, 112, 100 - more), 312),
        }
        for more in (ahead, ahead if control is None else control)
    )
    numbers: dict[str, Any] = dict.fromkeys((*PLAYERS, CONTROL), trained)
    for name in PLAYERS:
        training = {
            "games": 2000,
            "draws": loops[name],
            "loops": loops[name],
            "by_pieces": {"4": 1, "6": 2, "8": 3, "more": loops[name] - 6},
            "spoilt": 1,
            "plies": 70.0,
            "distinct": 2000,
            "clones": 3,
            "probes": 50,
            "hits": 5,
        }
        numbers[f"loops {name}"] = {"trainings": [training]}
    numbers["matches"] = {" - ".join(pair): match for pair in PAIRINGS} | {" - ".join(CONTROLLED): controlled}
    numbers["2007"] = {key: {"generation": int(key), **match} for key in ("9", "25")}
    return {name: [numbers[name]] * seeds for name in LSDraughts().conditions}


def made_up(loops: dict[str, int], ahead: int, seeds: int = 1, control: int | None = None) -> Report:
    """A report of such results."""
    return LSDraughts().report(made_up_results(loops, ahead, seeds, control), 1.0)


def test_report_of_the_published_figures() -> None:
    report = made_up(dict(LOOPS), ahead=40)
    assert "stand in the published order" in report.text
    assert (
        "by those of NeuroDraughts: original 73%, extended 16%, the extended player's at most a quarter" in report.text
    )
    assert "| 16.46% | 16.46% | descriptive: fewer than 5 seeds |" in report.text
    assert "With fewer than 5 seeds all of this describes these players" in report.text
    assert "| 5 - 8 - 1, 2 loops | 6 - 6 - 2, 6 loops | not informative |" in report.text
    assert "**The extended player is** stronger, error bar clear of zero, than NeuroDraughts (+" in report.text
    assert "weaker" not in report.text
    assert report.numbers["loops"] == {name: [count] for name, count in LOOPS.items()}


def test_five_seeds_are_a_verdict() -> None:
    report = made_up(dict(LOOPS), ahead=40, seeds=5)
    assert "| 16.46% | 16.46% | qualitative ordering: holds |" in report.text
    assert "+91 (all 5 seeds equal), 5 seeds | qualitative ordering: holds |" in report.text
    assert "against the best of as many nets with the 12 fixed features: Elo original - control" in report.text
    assert "describes these players" not in report.text
    ballots = next(line for line in report.text.splitlines() if line.startswith("| original - NeuroDraughts |"))
    assert ballots.split(" | ")[5] == "1560", ballots  # distinct games
    even = made_up(dict.fromkeys(PLAYERS, 900), ahead=0, seeds=5).text
    assert "| 72.63% | 100.00% | qualitative ordering: not shown |" in even
    assert "| 16.46% | 100.00% | qualitative ordering: does not hold |" in even  # at most a quarter


def test_features_help_only_if_they_beat_as_many_nets_without_them() -> None:
    found = [row for row in made_up(dict(LOOPS), 40, seeds=5, control=0).text.splitlines() if "stronger player" in row]
    assert [row.split(" | ")[-1] for row in found] == [
        "qualitative ordering: not shown |", "qualitative ordering: holds |"
    ]  # fmt: skip


def with_ballots(won: list[int]) -> Report:
    """A report in which the extended player wins this number of 156 pairs against the original, seed by seed."""
    results, pairing = made_up_results(dict(LOOPS), ahead=40, seeds=len(won)), " - ".join(PAIRINGS[2])
    results[MATCHES] = [
        {**numbers, pairing: {**numbers[pairing], "ballots": played((2 * pairs, 0, 312 - 2 * pairs), 312)}}
        for numbers, pairs in zip(results[MATCHES], won, strict=True)
    ]
    return LSDraughts().report(results, 1.0)


def test_matches_of_five_seeds_have_intervals_over_seeds() -> None:
    """Scores of 0.2 to 1.0: the openings, which all seeds share, say little about another training."""
    report = with_ballots([31, 62, 93, 125, 156])
    assert "neither stronger nor weaker beyond the error bar than original (+70 (" in report.text
    assert "the error bar is that of the means of the seeds" in report.text
    few = with_ballots([31, 62, 93, 156])
    assert "stronger, error bar clear of zero, than NeuroDraughts" in few.text
    assert "the error bar is that of the openings, not of other trainings" in few.text


def test_a_seed_that_wins_every_game_is_judged_by_its_score() -> None:
    """Its Elo difference is infinite, so the mean of the seeds would have no interval."""
    report = with_ballots([156, 156, 156, 150, 156])
    row = next(line for line in report.text.splitlines() if ": Elo extended - original" in line)
    assert "nan" not in report.text
    assert "original (+844 (more than +" in report.text
    assert row.endswith(", 5 seeds | qualitative ordering: holds |")


def test_report_of_figures_that_show_nothing() -> None:
    report = made_up(dict.fromkeys(PLAYERS, 900), ahead=0)
    assert "do not stand in the published order" in report.text
    assert "extended 100%, the extended player's more than a quarter" in report.text
    assert "is** neither stronger nor weaker beyond the error bar than NeuroDraughts (+0" in report.text
    assert "`ls-draughts:beyond=true`" in report.text


def test_report_of_a_player_that_is_weaker() -> None:
    assert "weaker, error bar clear of zero, than NeuroDraughts (-" in made_up(dict(LOOPS), ahead=-40).text


def test_a_folder_without_a_database_is_refused_before_any_work(tmp_path: Path) -> None:
    """The database is first used when the original is trained, after hours."""
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(GameforgeError) as error:
        reproduce(tmp_path / "out", Spec.parse(f'ls-draughts:databases=["{empty}"]'), default_registry())
    assert str(empty) in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


def build(folder: Path, *content: str) -> str:
    assert run(["egdb", "build", "--game", "draughts", *content, "--out", str(folder)]) == 0
    return str(folder)


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database of all endings of up to 4 pieces."""
    return build(tmp_path_factory.mktemp("databases") / "four", "--pieces", "4")


@pytest.mark.parametrize("arguments", [("--pieces", "3"), ("--pieces", "4", "--material", "2200")])
def test_the_first_database_must_know_all_small_endings(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    part = build(tmp_path / "part", *arguments)
    with pytest.raises(GameforgeError, match="part must know all endings of up to 4 pieces, because it is the first"):
        reproduce(tmp_path / "out", Spec.parse(f'ls-draughts:databases=["{part}"]'), default_registry())
    assert not (tmp_path / "out").exists()


def test_each_further_database_must_know_more(four: str, tmp_path: Path) -> None:
    """One that knows no more than those before it would never be consulted."""
    part = build(tmp_path / "part", "--pieces", "4", "--material", "2200")
    more = build(tmp_path / "more", "--pieces", "5", "--material", "4100")
    with pytest.raises(GameforgeError, match=r"databases: .*part knows no ending that the databases before it do not"):
        LSDraughtsSettings(databases=(four, part))
    both = four, more
    assert [known["path"] for known in LSDraughtsSettings(databases=both).known] == list(both)


def accepted_with_distances(path: str) -> bool:
    return f"distances {Path(path).name}" in LSDraughts(beyond=True, distances=(path,)).conditions


def test_databases_with_distances_are_checked_before_any_work(
    four: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of 3 pieces is too small; where 3 pieces are enough, it is accepted."""
    few = build(tmp_path / "few", "--pieces", "3", "--format", "dtw")
    no = tmp_path / "no.json"
    no.write_text("no database")
    for path, message in (
        (four, f"distances: {four} has no distances, only wins, losses and draws"),
        (few, f"distances: {few} must know all endings of up to 4 pieces: "),
        (no, str(no)),
    ):
        with pytest.raises(GameforgeError, match=re.escape(message)):
            LSDraughtsSettings(beyond=True, distances=(str(path),))
    monkeypatch.setattr(settings, "_ENDINGS", ("W:W31,32:B1", "W:W32:B1,2"))
    monkeypatch.setattr(settings, "_WON", "W:WK14,K15:BK1")
    assert accepted_with_distances(few)


@pytest.mark.slow
def test_a_database_with_distances_of_four_pieces_is_accepted(tmp_path: Path) -> None:
    assert accepted_with_distances(build(tmp_path / "far", "--pieces", "4", "--format", "dtw"))


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("ls-draughts:pieces=7", r"experiment\.pieces = 7: must be a number from 2 to 6"),
        ("ls-draughts:repeats=0", r"experiment\.repeats = 0: must be 1 or more"),
        ('ls-draughts:databases=["db9"]', "databases: no such file or folder: db9"),
        ('ls-draughts:databases=["/"],pieces=5', "give pieces, for a database that is built, or databases, not both"),
        ('ls-draughts:distances=["dtw4.json"]', "distances need beyond=true, because they go beyond the paper"),
        ('ls-draughts:beyond=true,distances=["dtw4.json"]', r"distances: no such file or folder: dtw4\.json"),
        ('ls-draughts:beyond=true,distances=["/","/"]', "distances: two databases are named"),
    ],
)
def test_bad_input(spec: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(GameforgeError, match=sentence) as error:
        reproduce(tmp_path / "out", Spec.parse(spec), default_registry())
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()
