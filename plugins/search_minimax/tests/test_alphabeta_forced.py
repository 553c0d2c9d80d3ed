"""alphabeta:forced=true: an only move takes no ply of the depth, and at the horizon the search continues after it."""

import random

import numpy as np
import pytest

import gameforge as gf
from gameforge.interfaces.evaluator import PLY, PROVEN_WIN
from gameforge.interfaces.rules import State
from gameforge.play.game import Position
from gameforge.play.player import Player

SEARCHER = "alphabeta:depth={},quiescence=false,draws=false,progress=false,forced=true,memory={}"
DEEPEST = 40
"""Maximum number of plies beyond the depth."""


def value(player: Player, state: State, ply: int, left: int, last: int) -> float:
    """Value for the side to move in draughts, by a recursive search without pruning."""
    game = player.game
    legal = game.legal(state)
    if not legal:
        return -(PROVEN_WIN - ply * PLY)
    only = len(legal) == 1 and ply + left < last
    if left == 0 and not only:
        return float(np.float32(player.values(np.array([state], np.uint64))[0]))
    left = left if only else left - 1
    return max(-value(player, game.play(state, move), ply + 1, left, last) for move in legal)


def positions(n: int) -> list[Position]:
    """Positions of random games of draughts, in which every third position has an only move."""
    rng = random.Random(4)
    found: list[Position] = []
    while len(found) < n:
        position = gf.game("draughts").position()
        while position.outcome is None:
            if len(position.legal_moves) > 1 and rng.random() < 0.2:
                found.append(position)
            position = position.play(rng.choice(position.legal_moves))
    return found[:n]


@pytest.mark.parametrize("memory", [0, 1])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_values_match_a_recursive_reference(depth: int, memory: int) -> None:
    pytest.importorskip("gameforge_draughts")
    player = gf.player("draughts", searcher=SEARCHER.format(depth, memory), evaluator="material")
    plain = gf.player("draughts", searcher=f"minimax:depth={depth}", evaluator="material")
    differs = 0
    for position in positions(40 if depth < 3 else 15):
        game, state = position.game, position.state
        last = depth + DEEPEST
        expected = max(-value(player, game.play(state, move), 1, depth - 1, last) for move in game.legal(state))
        found = player.analyse(position)
        assert found.score == expected, position
        differs += found.score != plain.analyse(position).score
    assert differs > 1  # the parameter has an effect
