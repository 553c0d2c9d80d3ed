"""Matches and tournaments in the browser, move by move, and players that crash."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from web_browser import PATIENCE, WIDE, Table, screenshot
from web_server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
QUICK = "alphabeta:depth=1 + material"
TIC_TAC_TOE = Path(__file__).parents[1] / "examples" / "plain_python_rules.py"
CAREFUL = "alphabeta:time=0.3 + material"
"""A player whose games last long enough to be watched."""
BOMB = """
from gameforge import Component, hookimpl

class Bomb:
    def values(self, states):
        raise ValueError("out of <b>ideas</b>")

@hookimpl
def gameforge_components():
    return [Component("evaluator", "bomb", f"{__name__}:Bomb", "raises an exception")]
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, browser: "Browser", runs: Path) -> Iterator[WebServer]:
    bomb = tmp_path_factory.mktemp("plugin") / "bomb.py"
    bomb.write_text(BOMB)
    state = tmp_path_factory.mktemp("state")
    made = WebServer("--game=draughts", f"--player={QUICK}", f"--runs={runs}", state=state, plugins=[bomb, TIC_TAC_TOE])
    yield made
    made.close()


def start(table: Table, first: str, second: str, games: int, **fields: str) -> None:
    """Start a match with the form of the view Watch.

    Labels match exactly: until the form is there, the view before it has a button "First position".
    """
    page = table.page
    page.get_by_role("navigation").get_by_role("button", name="Watch").click()
    page.get_by_label("First", exact=True).fill(first)
    page.get_by_label("Second", exact=True).fill(second)
    page.get_by_label("Games", exact=True).fill(str(games))
    for label, value in fields.items():
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name="Start").click()


def gameforge(*arguments: object) -> subprocess.Popen[str]:
    """Run a command in another process."""
    command = [sys.executable, "-m", "gameforge", *map(str, arguments)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "BROWSER": "true"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def test_a_match_of_the_page_is_shown_move_by_move(table: Table) -> None:
    start(table, CAREFUL, f"{CAREFUL} + none", 2)
    page = table.page
    page.locator(".watch-state:has-text('Game 1 is being played')").wait_for()
    seen = {page.locator(".replay-moves").inner_text()}
    while len(seen) < 4:  # the moves of the first game come in one by one
        page.wait_for_timeout(50)
        seen.add(page.locator(".replay-moves").inner_text())
    assert "No game has ended yet" in page.locator(".score").inner_text()
    screenshot(page, "watch-live-1280-light")
    page.get_by_role("button", name="Stop").click()
    page.locator(".watch-state:has-text('Stopped')").wait_for()


def test_a_match_has_a_table_a_test_and_a_course(table: Table, runs: Path) -> None:
    start(table, "alphabeta:depth=3 + material", "random", 60, SPRT="0,200", Folder="sprt")
    page = table.page
    page.locator(".watch-state:has-text('Finished')").wait_for()
    assert page.locator(".cross tbody tr").count() == 2
    assert "H1 accepted" in page.locator(".sprt").inner_text()
    assert "Elo more than" in page.locator(".score").inner_text()
    assert page.locator(".sprt-share").count() == 1
    assert (runs / "sprt" / "match.json").exists()
    assert not (runs / "sprt" / "current.json").exists()
    screenshot(page, "watch-1280-light")
    page.get_by_role("button", name="Analyse the last game").click()
    page.locator(".moves .move").nth(5).wait_for()


def test_a_tournament_has_a_crosstable(table: Table) -> None:
    page = table.page
    page.get_by_role("navigation").get_by_role("button", name="Watch").click()
    page.get_by_label("Kind", exact=True).select_option("tournament")
    page.get_by_label("Players", exact=True).fill(f"{QUICK}\nrandom\nalphabeta:depth=2 + material")
    page.get_by_label("Games", exact=True).fill("4")
    page.get_by_label("Folder", exact=True).fill("cup")
    page.get_by_role("button", name="Start").click()
    page.locator(".watch-state:has-text('Finished')").wait_for()
    rows = page.locator(".cross tbody tr")
    assert rows.count() == 3
    assert "random" in rows.last.inner_text()
    assert re.search(r"12 games, \d+ distinct", page.locator(".score").inner_text())
    screenshot(page, "watch-tournament-1280-light")
    page.reload()  # the tournament is in the folder now
    page.get_by_role("button", name="cup").click()
    rows.nth(2).wait_for()


def test_a_match_of_another_process_is_followed_until_it_ends(table: Table, runs: Path) -> None:
    other = gameforge("match", CAREFUL, QUICK, "--game=draughts", "--games=2", f"--out={runs / 'elsewhere'}")
    try:
        while not (runs / "elsewhere" / "current.json").exists():
            assert other.poll() is None
            table.page.wait_for_timeout(100)
        page = table.page
        page.get_by_role("navigation").get_by_role("button", name="Watch").click()
        page.get_by_role("button", name="elsewhere").click()
        page.locator(".watch-state:has-text('is being played')").wait_for()
        page.locator(".replay-moves:not(:empty)").wait_for()
        page.locator(".watch-state:has-text('Finished')").wait_for()
        assert page.locator(".cross tbody tr").count() == 2
    finally:
        other.wait(300)


def test_a_match_whose_process_is_killed_is_shown_as_interrupted(table: Table, runs: Path) -> None:
    other = gameforge("match", CAREFUL, QUICK, "--game=draughts", "--games=20", f"--out={runs / 'killed'}")
    while not (runs / "killed" / "current.json").exists():
        assert other.poll() is None
        table.page.wait_for_timeout(100)
    table.page.get_by_role("navigation").get_by_role("button", name="Watch").click()
    table.page.get_by_role("button", name="killed").click()
    table.page.locator(".watch-state:has-text('is being played')").wait_for()
    other.kill()
    other.communicate()
    table.page.locator(".watch-state:has-text('Interrupted')").wait_for()


def test_the_lists_of_the_folder_refresh_themselves(table: Table, runs: Path) -> None:
    page = table.page
    page.get_by_role("navigation").get_by_role("button", name="Runs").click()
    page.locator(".empty").wait_for()
    late = runs / "late"
    late.mkdir()
    (late / "run.json").write_text("damaged")
    page.locator(".damaged:has-text('late')").wait_for()
    shutil.rmtree(late)
    page.locator(".damaged:has-text('late')").wait_for(state="detached")


def test_a_player_that_crashes_loses_and_the_page_says_why(table: Table) -> None:
    bomb = "alphabeta:depth=1 + bomb"
    start(table, bomb, QUICK, 2)
    page = table.page
    page.locator(".watch-state:has-text('Finished')").wait_for()
    assert "crashed in game 1: ValueError: out of <b>ideas</b>" in page.locator(".score").inner_text()
    page.get_by_role("navigation").get_by_role("button", name="Play").click()
    table.new_game("draughts", bomb)
    table.cell("11")
    table.cell("15")
    page.locator(".toast:has-text('out of <b>ideas</b>')").wait_for()
    assert page.locator(".toast b").count() == 0
    page.get_by_role("button", name="Try again").wait_for()
    table.new_game("draughts", QUICK)  # and nothing else has suffered
    page.locator(".playable").first.wait_for()  # in the game before, it is the player's turn for ever
    table.cell("11")
    table.cell("15")
    table.wait_for_moves(2)


def test_a_game_without_a_board_is_played_from_its_list_of_moves(table: Table) -> None:
    table.new_game("tic-tac-toe", "random")
    assert table.page.locator(".diagram").inner_text().splitlines()[0] == ". . ."
    while not table.is_over():
        table.play_any(keyboard=False)
    assert "x" in table.page.locator(".diagram").inner_text()


@pytest.fixture
def page(browser: "Browser") -> Iterator["Page"]:
    context = browser.new_context(viewport={"width": WIDE[0], "height": WIDE[1]}, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def address(command: subprocess.Popen[str]) -> str:
    """The address that a command prints."""
    assert command.stderr is not None
    return next(found[0] for line in command.stderr if (found := re.search(r"http://\S+", line)))


def test_the_command_line_opens_a_page_that_shows_its_match(page: "Page") -> None:
    other = gameforge("match", CAREFUL, CAREFUL, "--game=draughts", "--games=200", "--watch")
    try:
        page.goto(address(other))
        page.locator(".watch-state:has-text('is being played')").wait_for(timeout=PATIENCE)
        page.locator(".replay-moves:not(:empty)").wait_for(timeout=PATIENCE)
        other.send_signal(signal.SIGINT)
        _, errors = other.communicate(timeout=PATIENCE / 1000)
        assert (other.returncode, errors.splitlines()[-1]) == (130, "interrupted")
        page.locator("#offline:visible").wait_for(timeout=PATIENCE)
    finally:
        if other.poll() is None:
            other.kill()
            other.wait()


def test_the_page_of_the_command_line_stays_after_the_last_game(page: "Page") -> None:
    other = gameforge("tournament", QUICK, "random", "--game=draughts", "--games=2", "--watch")
    try:
        url = address(other)
        assert other.stderr is not None
        assert any("until you press Ctrl-C" in line for line in other.stderr)
        page.goto(url)
        page.locator(".cross tbody tr").nth(1).wait_for(timeout=PATIENCE)
        other.send_signal(signal.SIGINT)
        out, _ = other.communicate(timeout=PATIENCE / 1000)
        assert other.returncode == 0
        assert "random" in out
    finally:
        if other.poll() is None:
            other.kill()
            other.wait()
