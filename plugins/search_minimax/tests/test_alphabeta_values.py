"""alphabeta finds the values of the unpruned reference, in hundreds of positions of two games (slow: thousands)."""

import functools
import random
from typing import Any

import numpy as np
import pytest
from alphabeta_reference import values
from test_minimax_draughts import EVALUATORS, FewPieces, placed, played
from toy_games import Hearsay, Noughts, Opinion, reachable

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import ORACLE_WIN, PLY, PROVEN_WIN
from gameforge.interfaces.oracle import Announce, OracleFunctions, silent
from gameforge.interfaces.rules import Rules, State
from gameforge.kernel import slots
from gameforge.kernel.assembly import compiled_evaluator, compiled_oracles
from gameforge.play.game import Game, Position
from gameforge.play.player import Player

PLAIN = "memory=0,quiescence=false,draws=false,progress=false"
NOUGHTS = Game(Noughts())
STATES = reachable()


def distant(od: Any, s: Any, out: Any) -> Any:
    """A probe that claims wins and losses in a few plies for about an eighth of the states."""
    h = (s[0] * np.uint64(0x9E3779B97F4A7C15) + s[1] * np.uint64(0xBF58476D1CE4E5B9)) >> np.uint64(58)
    out[slots.PROBE_DISTANCE] = h
    return np.int64(h & np.uint64(3)) if h < 16 else 0


class Reference:
    def __init__(self, player: Player, oracle: Any) -> None:
        self.game = player.game
        self.evaluator = compiled_evaluator(player.parts.net, player.weights)
        self.oracle = compiled_oracles(() if oracle == "none" else (oracle.open(player.game.rules),))

    def search(self, state: State, depth: int) -> dict[int, float]:
        """The value of each move."""
        legal = self.game.legal(state)
        out = np.zeros(len(legal), np.float64)
        blocks = np.array(state, np.uint64), depth, np.array(legal, np.uint64), out
        values(self.game.compiled, self.evaluator, self.oracle, *blocks)
        return dict(zip(legal, out.tolist(), strict=True))


def check(player: Player, reference: Reference, position: Position, depth: int) -> float:
    """Check that the value is the reference's, the move one of the best, and the line legal and begun by the move."""
    expected = reference.search(position.state, depth)
    found = player.analyse(position)
    assert found.score == max(expected.values()), (depth, position)
    assert expected[found.move.code] == found.score, (depth, position)
    assert found.line[0] == found.move
    here = position
    for move in found.line:
        here = here.play(move)
    return found.score


@pytest.mark.parametrize("every", [41, pytest.param(7, marks=pytest.mark.slow)])
@pytest.mark.parametrize("oracle", ["none", Hearsay(), Hearsay(distant)], ids=["no oracle", "oracle", "distances"])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_values_in_noughts_and_crosses(depth: int, oracle: Any, every: int) -> None:
    searcher = f"alphabeta:depth={depth},{PLAIN}"
    player = gf.player(NOUGHTS, searcher=searcher, evaluator=Opinion(), oracle=oracle)
    reference = Reference(player, oracle)
    positions = [Position(NOUGHTS, state) for state in STATES[depth::every]]
    if oracle != "none":  # a root that an oracle with distances knows is played without a search
        known = [gf.oracle(oracle).get(position) for position in positions]
        positions = [p for p, value in zip(positions, known, strict=True) if value is None or value.distance is None]
    assert len(positions) > 2_000 // every
    for position in positions:
        check(player, reference, position, depth)


@pytest.fixture(scope="module")
def game() -> Game:
    try:
        return gf.game("draughts")
    except GameforgeError as error:
        pytest.skip(str(error))


@functools.lru_cache(maxsize=1)
def mixed(game: Game, number: int) -> list[Position]:
    """Draughts positions: openings and middle games, endings full of kings, and positions near the end, mixed."""
    rng = random.Random(41)
    found = [played(game, rng, rng.randrange(70)) for _ in range(number // 2)]
    found += [placed(game, rng, *kind) for kind in ((6, 0.8), (3, 0.3)) for _ in range(number // 4)]
    rng.shuffle(found)
    return found


@pytest.mark.parametrize("number", [200, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("oracle", ["none", FewPieces()], ids=["no oracle", "oracle"])
@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_values_in_draughts(game: Game, evaluator: str, oracle: Any, number: int) -> None:
    """Each combination of evaluator and oracle takes every other position, and searches to five depths."""
    mine = mixed(game, number)[(evaluator == "mlp") ^ (oracle == "none") :: 2]
    first, decided = 0, 0
    for depth, part in {1: 0.2, 2: 0.3, 3: 0.3, 4: 0.15, 5: 0.05}.items():
        searcher = f"alphabeta:depth={depth},{PLAIN}"
        try:
            player = gf.player(mine[0].game, searcher=searcher, oracle=oracle, seed=depth, **EVALUATORS[evaluator])
        except GameforgeError as error:
            pytest.skip(str(error))
        reference = Reference(player, oracle)
        last = first + round(part * len(mine))
        for position in mine[first:last]:
            decided += abs(check(player, reference, position, depth)) >= 1
        first = last
    assert first == len(mine)
    assert decided >= 0.03 * len(mine)  # some positions are won or lost


def test_a_table_changes_no_value_in_a_game_without_cycles() -> None:
    """In noughts and crosses the value of a solved position is the same with a table, even a full one."""
    without = gf.player(NOUGHTS, searcher=f"alphabeta:depth=9,{PLAIN}", evaluator="none", oracle="none")
    table = gf.player(NOUGHTS, searcher="alphabeta:depth=9,memory=1", evaluator="none", oracle="none")
    for state in STATES[::25]:
        position = Position(NOUGHTS, state)
        assert table.analyse(position).score == without.analyse(position).score


def test_nearer_wins_are_played() -> None:
    """minimax, which scores all wins equally, takes the longer way here."""
    position = Position(NOUGHTS, (0o11, 0o42))
    player = gf.player(NOUGHTS, searcher="alphabeta:depth=9", evaluator="none", oracle="none")
    found = player.analyse(position)
    assert (found.move.code, found.score, len(found.line)) == (0o100, PROVEN_WIN - PLY, 1)
    assert found.depth == 1  # there is no nearer win


class Counting:
    """An oracle with invented distances: states with `cells` taken cells are won; `answer` is written to `out`."""

    def __init__(self, cells: int, answer: tuple[int, int]) -> None:
        self.cells, self.answer = cells, answer

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        def probe(od: Any, s: Any, out: Any) -> int:
            if (int(s[0]) | int(s[1])).bit_count() != self.cells:
                return 0
            out[slots.PROBE_DISTANCE], out[slots.PROBE_CONVERSION] = self.answer
            return 1

        return OracleFunctions(
            probe=probe, data=np.zeros(1, np.uint64), covers="some", why_not=lambda state: "", compiled=False
        )


@pytest.mark.parametrize(("answer", "score"), [((0, 0), 1.0), ((7, 0), ORACLE_WIN - (2 + 6) * PLY), ((7, 1), 1.0)])
def test_wins_of_oracles_score_by_the_plies_to_the_end_of_the_game(answer: tuple[int, int], score: float) -> None:
    """A distance to a conversion is ignored."""
    oracle = Counting(2, answer)
    player = gf.player(NOUGHTS, searcher="alphabeta:depth=4", evaluator=Opinion(), oracle=oracle)
    assert player.analyse(NOUGHTS.position()).score == score
