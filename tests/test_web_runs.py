"""Trainings in the browser: live curves, games, players of a run; and pictures of all views."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from web_browser import NARROW, WIDE, Table, open_table, screenshot, serious_barriers, table_of
from web_npm import npm_package
from web_server import WebServer

import gameforge as gf

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
QUICK = "alphabeta:depth=2 + material"
RUN = ("run", "--game=draughts", "--oracle=none", "--match-games=0", "--searcher=minimax:depth=1")


def gameforge(*arguments: object) -> subprocess.Popen[str]:
    """Run a command in another process."""
    command = [sys.executable, "-m", "gameforge", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=os.environ)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run and a finished match."""
    folder = tmp_path_factory.mktemp("runs")
    done = gameforge(*RUN, "--learner=td:sessions=6,games=6", f"--out={folder / 'td'}")
    _, said = done.communicate(timeout=900)
    assert done.returncode == 0, said
    gf.match("alphabeta:depth=2 + material", "random", 6, game="draughts", out=folder / "match", progress=False)
    base = {"game": "draughts", "searcher": "minimax:depth=1", "learner": {"use": "td", "sessions": 3, "games": 4}}
    grid = {"learner.lambda": [0.0, 0.5]}
    study = gf.Study(base, grid=grid, seeds=2, yardstick={"player": "random", "games": 2}, title="Two lambdas")
    study.run(folder / "study", progress=False)
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, browser: "Browser", runs: Path) -> Iterator[WebServer]:
    state = tmp_path_factory.mktemp("state")
    made = WebServer("--game=draughts", f"--player={QUICK}", f"--runs={runs}", state=state)
    yield made
    made.close()


@pytest.fixture
def table(browser: "Browser", server: WebServer) -> Iterator[Table]:
    with open_table(browser, server, "Runs") as made:
        yield made


@pytest.mark.parametrize(("ending", "state"), [(signal.SIGINT, "interrupted"), (signal.SIGKILL, "killed")])
def test_a_training_of_another_process_is_followed_live(
    table: Table, runs: Path, ending: signal.Signals, state: str
) -> None:
    page = table.page
    live = runs / f"live-{state}"
    other = gameforge(*RUN, "--learner=td:sessions=100000,games=4", f"--out={live}")
    try:
        while not (live / "metrics.jsonl").exists():
            assert other.poll() is None
            page.wait_for_timeout(100)
        page.reload()
        page.get_by_role("checkbox", name=re.compile(f"^{live.name}")).check()
        title = page.locator(".about-run h3")
        title.filter(has_text="running").wait_for()
        page.locator(".plot canvas").first.wait_for()
        seen = {title.inner_text()}
        while len(seen) < 3:  # new sessions come in by themselves
            page.wait_for_timeout(50)
            seen.add(title.inner_text())
        page.get_by_role("checkbox", name=re.compile("^td")).check()
        page.locator(".about-run").nth(1).wait_for()
        legend = page.locator(".chart-tools + .charts figure").first.locator(".u-legend .u-series")
        legend.nth(2).wait_for()  # both runs and the x axis: compared in one picture
        page.get_by_role("region", name="Settings that differ").get_by_text("learner.sessions").wait_for()
        other.send_signal(ending)
        page.locator(".about-run h3", has_text=state).wait_for()
    finally:
        if other.poll() is None:
            other.send_signal(signal.SIGINT)
        other.wait(300)


def test_a_game_of_a_training_is_replayed(table: Table) -> None:
    page = table.page
    page.get_by_role("checkbox", name=re.compile("^td")).check()
    page.get_by_role("button", name="Games").click()
    page.get_by_role("dialog").locator(".rows button").first.click()
    page.locator(".moves .move").nth(5).wait_for()
    page.get_by_role("button", name="Last position").click()
    page.locator(".move[aria-current]").wait_for()


def test_the_player_of_a_run_is_played_against_and_meets_itself(table: Table) -> None:
    page = table.page
    page.get_by_role("checkbox", name=re.compile("^td")).check()
    page.get_by_role("button", name="Play against it").click()
    page.locator(".strip", has_text="player").wait_for()
    table.cell("11")
    table.cell("15")
    table.wait_for_moves(2)
    page.get_by_role("navigation").get_by_role("button", name="Runs").click()
    page.get_by_role("button", name="Match against").click()  # the run is still chosen
    page.locator(".cross tbody tr").nth(1).wait_for()
    page.get_by_role("button", name="Stop").click()


def test_a_view_that_is_entered_again_shows_the_runs_that_were_chosen(table: Table) -> None:
    page = table.page
    run = page.get_by_role("checkbox", name=re.compile("^td"))
    run.check()
    page.locator(".about-run").wait_for()
    page.get_by_role("navigation").get_by_role("button", name="Play").click()
    page.get_by_role("navigation").get_by_role("button", name="Runs").click()
    page.get_by_role("button", name="Play against it").wait_for()
    page.locator(".folder input:checked").wait_for()
    run.uncheck()
    page.locator(".about-run").wait_for(state="detached")


def tour(table: Table) -> Iterator[str]:
    """Show every view with something in it; yield a name for each."""
    page = table.page

    def view(name: str) -> None:
        page.get_by_role("navigation").get_by_role("button", name=name).click()

    page.get_by_role("button", name="New game").click()
    page.get_by_role("dialog").wait_for()
    yield "new-game"
    page.get_by_role("button", name="Cancel").click()
    view("Analyse")
    page.get_by_label("Player that analyses").fill(QUICK)
    page.get_by_label("Player that analyses").press("Enter")
    for move in ("11-16", "24-19", "8-11", "22-18", "9-14", "18x9"):
        page.get_by_label("Type a move").fill(move)
        page.get_by_label("Type a move").press("Enter")
        page.locator(f".move[aria-current]:has-text('{move}')").wait_for()
    page.get_by_role("button", name="Analyse the game").click()
    page.locator(".graph").wait_for()
    page.locator(".line .moves-of-line:not(:empty)").first.wait_for()
    yield "analyse"
    page.get_by_label("Player that analyses").fill("strong")
    page.get_by_label("Player that analyses").press("Enter")
    page.get_by_role("button", name="Heat map").click()
    page.locator(".warm").first.wait_for()
    page.locator(".line .moves-of-line:not(:empty)").first.wait_for()
    yield "heat-map"
    page.get_by_role("button", name="Heat map").click()
    page.get_by_role("button", name="Position", exact=True).click()
    page.get_by_role("button", name="By hand").click()
    yield "set-up"
    page.get_by_role("button", name="Cancel").click()
    view("Watch")
    page.get_by_role("button", name=re.compile("^match")).click()
    page.locator(".replay-moves:not(:empty)").wait_for()
    yield "watch"
    view("Runs")
    page.get_by_role("checkbox", name=re.compile("^td")).check()
    page.locator(".plot canvas").first.wait_for()
    yield "runs"
    page.get_by_role("checkbox", name=re.compile("^td")).uncheck()
    page.get_by_role("button", name=re.compile("^study")).click()
    page.locator(".study .plot canvas").first.wait_for()
    yield "study"


def test_curves_are_drawn_as_one_likes(table: Table) -> None:
    """The chart's label says in words what it shows."""
    page = table.page
    page.get_by_role("group", name="Runs").get_by_role("checkbox", name=re.compile("^study")).first.wait_for()
    boxes = page.get_by_role("group", name="Runs").get_by_role("checkbox", name=re.compile("^study"))
    for i in range(boxes.count()):
        boxes.nth(i).check()
    chart = page.locator(".charts [aria-label^='moves a game by training games']")
    legend = chart.locator(".u-legend .u-series")
    legend.nth(4).wait_for()  # four runs
    page.get_by_role("checkbox", name="Bands over seeds").check()
    page.locator(".charts [aria-label*='and 1 more']").first.wait_for()  # two settings with two seeds each
    assert legend.count() == 7  # x, and mean, lowest and highest of each
    page.get_by_label("Draw against").select_option("sessions")
    page.locator(".charts [aria-label^='moves a game by sessions']").wait_for()
    before = page.locator(".charts .plot").first.get_attribute("aria-label")
    page.get_by_label("Smoothing").fill("0.9")
    assert page.locator(".charts .plot").first.get_attribute("aria-label") == before  # what was measured
    page.get_by_role("checkbox", name="Logarithmic x").check()
    page.reload()  # the choices are kept
    page.get_by_role("checkbox", name=re.compile("^td")).check()
    assert page.get_by_label("Smoothing").input_value() == "0.9"
    assert page.get_by_role("checkbox", name="Bands over seeds").is_checked()


def test_heat_maps_of_the_generations(table: Table) -> None:
    page = table.page
    page.get_by_role("checkbox", name=re.compile("^td")).check()
    page.get_by_role("button", name="Heat maps").click()
    dialog = page.get_by_role("dialog", name="Heat maps")
    dialog.locator(".worth").first.wait_for()
    slider = dialog.get_by_label("Generation")
    last, trained = int(slider.get_attribute("max") or 0), dialog.locator(".worth").all_text_contents()
    assert last >= 1
    dialog.get_by_label("Show").select_option("first")
    dialog.get_by_text("beside").wait_for()
    assert dialog.locator(".worth").all_text_contents() != trained
    slider.fill("0")
    page.wait_for_function(
        "[...document.querySelectorAll('dialog .worth')].every(({textContent}) => Number(textContent) === 0)"
    )  # the first generation beside itself


def test_the_report_of_a_study(table: Table) -> None:
    page = table.page
    page.get_by_role("button", name=re.compile("^study")).click()
    page.get_by_text("Two lambdas: 4 of 4 trials, finished").wait_for()
    scores = page.get_by_role("region", name="Scores")
    assert scores.get_by_role("row").count() == 3
    page.locator("[aria-label^='Strength by training games']").wait_for()


def test_the_games_of_a_match_are_filtered(table: Table) -> None:
    page = table.page
    page.get_by_role("navigation").get_by_role("button", name="Watch").click()
    page.get_by_role("button", name=re.compile("^match")).click()
    page.get_by_role("button", name="All games").click()
    dialog = page.get_by_role("dialog", name="Games of the match")
    dialog.get_by_text("Games 1 to 6 of 6").wait_for()
    dialog.get_by_label("Player").select_option("random")
    dialog.get_by_label("Result").select_option("lost")
    dialog.get_by_label("Side").select_option("1")
    dialog.get_by_text("Games 1 to 3 of 3").wait_for()
    dialog.get_by_label("Result").select_option("won")
    dialog.get_by_text("No such games.").wait_for()
    dialog.get_by_label("Result").select_option("")
    dialog.get_by_label("Order").select_option("plies")
    plies = dialog.locator("tbody tr td:nth-child(5)")
    dialog.get_by_text("Games 1 to 3 of 3").wait_for()
    assert [*map(int, plies.all_inner_texts())] == sorted(map(int, plies.all_inner_texts()))
    dialog.get_by_role("button", name="Open game").first.click()
    page.locator(".moves .move").nth(5).wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, (844, 390), NARROW], ids=["wide", "low", "narrow"])
def test_pictures_of_each_view(browser: "Browser", server: WebServer, size: tuple[int, int], scheme: str) -> None:
    """Nothing is wider than the window."""
    table = table_of(browser, server, size, scheme)
    table.open(f"http://{server.host}/")
    for name in tour(table):
        table.page.wait_for_timeout(300)
        screenshot(table.page, f"{name}-{size[0]}-{scheme}", whole=size == NARROW)
        assert table.page.evaluate("document.documentElement.scrollWidth") <= size[0], name
    assert table.errors == []
    table.page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_view_with_something_in_it_has_a_serious_barrier(browser: "Browser", server: WebServer, scheme: str) -> None:
    source = (npm_package("axe-core") / "axe.min.js").read_text(encoding="utf-8")
    table = table_of(browser, server, WIDE, scheme)
    table.open(f"http://{server.host}/")
    for name in tour(table):
        assert serious_barriers(table.page, source) == [], name
    table.page.context.close()
