"""Positions and moves in the words of Hub and DXP."""

import random

import pytest
from family_positions import random_state
from gameforge_draughts_family.notation import FamilyDialect
from gameforge_draughts_family.rules import FamilyRules

import gameforge as gf
from gameforge.errors import GameforgeError

GAMES = ("international", "frisian", "russian", "italian", "turkish", "pool")


def dialect(game: str, protocol: str) -> FamilyDialect:
    rules = gf.game(game).rules
    assert isinstance(rules, FamilyRules)
    found = rules.dialects.dialect(protocol)
    assert isinstance(found, FamilyDialect)
    return found


def test_the_initial_position() -> None:
    start = gf.game("international").position().state
    assert dialect("international", "hub").position_text(start) == "W" + 20 * "b" + 10 * "e" + 20 * "w"
    assert dialect("international", "dxp").position_text(start) == "W" + 20 * "z" + 10 * "e" + 20 * "w"


@pytest.mark.parametrize(
    ("game", "name"), [("international", "normal"), ("breakthrough-draughts", "bt"), ("russian", "russian")]
)
def test_the_names_of_hub(game: str, name: str) -> None:
    assert dialect(game, "hub").variant == name


@pytest.mark.parametrize("game", GAMES)
def test_positions_and_moves_are_read_back(game: str) -> None:
    rng = random.Random(game)
    for protocol in ("hub", "dxp"):
        words = dialect(game, protocol)
        for _ in range(30):
            state = random_state(words.kind, rng, 0.4)
            assert words.parse_position(words.position_text(state)) == state
            legal = gf.game(game).legal(state)
            texts = [words.move_text(state, move, legal) for move in legal]
            assert len(set(texts)) == len(legal)
            assert [words.parse_move(state, text, legal) for text in texts] == list(legal)


def test_captures_name_what_they_capture() -> None:
    game = gf.game("international")
    state = game.position("W:W28:B23").state
    words = dialect("international", "hub")
    [move] = game.legal(state)
    assert words.move_text(state, move, [move]) == "28x19x23"


@pytest.mark.parametrize("text", ["", "W", "X" + 50 * "e", "W" + 49 * "e", "W" + 50 * "q"])
def test_what_is_not_a_position(text: str) -> None:
    with pytest.raises(GameforgeError, match="expected W or B for the side to move, then 50 of the letters"):
        dialect("international", "hub").parse_position(text)


def test_what_is_not_a_move() -> None:
    game = gf.game("international")
    with pytest.raises(GameforgeError, match=r"'28x19' is not legal in .* legal here: 28x19x23"):
        dialect("international", "hub").parse_move(
            game.position("W:W28:B23").state, "28x19", game.legal(game.position("W:W28:B23").state)
        )
