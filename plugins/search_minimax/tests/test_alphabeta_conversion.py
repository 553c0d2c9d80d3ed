"""A search for a conversion when every conversion costs something. The draughts databases' tests play whole endings."""

from typing import Any

import numpy as np
import pytest
from gameforge_search_minimax.endings import LONG
from gameforge_search_minimax.negamax import AlphaBeta

from gameforge.interfaces import LOSS, RUNNING, WIN
from gameforge.interfaces.evaluator import EvaluatorFunctions
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.oracle import OracleFunctions
from gameforge.interfaces.rules import DrawRules, Rules, RulesFunctions, State
from gameforge.play.game import Game
from gameforge.play.parts import Parts
from gameforge.play.player import Player

_0, _1, _2 = (np.uint64(n) for n in range(3))
STEP, PAY = 1, 2


def gen(rules: Any, s: Any, moves: Any) -> Any:
    """s: the side to move, the steps so far, the coins of the first side. Only this side can pay a coin."""
    moves[0] = _1
    if s[0] == _0 and s[2] != _0:
        moves[1] = _2
        return _2
    return _1


def play(rules: Any, s: Any, m: Any, child: Any) -> None:
    child[0], child[1], child[2] = _1 - s[0], s[1] + _1, s[2] - (m - _1)


def outcome(rules: Any, s: Any, n_moves: Any) -> Any:
    """The side to move has lost once no coin is left."""
    return LOSS if s[2] == _0 else RUNNING


def irreversible(rules: Any, s: Any, m: Any) -> Any:
    return m - _1


class Coins:
    """The first side wins by paying its coins, one by one; steps change nothing."""

    name = "coins"
    sides = ("Payer", "Walker")
    reasons = ("no coin left",)
    draws = DrawRules(no_progress=80)

    def functions(self) -> RulesFunctions:
        return RulesFunctions(words=3, max_moves=2, gen=gen, play=play, outcome=outcome, irreversible=irreversible)

    def initial(self) -> State:
        return (0, 0, 3)

    def side_to_move(self, state: State) -> int:
        return state[0]


def evaluate(ed: Any, w: Any, s: Any, x: Any) -> Any:
    worth = 0.1 * np.float64(s[2])
    return worth if s[0] == _0 else -worth


class Wealth:
    """An evaluator to which coins are worth something."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(evaluate=evaluate)


def won(od: Any, s: Any, out: Any) -> Any:
    return WIN if s[0] == _0 else LOSS


def payer(searcher: AlphaBeta, *, known: bool = True) -> Player:
    """known: whether an oracle knows that the first side has won."""
    oracle = OracleFunctions(probe=won, data=np.zeros(1, np.uint64), covers="all", why_not=lambda state: "")
    return Player(Parts(Game(Coins()), searcher, Wealth(), oracles=(oracle,) if known else ()))


@pytest.mark.parametrize("selective", [False, True])
def test_a_cost_is_paid_only_after_long_without_a_conversion_and_only_by_the_selective_search(selective: bool) -> None:
    player = payer(AlphaBeta(depth=4, nodes=3000, memory=1, selective=selective))
    position, paid = player.game.position(), []
    for ply in range(int(LONG) + 4):
        move = player.choose(position).code if ply % 2 == 0 else STEP
        if move == PAY:
            paid.append(ply)
            move = STEP
        position = position.after(move)
    assert paid == ([int(LONG), int(LONG) + 2] if selective else [])


@pytest.mark.parametrize("known", [True, False])
def test_an_only_move_counts_as_a_ply_in_a_search_for_a_conversion(known: bool) -> None:
    """The walker has only moves."""
    players = [
        payer(AlphaBeta(depth=6, nodes=3000, memory=1, selective=True, forced=forced), known=known)
        for forced in (False, True)
    ]
    found = [player.analyse(player.game.position()) for player in players]
    assert (found[0] == found[1]) == known
