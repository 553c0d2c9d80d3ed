"""Distances between individuals: by their scores of some boards, or by their weights."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.assembly import check
from gameforge.kernel.compile.launch import entry
from gameforge.kernel.context import CONTROLS
from gameforge.kernel.evaluate import score_states
from gameforge.kernel.playout import playouts
from gameforge.play.game import Game
from gameforge.play.parts import Parts
from gameforge_learn_evolve.genome import Floats

Matrix = NDArray[np.float64]


def random_boards(game: Game, number: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    """States [number, words], each from a different random game; never the final state of a game."""
    rules, most = game.compiled, game.rules.draws.max_plies
    start, words = np.array(game.rules.initial(), np.uint64), int(rules.words)
    states, moves = np.zeros(2 * words, np.uint64), np.zeros(int(rules.max_moves), np.uint64)
    control = np.zeros(CONTROLS, np.int64)
    play = entry(playouts)

    def plies(seed: np.uint64, most: int) -> int:
        """Play a random game up to this many plies; returns its length and leaves its last state in `states`."""
        *_, played = play(rules, start, 1, np.uint64(most), np.array([seed], np.uint64), states, moves, control)
        check(rules)
        return int(played)

    boards = np.zeros((number, words), np.uint64)
    for board, seed in zip(boards, rng.integers(1 << 64, size=number, dtype=np.uint64), strict=True):
        ply = int(rng.integers(plies(seed, most)))
        plies(seed, ply)
        board[:] = states.reshape(2, words)[ply % 2]
    return boards


def behaviour(parts: Parts, boards: NDArray[np.uint64], nets: Sequence[Floats]) -> Matrix:
    """Static scores [nets, boards], each for the side to move."""
    scores = np.zeros((len(nets), len(boards)))
    words = np.ascontiguousarray(boards).reshape(-1)
    vector, _ = parts.tunable()
    for row, weights in zip(scores, nets, strict=True):
        evaluator = parts.evaluation._replace(weights=vector.block(weights))
        entry(score_states)(evaluator, parts.game.compiled.words, words, row)
        check(evaluator)
    return scores


def mean_differences(points: Matrix) -> Matrix:
    """Mean absolute differences between all rows."""
    return np.array([np.abs(points - row).mean(axis=1) for row in points])


def euclidean(points: Matrix) -> Matrix:
    """Euclidean distances between all rows."""
    return np.array([np.sqrt(np.square(points - row).sum(axis=1)) for row in points])
