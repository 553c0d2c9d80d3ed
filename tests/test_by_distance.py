"""An oracle with distances chooses the move; one without leaves it to the search. The game takes 1, 2 or 4 stones."""

from typing import Any

import attrs
import numpy as np
import pytest

from gameforge.interfaces import LOSS, WIN
from gameforge.interfaces.evaluator import ORACLE_WIN, PLY
from gameforge.interfaces.oracle import OracleFunctions
from gameforge.interfaces.rules import RulesFunctions
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel import slots
from gameforge.kernel.answer import write_move
from gameforge.play.game import Game, Position
from gameforge.play.parts import Parts
from gameforge.play.player import Player
from gameforge.testing.toy import Pile

MOST = 40
TAKES = (1, 2, 4)


def gen(rules: Any, s: Any, moves: Any) -> Any:
    n = np.uint64(0)
    for i in range(3):
        take = np.uint64(1 << i)
        if take <= s[0]:
            moves[n] = take
            n += np.uint64(1)
    return n


def irreversible(rules: Any, s: Any, m: Any) -> Any:
    return np.uint64(m == 4)


class Stones(Pile):
    """For this test, only taking four is called irreversible."""

    def functions(self) -> RulesFunctions:
        return attrs.evolve(super().functions(), gen=gen, irreversible=irreversible)


def search(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """Take one stone, with the score 0."""
    write_move(out, np.uint64(1), 1)
    return 0.0


@attrs.frozen
class TakesOne:
    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        return SearcherFunctions(search=search, limits=(1,), stack=1, scores=1)


def plies_to_the_end() -> list[int]:
    """Return the plies to the end for each number of stones; multiples of three are lost."""
    plies: list[int] = []
    for stones in range(MOST + 1):
        after = {take: plies[stones - take] for take in TAKES if take <= stones}
        if stones % 3 == 0:
            plies.append(1 + max(after.values()) if after else 0)
        else:
            plies.append(1 + min(d for take, d in after.items() if (stones - take) % 3 == 0))
    return plies


def probe(od: Any, s: Any, out: Any) -> Any:
    """od[0]: whether distances end with a conversion; od[1 + stones]: 1 + distance."""
    out[slots.PROBE_DISTANCE], out[slots.PROBE_CONVERSION] = od[np.uint64(1) + s[0]], od[0]
    return LOSS if s[0] % np.uint64(3) == 0 else WIN


def player(distances: list[int], conversion: int = 0) -> tuple[Game, Player]:
    game = Game(Stones())
    data = np.array([conversion, *distances], np.uint64)
    oracle = OracleFunctions(probe=probe, data=data, covers="everything", why_not=lambda state: "")
    return game, Player(Parts(game, TakesOne(), None, oracles=(oracle,)))


@pytest.mark.parametrize("stones", range(1, MOST + 1))
def test_the_nearest_win_and_the_farthest_loss_are_chosen(stones: int) -> None:
    plies = plies_to_the_end()
    game, chooser = player([1 + d for d in plies])
    found = chooser.analyse(Position(game, (stones, 0)))
    assert plies[stones - found.move.code] == plies[stones] - 1
    assert found.score == (1 if stones % 3 else -1) * (ORACLE_WIN - plies[stones] * PLY)
    assert [move.code for move in found.line] == [found.move.code]


def test_without_distances_the_search_decides() -> None:
    game, chooser = player([0] * (MOST + 1))
    found = chooser.analyse(Position(game, (20, 0)))
    assert (found.move.code, found.score) == (1, 0.0)


def test_if_distances_end_with_an_irreversible_move_that_move_counts_one_ply() -> None:
    """After it the distances begin anew, so the distance of the position after it does not count."""
    game, chooser = player([1 + 9] * (MOST + 1), conversion=1)
    assert chooser.analyse(Position(game, (10, 0))).move.code == 4
    game, chooser = player([1 + 9] * (MOST + 1), conversion=0)
    assert chooser.analyse(Position(game, (10, 0))).move.code == 1
