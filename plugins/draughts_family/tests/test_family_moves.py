"""Moves of every combination of settings, compared with the slow reference on random positions with many kings."""

import itertools
import random

import attrs
import pytest
from family_positions import laws_of, places_of, position_of, random_state
from family_reference import after, legal_moves
from gameforge_draughts_family.board import Variant, board_of, to_move
from gameforge_draughts_family.rules import DraughtsVariant

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.kernel.compile.jit import COMPILED
from gameforge.play.game import Game

CHOICES = {
    "board": ("8x8", "10x10", "8x8-orthogonal"),
    "kings": ("flying", "short", "halting"),
    "men_capture": ("backwards", "forwards"),
    "lines": ("move", "all"),
    "men_take_kings": (True, False),
    "majority": ("number", "free", "value"),
    "promotion": ("pass", "stop", "continue"),
    "removal": ("after", "at-once"),
}
PRIORITIES = ("by_king", "most_kings", "king_first")


def combinations() -> list[Variant]:
    """Every combination that does not contradict itself, with no priority, one of them, or all."""
    found = []
    for values in itertools.product(*CHOICES.values()):
        for chosen in ((), *((name,) for name in PRIORITIES), PRIORITIES):
            settings = dict(zip(CHOICES, values, strict=True)) | dict.fromkeys(chosen, True)
            try:
                found.append(Variant(**settings))  # type: ignore[arg-type]
            except GameforgeError:
                assert settings["lines"] == "all"
    return found


def game_of(variant: Variant) -> Game:
    settings = {field.alias or field.name: getattr(variant, field.name) for field in attrs.fields(Variant)}
    return Game(DraughtsVariant(**settings))


def compare(variant: Variant, positions: int, rng: random.Random) -> None:
    """Moves and the positions after them are those of the reference."""
    game, board, laws = game_of(variant), board_of(variant), laws_of(variant)
    for _ in range(positions):
        state = random_state(variant, rng, rng.choice((0.1, 0.5, 0.9)))
        where = f"{game.rules}: {game.positions.position_text(state)}"
        position = position_of(board, state)
        moves = {move: places_of(board, state, move) for move in game.legal(state)}
        assert len(set(moves.values())) == len(moves), where
        assert set(moves.values()) == legal_moves(laws, position, to_move(state) == 0), where
        for move, places in moves.items():
            assert position_of(board, game.play(state, move)) == after(laws, position, places), where


def test_a_sample_of_the_combinations() -> None:
    rng = random.Random(22)
    for variant in rng.sample(combinations(), 300 if COMPILED else 10):
        compare(variant, 1, rng)


@pytest.mark.slow
def test_all_combinations() -> None:
    rng = random.Random(1)
    every = combinations()
    assert len(every) == 5400
    for variant in every:
        compare(variant, 10, rng)


NAMED = ("international", "frisian", "russian", "brazilian", "pool", "italian", "spanish", "turkish", "canadian")


@pytest.mark.parametrize("name", NAMED)
def test_named_games(name: str) -> None:
    compare(gf.game(name).rules.settings(), 60 if COMPILED else 3, random.Random(name))  # type: ignore[attr-defined]
