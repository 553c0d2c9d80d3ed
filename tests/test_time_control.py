"""Clocks of matches: searches keep to them, and who exceeds them loses."""

import pytest

import gameforge as gf
from gameforge.cli import main as cli
from gameforge.errors import GameforgeError
from gameforge.play.arena.time_control import TimeControl
from gameforge.play.player import Player

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


def test_a_search_takes_its_share_of_the_clock() -> None:
    """Without a clock, this search would take hours for a game."""
    player = searching("alphabeta:depth=40,memory=1")
    result = gf.match(player, player, 2, openings=8, clock=TimeControl(base=2, increment=0.2))
    assert result.forfeits == (0, 0)
    assert all(seconds > 0.2 for game in result.games for seconds in game.seconds)


def test_who_exceeds_the_clock_loses() -> None:
    """minimax cannot limit its time."""
    slow, quick = searching("minimax:depth=7"), searching("alphabeta:depth=1,memory=0")
    result = gf.match(slow, quick, 2, openings=20, clock="0.01")
    assert result.losses == 2
    assert {game.outcome.reason for game in result.games} == {"time"}
    assert result.forfeits == (2, 0)


def test_a_time_per_move() -> None:
    """The search would take hours; late moves lose, but a loaded machine may make them late."""
    player = searching("alphabeta:depth=40,memory=1")
    result = gf.match(player, player, 2, openings=40, clock=TimeControl(per_move=0.02))
    assert {game.outcome.reason for game in result.games} <= {"no moves left", "time"}


def test_a_budget_for_one_search() -> None:
    player = searching("alphabeta:depth=10,memory=0")
    position = gf.game(GAME).position().play("d3")
    deep, quick = player.analyse(position), player.analyse(position, seconds=0.001)
    assert quick.depth < deep.depth
    assert player.analyse(position).depth == deep.depth


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--clock", "0"], "clock '0': expected SECONDS or SECONDS+INCREMENT"),
        (["--movetime", "-1"], "--movetime -1: must be more than 0 seconds"),
        (["--clock", "1", "--movetime", "1"], "exclude each other"),
    ],
)
def test_bad_input(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["match", "minimax:depth=1 + wpc", "minimax:depth=2 + wpc", "--game", GAME, *options]) == 2
    assert message in capsys.readouterr().err
