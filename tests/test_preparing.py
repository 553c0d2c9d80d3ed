"""Oracles that have to be built first: a person plays at once without them, a match waits for them."""

import io
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs
import pytest
from slow_oracle import SlowOracle
from toy_site import shuttle

from gameforge.cli import main as cli
from gameforge.cli.commands.web import web_backend
from gameforge.config import Spec
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce, OracleFunctions, silent
from gameforge.interfaces.rules import Rules
from gameforge.play import knowledge
from gameforge.play.knowledge import OracleHandle
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge.play.player_plan import PlayerPlan
from gameforge.play.workshop import Workshop
from gameforge.web.requests import progress
from gameforge.web.searches import Stopper
from gameforge.web.site import Options, Site
from gameforge.web.views import JsonObject


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PlayerPlan:
    """A player with the slow oracle."""
    monkeypatch.setattr(knowledge, "cache_folder", lambda: tmp_path / "cache")
    return PlayerPlan(
        game=shuttle(), searcher="random", evaluator="none", oracle=SlowOracle(file=str(tmp_path / "built"))
    )


def oracles_of(player: Player) -> int:
    return int(player.parts.oracles.size)


def test_a_workshop_that_plays_at_once_lets_the_oracle_be_built_in_the_background(
    plan: PlayerPlan, tmp_path: Path
) -> None:
    said: list[str] = []
    workshop = Workshop(at_once=True, announce=lambda what, done, total: said.append(what))
    player = workshop.build(plan)
    assert oracles_of(player) == 0
    assert workshop.verdict_oracles(plan, player, ["none"]) == []
    [notice] = said
    assert "needs a file (3 min, 412 MB). It is being built in the background" in notice
    built, deadline = tmp_path / "built", time.monotonic() + 600
    while not built.exists():
        assert time.monotonic() < deadline, [*map(Path.read_text, (tmp_path / "cache").rglob("log.txt"))]
        time.sleep(0.05)
    assert built.read_text() == "19"
    assert oracles_of(Workshop(at_once=True).build(plan)) == 1


def test_play_begins_at_once_where_nothing_can_be_built(plan: PlayerPlan, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    said: list[str] = []
    workshop = Workshop(at_once=True, announce=lambda what, done, total: said.append(what))
    assert oracles_of(workshop.build(plan)) == 0
    [notice] = said
    assert re.search(r"cannot be written \(.*\); the player plays without it; set GAMEFORGE_CACHE", notice)
    assert not (tmp_path / "built").exists()


def test_any_other_workshop_waits_for_it(plan: PlayerPlan, tmp_path: Path) -> None:
    assert oracles_of(Workshop().build(plan)) == 1
    assert (tmp_path / "built").exists()
    assert not (tmp_path / "cache").exists()


def test_an_oracle_that_another_process_cannot_be_given_is_waited_for(plan: PlayerPlan, tmp_path: Path) -> None:
    class Local(SlowOracle):
        """A class that cannot be pickled."""

    assert oracles_of(Workshop(at_once=True).build(attrs.evolve(plan, oracle=Local(file=str(tmp_path / "b"))))) == 1


@attrs.frozen
class HeldOracle(SlowOracle):
    """An oracle that another thread is building until `built` says that it may end."""

    begun: threading.Event = attrs.field(factory=threading.Event)
    built: threading.Event = attrs.field(factory=threading.Event)

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        self.begun.set()
        while not self.built.wait(0.01):
            announce("building", 1, 2)
        return super().open(rules, announce, workers)


def test_who_waits_for_the_building_of_another_hears_of_it_and_can_give_up(tmp_path: Path) -> None:
    oracle = HeldOracle(file=str(tmp_path / "built"))
    handle, game, stopper, heard = OracleHandle(oracle, Spec("held")), shuttle(), Stopper(), list[JsonObject]()

    def hear(update: JsonObject) -> None:
        heard.append(update)
        if {one["preparing"] for one in heard} == {"building", "waiting for held, which another player is preparing"}:
            stopper.stop()

    with ThreadPoolExecutor(1) as pool:
        building = pool.submit(handle.functions, game)
        oracle.begun.wait()
        with pytest.raises(GameforgeError, match="cancelled"):
            handle.functions(game, progress(hear, stopper))
        assert not building.done()
        oracle.built.set()
        assert building.result() is handle.functions(game)


@pytest.mark.parametrize(
    ("line", "at_once"),
    [
        ("analyze --game othello --player random", True),
        ("play random --game othello", True),
        ("engine random --game othello", True),
        ("match random random --game othello --games 2", False),
    ],
)
def test_where_a_person_waits_for_a_move_play_begins_at_once(
    line: str, at_once: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[bool] = []
    parts = Workshop.parts

    def noted(workshop: Workshop, pipeline: Pipeline) -> object:
        seen.append(workshop.at_once)
        return parts(workshop, pipeline)

    monkeypatch.setattr(Workshop, "parts", noted)
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    cli.run(line.split())
    assert seen
    assert set(seen) == {at_once}, capsys.readouterr()


@pytest.mark.parametrize("waits", [False, True])
def test_a_page_plays_at_once_but_its_matches_wait(waits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    parts = Workshop.parts

    def noted(workshop: Workshop, pipeline: Pipeline) -> object:
        seen.append(workshop.at_once)
        return parts(workshop, pipeline)

    monkeypatch.setattr(Workshop, "parts", noted)
    site = Site(web_backend(default_registry()), Options())
    try:
        with site.player("random + none", "othello", {}, waits=waits):
            assert seen == [not waits]
    finally:
        site.searches.close()
