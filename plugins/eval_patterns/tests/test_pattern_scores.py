"""What the evaluator computes: against sums by coordinates, its terms, images of positions, uncompiled functions."""

import math
from typing import Any

import numpy as np
import pytest
from gameforge_draughts.movegen import pieces, state_of, to_move
from gameforge_draughts.rules import Draughts
from gameforge_eval_patterns.layout import STEP
from gameforge_othello.movegen import NAMES
from gameforge_othello.rules import Othello
from pattern_players import GAMES, Scorer, states

from gameforge.interfaces.rules import State
from gameforge.testing import toy
from gameforge.testing.uncompiled import uncompiled

CHOICES: list[tuple[str, dict[str, Any]]] = [
    ("draughts", {}),
    ("draughts", {"patterns": "rectangles 2x8 4x4; lines 3", "phases": (4, 9, 16)}),
    ("draughts", {"patterns": "rectangles 2x4", "codes": ("own man", "other man", "own king", "other king")}),
    ("draughts", {"patterns": "lines 1", "phases": (0,), "counter": "tempo"}),
    ("othello", {}),
    ("othello", {"patterns": "lines 4", "counter": "mobility", "phases": (1, 5, 6)}),
    ("morris", {}),
    ("morris", {"patterns": "cells a7 d7", "counter": "pieces", "phases": (3, 18)}),
]


@pytest.mark.parametrize(("name", "parameters"), CHOICES)
def test_the_terms_make_the_score(name: str, parameters: dict[str, Any]) -> None:
    scorer = Scorer(GAMES[name].rules, **parameters)
    for state in states(GAMES[name]):
        total = scorer.sum_of_terms(state)
        assert scorer.score(state) == pytest.approx(math.tanh(total / 2), abs=1e-6)
        assert len({place for place, _ in scorer.terms(state)}) > 1


@pytest.mark.parametrize(("name", "parameters"), CHOICES)
def test_images_of_a_position_score_alike_to_the_bit(name: str, parameters: dict[str, Any]) -> None:
    """In draughts the one image exchanges the colours."""
    symmetries = GAMES[name].symmetries
    assert symmetries is not None
    scorer = Scorer(GAMES[name].rules, **parameters)
    for state in states(GAMES[name], 20):
        scores = {scorer.score(symmetries.state_image(state, i)) for i in range(symmetries.count)}
        assert len(scores) == 1


@pytest.mark.parametrize("name", ["othello", "morris"])
def test_exchanged_colours_score_alike_to_the_bit(name: str) -> None:
    """A state begins with the side to move; the last bit of the third word says which colour that is."""
    scorer = Scorer(GAMES[name].rules)
    for state in states(GAMES[name], 20):
        assert scorer.score(state) == scorer.score((state[0], state[1], state[2] ^ 1))


@pytest.mark.parametrize(("name", "parameters"), CHOICES)
def test_uncompiled_functions_agree(name: str, parameters: dict[str, Any]) -> None:
    kernel = uncompiled("gameforge_eval_patterns.patterns")
    kernel.cells = uncompiled(f"gameforge_{name}.cells").cells
    scorer = Scorer(GAMES[name].rules, **parameters)
    with np.errstate(over="ignore"):
        for state in states(GAMES[name], 6):
            assert scorer.score(state, kernel.evaluate) == scorer.score(state)
            assert scorer.terms(state, kernel.terms) == scorer.terms(state)


def by_hand(state: State, scorer: Scorer) -> float:
    """The log-odds of the draughts set from PDN numbers and the README's table: none of the plugin's code."""
    side = to_move(state)
    board = {
        33 - square if side else square: (colour == side, king) for square, (colour, king) in pieces(state).items()
    }
    groups = [range(first, first + 8) for first in range(1, 30, 4)][:7]
    groups += [
        [4 * row + column for row in range(top, top + 4) for column in (left, left + 1)]  # type: ignore[misc]
        for top in range(5)
        for left in (1, 2, 3)
    ]
    codes = {square: (1 if own else 2) for square, (own, king) in board.items() if not king}
    entries = [
        (6561 * n + sum(codes.get(square, 0) * 3**i for i, square in enumerate(group)), 1)
        for n, group in enumerate(groups)
    ]
    start = 6561 * len(groups)
    entries += [(start + (0 if own else 32) + square - 1, 1) for square, (own, king) in board.items() if king]
    kinds = [(True, False), (False, False), (True, True), (False, True)]
    entries += [(start + 64 + i, list(board.values()).count(kind)) for i, kind in enumerate(kinds)]
    rows = {square: (square - 1) // 4 for square in board}
    tempo = sum(rows[q] if own else rows[q] - 7 for q, (own, king) in board.items() if not king)
    entries += [(start + 68, tempo), (start + 69, 1)]
    late = min(max(len(board) - 6, 0), 16) / 16
    weights = scorer.weights.astype(np.float64)
    return sum(n * (weights[2 * e] * (1 - late) + weights[2 * e + 1] * late) for e, n in entries)


def test_the_sum_is_that_of_the_readme() -> None:
    scorer = Scorer(Draughts())
    assert scorer.vector.length == 2 * (22 * 6561 + 64 + 4 + 1 + 1)
    rng = np.random.default_rng(3)
    found = states(GAMES["draughts"], 30)
    for _ in range(30):  # random positions have more kings than games
        squares = rng.choice(np.arange(1, 33), int(rng.integers(2, 25)), replace=False).tolist()
        found.append(
            state_of(int(rng.integers(2)), {q: (int(rng.integers(2)), bool(rng.integers(2))) for q in squares})
        )
    for state in found:
        assert scorer.sum_of_terms(state) == pytest.approx(by_hand(state, scorer), abs=1e-4)


def test_a_phase_is_alone_at_its_own_value_and_beyond_the_outer_ones() -> None:
    scorer = Scorer(Draughts(), patterns="lines 1", phases=(6, 14, 22))
    for state in states(GAMES["draughts"], 200):
        count = (state[0] | state[1]).bit_count()
        phases = {place % 3 for place, _ in scorer.terms(state)}
        lower = 0 if count <= 6 else (count - 6) // 8
        expected = {min(lower, 2)} if count <= 6 or count >= 22 or (count - 6) % 8 == 0 else {lower, lower + 1}
        assert phases == expected


def test_weights_reach_from_minus_32_to_32_in_steps() -> None:
    scorer = Scorer(Othello(), patterns="cells a1", phases=(0,))
    for value, kept in ((STEP / 3, 0.0), (STEP, STEP), (40.0, 32.0 - STEP), (-40.0, -32.0)):
        assert scorer.vector.rounded(np.array([value], np.float32)).tolist() == [kept]


def test_sums_beyond_the_squash_stay_within_one() -> None:
    scorer = Scorer(Draughts())
    for value in (-32.0, 31.0):
        scorer.compiled.weights[:] = scorer.vector.block(np.full(scorer.vector.length, value, np.float32))
        for state in states(GAMES["draughts"], 5):
            assert abs(scorer.score(state)) <= 1.0


def test_any_game_with_cells_will_do() -> None:
    scorer = Scorer(toy.Pile())
    assert len({scorer.score((stones, 0)) for stones in range(13)}) == 13
    assert scorer.score((5, 0)) == scorer.score((5, 1))


def test_corners_share_a_weight() -> None:
    scorer = Scorer(Othello(), patterns="cells a1", phases=(0,))
    corners = [1 << NAMES.index(name) for name in ("a1", "h1", "a8", "h8")]
    rest = 1 << NAMES.index("d4")
    found = [[place for place, _ in scorer.terms((corner, rest, 0))[:4]] for corner in corners]
    assert all(sorted(places) == [0, 0, 0, 1] for places in found)
    assert len(set(map(tuple, found))) == 4
