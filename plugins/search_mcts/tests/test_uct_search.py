"""Searches of `uct` apart from their values: parameters, limits, memory, reuse between moves, statistics."""

import math
import time
from typing import Any

import attrs
import numpy as np
import pytest
from gameforge_search_mcts import tree
from gameforge_search_mcts.uct import Uct
from toy_games import Constant, Hearsay, Opinion, Tug, guess
from uncompiled import both_ways

import gameforge as gf
from gameforge.cli.players import with_limits
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import PLY, PROVEN_WIN, WON
from gameforge.interfaces.oracle import Announce, Gate, OracleFunctions, silent
from gameforge.interfaces.rules import DRAW, Rules
from gameforge.kernel import slots
from gameforge.kernel.assembly import game_workspace
from gameforge.kernel.context import CompiledPlayer
from gameforge.kernel.gameplay import think
from gameforge.play.game import Game, Position
from gameforge.play.player import Player
from gameforge.play.saved_players import save_player
from gameforge.play.workshop import Workshop
from gameforge.testing.toy import Pile
from gameforge.testing.toy import probe as small_piles

PILE, TUG = Game(Pile(stones=15)), Game(Tug())


def player(settings: str, game: Game = PILE, evaluator: Any = "none", oracle: Any = "none") -> Player:
    return gf.player(game, searcher=f"uct:{settings}", evaluator=evaluator, oracle=oracle)


def seat(player: Player) -> CompiledPlayer:
    """The player, compiled for one thread."""
    return player.parts.compiled_player(game_workspace(player.game.compiled, player.game.rules.draws), player.weights)


def words(position: Position) -> Any:
    return np.array(position.state, np.uint64)


def visits(player: Player, position: Position) -> dict[int, int]:
    return {found.move.code: found.visits for found in player.analyse(position).statistics}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("simulations=0", "searcher.simulations = 0: must be a number from 1 to 4294967295"),
        ("simulations=1.5", "searcher.simulations"),
        ("time=0", "searcher.time = 0.0: must be more than 0 seconds and at most 1000000"),
        ("time=nan", "must be more than 0 seconds"),
        ("time=inf", "must be more than 0 seconds"),
        ("cp=0", "searcher.cp = 0.0: must be more than 0 and at most 100"),
        ("cp=-1", "must be more than 0"),
        ("cp=nan", "must be more than 0"),
        ("memory=0", "searcher.memory = 0: must be a number from 1 to 65536"),
        ("prior=-1", "searcher.prior = -1: must be a number from 0 to 1048576"),
        ("final=best", "searcher.final"),
        ("leaf=net", "searcher.leaf"),
        ("reuse=1", "searcher.reuse"),
        ("simulation=4", "did you mean 'simulations'"),
        ("leaf=evaluator", "with these settings, the searcher needs an evaluator"),
        ("prior=1", "with these settings, the searcher needs an evaluator"),
        ("leaf=mixed", "with these settings, the searcher needs an evaluator"),
        ("expand=evaluator", "with these settings, the searcher needs an evaluator"),
        ("expand=first", "searcher.expand"),
        ("prior=1,expand=evaluator", "give prior or expand, not both"),
        ("prior=1,urgency=0.5", "give prior or urgency, not both"),
        ("prior=1,bias=0.5", "give prior or bias, not both"),
        ("batch=0,leaf=evaluator", "searcher.batch = 0: must be a number from 1 to 256"),
        ("batch=8", "give leaf=evaluator or leaf=mixed"),
        ("prior=1,leaf=evaluator,batch=8", "give prior or batch, not both"),
        ("bias=1", "with these settings, the searcher needs an evaluator"),
        ("rave=-1", "searcher.rave = -1.0: must be from 0 to 1000000"),
        ("urgency=-2", "from -1 to 100"),
        ("leaf=mixed,share=0", "searcher.share = 0.0: must be more than 0 and less than 1"),
        ("leaf=mixed,share=1", "must be more than 0 and less than 1"),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(settings: str, message: str) -> None:
    with pytest.raises(GameforgeError) as error:
        player(settings)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_parameters_in_python_are_checked() -> None:
    with pytest.raises(ValueError, match="final"):
        Uct(final="best")  # type: ignore[arg-type]
    with pytest.raises(GameforgeError, match="too small even for the root"):
        Uct(memory=1).functions(_wide())


def _wide() -> Any:
    return attrs.evolve(Pile().functions(), max_moves=1 << 16)


@pytest.mark.parametrize("simulations", [1, 2, 7, 1000])
def test_simulations_are_counted_and_limited(simulations: int) -> None:
    table = seat(player(f"simulations={simulations}"))
    think(table, words(PILE.position()))
    assert table.out[slots.OUT_NODES] == table.context.control[slots.NODES] == simulations
    found = player(f"simulations={simulations}").analyse(PILE.position())
    assert sum(move.visits for move in found.statistics) == found.nodes == simulations


def test_the_default_limit_is_a_thousand_simulations() -> None:
    assert gf.player(PILE, searcher="uct", evaluator="none", oracle="none").analyse(PILE.position()).nodes == 1000
    evaluated = 0

    def evaluate() -> float:
        nonlocal evaluated
        evaluated += 1
        if evaluated == 1001:
            table.context.control[slots.STOP] = 1
        return 0.0

    table = seat(player("time=10000,leaf=evaluator", TUG, Constant(evaluate)))  # the time replaces it
    think(table, words(TUG.position()))
    assert table.out[slots.OUT_NODES] > 1000
    assert player("time=100,simulations=50").analyse(PILE.position()).nodes == 50


def test_the_winning_move_is_found() -> None:
    """There is one unless the number of stones is a multiple of four."""
    for stones in (5, 6, 7, 9, 10, 11):
        for final in ("value", "visits"):
            found = player(f"simulations=3000,final={final}").analyse(Game(Pile(stones=stones)).position())
            assert found.move.code == stones % 4


def test_a_search_depends_on_its_seed() -> None:
    position = TUG.position()
    one, same, other = (player("simulations=200", TUG) for _ in range(3))
    other.reseed(1)
    assert one.analyse(position) == same.analyse(position)
    assert visits(one, position) == visits(same, position) != visits(other, position)


def test_final_plays_the_greatest_mean_or_the_most_visited_move() -> None:
    """The two differ after few simulations."""
    differs = 0
    for seed in range(20):
        by_value, by_visits = (player(f"simulations=12,cp=2,final={final}", TUG) for final in ("value", "visits"))
        by_value.reseed(seed)
        by_visits.reseed(seed)
        one, other = by_value.analyse(TUG.position()), by_visits.analyse(TUG.position())
        assert one.statistics == other.statistics
        statistics = {move.move: move for move in one.statistics}
        assert statistics[one.move].value == one.score == max(move.value for move in one.statistics if move.visits)
        assert statistics[other.move].visits == max(move.visits for move in one.statistics)
        differs += one.move != other.move
    assert differs


def test_scores_lie_in_the_band_of_proven_known_or_heuristic_values() -> None:
    assert player("simulations=50").analyse(Game(Pile(stones=3)).position()).score == PROVEN_WIN - PLY
    assert -1 < player("simulations=50").analyse(Game(Pile(stones=4)).position()).score < -0.5
    knows = Hearsay(small_piles, (8,))
    assert player("simulations=50", oracle=knows).analyse(Game(Pile(stones=9)).position()).score == WON
    assert player("simulations=50", oracle=knows).analyse(Game(Pile(stones=12)).position()).score > -WON
    over = seat(player("simulations=50"))
    assert think(over, words(Position(PILE, (0, 0)))) == -PROVEN_WIN
    assert over.out[slots.OUT_NODES : slots.OUT_LINE_LENGTH + 1].tolist() == [0, 0]


def test_a_game_that_an_oracle_knows_is_won_by_simulations() -> None:
    """By the oracle all winning moves would be equal, so it values only moves that give the win away."""
    knows = Hearsay(small_piles, (100,))
    found = player("simulations=2000", oracle=knows).analyse(Game(Pile(stones=15)).position())
    values = {move.move.code: move.value for move in found.statistics}
    assert (found.move.code, values[1], values[2]) == (3, -1.0, -1.0)
    assert 0 < values[3] < 1


def all_drawn(od: Any, s: Any, out: Any) -> Any:
    return DRAW


def test_a_game_that_an_oracle_calls_drawn_is_simulated() -> None:
    found = player("simulations=300", TUG, oracle=Hearsay(all_drawn)).analyse(TUG.position())
    assert len({move.value for move in found.statistics}) > 1


class AfterMoves(Hearsay):
    """The same oracle, consulted about the positions after the root's moves, whatever an evaluator says."""

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        return attrs.evolve(super().open(rules, announce, workers), gate=Gate(low=-1.0, high=math.inf, at="root"))


@pytest.mark.parametrize(
    ("settings", "evaluator"), [("", "none"), (",prior=2", Opinion()), (",leaf=mixed", Opinion()), (",rave=9", "none")]
)
def test_an_oracle_settles_the_roots_moves_whatever_values_leaves(settings: str, evaluator: Any) -> None:
    knows = AfterMoves(small_piles, (100,))
    found = player(f"simulations=4{settings}", PILE, evaluator, knows).analyse(PILE.position())
    assert (found.move.code, found.score) == (3, WON)


def test_an_oracle_settles_the_roots_moves_of_a_kept_tree() -> None:
    """They were deeper in the tree of the search before, which did not consult the oracle about them."""
    searcher = player("simulations=500", PILE, oracle=AfterMoves(small_piles, (8,)))
    searcher.analyse(PILE.position())
    found = searcher.analyse(PILE.position().after(3).after(3))
    assert sum(move.visits for move in found.statistics) > 500  # the tree was kept
    assert (found.move.code, found.score) == (1, WON)


def test_a_full_tree_does_not_stop_the_search() -> None:
    game = Game(Pile(stones=60))
    small = seat(player("simulations=60000,memory=1", game))
    think(small, words(game.position()))
    memory = small.context.memory
    assert len(memory) == 1 << 17
    assert len(memory) - 4 * 4 < memory[tree.USED] <= len(memory)
    assert small.out[slots.OUT_NODES] == 60_000
    assert int(small.out[slots.OUT_MOVE]) in (1, 2, 3)


def test_time_counts_from_the_call() -> None:
    """The time until the kernel starts is part of the limit, once."""
    began = time.monotonic()
    assert player("time=0.05,simulations=4000000000").analyse(PILE.position()).nodes < 4 * 10**9
    assert time.monotonic() - began >= 0.05
    table = seat(player("time=10000,simulations=5000"))
    table.context.control[slots.ASKED] = time.monotonic_ns() - 10_000_000_000_000
    think(table, words(PILE.position()))
    assert table.out[slots.OUT_NODES] == 1  # the time is over: one simulation is run
    think(table, words(PILE.position()))
    assert table.out[slots.OUT_NODES] == 5000


def test_a_search_stopped_before_its_start_returns_a_legal_move() -> None:
    table = seat(player("simulations=100"))
    table.context.control[slots.STOP] = 1
    assert think(table, words(PILE.position())) == 0
    assert int(table.out[slots.OUT_MOVE]) in PILE.legal(PILE.position().state)
    assert table.out[slots.OUT_NODES : slots.OUT_LINE_LENGTH + 1].tolist() == [0, 0]


@pytest.mark.parametrize("plies", [1, 2, 3])
def test_the_subtree_of_the_new_root_is_kept(plies: int) -> None:
    """The moves of the new root have the visits of the old tree in addition to the new ones."""
    searcher, fresh = player("simulations=3000", TUG), player("simulations=3000,reuse=false", TUG)
    before = searcher.analyse(TUG.position())
    line = before.line[:plies]
    position = TUG.position()
    for move in line:
        position = position.after(move.code)
    kept = visits_below(searcher, [move.code for move in line])
    now = visits(searcher, position)
    assert sum(kept.values()) > 100
    assert sum(now.values()) == 3000 + sum(kept.values())
    assert all(now[move] >= kept[move] for move in now)
    fresh.analyse(TUG.position())
    assert sum(visits(fresh, position).values()) == 3000


def visits_below(player: Player, line: list[int]) -> dict[int, int]:
    """Visits of the moves at the end of a line in the tree of the player's last search."""
    memory = player._workspace[1].context.memory.tolist()
    edge = int(tree.ROOT)
    for step in [*line, None]:
        node = memory[edge + int(tree.LINK)]
        edges = [node + 4 + 4 * i for i in range(memory[node + int(tree.COUNT)] & 0xFFFFFFFF)]
        if step is None:
            return {memory[edge]: memory[edge + 1] for edge in edges}
        edge = next(edge for edge in edges if memory[edge] == step)
    raise AssertionError


def test_a_kept_tree_is_the_subtree_of_the_old_one() -> None:
    """They are equal node by node after the subtree was moved to the front."""
    searcher = player("simulations=2000", TUG)
    line = searcher.analyse(TUG.position()).line[:2]
    memory = searcher._workspace[1].context.memory
    before = shape(memory.tolist(), [move.code for move in line])
    position = TUG.position()
    for move in line:
        position = position.after(move.code)
    table = searcher._workspace[1]
    table.context.control[slots.STOP] = 1
    from gameforge.kernel.gameplay import replay

    replay(searcher._workspace[0], words(TUG.position()), np.array([move.code for move in line], np.uint64))
    think(table, words(position))  # no simulations, only a new root
    assert shape(memory.tolist(), []) == before
    nodes = len(before)
    assert memory[tree.USED] <= int(tree.STATE) + 4 + nodes * 4 * 4


def shape(memory: list[int], line: list[int]) -> list[Any]:
    """All nodes below the end of a line: key, moves, plies, and move, visits, total of each edge."""
    found: list[Any] = []

    def walk(edge: int, line: list[int]) -> None:
        node = memory[edge + int(tree.LINK)]
        edges = [node + 4 + 4 * i for i in range(memory[node + int(tree.COUNT)] & 0xFFFFFFFF)]
        if line:
            walk(next(edge for edge in edges if memory[edge] == line[0]), line[1:])
            return
        found.append((memory[node : node + 4], [memory[edge : edge + 3] for edge in edges]))
        for edge in edges:
            link = memory[edge + int(tree.LINK)]
            if link and link < 1 << 62:
                walk(edge, [])

    walk(int(tree.ROOT), line)
    return found


def test_trees_of_other_games_or_of_the_same_position_are_not_reused() -> None:
    searcher = player("simulations=500", TUG)
    start = TUG.position()
    again = [sum(visits(searcher, start).values()) for _ in range(3)]
    assert again == [500, 500, 500]
    elsewhere = Position(TUG, (5, 1, 0, 0))
    assert sum(visits(searcher, elsewhere).values()) == 500
    back = start.after(1)  # one ply from the start, but the tree is that of `elsewhere`
    assert sum(visits(searcher, back).values()) == 500
    reached = start.after(2).after(1)
    assert sum(visits(searcher, reached).values()) == 500  # the tree is that of another first move


def test_whole_games_keep_the_tree_small() -> None:
    searcher = player("simulations=20000,memory=1", TUG)
    position = TUG.position()
    while position.outcome is None:
        position = position.after(searcher.analyse(position).move.code)
        assert searcher._workspace[1].context.memory[tree.USED] <= 1 << 17


def test_a_match_gives_the_same_result_for_any_number_of_workers() -> None:
    one, other = player("simulations=50", TUG), player("simulations=50,final=visits,cp=1", TUG)
    results = [gf.match(one, other, games=12, openings="random:2", seed=3, workers=n) for n in (1, 3)]
    assert results[0].games == results[1].games


def test_an_analysis_searches_an_only_move() -> None:
    """In games, an only move is played without a search."""
    found = player("simulations=20").analyse(Game(Pile(stones=1)).position())
    assert [move.visits for move in found.statistics] == [20]


def test_simulated_games_are_drawn_at_the_ply_cap() -> None:
    """One ply before the cap every game is drawn; without the cap the side to move wins at once."""
    rules = Tug(max_plies=2, no_progress=0, repetition=0)
    position = Position(Game(rules), (8, 1, 0, 0)).after(1)  # drawn at the cap of two plies
    assert position.outcome is not None
    near = Position(Game(rules), (6, 0, 0, 0)).after(1)
    found = player("simulations=20", Game(rules)).analyse(near)
    assert {move.value for move in found.statistics} == {0.0}


def test_the_evaluator_has_no_effect_by_default() -> None:
    position = TUG.position()
    plain, with_evaluator = player("simulations=100", TUG), player("simulations=100", TUG, Opinion())
    assert visits(plain, position) == visits(with_evaluator, position)


def test_uncompiled_code_plays_the_same() -> None:
    code = (
        "from test_uct_search import *\n"
        "print(visits(player('simulations=60,prior=2', TUG, Opinion()), TUG.position()))\n"
        "print(visits(player('simulations=60,leaf=evaluator', TUG, Opinion()), TUG.position().after(1)))\n"
        "p = player('simulations=60', TUG); m = p.analyse(TUG.position()).move\n"
        "print(visits(p, TUG.position().after(m.code)))\n"
        "print(gf.player(TUG, searcher='random', evaluator='none', oracle='none').analyse(TUG.position()).move)\n"
    )
    compiled, uncompiled = both_ways(code)
    assert compiled == uncompiled


def test_a_greater_cp_explores_more() -> None:
    """The spread of visits grows with cp."""

    def entropy(cp: float) -> float:
        counts = visits(player(f"simulations=2000,cp={cp}"), Game(Pile(stones=10)).position()).values()
        return -sum(n / 2000 * math.log(n / 2000) for n in counts)

    assert entropy(0.5) < entropy(1.0) < entropy(2.0)


def test_limits_of_the_command_line_replace_those_of_the_player() -> None:
    registry = default_registry()
    strong = player("simulations=7,time=5")
    weaker = with_limits(strong, registry, simulations=3)
    assert weaker.spec["searcher"]["simulations"] == 3
    assert "time" not in weaker.spec["searcher"]
    assert weaker.analyse(PILE.position()).nodes == 3
    with pytest.raises(GameforgeError, match="uct has no limit 'depth'; allowed: simulations, time"):
        with_limits(strong, registry, depth=3)


class Counting:
    """A batch evaluator that records the number of states of each call."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def values(self, states: Any) -> Any:
        self.calls.append(len(states))
        return np.array([guess(tuple(state)) for state in states.tolist()])


@pytest.mark.parametrize("leaf", ["simulation", "evaluator"])
def test_a_batch_evaluator_scores_the_moves_of_a_node_in_one_call(leaf: str) -> None:
    batch = Counting()
    settings = f"simulations=200,prior=2,leaf={leaf}"
    batched = player(settings, TUG, batch).analyse(TUG.position())
    assert batched == player(settings, TUG, Opinion()).analyse(TUG.position())
    assert batch.calls
    assert set(batch.calls) <= {2, 3}
    assert len(batch.calls) < 200


def test_leaves_that_wait_are_scored_in_one_call() -> None:
    """Only leaves: finished games need no evaluator. The last call of a search gets what is left."""
    single, gathered = Counting(), Counting()
    player("simulations=100,leaf=evaluator", TUG, single).analyse(TUG.position())
    found = player("simulations=100,leaf=evaluator,batch=16", TUG, gathered).analyse(TUG.position())
    assert set(single.calls) == {1}
    assert set(gathered.calls[:-1]) == {16}
    assert gathered.calls[-1] < 16
    assert sum(move.visits for move in found.statistics) == found.nodes == 100
    assert all(-1.0 <= move.value <= 1.0 for move in found.statistics)


def test_the_search_with_a_batch_depends_on_its_size_alone() -> None:
    one, same, other = (
        player(f"simulations=300,leaf=evaluator,batch={batch}", TUG, Opinion()).analyse(TUG.position())
        for batch in (16, 16, 3)
    )
    assert one == same
    assert one.statistics != other.statistics


def test_an_exception_of_a_batch_evaluator_is_raised() -> None:
    class Broken:
        def values(self, states: Any) -> Any:
            raise ValueError("no net")

    with pytest.raises(ValueError, match="no net"):
        player("simulations=50,prior=1", TUG, Broken()).analyse(TUG.position())


def test_an_untrained_net_of_a_preset_is_refused_if_it_is_needed(tmp_path: Any) -> None:
    """A trained net comes from a folder, in either order with the searcher."""
    try:
        gf.game("othello")
        trained = gf.player("othello", searcher="random", evaluator="mlp:hidden=2", features="boardbits", seed=3)
    except GameforgeError as error:
        pytest.skip(str(error))
    with pytest.raises(
        GameforgeError, match="the one of the preset, mlp, is untrained; give the folder of a trained player"
    ) as error:
        gf.player("othello", searcher="uct:leaf=evaluator")
    assert "\n" not in str(error.value)
    save_player(tmp_path / "net", trained)
    for text in (
        f"uct:simulations=20,prior=2 + {tmp_path / 'net'}",
        f"{tmp_path / 'net'} + uct:simulations=20,prior=2",
    ):
        found = Workshop().player(text, "othello")
        assert found.weights is not None
        assert (found.weights == trained.weights).all()
        assert found.analyse(found.game.position()).nodes == 20
    for other in ("wpc", "mlp:hidden=2", "discs"):
        with pytest.raises(GameforgeError, match="has its own evaluator; omit"):
            Workshop().player(f"uct + {tmp_path / 'net'} + {other}", "othello")
    with pytest.raises(GameforgeError, match="plays othello, not draughts"):
        Workshop().player(f"uct + {tmp_path / 'net'}", "draughts")
