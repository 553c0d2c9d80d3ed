"""What is learned from after a move, on an evaluator of any kind: TD(lambda), TDLeaf(lambda) and TreeStrap.

All values are for the learner, who has just moved. P(s) is the evaluator's score of a position s.

* TD(lambda) ([Sutton1988], equation 4): the position after the move, with its static score. With patterns it is what
  [Thill2014] does with n-tuples.
* TDLeaf(lambda) [Baxter2000]: the leaf of the principal variation, with the value of the search. That is the static
  score of the leaf, so the gradient of the value is that of the leaf.
* TreeStrap [Veness2009]: every inner node of the search is corrected towards its own value in that search. `minimax`
  hands out exact values, TreeStrap(minimax). `alphabeta` hands out bounds as well, which correct only scores that
  violate them, TreeStrap(alpha-beta).

The first two correct d = gamma * value of the next position - P(last position) as soon as it is known, with an
eligibility trace; [Baxter2000] adds up the same corrections and applies them at the end of the game, which is the same
for small steps (docs/readings.md, "TDLeaf during the game").
"""

import numpy as np

from gameforge.kernel import (
    U0,
    U1,
    U2,
    CompiledEvaluator,
    CompiledPlayer,
    GameWorkspace,
    Score,
    Word,
    answer,
    at,
    inline,
    slots,
    static_score,
)
from gameforge_learn_td.trainee import Trainee, add_gradient, approach, correct, decay, predict, predict_known

TD, TDLEAF, TREESTRAP = (np.uint64(i) for i in range(3))
RULES = {"td": TD, "tdleaf": TDLEAF, "treestrap": TREESTRAP}
MOST_NODES = 1 << 18
"""The most inner nodes of one search that TreeStrap learns from."""
_LINE = np.uint64(slots.OUT_LINE)
_ZERO = np.float32(0)


@inline
def learn_board(game: GameWorkspace, evaluator: CompiledEvaluator, t: Trainee, known: Score) -> None:
    """TD(lambda): train on the position after the learner's move; known: its value, or UNKNOWN_VALUE."""
    s = at(game.states, U0)
    approach(evaluator, t, -static_score(evaluator, s) if known == UNKNOWN_VALUE else known)
    predict(evaluator, t, s, -1.0)


UNKNOWN_VALUE = 9.0
"""No value of a position."""


@inline
def learn_leaf(game: GameWorkspace, player: CompiledPlayer, t: Trainee, score: Score) -> None:
    """TDLeaf(lambda): train on the leaf of the search that found the last move, which had this score.

    If the line ends in a position that has another score, it was cut short, by the end of the game, an oracle or a
    table: then the value is corrected towards, but has no gradient.
    """
    rules, evaluator, words = game.rules, player.context.evaluator, game.rules.words
    data, here, other = at(rules.data, U0), U0, words
    for i in range(words):
        t.states[i] = game.states[i]
    side = -1.0
    for i in range(U1, player.out[slots.OUT_LINE_LENGTH]):
        rules.play(data, at(t.states, here), player.out[_LINE + i], at(t.states, other))
        here, other, side = other, here, -side
    leaf = at(t.states, here)
    is_leaf = np.float32(side * static_score(evaluator, leaf)) == np.float32(score)
    value = min(max(score, -1.0), 1.0)
    approach(evaluator, t, value)
    if is_leaf:
        predict(evaluator, t, leaf, side)
    else:
        predict_known(t, value)


@inline
def _difference(score: Score, value: Score, bound: Word) -> Score:
    """How far a score is from what a search found: a value, or a bound that the score violates."""
    missing = min(max(value, -1.0), 1.0) - score
    if bound == answer.AT_LEAST:
        return max(missing, 0.0)
    return min(missing, 0.0) if bound == answer.AT_MOST else missing


@inline
def learn_tree(player: CompiledPlayer, t: Trainee, used: Word) -> None:
    """TreeStrap: correct the scores of all nodes that the last search handed out, behind `used` words of the stack.

    [Veness2009] adds the corrections up. We take their mean, so that the learning rate need not be smaller for larger
    trees (docs/readings.md, "Sum or mean in TreeStrap").
    """
    stack, evaluator, words = player.context.stack, player.context.evaluator, player.context.rules.words
    n = min(stack[np.uint64(len(stack)) - U1], np.uint64(MOST_NODES))
    for i in range(n):
        node = used + i * (words + U2)
        s = at(stack, node)
        value, bound = answer.handed_out(stack[node + words]), stack[node + words + U1]
        error = _difference(static_score(evaluator, s), value, bound)
        if error != 0.0:
            add_gradient(evaluator, t, s, error)
    if n != U0:
        correct(evaluator, t, 1.0 / np.float64(n))
    decay(t, _ZERO)
