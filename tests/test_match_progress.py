"""Live results of matches, and lines of progress where the output is not a terminal."""

import io

import pytest

from gameforge.arena import Sprt
from gameforge.cli.commands import match as match_command
from gameforge.cli.commands.match import MatchProgress, shown
from gameforge.cli.console import Console, Paced
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import Outcome


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def game(number: int, winner: int | None) -> GameRecord:
    return GameRecord(phase="match", number=number, start=(0,), moves=(number,), outcome=Outcome(winner, "x"))


def played(progress: MatchProgress, clock: Clock, seconds: float, *winners: int | None) -> None:
    """Play games of one match, each of which takes some time."""
    for i, winner in enumerate(winners, 1):
        clock.now += seconds
        progress.add(game(i, winner))


def test_results_are_those_of_the_first_player() -> None:
    """It has the first side in odd games; the first winner is therefore not the second."""
    clock = Clock()
    progress = MatchProgress(400, paced=Paced(clock))
    played(progress, clock, 1.0, 0, 0, None, 1, 1, None)
    assert progress.lines() == (
        "+2 =2 -2  Elo +0 +- 223",
        "6 of 400 games, 1.0 games/s, 7 min left",
    )


def test_a_sequential_test_shows_its_ratio_and_bounds() -> None:
    clock = Clock()
    progress = MatchProgress(20_000, Sprt(0, 10), paced=Paced(clock))
    played(progress, clock, 0.5, *[0, None] * 3)
    state, speed = progress.lines()
    assert state.startswith("+3 =3 -0  Elo ")
    assert state.endswith("  LLR 0.09 (-2.94, 2.94)")
    assert speed == "6 of at most 20,000 games, 2.0 games/s, at most 2.8 h left"


def test_games_of_a_resumed_match_say_nothing_about_the_speed() -> None:
    clock = Clock()
    progress = MatchProgress(1000, paced=Paced(clock))
    played(progress, clock, 0.0, *[0] * 500)
    assert progress.lines()[1] == "500 of 1,000 games"
    played(progress, clock, 1.0, *[0] * 10)
    assert progress.lines()[1] == "510 of 1,000 games, 1.0 games/s, 8 min left"


def test_a_tournament_shows_one_match_after_the_other() -> None:
    clock = Clock()
    progress = MatchProgress(8, matches=2, paced=Paced(clock))
    played(progress, clock, 1.0, 0, 1, 0, 1)
    assert progress.lines()[0].startswith("match 1 of 2  +4 =0 -0  Elo unknown")
    progress.begin(2)
    assert progress.lines() == ("match 2 of 2  +0 =0 -0  Elo unknown", "4 of 8 games, 1.0 games/s, 4 s left")


@pytest.mark.parametrize("counts", [10**2, 10**5])
def test_each_line_fits_80_columns(counts: int) -> None:
    clock = Clock()
    progress = MatchProgress(20 * counts, Sprt(-1.5, 10.25, "normalized"), matches=45, paced=Paced(clock))
    progress.begin(44)
    played(progress, clock, 1e-3, *[0, None, 1, 1] * (counts // 4))
    assert all(len(line) < 80 for line in progress.lines())


def test_lines_come_now_and_then() -> None:
    """After 10 seconds; a day of work gives about a hundred lines."""
    clock = Clock()
    paced = Paced(clock)
    lines = 0
    for second in range(24 * 3600):
        clock.now = 100.0 + second
        due = paced.due()
        assert not due or second >= 10
        lines += due
    assert 50 < lines < 150


def test_where_the_output_is_redirected_lines_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(match_command, "Paced", lambda: Paced(clock))
    console = Console(file=io.StringIO(), force_terminal=False, highlight=False)
    progress = MatchProgress(100, paced=Paced(clock))
    with shown(console, progress) as game_finished:
        for i in range(1, 26):
            clock.now += 1.0
            game_finished(game(i, None))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert len(lines) == 2
    assert lines[0].startswith("+0 =10 -0  Elo +0")
    assert lines[0].endswith("; 10 of 100 games, 1.0 games/s, 90 s left")


def test_other_work_reports_its_state_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr("gameforge.cli.console.Paced", lambda: Paced(clock))
    console = Console(file=io.StringIO(), force_terminal=False, highlight=False)
    with console.reported("work") as report:
        for i in range(1, 26):
            clock.now += 1.0
            report(f"{i} examples")
    assert console.file.getvalue() == "10 examples\n20 examples\n"  # type: ignore[attr-defined]


def test_a_terminal_shows_a_status() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=80, height=20)
    clock = Clock()
    with shown(console, MatchProgress(4, paced=Paced(clock))) as game_finished:
        game_finished(game(1, 0))
    assert "4 games" in console.file.getvalue()  # type: ignore[attr-defined]
