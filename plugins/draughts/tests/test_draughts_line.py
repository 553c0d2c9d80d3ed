"""The text of a whole line consists of the texts of its moves; the material of pieces."""

import random

import pytest
from draughts_positions import positions
from gameforge_draughts.english_pdn import EnglishPdn
from gameforge_draughts.notation import move_text, parse_position
from gameforge_draughts.rules import Draughts
from hypothesis import given
from hypothesis import strategies as st

from gameforge.interfaces.rules import State
from gameforge.play.game import Game

GAME = Game(Draughts())
KIND = EnglishPdn(Draughts())


@given(positions(), st.integers(0, 2**32))
def test_a_line_has_the_texts_of_its_moves(start: State, seed: int) -> None:
    rng = random.Random(seed)
    moves, texts, state = [], [], start
    for _ in range(30):
        legal = GAME.legal(state)
        if not legal:
            break
        # Only long captures can be written in two ways.
        move = max(legal) if rng.random() < 0.5 else rng.choice(legal)
        moves.append(move)
        texts.append(move_text(state, move, legal))
        state = GAME.play(state, move)
    assert KIND.line_texts(start, moves) == texts
    assert KIND.line_end(start, moves) == state


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("B:B6:W9,10,17,18", {"6x15x22", "6x13x22"}),
        ("B:BK6:W9,10,17,18", {"6x15x22x13x6", "6x13x22x15x6"}),
        ("B:B6:W9,10,18", {"6x22", "6x13"}),
    ],
)
def test_moves_that_share_their_squares_are_written_out(position: str, expected: set[str]) -> None:
    start = parse_position(position)
    assert {KIND.line_texts(start, [move])[0] for move in GAME.legal(start)} == expected


def test_material() -> None:
    rules = Draughts()
    assert rules.material(rules.initial()) == (24, 24)
    for side in "BW":
        assert rules.material(parse_position(f"{side}:B1,2,K20:WK32")) == (7, 3)
