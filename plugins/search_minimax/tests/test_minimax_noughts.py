"""minimax against the printed algorithm in plain Python, in noughts and crosses."""

import functools
import json
from typing import Any

import numpy as np
import pytest
from minimax_reference import LOSS, WIN, minimax
from toy_games import Hearsay, Noughts, Opinion, reachable
from uncompiled import printed_uncompiled

import gameforge as gf
from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import compiled_oracles
from gameforge.kernel.compile.functions import call
from gameforge.kernel.compile.jit import COMPILED
from gameforge.play.game import Game, Position
from gameforge.play.player import Analysis, Player

GAME = Game(Noughts())
STATES = reachable()
DECIDED = 2
"""Code of a state whose side to move has lost by three in a row."""


def player(depth: int, evaluator: Any = "none", oracle: Any = "none") -> Player:
    return gf.player(GAME, searcher=f"minimax:depth={depth}", evaluator=evaluator, oracle=oracle)


def one_state(od: Any, s: Any, out: Any) -> Any:
    """A probe that knows only the state od[0], od[1], with the result od[2]."""
    return np.int64(od[2]) if s[0] == od[0] and s[1] == od[1] else 0


def analyse(state: State, *settings: Any) -> Analysis:
    return player(*settings).analyse(Position(GAME, state))


def results(depth: int, states: list[State]) -> list[tuple[int, float]]:
    """(move, score) of each state, with evaluator and oracle."""
    searcher = player(depth, Opinion(), Hearsay())
    return [(found.move.code, found.score) for found in (searcher.analyse(Position(GAME, s)) for s in states)]


@pytest.mark.parametrize("oracle", ["none", Hearsay()], ids=["no oracle", "oracle"])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_move_and_value_match_the_printed_algorithm(depth: int, oracle: Any) -> None:
    searcher = player(depth, Opinion(), oracle)
    table = compiled_oracles(() if oracle == "none" else (oracle.open(GAME.rules),))

    @functools.cache
    def evaluate(state: State) -> float:
        return float(searcher.values(np.array([state], np.uint64))[0])

    @functools.cache
    def look_up(state: State) -> int:
        return int(call(table.probes[0], table.data[0], np.array(state, np.uint64), table.out))

    states = [state for state in STATES if (state[0] | state[1]).bit_count() >= depth - 1]
    for state in states[::37]:
        value, move = minimax(GAME, state, depth, evaluate, look_up)
        found = searcher.analyse(Position(GAME, state))
        assert (found.move.code, found.score) == (move, value), state


def test_a_search_of_full_depth_solves_the_game() -> None:
    """Noughts and crosses is a draw; against a corner, every reply but the centre loses."""
    solver = player(9)
    assert solver.analyse(GAME.position()).score == 0
    corner = GAME.position().after(0o1)
    values = {reply: -solver.analyse(corner.after(reply)).score for reply in corner.codes}
    assert values == {reply: 0 if reply == 0o20 else -1 for reply in corner.codes}


def test_the_first_of_several_wins_is_played_however_long_it_takes() -> None:
    """All wins score 1. Here the last cell of a column would win at once, but it is not the first winning move."""
    state, fork, column = (0o11, 0o42), 0o20, 0o100
    after = GAME.play(state, column)
    assert GAME.code(after, len(GAME.legal(after))) == DECIDED
    for depth in (3, 9):
        found = analyse(state, depth)
        assert (found.move.code, found.score, len(found.line)) == (fork, 1.0, 3)


@pytest.mark.parametrize("claim", [WIN, LOSS])
def test_the_root_is_never_probed(claim: int) -> None:
    for state in STATES[::300]:
        alone = analyse(state, 2, Opinion())
        found = analyse(state, 2, Opinion(), Hearsay(one_state, (*state, claim)))
        assert (found.move, found.score) == (alone.move, alone.score)


@pytest.mark.parametrize("depth", [1, 3])
def test_any_hit_below_the_root_is_used(depth: int) -> None:
    """The leaves need not all be in the database, as step 5 of the paper's flow chart demands."""
    position = GAME.position()
    for move in position.codes:
        lost = GAME.play(position.state, move)
        found = analyse(position.state, depth, Opinion(), Hearsay(one_state, (*lost, LOSS)))
        assert (found.move.code, found.score) == (move, 1.0)
        assert [step.code for step in found.line] == [move]


@pytest.mark.skipif(not COMPILED, reason="compares with compiled kernels")
def test_the_uncompiled_search_agrees() -> None:
    code = (
        "import json, numpy; numpy.seterr(over='ignore')\n"
        "from test_minimax_noughts import STATES, results; print(json.dumps(results(3, STATES[::150])))"
    )
    assert [tuple(result) for result in json.loads(printed_uncompiled(code))] == results(3, STATES[::150])
