"""The progress display of `gameforge run`: the numbers that a learner reports, under their own names."""

import io
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gameforge.cli.console import Console, Paced
from gameforge.cli.training_display import LiveDisplay
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import Progress, Step, Trained
from gameforge.interfaces.rules import Outcome


def progress(session: int, **numbers: float) -> Progress:
    weights = np.zeros(1, np.float32)
    return Progress(session=session, sessions=2, games=10 * session, total=20, weights=weights, numbers=numbers)


def game(winner: int | None, phase: str = "training") -> GameRecord:
    return GameRecord(
        phase=phase,
        number=1,
        players=("net", "clone"),
        start=(0,),
        moves=(1, 2),
        outcome=Outcome(winner, "reason", loop=winner is None),
        learner=0,
    )


def run(trained: Any = None) -> Any:
    table = {"game": {"use": "go"}, "evaluator": {"use": "net", "features": {"use": "stones"}}, "seed": 3}
    return SimpleNamespace(
        pipeline=SimpleNamespace(settings=table, knowledge=(), learner=None, seed=3),
        trained=trained,
        resumed=False,
        strength=None,
    )


class Screen:
    """A display on a terminal or in a file, with recorded output."""

    def __init__(self, terminal: bool) -> None:
        self.file = io.StringIO()
        console = Console(file=self.file, force_terminal=terminal, width=120, highlight=False)
        self.display = LiveDisplay(console, console.preparation())
        self.display.gameforge_run_started(run())

    def text(self) -> str:
        return self.file.getvalue()


def test_one_line_per_session_without_a_terminal() -> None:
    screen = Screen(terminal=False)
    screen.display.gameforge_checkpoint(progress(1, error=0.12345678, kept=True, tries=7))
    screen.display.gameforge_checkpoint(progress(2, error=3.0, kept=False, tries=8))
    title, *lines = screen.text().splitlines()
    assert title == "game go, evaluator net, features stones, seed 3"
    assert lines == ["session 1/2: error 0.1235, kept, tries 7", "session 2/2: error 3, kept no, tries 8"]


def step(done: int, session: int = 1) -> Step:
    games = 10 * (session - 1) + done
    return Step(session=session, units="games of self-play", done=done, total=10, games=games)


@pytest.mark.parametrize("terminal", [False, True])
def test_a_session_says_how_far_it_is(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Paced, "due", lambda lines: True)
    screen = Screen(terminal)
    screen.display.gameforge_checkpoint(progress(1))
    screen.display.gameforge_step_advanced(step(4, session=2))
    screen.display.stop()
    lines = [line for line in screen.text().splitlines() if "14 of 20 games, " in line]
    assert " left; session 2, games of self-play: 4 of 10" in lines[-1]


def test_the_speed_is_measured_from_the_first_report_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels compile before it, and a resumed session has games before it."""
    monkeypatch.setattr(Paced, "due", lambda lines: True)
    screen = Screen(terminal=False)
    screen.display.gameforge_step_advanced(step(4))
    screen.display.gameforge_step_advanced(step(4))
    assert not any("games/" in line or " left" in line for line in screen.text().splitlines())
    screen.display.gameforge_step_advanced(step(5))
    assert "games/s" in screen.text().splitlines()[-1]


def test_results_of_training_games_are_counted() -> None:
    screen = Screen(terminal=False)
    for finished in (game(0), game(0), game(1), game(None), game(0, "test")):
        screen.display.gameforge_game_finished(finished)
    screen.display.gameforge_checkpoint(progress(1, games_per_second=12.0))
    screen.display.gameforge_checkpoint(progress(2))
    assert screen.text().splitlines()[1:] == [
        "session 1/2: wins 2, draws 1, losses 1, loops 1, games/s 12",
        "session 2/2",
    ]


@pytest.mark.parametrize("sessions", [0, 1, 2])
def test_a_table_on_a_terminal(sessions: int) -> None:
    screen = Screen(terminal=True)
    for session in range(1, sessions + 1):
        screen.display.gameforge_checkpoint(progress(session, error=0.5, **({"kept": True} if session == 2 else {})))
    screen.display.gameforge_game_finished(game(0))
    screen.display.stop()
    last = screen.text()
    assert ("error" in last) == (sessions > 0)
    assert ("kept" in last) == (sessions == 2)
    assert "won" in last
    assert "+1 =0 -0" in last
    assert f"{10 * sessions + 1} of {20 if sessions else 0} games" in last


def test_a_terminal_shows_the_last_sessions() -> None:
    screen = Screen(terminal=True)
    for session in range(1, 301):
        screen.display.gameforge_checkpoint(progress(session, error=0.5))
    began = len(screen.text())
    screen.display.stop()
    last = screen.text()[began:]
    assert "300  " in last
    assert last.count("0.5") < 60


def test_summary_of_the_learner() -> None:
    weights = np.zeros(1, np.float32)
    trained = Trained(weights=weights, initial_weights=weights, summary={"best_loss": 0.25})
    screen = Screen(terminal=False)
    table = screen.display.summary(run(trained))
    assert list(table.columns[0].cells) == ["best loss", "seconds"]
    assert next(iter(table.columns[1].cells)) == "0.25"


@pytest.mark.parametrize("terminal", [False, True])
def test_a_notice_is_shown_once_and_in_full_everywhere(terminal: bool) -> None:
    file = io.StringIO()
    notice = "building all positions, once: about 3 min and 0.85 GB of disk in /a/folder/with/a/long/name/of/its/own"
    with Console(file=file, force_terminal=terminal, width=80, highlight=False).preparation() as preparation:
        preparation(notice, 0, 0)
        preparation(notice, 0, 0)
        preparation("building", 5, 10)
    assert file.getvalue().count(notice + "\n") == 1


def test_without_a_terminal_progress_prints_nothing() -> None:
    file = io.StringIO()
    with Console(file=file, force_terminal=False).preparation() as preparation:
        preparation("building", 5, 10)
    assert file.getvalue() == ""
