"""Notation, positions as text, and what is refused."""

from xml.etree import ElementTree

import pytest
from gameforge_morris.drawing import diagram, svg
from gameforge_morris.notation import move_of, parse_move, parts, position_text, whole_text
from hypothesis import given
from morris_positions import POSITIONS, positions

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State

GAME = gf.game("morris")
CLOSING = "W:Wa7,d7,g4,c3:Bb2,d2,f4,e3"


@given(positions())
def test_positions_are_read_back(state: State) -> None:
    text = position_text(state)
    assert POSITIONS.parse_position(text) == state
    assert POSITIONS.parse_position(text.lower().replace(",", " , ").replace(":", " : ")) == state


@given(positions())
def test_moves_are_read_back(state: State) -> None:
    legal = GAME.legal(state)
    assert len(set(map(whole_text, legal))) == len(legal)
    for move in legal:
        assert parse_move(state, whole_text(move), legal) == move
        assert move_of(*parts(move)) == move


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("g4-g7xb2", "g4-g7xb2"),
        (" G4 - G7 X B2 ", "g4-g7xb2"),
        ("g7xb2", "g4-g7xb2"),
        ("d7-d6", "d7-d6"),
        ("d6", "d7-d6"),
    ],
)
def test_liberal_reading(text: str, move: str) -> None:
    position = GAME.position(CLOSING)
    assert position.play(text) == position.play(move)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("g4-g7", "may mean g4-g7xf4, g4-g7xd2, g4-g7xb2, g4-g7xe3"),
        ("a7-e3", "not legal"),
        ("g4-g7xa7", "not legal"),
        ("d4", "d4 is not a point of the board"),
        ("hello", "is not a move such as d6, d6-d7 or d6-d7xb4"),
        ("", "is not a move"),
        ("d6xb2xd2", "is not a move"),
    ],
)
def test_moves_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(GameforgeError, match=message) as error:
        GAME.position(CLOSING).play(text)
    assert "\n" not in str(error.value)


def test_a_move_after_the_end_is_refused() -> None:
    with pytest.raises(GameforgeError, match=r"'a7-a4' cannot be played in .*: the game is over"):
        GAME.position("W:Wa7,d7:Bb4,d2,f4").play("a7-a4")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must begin with the side to move"),
        ("X:Wa1:Ba4", "must begin with the side to move"),
        ("W:Wa1", "Black's men are not listed"),
        ("W:Wa1:Wa4:Bd1", "White's men are listed twice"),
        ("W:Wa1,d4:Ba4", "'d4' is not a point of the board"),
        ("W:Wa1,a1,d1:Ba4", "two men stand on a1"),
        ("W:Wa1,d1:Ba1", "two men stand on a1"),
        ("W:Qa1:Ba4", "'Qa1' is not a list of men"),
        ("W:Wa7,d7,g7,g4,g1,d1,a1,a4,b6,d6:Bf6,f4,f2", "White has 10 men; a side has at most 9"),
        ("W:Wa7,d7+8:Bf6+8", "White has 10 men"),
        ("W:Wa7,d7,g7:Bf6,f4", "Black has 2 men and has lost, so White cannot be to move"),
        ("W:Wa7,d7+3:Bf6,b2+4", "with White to move Black has as many men as White in hand, not 4 against 3"),
        ("B:Wa7,d7+3:Bf6,b2+3", "with Black to move Black has one man more than White in hand, not 3 against 3"),
    ],
)
def test_positions_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(GameforgeError, match=message) as error:
        GAME.position(text)
    assert "\n" not in str(error.value)


def test_the_number_of_men_is_that_of_the_rules() -> None:
    text = "W:Wa7,d7,g7,g4,g1,d1,a1,a4,b6,d6:Bf6,f4,f2"
    assert gf.game("morris", men=10).position(text).turn == 0


def test_diagram() -> None:
    assert diagram(POSITIONS.parse_position("B:Wa7,d6,e3+2:Bb4,g1+3")).splitlines() == [
        "7 ○───────────·───────────·",
        "  │           │           │",
        "6 │   ·───────○───────·   │",
        "  │   │       │       │   │",
        "5 │   │   ·───·───·   │   │",
        "  │   │   │       │   │   │",
        "4 ·───●───·       ·───·───·",
        "  │   │   │       │   │   │",
        "3 │   │   ·───·───○   │   │",
        "  │   │       │       │   │",
        "2 │   ·───────·───────·   │",
        "  │           │           │",
        "1 ·───────────·───────────●",
        "  a   b   c   d   e   f   g",
        "Black (●) to move; in hand: ○ 2, ● 3",
    ]


def test_empty_hands_are_not_mentioned() -> None:
    assert diagram(POSITIONS.parse_position(CLOSING)).splitlines()[-1] == "White (○) to move"


@given(positions())
def test_svg_shows_every_man(state: State) -> None:
    root = ElementTree.fromstring(svg(state))
    circles = list(root.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(circles) == (state[0] | state[1]).bit_count()
    assert len({(circle.get("cx"), circle.get("cy")) for circle in circles}) == len(circles)
    title = root.findtext("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert position_text(state) in title
