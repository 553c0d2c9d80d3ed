"""Searches of `minimax` apart from their values: parameters, roots with one or no move, stopping, node counts."""

import math
import threading
from typing import Any

import numpy as np
import pytest
from gameforge_search_minimax.minimax import Minimax
from toy_games import Constant, Hearsay, Noughts, Opinion, reachable

import gameforge as gf
from gameforge.errors import ComponentError, GameforgeError
from gameforge.interfaces.rules import State
from gameforge.kernel import slots
from gameforge.kernel.assembly import game_workspace
from gameforge.kernel.context import CompiledPlayer
from gameforge.kernel.gameplay import think
from gameforge.play.game import Game, Position
from gameforge.play.player import Player

GAME = Game(Noughts())
STATES = reachable()


def player(depth: int, evaluator: Any = "none", oracle: Any = "none") -> Player:
    return gf.player(GAME, searcher=f"minimax:depth={depth}", evaluator=evaluator, oracle=oracle)


def seat(player: Player) -> CompiledPlayer:
    """The player, compiled for one thread."""
    return player.parts.compiled_player(game_workspace(GAME.compiled, GAME.rules.draws), player.weights)


def words(state: State) -> Any:
    return np.array(state, np.uint64)


@pytest.mark.parametrize(
    ("searcher", "message"),
    [
        ("minimax:depth=0", "searcher.depth = 0: must be a number from 1 to 60"),
        ("minimax:depth=-1", "searcher.depth = -1: must be a number from 1 to 60"),
        ("minimax:depth=61", "searcher.depth = 61: must be a number from 1 to 60"),
        ("minimax:depth=6.9", "searcher.depth = 6.9: must be an integer"),
        ("minimax:depth=deep", "must be an integer"),
        ("minimax:dept=4", "did you mean 'depth'"),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(searcher: str, message: str) -> None:
    with pytest.raises(GameforgeError) as error:
        gf.player(GAME, searcher=searcher, evaluator="none")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_the_default_depth_is_the_papers() -> None:
    """The papers' depth 4 evaluates after the mover's own move, which is 5 plies."""
    assert Minimax() == Minimax(depth=5, ties="first")


def test_a_forced_move_is_found_with_its_value() -> None:
    """The move to the last empty cell makes three in a row, or a draw."""
    searcher = player(3, Opinion())
    positions = [Position(GAME, state) for state in STATES if (state[0] | state[1]).bit_count() == 8]
    for position in positions[::5]:
        outcome = position.after(position.codes[0]).outcome
        assert outcome is not None
        found = searcher.analyse(position)
        assert [move.code for move in found.line] == position.codes
        assert found.score == (0 if outcome.winner is None else 1)


def test_a_finished_root_has_its_value_and_no_move() -> None:
    table = seat(player(3, Opinion()))
    lost, drawn = (0o600, 0o7), (0o465, 0o312)
    for state, value in ((lost, -1.0), (drawn, 0.0)):
        assert think(table, words(state)) == value
        assert table.out[: slots.OUT_LINE_LENGTH + 1].tolist() == [0, 1, 0]
    with pytest.raises(GameforgeError):
        player(3).analyse(Position(GAME, lost))


def test_a_search_does_not_depend_on_those_before_it() -> None:
    used = player(4, Opinion(), Hearsay())
    for state in STATES[::500]:
        position = Position(GAME, state)
        fresh = player(4, Opinion(), Hearsay()).analyse(position)
        assert used.analyse(position) == used.analyse(position) == fresh


def test_a_search_that_knows_moves_of_the_same_game_finds_the_same_with_fewer_nodes() -> None:
    knowing, position = player(5, Opinion()), GAME.position()
    for _ in range(3):
        position = position.after(knowing.analyse(position).move.code)
        before, alone = knowing.analyse(position), player(5, Opinion()).analyse(position)
        assert (before.move.code, before.score) == (alone.move.code, alone.score)
        assert before.nodes < alone.nodes


def test_nodes_are_counted() -> None:
    """The root and all positions after a move count; nothing is pruned at depth 1."""
    table, position = seat(player(1, Opinion())), GAME.position()
    think(table, words(position.state))
    assert table.out[slots.OUT_NODES] == table.context.control[slots.NODES] == 1 + 9
    think(table, words(position.after(1).state))
    assert table.context.control[slots.NODES] == 10 + 9
    nodes = [player(depth, Opinion()).analyse(position).nodes for depth in (1, 2, 3)]
    assert nodes[0] < nodes[1] < nodes[2] <= 1 + 9 + 9 * 8 + 9 * 8 * 7


def test_a_search_that_is_stopped_before_it_begins_plays_a_legal_move() -> None:
    table = seat(player(5, Opinion()))
    think(table, words(STATES[0]))
    table.context.control[slots.STOP] = 1
    for state in STATES[::400]:
        assert think(table, words(state)) == 0.0
        assert int(table.out[slots.OUT_MOVE]) in GAME.legal(state)
        assert table.out[slots.OUT_NODES : slots.OUT_LINE_LENGTH + 1].tolist() == [1, 0]


@pytest.mark.parametrize("leaves", [1, 5, 20, 44])
def test_a_stopped_search_plays_the_best_completely_searched_move(leaves: int) -> None:
    """The flag is set while a leaf is evaluated; a move that was not searched completely does not count."""
    seen: list[float] = []

    def evaluate() -> float:
        seen.append(len(seen) / 1000)  # later leaves are better for the side to move
        if len(seen) == leaves:
            table.context.control[slots.STOP] = 1
        return seen[-1]

    table = seat(player(2, Constant(evaluate)))
    score = think(table, words((0, 0)))
    assert len(seen) == leaves
    whole = leaves // 8  # each move has 8 replies, and the first is the worst for the mover
    assert int(table.out[slots.OUT_MOVE]) == GAME.legal((0, 0))[max(whole - 1, 0)]
    assert (score, table.out[slots.OUT_LINE_LENGTH]) == ((whole - 1) * 8 / 1000, 2) if whole else (0, 0)


def test_another_thread_can_stop_a_long_search() -> None:
    """While it evaluates its hundredth leaf, which is the last one then."""
    evaluated, reached, stopped = 0, threading.Event(), threading.Event()

    def evaluate() -> float:
        nonlocal evaluated
        evaluated += 1
        if evaluated == 100:
            reached.set()
            assert stopped.wait(600)
        return 0.0

    table = seat(player(5, Constant(evaluate)))
    search = threading.Thread(target=think, args=(table, words((0, 0))))
    search.start()
    assert reached.wait(600)
    table.context.control[slots.STOP] = 1
    stopped.set()
    search.join()
    assert evaluated == 100
    assert int(table.out[slots.OUT_MOVE]) in GAME.legal((0, 0))


def test_scores_that_are_not_numbers_still_give_a_legal_move() -> None:
    searcher = player(3, Constant(lambda: math.nan))
    for state in STATES[::500]:
        assert searcher.analyse(Position(GAME, state)).move.code in GAME.legal(state)


def test_a_failing_evaluator_is_reported() -> None:
    def evaluate() -> float:
        raise ZeroDivisionError("no score today")

    with pytest.raises(ComponentError, match="raised ZeroDivisionError: no score today"):
        player(2, Constant(evaluate)).analyse(GAME.position())
