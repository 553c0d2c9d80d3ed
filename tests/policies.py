"""An evaluator with a policy called as a search calls it: the score of a position, then a logit for each move."""

from typing import Any

import numpy as np

from gameforge.interfaces.rules import State
from gameforge.kernel.compile.functions import call
from gameforge.play.game import Game


def score_and_logits(functions: Any, weights: Any, game: Game, state: State) -> tuple[float, list[float]]:
    """Score and logits by compiled functions, or by those of the component as plain Python."""
    moves = np.array(game.legal(state), np.uint64)
    x, logits, s = np.zeros(4096, np.float32), np.zeros(len(moves)), np.array(state, np.uint64)
    score = call(functions.evaluate, functions.data, weights, s, x)
    call(functions.policy, functions.data, weights, s, moves, np.uint64(len(moves)), x, logits)
    return float(score), logits.tolist()
