"""Saved players with different nets, for the tests of components that take players as their members."""

from pathlib import Path

import numpy as np

import gameforge as gf
from gameforge.play.game import Position
from gameforge.play.player import Player
from gameforge.play.saved_players import save_player

GAME = gf.game("draughts")
MEMBERS = 5
SEARCHER = "alphabeta:depth=2,memory=0"


def save_nets(folder: Path) -> Path:
    """Save players with different nets in a folder."""
    for i in range(MEMBERS):
        save_player(folder / f"p{i}", net(i))
    return folder


def net(seed: int) -> Player:
    return gf.player(GAME, searcher=SEARCHER, evaluator="mlp:hidden=3,low=-1,high=1", seed=seed, name=f"p{seed}")


def positions(n: int) -> list[Position]:
    """Positions from a few random games."""
    rng = np.random.default_rng(1)
    found = [GAME.position()]
    while len(found) < n:
        moves = found[-1].legal_moves
        found.append(found[-1].play(moves[rng.integers(len(moves))]) if moves else GAME.position())
    return [position for position in found if len(position.codes) > 1]
