"""Won endings are won by a search that has no distances, against the longest resistance.

The test of 6 pieces needs distances that take a quarter of an hour to build. Build them once, then run it:

    gameforge egdb build --game draughts --pieces 6 --format mtc --out DIR
    GAMEFORGE_MTC6=DIR pytest -m slow plugins/egdb_chinook/tests/test_egdb_conversion.py
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from egdb_distances import plies_to_the_end, write_distances
from egdb_games import results, state_at
from gameforge_draughts.evaluation import Material
from gameforge_draughts.rules import Draughts
from gameforge_egdb_chinook import distances
from gameforge_egdb_chinook.build import Build
from gameforge_egdb_chinook.oracle import Chinook
from gameforge_egdb_chinook.slices import positions
from gameforge_egdb_chinook.target import target
from gameforge_search_minimax.minimax import Minimax
from gameforge_search_minimax.negamax import AlphaBeta
from numpy.typing import NDArray

import gameforge as gf
from gameforge.interfaces import WIN
from gameforge.interfaces.oracle import OracleFunctions
from gameforge.kernel import slots
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.types import Words
from gameforge.play.game import Game
from gameforge.play.parts import Parts
from gameforge.play.player import Player

MOST_PLIES = Draughts().no_progress
_dtw, _mtc = inline(distances.probe_dtw), inline(distances.probe_mtc)
_0 = np.uint64(0)


def without_dtw(od: Words, s: Words, out: Words) -> np.int64:
    value = _dtw(od, s, out)
    out[slots.PROBE_DISTANCE] = out[slots.PROBE_CONVERSION] = _0
    return value


def without_mtc(od: Words, s: Words, out: Words) -> np.int64:
    value = _mtc(od, s, out)
    out[slots.PROBE_DISTANCE] = out[slots.PROBE_CONVERSION] = _0
    return value


def won_positions(known: OracleFunctions, pieces: int, count: int) -> list[NDArray[np.uint64]]:
    """Random positions with this number of pieces that are won within the plies of the 40-move rule."""
    function, out, rng = compiled_function("probe", known.probe), np.zeros(4, np.uint64), np.random.default_rng(pieces)
    first = positions(pieces - 1) if pieces > 2 else 0
    found: list[NDArray[np.uint64]] = []
    while len(found) < count:
        state = state_at(pieces, int(rng.integers(first, positions(pieces))))
        if call(function, known.data, state, out) == WIN and out[slots.PROBE_DISTANCE] <= MOST_PLIES:
            found.append(state)
    return found


def exact(**options: Any) -> Player:
    """An exact search that counts pieces."""
    return Player(Parts(Game(Draughts()), AlphaBeta(**options), Material()))


def shipped(**options: Any) -> Player:
    """The search and the weights of the player that comes with draughts; `options` replace those of its search."""
    player = gf.player("draughts", "strong", oracle="none")
    assert isinstance(player.parts.searcher, AlphaBeta)
    searcher = attrs.evolve(player.parts.searcher, **options)
    return Player(Parts(player.game, searcher, player.parts.evaluator), player.weights)


def not_won(
    player: Player, known: OracleFunctions, oracles: tuple[OracleFunctions, ...], pieces: int, count: int
) -> list[str]:
    """Of `count` games from won positions, the positions of those that the player did not win with these oracles.

    The other side has the distances `known`, by which it holds out as long as possible.
    """
    rules = Draughts()
    game = Game(rules)
    one = Parts(game, player.parts.searcher, player.parts.evaluator, oracles=oracles)
    other = Parts(game, Minimax(depth=1), None, oracles=(known,))
    starts = won_positions(known, pieces, count)
    games = results(rules, one, other, starts, player.weights)
    texts = [game.position_text(tuple(int(word) for word in start)) for start in starts]
    return [text for text, (winner, _) in zip(texts, games, strict=True) if winner != 0]


@pytest.mark.parametrize(("make", "options"), [(exact, {"depth": 5}), (shipped, {})])
def test_endings_of_three_pieces_are_won_without_distances(
    make: Callable[..., Player], options: dict[str, int], tmp_path: Path
) -> None:
    known = Chinook(path=str(write_distances(tmp_path, 3, plies_to_the_end(3)))).open(Draughts())
    alone = Chinook(pieces=3).open(Draughts())
    assert not_won(make(**options, memory=1), known, (alone,), 3, 16) == []


def test_without_conversion_endings_are_drawn(tmp_path: Path) -> None:
    known = Chinook(path=str(write_distances(tmp_path, 3, plies_to_the_end(3)))).open(Draughts())
    alone = Chinook(pieces=3).open(Draughts())
    assert len(not_won(exact(depth=5, memory=1, convert=False), known, (alone,), 3, 20)) > 5


@pytest.mark.slow
@pytest.mark.parametrize(("make", "options"), [(exact, {"depth": 13}), (shipped, {})])
@pytest.mark.parametrize(("pieces", "count"), [(3, 150), (4, 200), (5, 150)])
def test_endings_of_up_to_five_pieces_are_won_with_the_oracle_of_the_default_player(
    make: Callable[..., Player], options: dict[str, int], pieces: int, count: int, tmp_path: Path
) -> None:
    player = make(**options)
    known = Chinook(path=str(Build(target("dtw", 5, None, tmp_path), 2).run())).open(Draughts())
    assert not_won(player, known, (known,), pieces, count) == []
    if pieces < 5:
        assert not_won(player, known, (attrs.evolve(known, probe=without_dtw),), pieces, count) == []


@pytest.mark.slow
@pytest.mark.parametrize(("make", "options"), [(exact, {"depth": 13}), (shipped, {})])
def test_endings_of_six_pieces_are_won_with_the_oracles_of_the_default_player(
    make: Callable[..., Player], options: dict[str, int], tmp_path: Path
) -> None:
    """Distances up to 5 pieces, results alone for 6, against a side that knows the plies to the next conversion."""
    folder = os.environ.get("GAMEFORGE_MTC6")
    if folder is None:
        pytest.skip("GAMEFORGE_MTC6 names no folder with distances of 6 pieces (see the top of this file)")
    known = Chinook(path=folder).open(Draughts())
    nearer = Chinook(path=str(Build(target("dtw", 5, None, tmp_path), 2).run())).open(Draughts())
    alone = attrs.evolve(known, probe=without_mtc)
    assert not_won(make(**options), known, (nearer, alone), 6, 500) == []
