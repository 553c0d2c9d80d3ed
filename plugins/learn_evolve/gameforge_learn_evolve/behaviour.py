"""How different individuals are: by what they say of some boards, or by their weights."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gameforge.game import Game, Position
from gameforge.kernel.evaluate import score_states
from gameforge.kernel.tables import check
from gameforge.players import Parts
from gameforge_learn_evolve.genome import Floats

Matrix = NDArray[np.float64]


def random_boards(game: Game, number: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    """States [number, words], each drawn from the course of a random game of its own; the final state is none."""
    return np.array([_random_board(game, rng) for _ in range(number)], np.uint64)


def _random_board(game: Game, rng: np.random.Generator) -> tuple[int, ...]:
    course: list[tuple[int, ...]] = []
    here = Position(game, game.rules.initial())
    while here.outcome is None:
        course.append(here.state)
        here = here.after(here.codes[rng.integers(len(here.codes))])
    return course[rng.integers(len(course))]


def behaviour(parts: Parts, boards: NDArray[np.uint64], nets: Sequence[Floats]) -> Matrix:
    """Static scores [nets, boards], each for the side to move."""
    scores = np.zeros((len(nets), len(boards)))
    words = np.ascontiguousarray(boards).reshape(-1)
    vector, _ = parts.tunable()
    for row, weights in zip(scores, nets, strict=True):
        evaluator = parts.evaluation._replace(weights=vector.block(weights))
        score_states(evaluator, parts.game.table.words, words, row)
        check(evaluator)
    return scores


def distances(scores: Matrix) -> Matrix:
    """Mean absolute difference of each two rows."""
    return np.array([np.abs(scores - row).mean(axis=1) for row in scores])


def euclidean(nets: Sequence[Floats]) -> Matrix:
    """Distance of each two vectors of weights."""
    weights = np.array(nets, np.float64)
    return np.array([np.sqrt(np.square(weights - row).sum(axis=1)) for row in weights])
