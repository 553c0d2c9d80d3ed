"""Tables of trainings and tournaments: whole headings and numbers at any width, the most important columns first."""

import io
from collections.abc import Sequence
from typing import Any

import pytest
from rich.table import Table

from gameforge.arena import MatchResult
from gameforge.arena.tournament import Rating, TournamentResult
from gameforge.cli.commands.match import crosstables
from gameforge.cli.console import Console
from gameforge.cli.figures import figure_text, rate_text
from gameforge.cli.training_display import columns, fitting, session_table
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import Outcome

RUNS: dict[str, list[dict[str, Any]]] = {
    "td": [
        {"session": i, "wins": 101, "losses": 91, "draws": 8, "loops": 3 * i, "test_points": 4, "cloned": i == 3,
         "mean_plies": 60.385, "balance": -1.83, "games_per_second": 12769.4, "yardstick_score": 0.275,
         "yardstick_elo": -168.4, "yardstick_elo_deviation": 75.26, "distinct_games": 100 + i}
        for i in range(995, 1003)
    ],
    "ga": [
        {"session": i, "best": 17 * i, "fitness": 121, "mean_fitness": 63.0666666, "features": 9,
         "tournament_draws": 40, "tournament_loops": 40, "games_per_second": 2769.123, "distinct_games": 150 + i}
        for i in range(1, 5)
    ],
    "evolve": [
        {"session": i, "best": i, "fitness": 7, "mean_fitness": 1.2345678, "children": 13, "diversity": 0.1234567,
         "step": 0.0499876, "tournament_draws": 4, "tournament_loops": 3, "games_per_second": 123.456,
         "distinct_games": 71, "yardstick_score": 1.0}
        for i in range(1, 401)
    ],
    "selfplay": [
        {"session": i, "accepted": True, "gate_score": 0.55, "gate_elo": 34.86, "gate_elo_deviation": 12.3,
         "games_per_second": 1234.5, "positions": 1234567, "train_loss": 0.4512345, "test_loss": 0.4612345,
         "gate_games": 600, "gate_distinct": 590, "yardstick_score": 0.95, "yardstick_elo": 511.5,
         "yardstick_elo_deviation": 40.3, "yardstick_distinct": 200}
        for i in range(1, 4)
    ],
    "cem": [
        {"session": i, "searcher.cp": 0.4712345, "searcher.cp deviation": 0.0123456, "searcher.w": 2.0,
         "searcher.w deviation": 0.5, "best_score": 0.65, "elite_score": 0.6123, "wins": 1000, "draws": 20,
         "losses": 980, "loops": 0, "mean_plies": 58.123, "games_per_second": 27.69}
        for i in range(1, 51)
    ],
    "cascade": [
        {"session": i, "neurons": i - 1, "train_mse": 0.1234567, "test_mse": 0.1334567, "output_epochs": 57,
         "candidate_epochs": 150, "candidate_score": 1234.5678}
        for i in range(1, 30)
    ],
    "regress": [
        {"session": i, "train_loss": 0.5123456, "test_loss": 0.5234567, "rate": 0.01 * 0.85**i, "gain": 1.5e-7}
        for i in range(1, 31)
    ],
}  # fmt: skip


def rendered(table: Table, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    console.print(table)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("width", [80, 120, 40])
@pytest.mark.parametrize("learner", RUNS)
def test_nothing_is_cut(learner: str, width: int) -> None:
    rows = RUNS[learner][-10:]
    lines = rendered(session_table(rows, width), width)
    shown = fitting(columns(rows), width)
    assert max(map(len, lines)) <= width
    assert "…" not in "".join(lines)
    cells = [line.split() for line in lines[-len(rows) :]]
    for i, line in enumerate(cells):
        assert line == [word for column in shown for word in column.cells[i].split()]
    heading = " ".join(lines[: -len(rows)])
    assert all(word in heading.split() for column in shown for word in column.heading.split())


@pytest.mark.parametrize("learner", RUNS)
def test_a_wider_terminal_shows_more(learner: str) -> None:
    narrow, wide = (len(fitting(columns(RUNS[learner]), width)) for width in (40, 200))
    assert 1 < narrow < wide
    assert len(fitting(columns(RUNS[learner]), 80)) >= 5


def test_the_most_important_columns_stay() -> None:
    headings = [column.heading for column in fitting(columns(RUNS["td"]), 45)]
    assert headings[:3] == ["session", "won drawn lost", "yardstick Elo"]
    everything = [column.heading for column in columns(RUNS["td"])]
    assert everything[-2:] == ["mean plies", "games/s"]


def heading(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [column.heading for column in columns(rows)]


def test_a_counter_that_never_differs_from_another_has_no_column() -> None:
    same = [{"session": i, "draws": 5 + i, "loops": 5 + i, "number": i, "zeros": 0, "other": 1} for i in (1, 2)]
    assert heading(same) == ["session", "draws", "other"]
    assert heading([{"draws": 1, "loops": 1}, {"draws": 2, "loops": 1}]) == ["session", "draws", "loops"]
    results = {"wins": 3, "draws": 2, "losses": 1}
    assert heading([results | {"distinct_games": 6}] * 2) == ["session", "won drawn lost"]
    assert heading([results | {"distinct_games": 6}, results | {"distinct_games": 5}])[-1] == "distinct games"


def test_deviations_stand_beside_their_figures() -> None:
    found = {column.heading: column.cells[0] for column in columns(RUNS["cem"])}
    assert found["searcher.cp"] == "0.4712 (0.012)"
    assert "searcher.cp deviation" not in found


def test_strength_as_elo_with_its_error_or_as_a_score() -> None:
    rows = [
        {"session": 1},
        {"session": 2, "yardstick_score": 1.0},
        {"session": 3, "yardstick_score": 0.5, "yardstick_elo": 0.0, "yardstick_elo_deviation": 10.0},
    ]
    assert columns(rows)[1].cells == ("", "score 1.00", "+0 +- 20")


def test_a_match_has_one_column_whether_its_elo_difference_is_finite_or_not() -> None:
    """The games of a gate may all be won, and the first session decides the order of the columns."""
    decided = {"session": 1, "accepted": True, "gate_score": 0.8571, "positions": 9}
    found = columns([decided, *RUNS["selfplay"]])
    assert [column.heading for column in found[:5]] == ["session", "yardstick Elo", "accepted", "gate Elo", "positions"]
    assert found[3].cells[:2] == ("score 0.86", "+35 +- 24")


def test_the_losses_of_a_training_by_selfplay_fit_into_80_columns() -> None:
    assert {"train loss", "test loss"} <= {column.heading for column in fitting(columns(RUNS["selfplay"]), 80)}


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (True, "yes"), (False, "no"), (12345, "12345"), (12769.4, "12769"), (0.123456, "0.1235"), (3.0, "3")],
)
def test_figures(value: Any, text: str) -> None:
    assert figure_text(value) == text


@pytest.mark.parametrize(
    ("games", "seconds", "text"),
    [(1000, 2, "500 games/s"), (3, 2, "1.5 games/s"), (3, 60, "3.0 games/min"), (5, 7200, "2.5 games/h")],
)
def test_rates_have_a_unit_in_which_they_are_above_1(games: int, seconds: float, text: str) -> None:
    assert rate_text(games, seconds) == text


def tournament(players: int, games: int) -> TournamentResult:
    names = tuple(f"player {i} [with a long name]" for i in range(players))
    matches = []
    for i in range(players):
        for j in range(i):
            records = tuple(
                GameRecord(number=n, start=(0,), moves=(n,), outcome=Outcome(None, "x"), players=(names[i], names[j]))
                for n in range(1, games + 1)
            )
            matches.append(MatchResult((names[i], names[j]), records))
    return TournamentResult(names, (Rating(0.0, 30.0),) * players, tuple(matches))


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("players", [2, 3, 8, 15])
def test_crosstables_fit(players: int, width: int) -> None:
    result = tournament(players, 20)
    tables = crosstables(result, width)
    lines = [line for table in tables for line in rendered(table, width)]
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert "…" not in text
    assert all(name in text for name in result.players)
    assert text.count("+0 =20 -0") == players * (players - 1)
    assert (len(tables) == 1) == (players <= (4 if width == 120 else 2))
