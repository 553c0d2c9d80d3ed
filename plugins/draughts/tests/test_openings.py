"""The openings by name."""

import json
from collections import Counter
from pathlib import Path

import pytest
from gameforge_draughts.movegen import START, pieces, to_move
from gameforge_draughts.notation import parse_position, position_text
from gameforge_draughts.rules import Draughts

from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import Openings
from gameforge.interfaces.games import Opening
from gameforge.interfaces.rules import State
from gameforge.play.game import Game

RULES = Draughts()
GAME = Game(RULES)


def after(opening: Opening) -> State:
    state = opening.start
    for move in opening.moves:
        assert move in GAME.legal(state)
        state = GAME.play(state, move)
    return state


@pytest.mark.parametrize(
    ("name", "count", "plies", "different"),
    [
        ("3move", 156, {3}, 156),
        ("2move", 49, {2}, 49),
        ("11man", 2500, {2}, 2500),
        ("named", 68, {1, 2, 3, 4, 5, 6, 8, 9, 10}, 68),
        ("kim-cho", 25, {1, 2, 3, 5, 10}, 25),
    ],
)
def test_every_line_is_legal_and_no_game_is_over(name: str, count: int, plies: set[int], different: int) -> None:
    openings = RULES.openings.get(name)
    assert isinstance(RULES.openings, Openings)
    assert len(openings) == count
    states = [after(opening) for opening in openings]
    assert {len(opening.moves) for opening in openings} == plies
    assert len(set(states)) == different
    assert all(GAME.legal(state) for state in states)


def test_the_names_are_those_of_the_sets() -> None:
    assert [bool(RULES.openings.get(name)) for name in RULES.openings.names] == [True] * 5
    with pytest.raises(GameforgeError, match=r"no openings '3mov' .did you mean '3move'.*; sets: 3move, 2move, 11man"):
        RULES.openings.get("3mov")


def test_some_openings() -> None:
    ballots = {opening.name: opening for opening in RULES.openings.get("3move")}
    assert position_text(after(ballots["5 9-13 22-18 6-9 (Dreaded Edinburgh)"])) == (
        "W:W18,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,7,8,9,10,11,12,13"
    )
    first = RULES.openings.get("11man")[0]
    assert first.name == "1 without 11 and 28 8-11 24-19"
    assert Counter(side for side, _ in pieces(first.start).values()) == {0: 11, 1: 11}
    assert to_move(first.start) == 0


def test_all_seven_first_moves_are_in_kim_and_chos_list() -> None:
    assert {opening.moves[0] for opening in RULES.openings.get("kim-cho")} == set(GAME.legal(START))


def test_the_positions_are_those_of_the_sources(shared: Path) -> None:
    ballots = json.loads((shared / "data" / "openings" / "ballots.json").read_text())
    named = json.loads((shared / "data" / "openings" / "draughts_openings.json").read_text())["openings"]
    sources = {
        "3move": [entry for entry in ballots["three_move"] if entry["deck"] != "barred"],
        "2move": ballots["two_move"],
        "11man": ballots["eleven_man"],
        "named": named,
    }
    for name, entries in sources.items():
        assert [after(opening) for opening in RULES.openings.get(name)] == [
            parse_position(entry["fen"]) for entry in entries
        ]
