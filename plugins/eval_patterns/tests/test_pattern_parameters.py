"""Parameters, errors, and players on disk."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gameforge_draughts.rules import Draughts
from gameforge_eval_patterns.patterns import Patterns
from pattern_players import GAMES
from toy_site import shuttle

import gameforge as gf
from gameforge.config import Spec, structure
from gameforge.errors import GameforgeError
from gameforge.interfaces.board import Cells, PatternSet
from gameforge.play.player import Player
from gameforge.play.saved_players import save_player
from gameforge.play.workshop import Workshop
from gameforge.testing import toy


def player(game: str, spec: str = "patterns", seed: int = 1) -> Player:
    """A player with random weights."""
    made = gf.player(game, searcher="minimax:depth=2", evaluator=spec, seed=seed)
    assert made.parts.vector is not None
    drawn = np.random.default_rng(seed).normal(0, 0.2, made.parts.vector.length).astype(np.float32)
    return Player(made.parts, drawn, spec=made.spec)


@pytest.mark.parametrize("game", GAMES)
def test_fresh_weights_are_zero_and_every_position_is_even(game: str) -> None:
    made = gf.player(game, searcher="minimax:depth=1", evaluator="patterns", seed=3)
    assert made.weights is not None
    assert not made.weights.any()
    assert made.values(np.array([GAMES[game].rules.initial()], np.uint64)) == 0.0


@pytest.mark.parametrize(
    ("game", "parameters", "message"),
    [
        ("draughts", {"patterns": "cells 33"}, "patterns: '33' is not a cell of the board"),
        (
            "draughts",
            {"codes": ("own queen",)},
            "patterns: codes: 'own queen' is not one of own man, ",
        ),
        ("draughts", {"codes": ()}, "patterns: codes: the list is empty; name at least one of own man, "),
        ("draughts", {"counter": "moves"}, "patterns: counter: 'moves' is not one of pieces, tempo"),
        ("draughts", {"phases": (20, 6)}, "patterns: phases must be ascending numbers from 0 to 255: [20, 6]"),
        ("draughts", {"phases": ()}, "patterns: phases must be ascending numbers from 0 to 255: []"),
        ("draughts", {"phases": (0, 300)}, "patterns: phases must be ascending numbers from 0 to 255: [0, 300]"),
        ("othello", {"patterns": "rectangles 8x8"}, "patterns: the weights need "),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(game: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(GameforgeError) as error:
        Patterns(**parameters).functions(GAMES[game].rules, None)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_memory_is_told_before_it_is_allocated() -> None:
    with pytest.raises(GameforgeError) as error:
        Patterns(patterns="rectangles 4x4", memory=100).functions(GAMES["othello"].rules, None)
    told = "patterns: the weights need 8,265 MB, memory=100 allows 100 MB; the largest pattern has 16 cells of 3 states"
    assert str(error.value).startswith(told)
    with pytest.raises(
        GameforgeError,
        match=r"need [\d,]+ MB, and the kernel reads fewer than 1,073,741,824 entries, not [\d,]+; the largest",
    ):
        Patterns(patterns="rectangles 4x5", memory=10**8).functions(GAMES["othello"].rules, None)


def test_a_pattern_with_a_cell_outside_the_board_is_refused() -> None:
    class Wrong(toy.Pile):
        @property
        def cells(self) -> Cells:
            return Cells(
                cells=toy.cells, places=((0, 0), (0, 1)), codes=("stone",), sets={"far": PatternSet(patterns=((1, 2),))}
            )

    with pytest.raises(GameforgeError, match=r"pattern \(1, 2\) has a cell outside the board, whose cells are 0 to 1"):
        Patterns().functions(Wrong(), None)


def test_a_game_without_cells_is_refused() -> None:
    with pytest.raises(GameforgeError, match="patterns needs the cells of the board; shuttle does not offer any"):
        Patterns().functions(shuttle().rules, None)


def test_a_feature_map_is_refused() -> None:
    with pytest.raises(GameforgeError, match="features: no such parameter"):
        gf.player("draughts", searcher="minimax:depth=1", evaluator="patterns", features="directmap")


def test_weights_of_another_set_are_refused() -> None:
    other = player("draughts", "patterns:patterns=rectangles 4x4")
    made = gf.player("draughts", searcher="minimax:depth=1", evaluator="patterns")
    with pytest.raises(GameforgeError, match=r"player of another: got \d+ weights, but its evaluator has 288824"):
        Player(made.parts, other.weights, "of another")


def test_weights_that_are_not_numbers_are_refused() -> None:
    made = player("draughts")
    assert made.weights is not None
    made.weights[5] = np.nan
    with pytest.raises(GameforgeError, match="player player: 1 of its weights are not finite numbers"):
        Player(made.parts, made.weights)


def test_parameters_are_read_from_a_string() -> None:
    spec = Spec.parse("patterns:patterns='lines 2; cells 1 5',codes=['own man'],phases=[4,12],counter=tempo")
    made = structure(Patterns, spec.params, "evaluator")
    assert made == Patterns(patterns="lines 2; cells 1 5", codes=("own man",), phases=(4, 12), counter="tempo")
    made.functions(Draughts(), None)


@pytest.mark.parametrize("rounded", [True, False])
def test_a_player_is_saved_and_read_back(rounded: bool, tmp_path: Path) -> None:
    """In two bytes a weight where nothing is lost by that."""
    made = player("draughts")
    assert made.weights is not None
    assert made.parts.vector is not None
    if rounded:
        made = Player(made.parts, made.parts.vector.rounded(made.weights), spec=made.spec)
    assert made.weights is not None
    save_player(tmp_path / "player", made)
    again = Workshop().load(tmp_path / "player")
    assert again.weights is not None
    assert again.weights.tobytes() == made.weights.tobytes()
    size = (tmp_path / "player" / "weights.npz").stat().st_size
    assert size < (2 if rounded else 4) * len(made.weights) + 1000
    position = gf.game("draughts").position().play("11-15")
    assert again.analyse(position) == made.analyse(position)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"places": ()}, "Cells: there are 0 places; 1 to 64 are allowed"),
        ({"places": ((0, 0), (0, 0))}, "Cells: places has an entry twice"),
        ({"names": ("a1",)}, "Cells: there are 1 names for 2 places"),
        ({"codes": ()}, "Cells: codes is empty"),
        ({"codes": ("own", "own")}, "Cells: codes has an entry twice"),
        ({"images": ((0, 0),)}, r"Cells: images has \(0, 0\), which is not a permutation of 2 cells"),
    ],
)
def test_cells_that_do_not_fit_together_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(GameforgeError, match=message):
        Cells(**{"cells": toy.cells, "places": ((0, 0), (0, 1))} | changes)
