"""The component: settings, draws, capabilities, what the plugin offers."""

from typing import Any

import pytest
from gameforge_morris.rules import Morris

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import capability
from gameforge.play.game import Game, Position
from gameforge.play.perft import playouts
from gameforge.testing import check

CAPABILITIES = ("notation", "positions", "drawing", "files", "symmetries", "piece_odds", "defaults")
ENDING = "W:Wa7,d1,g4,c5:Bb4,d2,f4,c3"
SHUFFLE = "a7-d7 b4-b6 d7-a7 b6-b4"


def played(start: str, moves: str, **settings: Any) -> Position:
    position = Game(Morris(**settings)).position(start)
    for move in moves.split():
        position = position.play(move)
    return position


@pytest.mark.parametrize("name", CAPABILITIES)
def test_every_capability_is_offered(name: str) -> None:
    assert capability(Morris(), name) is not None


def test_the_contract_holds_with_other_settings() -> None:
    """The defaults are checked with all other games."""
    check("rules", Morris(men=6, flying=False)).require()
    check("rules", Morris(men=12, diagonals=True)).require()
    check("rules", Morris(men=10, lasker=True)).require()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"men": 2}, "'men' must be a whole number from 3 to 12"),
        ({"men": 13}, "'men' must be"),
        ({"men": True}, "'men' must be"),
        ({"repetition": 1}, r"'repetition' must be 0 \(off\) or a whole number from 2 on"),
        ({"max_plies": 0}, "'max_plies' must be a whole number from 1 to 1023"),
        ({"max_plies": 1024}, "'max_plies' must be"),
        ({"flying": "yes"}, "flying"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((GameforgeError, TypeError), match=message):
        Morris(**settings)


def test_the_defaults_are_those_of_rezende_and_chaimowicz() -> None:
    rules = Morris()
    assert (rules.men, rules.flying, rules.repetition, rules.max_plies) == (9, True, 2, 200)
    assert rules.positions.position_text(rules.initial()) == "W:W+9:B+9"


def test_the_first_repetition_is_a_draw_and_a_loop() -> None:
    assert played(ENDING, "a7-d7 b4-b6 d7-a7").outcome is None
    outcome = played(ENDING, SHUFFLE).outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.loop) == (None, "repetition", True)


def test_repetition_is_a_setting() -> None:
    assert played(ENDING, SHUFFLE, repetition=3).outcome is None
    assert played(ENDING, f"{SHUFFLE} {SHUFFLE}", repetition=3).outcome is not None
    assert played(ENDING, f"{SHUFFLE} {SHUFFLE}", repetition=0).outcome is None


def test_the_longest_game_is_a_draw_but_not_a_loop() -> None:
    outcome = played("W:W+9:B+9", "a7 d7", max_plies=2).outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.loop) == (None, "ply cap", False)


def test_a_full_board_is_a_draw() -> None:
    position = Game(Morris(men=12, diagonals=True)).position(
        "B:Wa7,g7,a1,g1,d6,f4,d2,b4,c5,e5,d3,c3:Bd7,g4,d1,a4,b6,f6,f2,b2,d5,e4,e3+1"
    )
    last = position.play("c4")
    assert last.outcome is not None
    assert (last.outcome.winner, last.outcome.reason) == (None, "full board")


@pytest.mark.parametrize("men", [3, 6, 11])
def test_a_game_with_another_number_of_men(men: int) -> None:
    position = gf.game("morris", men=men).position()
    for _ in range(2 * men):
        quiet = [move for move in position.legal_moves if "x" not in str(move)]
        position = position.play(quiet[0])
    assert "+" not in repr(position)
    assert position.turn == 0


def test_random_games_end() -> None:
    counts = playouts(gf.game("morris").position(), 200, seed=1)
    assert counts.wins + counts.draws + counts.losses == 200
    assert min(counts.wins, counts.losses) > 0


@pytest.mark.parametrize("searcher", ["minimax:depth=3", "alphabeta:depth=4"])
def test_searchers_close_and_prevent_mills(searcher: str) -> None:
    """A mill is closed, and it removes the man that was about to close one."""
    game = gf.game("morris")
    player = gf.player(game, searcher=searcher, evaluator="material")
    position = game.position("W:Wa7,d7,b2,f2+3:Ba1,d1,c3,e5+3")
    assert str(player.analyse(position).move) in {"g7xa1", "g7xd1"}
