"""minimax plays and scores like the unpruned algorithm, in hundreds of draughts positions (slow: thousands)."""

import functools
import itertools
import random
from typing import Any

import numpy as np
import pytest
from minimax_reference import WIN, root_values

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import HEURISTIC_LIMIT
from gameforge.interfaces.oracle import Announce, OracleFunctions, silent
from gameforge.interfaces.rules import Rules, State
from gameforge.kernel.assembly import compiled_evaluator, compiled_oracles
from gameforge.kernel.bits import popcount
from gameforge.kernel.compile.functions import call
from gameforge.play.game import Game, Position
from gameforge.play.player import Analysis, Player

LOSS, DRAW = 2, 3
COVERED = 4


def few_pieces(od: Any, s: Any, out: Any) -> Any:
    """A probe that calls positions with up to od[0] pieces decided by the numbers of pieces of s[0] and s[1]."""
    own, opponent = popcount(s[0]), popcount(s[1])
    if own + opponent > od[0]:
        return 0
    if own == opponent:
        return DRAW
    return WIN if own > opponent else LOSS


class FewPieces:
    """An oracle whose answers may be wrong; the search has to use them."""

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        return OracleFunctions(
            probe=few_pieces,
            data=np.array([COVERED], np.uint64),
            covers=f"positions with up to {COVERED} pieces",
            why_not=lambda state: "too many pieces",
        )


EVALUATORS: dict[str, dict[str, Any]] = {
    "material": {"evaluator": "material"},
    "mlp": {"evaluator": "mlp:hidden=12,direct=true,low=-0.5,high=0.5", "features": "netfeaturemap"},
}
ORACLES: dict[str, Any] = {"no oracle": "none", "oracle": FewPieces()}


@pytest.fixture(scope="module")
def game() -> Game:
    try:
        return gf.game("draughts")
    except GameforgeError as error:
        pytest.skip(str(error))


def played(game: Game, rng: random.Random, plies: int) -> Position:
    """A position after random moves from the start, in which the side to move has a move."""
    while True:
        state = game.position().state
        for _ in range(plies):
            legal = game.legal(state)
            if not legal:
                break
            state = game.play(state, rng.choice(legal))
        if game.legal(state):
            return Position(game, state)


def placed(game: Game, rng: random.Random, most: int, kings: float) -> Position:
    """A random position with up to `most` pieces per side, a share of them kings, and a legal move."""
    while True:
        squares = rng.sample(range(1, 33), rng.randint(2, 2 * most))
        cut = rng.randint(max(1, len(squares) - most), min(most, len(squares) - 1))
        sides = []
        for colour, own in (("W", squares[:cut]), ("B", squares[cut:])):
            far_row = range(1, 5) if colour == "W" else range(29, 33)
            is_king = [rng.random() < kings or square in far_row for square in own]
            sides.append(colour + ",".join(f"{'K' * king}{s}" for king, s in zip(is_king, own, strict=True)))
        position = game.position(f"{rng.choice('WB')}:{sides[0]}:{sides[1]}")
        if position.codes:
            return position


@functools.lru_cache(maxsize=1)
def mixed(game: Game, number: int) -> list[Position]:
    """Openings and middle games, endings full of kings, and positions near the end, mixed."""
    rng = random.Random(20260)
    found = [played(game, rng, rng.randrange(70)) for _ in range(2 * number // 5)]
    found += [placed(game, rng, 6, 0.8) for _ in range(number // 4)]
    found += [placed(game, rng, 3, 0.3) for _ in range(number - len(found))]
    rng.shuffle(found)
    return found


class Reference:
    """The printed algorithm with the components of a player."""

    def __init__(self, player: Player, oracle: Any) -> None:
        self.game = player.game
        kernels = () if oracle == "none" else (oracle.open(player.game.rules),)
        self.evaluator = compiled_evaluator(player.parts.net, player.weights)
        self.oracle = compiled_oracles(kernels)

    def search(self, state: State, depth: int) -> tuple[float, int]:
        """(value, move): the first of the best moves."""
        legal = self.game.legal(state)
        values = np.zeros(len(legal), np.float64)
        blocks = np.array(state, np.uint64), depth, np.array(legal, np.uint64), values
        root_values(self.game.compiled, self.evaluator, self.oracle, *blocks)
        return float(values.max()), legal[int(values.argmax())]

    def look_up(self, state: State) -> int:
        return int(call(self.oracle.probes[0], self.oracle.data[0], np.array(state, np.uint64), self.oracle.out))


def check_line(found: Analysis, position: Position, depth: int, reference: Reference, player: Player) -> None:
    """Check that the line begins with the move, is legal, and ends with the position that has its value."""
    assert found.line[0] == found.move
    here = position
    for move in found.line:
        here = here.play(move)
    sign = -1 if len(found.line) % 2 else 1
    exact = (0.0, 1.0, -1.0, 0.0)
    if not here.codes:
        assert found.score == -sign
    elif known := reference.look_up(here.state):
        assert found.score == sign * exact[known]
    else:
        assert len(found.line) == depth
        assert found.score == sign * player.values(np.array([here.state], np.uint64))[0]


@pytest.mark.parametrize("number", [240, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_moves_values_and_lines_match_the_unpruned_algorithm(
    game: Game, evaluator: str, oracle: str, number: int
) -> None:
    """Each combination of evaluator and oracle takes every other position, and searches to five depths."""
    cases = list(itertools.product(EVALUATORS, ORACLES))
    mine = mixed(game, number)[cases.index((evaluator, oracle)) % 2 :: 2]
    first, decided = 0, 0
    for depth, part in {1: 0.25, 2: 0.25, 3: 0.3, 4: 0.1, 5: 0.1}.items():
        searcher = f"minimax:depth={depth}"
        try:
            player = gf.player(game, searcher=searcher, oracle=ORACLES[oracle], seed=depth, **EVALUATORS[evaluator])
        except GameforgeError as error:
            pytest.skip(str(error))
        reference = Reference(player, ORACLES[oracle])
        last = first + round(part * len(mine))
        for position in mine[first:last]:
            value, move = reference.search(position.state, depth)
            found = player.analyse(position)
            assert (found.move.code, found.score) == (move, value), (depth, position)
            check_line(found, position, depth, reference, player)
            decided += abs(value) > HEURISTIC_LIMIT
        first = last
    assert first == len(mine)
    assert decided >= 0.03 * len(mine)  # some positions are won or lost
