"""ProbCut in alphabeta: which searches it replaces, and how its cuts are fitted."""

import re
import tomllib
from typing import Any

import attrs
import numpy as np
import pytest
from gameforge_search_minimax.fitting import fit_cuts, probe_depth, sample_positions, scores_by_depth
from gameforge_search_minimax.negamax import AlphaBeta
from gameforge_search_minimax.settings import CUT_WORDS, UNIT, Cut, cut_limits
from test_alphabeta_signature import BENCH
from toy_games import Noughts, Opinion, reachable

import gameforge as gf
from gameforge.config import Spec
from gameforge.config.settings import dump_toml
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import ORACLE_WIN
from gameforge.play.game import Game, Position
from gameforge.play.player import Player

NOUGHTS = Game(Noughts())
CUTS = tuple(Cut(depth, probe_depth(depth), 1.0, 0.0, 0.02) for depth in range(3, 9))


@pytest.fixture(scope="module")
def draughts() -> Game:
    try:
        return gf.game("draughts")
    except GameforgeError as error:
        pytest.skip(str(error))


def material(game: Game, **parameters: Any) -> Player:
    return gf.player(game, searcher=AlphaBeta(**parameters), evaluator="material", oracle="none")


def mean_nodes(player: Player, game: Game) -> float:
    return float(np.mean([player.analyse(game.position(text)).nodes for text in BENCH]))


def test_a_cut_is_wrong() -> None:
    cut = {"depth": 4, "shallow": 2, "slope": 1.0, "offset": 0.0, "error": 0.1}
    for changed, message in [
        ({"shallow": 4}, "shallow"),
        ({"depth": 64}, "depth"),
        ({"slope": 0.0}, "slope = 0.0: must be from 0.1 to 10"),
        ({"error": -1.0}, "error = -1.0: must be from 0 to 2"),
    ]:
        searcher = Spec("alphabeta", {"selective": True, "cuts": [cut | changed]})
        with pytest.raises(GameforgeError, match=re.escape(message)):
            gf.player(NOUGHTS, searcher=searcher, evaluator="none", oracle="none")


def test_deeper_positions_use_the_deepest_cut_of_their_parity() -> None:
    limits = cut_limits((Cut(3, 1, 1.0, 0.0, 0.1), Cut(4, 2, 0.5, 0.25, 0.2)), 2.0)
    rows = np.array(limits).reshape(-1, CUT_WORDS)
    assert not rows[:3].any()
    np.testing.assert_allclose(rows[3] * (1, UNIT, UNIT, UNIT), (1, 1.0, 0.0, 0.2), atol=1e-8)
    np.testing.assert_allclose(rows[4] * (1, UNIT, UNIT, UNIT), (2, 0.5, 0.25, 0.4), atol=1e-8)
    assert (rows[5::2] == rows[3]).all()
    assert (rows[6::2] == rows[4]).all()


def test_cuts_save_nodes(draughts: Game) -> None:
    without, probing = (material(draughts, depth=13, selective=True, cuts=cuts) for cuts in ((), CUTS))
    assert mean_nodes(probing, draughts) < 0.9 * mean_nodes(without, draughts)


def test_cuts_that_cannot_succeed_change_nothing(draughts: Game) -> None:
    """Scores are between -1 and 1, and these probes would have to be further outside the window."""
    useless = tuple(attrs.evolve(cut, error=2.0) for cut in CUTS)
    without, probing = (material(draughts, depth=10, selective=True, cuts=cuts) for cuts in ((), useless))
    for text in BENCH:
        position = draughts.position(text)
        assert probing.analyse(position) == without.analyse(position)


def test_an_exact_search_has_no_cuts(draughts: Game) -> None:
    without, probing = (material(draughts, depth=9, cuts=cuts) for cuts in ((), CUTS))
    for text in BENCH:
        position = draughts.position(text)
        assert probing.analyse(position) == without.analyse(position)


def test_what_is_proven_is_true() -> None:
    exact = gf.player(NOUGHTS, searcher=AlphaBeta(depth=9), evaluator=Opinion(), oracle="none")
    probing = gf.player(
        NOUGHTS, searcher=AlphaBeta(depth=9, selective=True, cuts=CUTS), evaluator=Opinion(), oracle="none"
    )
    proven = 0
    for state in reachable()[::15]:
        position = Position(NOUGHTS, state)
        true, found = exact.analyse(position).score, probing.analyse(position).score
        proven += abs(found) > ORACLE_WIN
        assert abs(found) < ORACLE_WIN or np.sign(found) == np.sign(true), position
    assert proven > 20


def test_the_fit_finds_the_line_and_its_error() -> None:
    rng = np.random.default_rng(1)
    shallow = rng.uniform(-0.5, 0.5, 4000)
    scores = {1: shallow, 2: shallow, 3: 1.1 * shallow + 0.02 + rng.normal(0, 0.05, 4000)}
    scores[3][:5] = 3.0  # proven wins do not count
    (cut,) = fit_cuts(scores)
    assert (cut.depth, cut.shallow) == (3, 1)
    assert (cut.slope, cut.offset, cut.error) == pytest.approx((1.1, 0.02, 0.05), abs=0.005)


def test_too_few_positions_are_refused() -> None:
    same = np.full(20, 0.25)
    for scores in (np.linspace(0, 0.5, 9), np.full(20, 2.5), same):
        with pytest.raises(GameforgeError, match="take more positions"):
            fit_cuts(dict.fromkeys((1, 2, 3), scores))


def test_cuts_are_fitted_to_a_player(draughts: Game) -> None:
    player = material(draughts, nodes=100)
    positions, again = (sample_positions(player, 24, seed=3) for _ in range(2))
    assert [str(position) for position in positions] == [str(position) for position in again]
    assert all(position.outcome is None for position in positions)
    done: list[int] = []
    scores = scores_by_depth(player, positions, 4, done.append)
    assert done == list(range(1, 25))
    assert [cut.depth for cut in fit_cuts(scores)] == [3, 4]


def test_cuts_are_read_from_toml(draughts: Game) -> None:
    settings = tomllib.loads(dump_toml({"searcher": {"cuts": [attrs.asdict(cut) for cut in CUTS]}}))
    searcher = Spec("alphabeta", {"depth": 8, "selective": True, **settings["searcher"]})
    read = gf.player(draughts, searcher=searcher, evaluator="material", oracle="none")
    assert mean_nodes(read, draughts) == mean_nodes(material(draughts, depth=8, selective=True, cuts=CUTS), draughts)
