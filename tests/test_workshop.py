"""The workshop: players of one workshop open each oracle once, and wait only for the oracle that they need."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import attrs
import pytest

from gameforge.interfaces.oracle import Announce, OracleFunctions, silent
from gameforge.interfaces.rules import Rules
from gameforge.play.player import Player
from gameforge.play.player_plan import PlayerPlan
from gameforge.play.workshop import Workshop
from gameforge.testing.toy import Greedy, Linear, Pile, Remainders, Solved

SECONDS = 60
"""Longest wait for another thread."""
opened: list[str] = []
began, finish = threading.Event(), threading.Event()


@attrs.frozen
class Slow:
    """An oracle whose data takes as long to build as the test wants."""

    name: str = "slow"

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        opened.append(self.name)
        began.set()
        assert finish.wait(SECONDS)
        announce("solving", 1, 2)
        return Solved().open(rules, announce, workers)


@pytest.fixture(autouse=True)
def nothing_open() -> None:
    opened.clear()
    began.clear()
    finish.clear()


def plan(oracle: object) -> PlayerPlan:
    return PlayerPlan(game=Pile(stones=9), searcher=Greedy(), evaluator=Linear(), features=Remainders(), oracle=oracle)  # type: ignore[arg-type]


def in_thread(threads: ThreadPoolExecutor, workshop: Workshop, oracle: object) -> "Callable[[], Player]":
    future = threads.submit(workshop.build, plan(oracle))
    return lambda: future.result(SECONDS)


@pytest.mark.parametrize("together", [True, False])
def test_a_player_does_not_wait_for_the_oracle_of_another(together: bool) -> None:
    """One page of the browser board builds a database for minutes; the others play meanwhile."""
    workshop = Workshop()
    with ThreadPoolExecutor(2) as threads:
        slow = in_thread(threads, workshop, Slow())
        try:
            assert began.wait(SECONDS)
            other = in_thread(threads, workshop if together else Workshop(), Solved())()
            assert other.analyse(other.game.position()).move
            assert opened == ["slow"]
        finally:
            finish.set()
        assert slow().parts.oracles.size == 1


def test_two_players_that_need_one_oracle_open_it_once() -> None:
    workshop = Workshop()
    with ThreadPoolExecutor(3) as threads:
        players = [in_thread(threads, workshop, Slow(name)) for name in ("a", "a", "b")]
        try:
            assert began.wait(SECONDS)
        finally:
            finish.set()
        first, second, _ = (player() for player in players)
    assert sorted(opened) == ["a", "b"]
    assert first.parts.oracles.data[0] is second.parts.oracles.data[0]
    workshop.build(plan(Slow("a")))
    assert sorted(opened) == ["a", "b"]


def test_what_no_player_uses_any_more_is_forgotten() -> None:
    finish.set()
    workshop = Workshop()
    for _ in range(2):
        workshop.build(plan(Slow()))
    assert opened == ["slow", "slow"]


def test_who_waits_for_an_oracle_is_told_so_and_hears_of_its_progress() -> None:
    workshop, heard, told = Workshop(), list[str](), threading.Event()

    def announce(what: str, done: int, total: int) -> None:
        heard.append(what)
        told.set()

    first = threading.Thread(target=workshop.build, args=(plan(Slow()),))
    first.start()
    assert began.wait(SECONDS)
    second = threading.Thread(target=workshop.announcing(announce).build, args=(plan(Slow()),))
    second.start()
    assert told.wait(SECONDS)
    finish.set()
    first.join()
    second.join()
    assert heard == ["waiting for slow:name=slow, which another player is preparing", "solving"]
    assert opened == ["slow"]


def test_verdicts_come_from_the_oracle_that_the_player_has_opened() -> None:
    workshop = Workshop()
    chosen = workshop.plan("alphabeta:depth=1 + material + chinook:pieces=2", "draughts")
    player = workshop.build(chosen)
    (handle,) = workshop.verdict_oracles(chosen, player)
    assert str(handle.spec) == "chinook:pieces=2"
    assert handle.functions(player.game).data is player.parts.oracles.data[0]


def test_a_folder_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    workshop = Workshop()
    first = workshop.plan("strong", "othello")
    monkeypatch.setattr("gameforge.play.saved_players.read_player", None)
    levels = [workshop.build(first.at_level(level, workshop.registry)) for level in (1, 2)]
    assert [player.name for player in levels] == ["strong (level 1)", "strong (level 2)"]
