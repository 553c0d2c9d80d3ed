"""Searches of `alphabeta` apart from their values: parameters, limits, stopping, draws, helper threads."""

import math
import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gameforge_search_minimax.endings import recurs
from toy_games import Constant, Noughts, Opinion, reachable
from uncompiled import both_ways

import gameforge as gf
from gameforge.errors import ComponentError, GameforgeError
from gameforge.interfaces.rules import State
from gameforge.kernel import slots
from gameforge.kernel.assembly import game_workspace
from gameforge.kernel.context import CompiledPlayer
from gameforge.kernel.gameplay import think
from gameforge.play.game import Game, Position
from gameforge.play.player import Analysis, Player

GAME = Game(Noughts())
STATES = reachable()


def player(settings: str, evaluator: Any = "none") -> Player:
    return gf.player(GAME, searcher=f"alphabeta:{settings}", evaluator=evaluator, oracle="none")


def seat(player: Player) -> CompiledPlayer:
    """The player, compiled for one thread."""
    return player.parts.compiled_player(game_workspace(player.game.compiled, player.game.rules.draws), player.weights)


def words(state: State) -> Any:
    return np.array(state, np.uint64)


@pytest.fixture(scope="module")
def draughts() -> Game:
    try:
        return gf.game("draughts")
    except GameforgeError as error:
        pytest.skip(str(error))


def material(game: Game, settings: str) -> Player:
    return gf.player(game, searcher=f"alphabeta:{settings}", evaluator="material", oracle="none")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("depth=0", "searcher.depth = 0: must be a number from 1 to 60"),
        ("depth=61", "searcher.depth = 61: must be a number from 1 to 60"),
        ("nodes=0", "searcher.nodes = 0: must be a number from 1 to "),
        ("time=0", "must be more than 0 seconds"),
        ("time=-1", "must be more than 0 seconds"),
        ("time=nan", "must be more than 0 seconds"),
        ("time=soon", "searcher.time"),
        ("memory=-1", "searcher.memory = -1: must be a number from 0 to 65536"),
        ("workers=0", "searcher.workers = 0: must be a number from 1 to 64"),
        ("dept=4", "did you mean 'depth'"),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(settings: str, message: str) -> None:
    with pytest.raises(GameforgeError) as error:
        player(settings)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_the_default_depth_depends_on_other_limits() -> None:
    position = Position(GAME, STATES[0])
    assert gf.player(GAME, searcher="alphabeta", evaluator=Opinion(), oracle="none").analyse(position).depth == 8
    assert player("nodes=100000", Opinion()).analyse(position).depth >= 9


@pytest.mark.parametrize("nodes", [1, 2, 50, 1000, 20_000])
def test_nodes_are_counted_and_limited(draughts: Game, nodes: int) -> None:
    table = seat(material(draughts, f"nodes={nodes}"))
    state = draughts.rules.initial()
    think(table, words(state))
    assert table.out[slots.OUT_NODES] == table.context.control[slots.NODES] == max(nodes, 2)
    assert int(table.out[slots.OUT_MOVE]) in draughts.legal(state)


def test_a_search_does_not_depend_on_those_before_it(draughts: Game) -> None:
    used = material(draughts, "nodes=5000,memory=1")
    position = draughts.position()
    for _ in range(30):
        fresh = material(draughts, "nodes=5000,memory=1").analyse(position)
        assert used.analyse(position) == used.analyse(position) == fresh
        position = position.play(fresh.move)
        if position.outcome:
            break


def test_the_table_is_cleared_when_the_search_numbers_start_again(draughts: Game) -> None:
    table = seat(material(draughts, "depth=5,memory=1"))
    state = words(draughts.rules.initial())
    think(table, state)
    first = table.out.copy()
    table.context.memory[0] = 4094
    for _ in range(3):
        think(table, state)
        assert (table.out == first).all()
    assert table.context.memory[0] == 2


def test_the_first_limit_that_is_reached_ends_the_search(draughts: Game) -> None:
    position = draughts.position()
    assert material(draughts, "depth=4,nodes=10000000,time=100").analyse(position).depth == 4
    assert material(draughts, "depth=50,nodes=3000,time=100").analyse(position).nodes == 3000
    timed = material(draughts, "depth=50,nodes=10000000000,time=0.1").analyse(position)
    assert timed.depth < 50
    assert timed.nodes < 10**10


def test_the_time_limit_holds_in_games_inside_kernels(draughts: Game) -> None:
    """There each search counts from its own start. benchmarks/alphabeta.py measures how exactly it ends."""
    table = seat(material(draughts, "depth=50,nodes=10000000000,time=0.02"))
    state = words(draughts.rules.initial())
    for _ in range(3):
        began = time.monotonic()
        think(table, state)
        assert time.monotonic() - began >= 0.02
        assert table.context.control[slots.DEPTH] < 50
        assert table.out[slots.OUT_NODES] < 10**10


def test_time_counts_from_the_call(draughts: Game) -> None:
    """The time until the kernel starts is part of the limit, once. Here it is all of it, hours ago."""
    table = seat(material(draughts, "depth=50,nodes=1000000,time=10000"))
    state = words(draughts.rules.initial())
    table.context.control[slots.ASKED] = time.monotonic_ns() - 10_000_000_000_000
    think(table, state)
    assert table.out[slots.OUT_NODES] < 10**5
    assert table.context.control[slots.ASKED] == 0
    think(table, state)
    assert table.out[slots.OUT_NODES] == 10**6


def test_a_search_that_is_stopped_before_it_begins_plays_a_legal_move() -> None:
    table = seat(player("depth=9", Opinion()))
    think(table, words(STATES[0]))
    table.context.control[slots.STOP] = 1
    for state in STATES[::400]:
        assert think(table, words(state)) == 0.0
        assert int(table.out[slots.OUT_MOVE]) == GAME.legal(state)[0]
        assert table.out[slots.OUT_LINE_LENGTH] == 0


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

    table = seat(player("depth=6,memory=0", Constant(evaluate)))
    search = threading.Thread(target=think, args=(table, words((0, 0))))
    search.start()
    assert reached.wait(600)
    table.context.control[slots.STOP] = 1
    stopped.set()
    search.join()
    assert evaluated == 100
    assert int(table.out[slots.OUT_MOVE]) in GAME.legal((0, 0))


def test_a_stopped_search_plays_its_best_move() -> None:
    """It is the move of the last complete iteration, or a better one of the interrupted iteration."""
    whole = player("depth=3,memory=0", Opinion()).analyse(GAME.position())
    cut = player(f"nodes={whole.nodes + 5},memory=0", Opinion()).analyse(GAME.position())
    assert (cut.move, cut.score, cut.depth) == (whole.move, whole.score, 3)


def test_scores_that_are_not_numbers_still_give_a_legal_move() -> None:
    searcher = player("depth=3", Constant(lambda: math.nan))
    for state in STATES[::500]:
        assert searcher.analyse(Position(GAME, state)).move.code in GAME.legal(state)


def test_a_failing_evaluator_is_reported() -> None:
    def evaluate() -> float:
        raise ZeroDivisionError("no score today")

    with pytest.raises(ComponentError, match="raised ZeroDivisionError: no score today"):
        player("depth=2", Constant(evaluate)).analyse(GAME.position())


def test_quiescence_searches_beyond_an_exchange(draughts: Game) -> None:
    """At one ply this capture wins a piece; the next move captures one in return."""
    exchange = draughts.position("W:W23,32:B18,10,7")
    assert material(draughts, "depth=1,quiescence=false").analyse(exchange).score == 0
    found = material(draughts, "depth=1").analyse(exchange)
    assert found.score < 0
    assert [str(move) for move in found.line] == ["23x14", "10x17"]


def repeated(game: Game, times: int) -> Position:
    """Two kings against one after moves back and forth: the first position has occurred `times` + 1 times."""
    position = game.position("W:WK32,K31:BK1")
    for _ in range(times):
        for move in ("32-28", "1-6", "28-32", "6-1"):
            position = position.play(move)
    return position


def test_positions_of_the_game_count_for_repetition(draughts: Game) -> None:
    """A position that has occurred twice is a draw the next time: the winner avoids it, the loser seeks it."""
    third = repeated(draughts, 1).play("32-28").play("1-6")
    aware, blind = material(draughts, "depth=1"), material(draughts, "depth=1,draws=false")
    loser = third.play("28-32")
    assert blind.analyse(loser).score < 0
    drawing = aware.analyse(loser)
    assert (str(drawing.move), drawing.score) == ("6-1", 0.0)
    assert aware.analyse(third).score > 0


@pytest.mark.parametrize(
    ("line", "game", "draw"),
    [
        ("abcda", "", True),  # in the searched line, one repetition is enough
        ("abcde", "", False),
        ("da", "abc", False),  # with the game's positions, it has to occur as often as the rules say
        ("da", "abcdabc", True),
        ("ca", "abacab", False),  # at odd distances the other side is to move
    ],
)
def test_repetition(line: str, game: str, draw: bool) -> None:
    """Positions are letters; the root of the line follows the positions of the game."""
    stack = np.array([9, *map(ord, line)], np.uint64)
    history = np.array([0, *map(ord, game + line[0])], np.uint64)
    context = SimpleNamespace(draws=np.array([3, 0, 100, 0]), stack=stack, history=history)
    ply, since = len(line) - 1, len(game) + len(line) - 1
    course = SimpleNamespace(past=len(game) + 1, repetitions=True)
    place = course, 1, SimpleNamespace(key=ord(line[-1]), ply=np.uint64(ply), since=np.uint64(since))
    assert recurs.py_func(context, *place) == draw
    context.draws[slots.DRAW_REPETITION] = 0  # only shuffles are draws
    assert recurs.py_func(context, *place) == (line == "abcda")


def test_draws_at_the_ply_cap_and_for_lack_of_progress_are_recognised(draughts: Game) -> None:
    """The stronger side cannot win within the plies that are left."""
    near = gf.game("draughts", max_plies=4)
    assert material(near, "depth=6").analyse(near.position("W:WK32,K31:BK1")).score == 0.0
    assert material(near, "depth=3").analyse(near.position("W:WK32,K31:BK1")).score > 0
    still = gf.game("draughts", no_progress=4)
    assert material(still, "depth=6").analyse(still.position("W:WK32,K31:BK1")).score == 0.0
    later = still.position("W:WK32,K31:BK1").play("32-28").play("1-6")
    assert material(still, "depth=2").analyse(later).score == 0.0
    assert material(still, "depth=2,draws=false").analyse(later).score > 0


def test_an_ending_that_an_oracle_knows_without_distances_is_won(draughts: Game) -> None:
    """By the oracle all moves that keep the win are equal, so the evaluator guides."""
    try:
        oracle = gf.oracle("chinook", pieces=3)
    except GameforgeError as error:
        pytest.skip(str(error))

    def ending(settings: str) -> int | None:
        """Winner of two kings against one on the open board; both sides have the database."""
        position = draughts.position("W:WK32,K31:BK14")
        sides = [
            gf.player(draughts, searcher=f"alphabeta:depth=7{more}", evaluator="material", oracle=oracle)
            for more in (settings, "")
        ]
        while position.outcome is None:
            position = position.play(sides[1 - position.turn].choose(position))
        return position.outcome.winner

    assert ending("") == 1
    assert ending(",progress=false") is None


@pytest.mark.parametrize("fen", ["W:WK28,K10,20:BK17", "W:WK25,K27,16:BK19", "W:WK23,K5,10:BK14", "W:WK6,K18,16:BK12"])
def test_a_won_ending_is_not_judged_in_the_middle_of_a_capture(fen: str, draughts: Game) -> None:
    """All moves keep the win. A move that gives a man away must not be scored before the man is captured."""
    found = gf.player(draughts, searcher="alphabeta:depth=1", evaluator="material", oracle="chinook:pieces=4").analyse(
        position := draughts.position(fen)
    )
    assert 1 < found.score < 1.5
    assert not any("x" in str(move) for move in position.play(found.move).legal_moves)


def test_the_evaluator_guides_in_a_drawn_ending(draughts: Game) -> None:
    """The side that is ahead keeps trying; the other side's score is a little below 0. The man cannot be held."""
    behind = draughts.position("B:WK20,28:BK15")

    def found(position: Position, more: str = "") -> Analysis:
        searcher = f"alphabeta:depth=3{more}"
        return gf.player(draughts, searcher=searcher, evaluator="material", oracle="chinook:pieces=3").analyse(position)

    assert -0.001 < found(behind).score < 0
    assert 0 < found(behind.play(found(behind).move)).score < 0.001
    assert found(behind, ",progress=false").score == 0.0


def test_uncompiled_code_searches_the_same() -> None:
    code = """
import gameforge as gf
game = gf.game("draughts")
position = game.position("W:W18,24,27,28,K10,K5:B12,16,20,K22,K25,K29").play("10-15").play("16-19")
for searcher in ("depth=3,memory=1", "depth=3,memory=0,workers=2", "nodes=300,time=100,memory=1"):
    found = gf.player(game, searcher="alphabeta:" + searcher, evaluator="material", oracle="none").analyse(position)
    print(found.line, found.score, found.depth, found.nodes if "workers" not in searcher else "")
"""
    try:
        gf.game("draughts")
    except GameforgeError as error:
        pytest.skip(str(error))
    compiled, uncompiled = both_ways(code)
    assert compiled == uncompiled


def test_helpers_find_the_same_value(draughts: Game) -> None:
    """Threads share the table; without one they share nothing, and the result is that of one thread."""
    position = draughts.position()
    alone = material(draughts, "depth=7,memory=0").analyse(position)
    helped = material(draughts, "depth=7,memory=0,workers=3").analyse(position)
    assert (helped.move, helped.score, helped.line) == (alone.move, alone.score, alone.line)
    assert helped.nodes > alone.nodes
    shared = material(draughts, "depth=9,workers=2").analyse(position)
    assert shared.depth == 9
    assert shared.move.code in position.codes


def test_games_do_not_depend_on_the_threads_that_play_them(draughts: Game) -> None:
    from gameforge.arena import match

    pair = [material(draughts, settings) for settings in ("nodes=2000,memory=1", "depth=4,memory=1")]
    results = [match(*pair, games=6, openings=6, seed=3, workers=workers) for workers in (1, 2)]
    assert [game.codes for game in results[0].games] == [game.codes for game in results[1].games]
    assert results[0].distinct > 3


def test_helpers_in_games_inside_kernels(draughts: Game) -> None:
    from gameforge.arena import match

    pair = [material(draughts, f"depth=3,workers={n}") for n in (2, 1)]
    result = match(*pair, games=2, openings=2, seed=1)
    assert len(result.games) == 2
    assert not [thread for thread in threading.enumerate() if thread.name == "gameforge-helper"]
