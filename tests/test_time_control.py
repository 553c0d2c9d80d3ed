"""Clocks of matches: searches keep to them, and who exceeds them loses."""

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest
import virtual_clock

import gameforge as gf
from gameforge.arena.result import MatchResult
from gameforge.arena.workspace import TimeControl, Workspace
from gameforge.cli import main as cli
from gameforge.errors import GameforgeError
from gameforge.play.player import Player, limit_names
from gameforge.play.workshop import Workshop
from gameforge.testing import Pile

GAME = "othello"


def searching(searcher: str) -> Player:
    return gf.player(GAME, searcher=searcher, evaluator="wpc", oracle="none")


@pytest.mark.parametrize(("text", "base", "increment"), [("60", 60, 0), ("60+0.6", 60, 0.6), (" 1.5+2 ", 1.5, 2)])
def test_texts(text: str, base: float, increment: float) -> None:
    assert TimeControl.parse(text) == TimeControl(base=base, increment=increment)


@pytest.mark.parametrize("text", ["", "0", "0+1", "1+", "-1", "ten", "nan", "1e9+1"])
def test_texts_that_are_no_clock(text: str) -> None:
    with pytest.raises(GameforgeError, match="clock"):
        TimeControl.parse(text)


@pytest.fixture(scope="module")
def match() -> Iterator[Callable[..., MatchResult]]:
    """virtual_clock.match, in a process with that clock."""
    with ProcessPoolExecutor(1, get_context("spawn"), virtual_clock.install) as process:
        yield lambda *players, **options: process.submit(virtual_clock.match, GAME, *players, **options).result()


DEEP = ("alphabeta:depth=40,memory=1", 0.001)
"""Without a clock, this search would take years."""


def test_a_search_takes_its_share_of_the_clock(match: Callable[..., MatchResult]) -> None:
    result = match(DEEP, DEEP, openings=8, clock=TimeControl(base=2, increment=0.2))
    assert result.forfeits == (0, 0)
    for game in result.games:
        for seconds, searches in zip(game.seconds, game.searches, strict=True):
            assert 0.2 * searches < seconds < 2 + 0.2 * searches


def test_who_exceeds_the_clock_loses(match: Callable[..., MatchResult]) -> None:
    """minimax cannot limit its time."""
    slow, quick = ("minimax:depth=3", 0.001), ("alphabeta:depth=1,memory=0", 0.000001)
    result = match(slow, quick, openings=20, clock=TimeControl(base=0.1))
    assert result.losses == 2
    assert {game.outcome.reason for game in result.games} == {"time"}
    assert result.forfeits == (2, 0)


def test_a_time_per_move(match: Callable[..., MatchResult]) -> None:
    result = match(DEEP, DEEP, openings=40, clock=TimeControl(per_move=0.02))
    assert result.forfeits == (0, 0)
    assert all(0.02 <= seconds < 0.1 for seconds in result.seconds_per_move)


def test_players_are_timed_separately(match: Callable[..., MatchResult]) -> None:
    """One has at least two moves to evaluate whenever it searches, the other at most as many as there are squares."""
    result = match(("minimax:depth=1", 1.0), ("minimax:depth=1", 0.000001), openings=4)
    slow, quick = result.seconds_per_move
    assert 2.0 <= slow
    assert 0.000002 <= quick < 0.000064


def test_a_budget_for_one_search() -> None:
    player = searching("alphabeta:depth=10,memory=0")
    position = gf.game(GAME).position().play("d3")
    deep, quick = player.analyse(position), player.analyse(position, seconds=0.001)
    assert quick.depth < deep.depth
    assert player.analyse(position).depth == deep.depth


class TestLimitsOfThePlayer:
    """A time that the caller sets replaces the limits that a player brings, but not those that the caller chose."""

    @staticmethod
    def few_nodes(*, own_limits: bool) -> Player:
        given = searching("alphabeta:nodes=50,memory=0")
        return Player(given.parts, name=given.name, spec=given.spec, own_limits=own_limits)

    def test_a_time_replaces_the_limits_that_the_player_brings(self) -> None:
        player, position = self.few_nodes(own_limits=True), gf.game(GAME).position().play("d3")
        usual = player.analyse(position)
        assert (usual.nodes, usual.limit) == (50, "nodes")
        longer = player.analyse(position, seconds=0.1)
        assert longer.limit == "time"
        assert longer.nodes > 50
        assert player.analyse(position).nodes == 50
        assert pickle.loads(pickle.dumps(player)).own_limits

    def test_of_two_limits_that_the_caller_sets_the_first_that_is_reached_counts(self) -> None:
        player, position = self.few_nodes(own_limits=False), gf.game(GAME).position().play("d3")
        assert player.analyse(position, seconds=100).limit == "nodes"
        assert searching("alphabeta:nodes=4000000000").analyse(position, seconds=0.01).limit == "time"
        assert searching("alphabeta:depth=2").analyse(position, seconds=100).limit == "depth"
        assert searching("minimax:depth=2").analyse(position).limit == "depth"
        assert searching("uct:simulations=20").analyse(position, seconds=100).limit == "simulations"
        assert searching("puct:simulations=20").analyse(position, seconds=100).limit == "simulations"

    @pytest.mark.parametrize(("searcher", "limit"), [("alphabeta:memory=0", "depth"), ("uct", "simulations")])
    def test_a_limit_that_a_searcher_sets_itself_is_nobodys_choice(self, searcher: str, limit: str) -> None:
        """Without any limit, alphabeta ends at depth 8, and uct after 1,000 simulations."""
        player = searching(searcher)
        timed: Any = player.timed_parts.searcher
        given = [name for name in limit_names(type(timed)) if getattr(timed, name) is not None]
        assert given == ["time"]
        assert player.analyse(gf.game(GAME).position().play("d3")).limit == limit

    def test_the_clock_of_a_match_replaces_them_too(self) -> None:
        brought, given = self.few_nodes(own_limits=True), self.few_nodes(own_limits=False)
        without, with_clock = (Workspace(brought, given, clock=clock).players for clock in (None, TimeControl(base=1)))
        assert [50 in player.limits for player in without] == [True, True]
        assert [50 in player.limits for player in with_clock] == [False, True]

    @pytest.mark.parametrize(
        ("text", "own"),
        [("strong", True), ("strong:level=10", True), ("strong:level=3", False), ("alphabeta:nodes=9 + strong", False)],
    )
    def test_trained_players_bring_theirs_but_a_level_is_a_choice(self, text: str, own: bool) -> None:
        assert Workshop().player(f"{text} + none", GAME).own_limits == own


def test_a_search_that_knows_the_result_names_no_limit() -> None:
    pile = gf.game(Pile())
    player = gf.player(pile, searcher="alphabeta:depth=60", evaluator="none", oracle="none")
    assert player.analyse(pile.position()).limit == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--clock", "0"], "clock '0': expected SECONDS or SECONDS+INCREMENT"),
        (["--movetime", "-1"], "--movetime -1: must be more than 0 and"),
        (["--movetime", "1e7"], "--movetime 1e+07: must be more than 0 and at most 1,000,000 seconds"),
        (["--clock", "10000000"], "from 0 to 1,000,000 seconds"),
        (["--clock", "1", "--movetime", "1"], "exclude each other"),
    ],
)
def test_bad_input(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["match", "minimax:depth=1 + wpc", "minimax:depth=2 + wpc", "--game", GAME, *options]) == 2
    assert message in capsys.readouterr().err
