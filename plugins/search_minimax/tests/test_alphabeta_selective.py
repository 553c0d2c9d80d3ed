"""alphabeta with `selective=true`: what it proves, what it keeps between moves, and that its games can be repeated."""

import math
import random
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from test_alphabeta_signature import BENCH
from toy_games import Constant, Noughts, Opinion, reachable

import gameforge as gf
from gameforge.arena import match
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import ORACLE_WIN
from gameforge.kernel import slots
from gameforge.kernel.assembly import game_workspace
from gameforge.kernel.context import CompiledPlayer
from gameforge.kernel.gameplay import think
from gameforge.play.game import Game, Position
from gameforge.play.player import Player

NOUGHTS = Game(Noughts())
OFF = "reductions=0,futility=0,penalties=false,late_pruning=false,keep=false,forced=false"
FORMER = "reductions=0.5,futility_plies=3,penalties=false,late_pruning=false,forced=false"
"""The search with which the shipped players of draughts and morris were trained."""


@pytest.fixture(scope="module")
def draughts() -> Game:
    try:
        return gf.game("draughts")
    except GameforgeError as error:
        pytest.skip(str(error))


def material(game: Game, settings: str) -> Player:
    return gf.player(game, searcher=f"alphabeta:{settings}", evaluator="material", oracle="none")


def seat(player: Player) -> CompiledPlayer:
    """The player for a thread of its own."""
    return player.parts.compiled_player(game_workspace(player.game.compiled, player.game.rules.draws), player.weights)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("futility=-1", "searcher.futility = -1.0: must be from 0 to 2"),
        ("futility=nan", "searcher.futility = nan: must be from 0 to 2"),
        ("reductions=3", "searcher.reductions = 3.0: must be from 0 to 2"),
        ("reductions=many", 'searcher.reductions = "many": must be true or false or a number'),
        ("futility_plies=-1", "searcher.futility_plies"),
        ("unknown_plies=1", "searcher.unknown_plies"),
        ("selectiv=true", "did you mean 'selective'"),
    ],
)
def test_wrong_parameters_are_refused(settings: str, message: str) -> None:
    with pytest.raises(GameforgeError, match=message):
        gf.player(NOUGHTS, searcher=f"alphabeta:{settings}", evaluator="none", oracle="none")


def test_depth_16_takes_fewer_nodes(draughts: Game) -> None:
    """The exact search needs 965,000 nodes on average, with material."""
    settings = "depth=16,selective=true"
    strong = gf.player(draughts, "strong", searcher=f"alphabeta:{settings}", oracle="none")
    for player in (strong, material(draughts, f"{settings},forced=false")):
        found = [player.analyse(draughts.position(text)) for text in BENCH]
        assert sum(one.nodes for one in found) / len(found) < 250_000
        assert min(one.depth for one in found) == 16


@pytest.mark.parametrize("preset", ["anaconda", "kim-cho-simple", "kim-cho-speciated", "uct-ccnn-net"])
def test_the_presets_of_the_papers_pin_the_exact_search(preset: str) -> None:
    """So a new default would not change what they train."""
    searcher = default_registry().preset(preset)["searcher"]
    assert searcher["use"] == "alphabeta"
    assert searcher["selective"] is False


def test_without_its_options_it_is_the_exact_search(draughts: Game) -> None:
    exact, same = material(draughts, "depth=9"), material(draughts, f"depth=9,selective=true,{OFF}")
    for text in BENCH:
        position = draughts.position(text)
        assert same.analyse(position) == exact.analyse(position)


def test_the_options_change_nothing_in_an_exact_search(draughts: Game) -> None:
    plain = material(draughts, "depth=8")
    changed = material(draughts, f"depth=8,{OFF}")
    for text in BENCH:
        position = draughts.position(text)
        assert plain.analyse(position) == changed.analyse(position)


def test_the_search_of_earlier_trainings_is_the_same(draughts: Game) -> None:
    """A training with it must give the same weights again. The number is that of the search before the new options."""
    searcher = material(draughts, f"depth=11,selective=true,{FORMER}")
    assert sum(searcher.analyse(draughts.position(text)).nodes for text in BENCH) == 122_843


def test_reductions_are_a_number_or_a_switch(draughts: Game) -> None:
    for switch, number in (("true", "0.7"), ("false", "0")):
        found = [
            material(draughts, f"depth=9,selective=true,reductions={value}").analyse(draughts.position())
            for value in (switch, number)
        ]
        assert found[0] == found[1]


@pytest.mark.parametrize(
    "option",
    ["reductions=0", "late_pruning=false", "penalties=false", "futility=0", "forced=false", "unknown_plies=3"],
)
def test_each_option_changes_the_search(draughts: Game, option: str) -> None:
    full, without = (material(draughts, f"depth=11,selective=true{more}") for more in ("", f",{option}"))
    assert any(
        full.analyse(draughts.position(text)).nodes != without.analyse(draughts.position(text)).nodes for text in BENCH
    )


def test_forced_follows_selective(draughts: Game) -> None:
    for selective in ("true", "false"):
        settings = f"depth=9,selective={selective}"
        found = [
            material(draughts, f"{settings}{more}").analyse(draughts.position(BENCH[3]))
            for more in ("", f",forced={selective}")
        ]
        assert found[0] == found[1]


def test_late_pruning_takes_fewer_nodes(draughts: Game) -> None:
    full, without = (material(draughts, f"depth=13,selective=true{more}") for more in ("", ",late_pruning=false"))
    nodes = [sum(one.analyse(draughts.position(text)).nodes for text in BENCH) for one in (full, without)]
    assert nodes[0] < nodes[1]


def test_positions_that_the_table_does_not_know_lose_a_ply(draughts: Game) -> None:
    less, full = (material(draughts, f"depth=13,selective=true{more}") for more in (",unknown_plies=3", ""))
    nodes = [sum(one.analyse(draughts.position(text)).nodes for text in BENCH) for one in (less, full)]
    assert nodes[0] < nodes[1]
    without = [
        material(draughts, f"depth=9,selective=true{more}").analyse(draughts.position()).nodes
        for more in (",unknown_plies=3,memory=0", ",memory=0")
    ]
    assert without[0] == without[1]  # no table that could know a position


@pytest.mark.parametrize("every", [30, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("more", ["", ",futility=0.1", ",futility=0.1,memory=0"])
def test_noughts_is_solved(more: str, every: int) -> None:
    """Deep enough, it proves what the exact search proves, and calls nothing proven that is not."""
    exact = gf.player(NOUGHTS, searcher="alphabeta:depth=9", evaluator=Opinion(), oracle="none")
    selective = gf.player(
        NOUGHTS, searcher=f"alphabeta:depth=30,selective=true{more}", evaluator=Opinion(), oracle="none"
    )
    shallow = gf.player(NOUGHTS, searcher=f"alphabeta:depth=4,selective=true{more}", evaluator=Opinion(), oracle="none")
    for state in reachable()[::every]:
        position = Position(NOUGHTS, state)
        true = exact.analyse(position).score
        assert np.sign(selective.analyse(position).score) == np.sign(true), position
        found = shallow.analyse(position).score
        assert abs(found) < ORACLE_WIN or np.sign(found) == np.sign(true), position


def endings(game: Game, number: int) -> Iterator[Position]:
    """Positions of 3 to 5 pieces, most of them kings."""
    rng = random.Random(5)
    for _ in range(number):
        squares = rng.sample(range(5, 29), rng.randint(3, 5))  # where men of both sides may stand
        pieces = [f"{'K' if rng.random() < 0.6 else ''}{square}" for square in squares]
        yield game.position(
            f"W:W{','.join(pieces[1:])}:B{pieces[0]}"
            if rng.random() < 0.7
            else f"W:W{','.join(pieces[:-2])}:B{','.join(pieces[-2:])}"
        )


def test_won_endings_are_proven(draughts: Game) -> None:
    """With twice the nominal depth; and what is proven with less is true."""
    exact, deep, same = (
        material(draughts, settings) for settings in ("depth=11", "depth=22,selective=true", "depth=11,selective=true")
    )
    decided = 0
    for position in endings(draughts, 60):
        true = exact.analyse(position).score
        if abs(true) > ORACLE_WIN:
            decided += 1
            found = deep.analyse(position).score
            assert abs(found) > ORACLE_WIN, position
            assert np.sign(found) == np.sign(true), position
            found = same.analyse(position).score
            assert abs(found) < ORACLE_WIN or np.sign(found) == np.sign(true), position
    assert decided > 15


def follow(player: Player, plies: int) -> tuple[list[Position], list[int]]:
    """A game of the player against itself, and the nodes that its own searches took; the other side does not search."""
    position, positions, nodes = player.game.position(), [], []
    other = material(player.game, "depth=3")
    for _ in range(plies):
        found = player.analyse(position)
        positions.append(position)
        nodes.append(found.nodes)
        position = position.play(found.move)
        position = position.play(other.analyse(position).move)
    return positions, nodes


def test_the_table_is_kept_within_a_game(draughts: Game) -> None:
    kept = follow(material(draughts, "depth=12,selective=true"), 12)[1]
    forgotten = follow(material(draughts, "depth=12,selective=true,keep=false"), 12)[1]
    assert kept[0] == forgotten[0]
    assert sum(kept) < 0.9 * sum(forgotten)


def test_the_table_is_cleared_between_games(draughts: Game) -> None:
    """For the same position again, an earlier one, another line, another start."""
    used = material(draughts, "depth=10,selective=true")
    positions, nodes = follow(used, 4)
    for position in (positions[3], positions[3], positions[1], draughts.position(BENCH[3]), draughts.position()):
        fresh = material(draughts, "depth=10,selective=true").analyse(position)
        assert used.analyse(position) == fresh
    assert follow(used, 4)[1] == nodes
    other_line = draughts.position().play("12-16").play("24-20").play("8-12")
    assert used.analyse(other_line) == material(draughts, "depth=10,selective=true").analyse(other_line)


def test_a_table_of_another_start_is_not_read(draughts: Game) -> None:
    """The same moves from two different positions are two games."""
    one, other = draughts.position(BENCH[7]), draughts.position("W:WK15,K20,K32:BK1,K5")
    move = next(str(move) for move in one.legal_moves if str(move) in map(str, other.legal_moves))
    used, fresh = (material(draughts, "depth=9,selective=true") for _ in range(2))
    used.analyse(one)
    assert used.analyse(other.play(move)) == fresh.analyse(other.play(move))


def test_a_won_ending_is_won_with_a_kept_table(draughts: Game) -> None:
    """Whether an oracle's win ends a line depends on the root, so scores of an undecided root do not fit a won one."""
    try:
        oracle = gf.oracle("chinook", pieces=3)
    except GameforgeError as error:
        pytest.skip(str(error))
    position = draughts.position("W:WK32,K31,K27:B2,K14")
    sides = [
        gf.player(draughts, searcher=f"alphabeta:depth=7{more}", evaluator="material", oracle=oracle)
        for more in (",selective=true", "")
    ]
    while position.outcome is None:
        position = position.play(sides[1 - position.turn].choose(position))
    assert position.outcome.winner == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_games_can_be_repeated(draughts: Game, workers: int) -> None:
    pair = [material(draughts, f"nodes=1500,memory=1,selective=true{more}") for more in ("", ",ties=random")]
    results = [match(*pair, games=6, openings=6, seed=3, workers=n) for n in (1, workers)]
    assert [game.codes for game in results[0].games] == [game.codes for game in results[1].games]
    assert results[0].distinct > 3


@pytest.mark.parametrize("nodes", [1, 2, 50, 1000, 20_000])
def test_nodes_are_counted_and_limited(draughts: Game, nodes: int) -> None:
    table = seat(material(draughts, f"nodes={nodes},selective=true,futility=0.05"))
    state = draughts.rules.initial()
    think(table, np.array(state, np.uint64))
    assert table.out[slots.OUT_NODES] == max(nodes, 2)
    assert int(table.out[slots.OUT_MOVE]) in draughts.legal(state)


def test_another_thread_can_stop_it(draughts: Game) -> None:
    table = seat(material(draughts, "time=1000,selective=true"))
    state = draughts.rules.initial()
    search = threading.Thread(target=think, args=(table, np.array(state, np.uint64)))
    search.start()
    while table.context.control[slots.DEPTH] < 4:
        assert search.is_alive()
        time.sleep(0.001)
    table.context.control[slots.STOP] = 1
    search.join(timeout=600)
    assert not search.is_alive()
    assert int(table.out[slots.OUT_MOVE]) in draughts.legal(state)


def test_helpers_search_selectively(draughts: Game) -> None:
    position = draughts.position()
    found = material(draughts, "depth=11,selective=true,workers=2").analyse(position)
    assert found.depth == 11
    assert found.move.code in position.codes


def test_scores_that_are_no_numbers_still_give_a_legal_move() -> None:
    settings = "depth=5,selective=true,futility=0.1"
    evaluator = Constant(lambda: math.nan)
    searcher = gf.player(NOUGHTS, searcher=f"alphabeta:{settings}", evaluator=evaluator, oracle="none")
    for state in reachable()[::500]:
        assert searcher.analyse(Position(NOUGHTS, state)).move.code in NOUGHTS.legal(state)
