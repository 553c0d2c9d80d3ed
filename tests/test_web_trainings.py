"""What the page shows of trainings, studies and the games of matches, without a browser."""

from pathlib import Path
from typing import Any

import attrs
import pytest

import gameforge as gf
from gameforge import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import Outcome
from gameforge.training.run_report import RunReport
from gameforge.web.match_games import Listed, MatchGames, listed, read_match_games
from gameforge.web.trainings import MOST_SESSIONS, run_view, thinned


def report(folder: Path, metrics: list[dict[str, float | str]]) -> RunReport:
    settings = {"game": {"use": "draughts"}, "learner": {"use": "td", "lambda": 0.5}, "seed": 3}
    return RunReport(
        folder=folder,
        game="draughts",
        state="running",
        began="",
        settings=settings,
        metrics=metrics,
        summary={},
    )


class TestRunView:
    def test_curves_are_columns_with_gaps(self, tmp_path: Path) -> None:
        rows: list[dict[str, float | str]] = [
            {"session": 1, "games": 20, "games_per_second": 10.0, "mean_plies": 40.0},
            {"session": 2, "games": 60, "games_per_second": 20.0, "mean_plies": 50.0, "yardstick_score": 0.25},
        ]
        view: Any = run_view(report(tmp_path, rows))
        assert view["axes"] == {"training games": [20, 60], "sessions": [1, 2], "seconds": [2.0, 4.0]}
        assert view["curves"]["moves a game"] == [20.0, 25.0]
        assert view["curves"]["yardstick score"] == [None, 0.25]
        assert view["parameters"]["learner.lambda"] == 0.5
        assert view["parameters"]["seed"] == 3

    def test_a_clock_is_better_than_games_a_second(self, tmp_path: Path) -> None:
        (tmp_path / "clock.jsonl").write_text('{"session": 1, "seconds": 7.5}\n')
        view: Any = run_view(report(tmp_path, [{"session": 1, "games": 20, "games_per_second": 10.0}]))
        assert view["axes"]["seconds"] == [7.5]

    def test_learners_without_games_are_drawn_over_their_own_axis(self, tmp_path: Path) -> None:
        view: Any = run_view(report(tmp_path, [{"session": 1, "games": 0, "neurons": 4, "over": "neurons"}]))
        assert list(view["axes"]) == ["neurons", "training games", "sessions"]

    def test_a_run_without_a_session(self, tmp_path: Path) -> None:
        view: Any = run_view(report(tmp_path, []))
        assert view["curves"] == {}
        assert view["axes"]["sessions"] == []

    def test_long_runs_are_thinned_but_keep_their_end_and_what_was_measured(self) -> None:
        rows: list[dict[str, float | str]] = [{"session": i, "games": i} for i in range(1, 50_001)]
        rows[12_345]["yardstick_score"] = 0.5
        kept = thinned(rows)
        assert kept[-1] is rows[-1]
        assert rows[12_345] in kept
        assert len(kept) <= MOST_SESSIONS + 1
        assert thinned(rows[:900]) == rows[:900]


def record(first: str, second: str, moves: tuple[int, ...], winner: int | None) -> GameRecord:
    return GameRecord(players=(first, second), start=(0,), moves=moves, outcome=Outcome(winner, "no moves"))


class TestMatchGames:
    @pytest.fixture
    def games(self) -> list[Listed]:
        return listed(
            iter(
                [
                    record("a", "b", (1, 2, 3), 0),
                    record("b", "a", (1, 2, 4, 5), 0),
                    record("a", "b", (1, 7), None),
                    record("b", "a", (1, 7), None),
                    record("a", "b", (9, 9, 9, 9, 9), 1),
                ]
            )
        )

    def chosen(self, games: list[Listed], **wanted: object) -> list[int]:
        return [game.number for game in MatchGames(path="", **wanted).chosen(games)]  # type: ignore[arg-type]

    def test_a_pair_differs_after_what_both_games_share(self, games: list[Listed]) -> None:
        assert [game.diverges for game in games] == [2, 2, None, None, None]

    def test_lost_with_the_first_side(self, games: list[Listed]) -> None:
        assert self.chosen(games, player="a", result="lost") == [2, 5]
        assert self.chosen(games, player="a", result="lost", side=0) == [5]
        assert self.chosen(games, result="drawn") == [3, 4]
        assert self.chosen(games, player="nobody") == []

    def test_orders(self, games: list[Listed]) -> None:
        assert self.chosen(games, order="diverges") == [1, 2, 3, 4, 5]
        assert self.chosen(games, order="plies") == [3, 4, 1, 2, 5]

    def test_the_games_of_a_match_in_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match="has no games yet"):
            next(read_match_games(tmp_path))
        result = gf.match("random", "random", 4, game="othello", out=tmp_path / "m", progress=False)
        assert [one.codes for one in read_match_games(tmp_path / "m")] == [one.codes for one in result.games]
        with (tmp_path / "m" / "records.jsonl").open("a") as file:
            file.write('{"phase": ')
        assert len([*read_match_games(tmp_path / "m")]) == 4

    def test_a_damaged_line_is_one_sentence(self, tmp_path: Path) -> None:
        (tmp_path / "records.jsonl").write_text("{}\n")
        with pytest.raises(GameforgeError, match="damaged"):
            next(read_match_games(tmp_path))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[gf.Study, Path]:
    base = {"game": "draughts", "learner": {"use": "td", "sessions": 2, "games": 2}}
    made = gf.Study(base, grid={"learner.lambda": [0.0, 0.5]}, seeds=2, yardstick={"player": "random", "games": 2})
    folder = tmp_path_factory.mktemp("study") / "s"
    made.run(folder, progress=False)
    return made, folder


class TestStudyFigures:
    def test_they_are_those_of_the_report(self, study: tuple[gf.Study, Path]) -> None:
        made, folder = study
        found = made.figures(folder)
        assert (found.ended, found.wanted) == (4, 4)
        text = (folder / "report.md").read_text()
        for name, rows in found.tables.items():
            assert f"## {name}" in text
            assert all(cell in text for row in rows for cell in row.values())
        assert [curve.variant for curve in found.curves] == [variant.name for variant in made.variants]

    def test_before_the_first_trial_has_ended(self, study: tuple[gf.Study, Path], tmp_path: Path) -> None:
        found = study[0].figures(tmp_path)
        assert (found.ended, found.wanted, len(found.curves)) == (0, 4, 0)
        assert attrs.asdict(found)["tables"]["Scores"][0]["seeds"] == "0"
