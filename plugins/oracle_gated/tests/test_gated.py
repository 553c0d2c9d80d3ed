"""The oracle `gated`: consulted at leaves, or after the root's moves, only where the evaluator is in doubt."""

import functools
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gameforge_oracle_gated.gated import Gated, GatedOracle
from toy_games import Hearsay, Noughts, Opinion, reachable
from uncompiled import printed_uncompiled

import gameforge as gf
from gameforge.config import Spec
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import HEURISTIC_LIMIT, EvaluatorFunctions
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.oracle import Announce, Gate, OracleFunctions, silent
from gameforge.interfaces.rules import DRAW, LOSS, WIN, Rules, State
from gameforge.kernel import slots
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.kernel.compile.jit import COMPILED
from gameforge.play.game import Game, Position
from gameforge.play.player import Player
from gameforge.play.saved_players import save_player
from gameforge.testing import check
from gameforge.testing.toy import Pile

GAME = Game(Noughts())
STATES = reachable()
GATES = [
    Gate(low=0.25, high=0.75),
    Gate(low=0.25, high=0.75, at="root"),
    Gate(low=0.25, high=0.75, at="searched"),
    Gate(low=0, high=1),
    Gate(low=0.3125, high=0.5625),
]
PLAIN = "memory=0,quiescence=false,draws=false,progress=false"
VALUES = {WIN: 1.0, LOSS: -1.0, DRAW: 0.0}


def gossip(od: Any, s: Any, out: Any) -> Any:
    """A probe that claims results for half of the states, independent of the evaluator Opinion."""
    h = (s[0] * np.uint64(0xD6E8FEB86659FD93) + s[1] * np.uint64(0xA0761D6478BD642F)) >> np.uint64(61)
    return np.int64(h) if h < 4 else 0


def player(searcher: str, gate: Gate) -> Player:
    return gf.player(GAME, searcher=searcher, evaluator=Opinion(), oracle=GatedOracle(Hearsay(gossip), gate))


@functools.cache
def claimed(state: State) -> int:
    functions = Hearsay(gossip).open(GAME.rules)
    return int(
        call(compiled_function("probe", functions.probe), functions.data, np.array(state, np.uint64), np.zeros(4, "u8"))
    )


def value(state: State, depth: int, gate: Gate, f: Callable[[State], float], ply: int = 0) -> float:
    """Minimax of [KimCho2007], section 3.2: the gate at the leaves, or at the children of the root, by either score."""
    code = GAME.code(state, len(GAME.legal(state)))
    if code:
        return VALUES[code & 3]
    if ply == {"root": 1, "searched": None, "leaves": depth}[gate.at] and consulted(state, gate, f(state)):
        return VALUES[claimed(state)]
    if ply == depth:
        return f(state)
    scores = {
        child: value(child, depth, gate, f, ply + 1) for child in (GAME.play(state, move) for move in GAME.legal(state))
    }
    if gate.at == "searched" and ply == 0:
        scores |= {child: VALUES[claimed(child)] for child in scores if consulted(child, gate, scores[child])}
    return max(-score for score in scores.values())


def consulted(state: State, gate: Gate, score: float) -> bool:
    return gate.low < abs(score) < gate.high and claimed(state) != 0


@pytest.mark.parametrize("gate", GATES, ids=str)
@pytest.mark.parametrize("searcher", ["minimax:", f"alphabeta:{PLAIN},"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_search_matches_plain_minimax_with_a_gate(searcher: str, depth: int, gate: Gate) -> None:
    searching = player(f"{searcher}depth={depth}", gate)
    static = functools.cache(lambda state: float(searching.values(np.array([state], np.uint64))[0]))
    changed = 0
    for state in [s for s in STATES if (s[0] | s[1]).bit_count() >= depth][::47]:
        expected = value(state, depth, gate, static)
        found = searching.analyse(Position(GAME, state)).score
        assert (min(1.0, max(-1.0, found))) == expected, state
        changed += expected != value(state, depth, Gate(low=0, high=0), static)
    assert changed  # the gate matters


def scored(ed: Any, w: Any, s: Any, x: Any) -> Any:
    """The score of a pile of i stones is w[i]."""
    return np.float64(w[s[0]])


class Scores:
    """An evaluator of piles with a score for each number of stones."""

    def __init__(self, scores: dict[int, float]) -> None:
        self.scores = np.array([scores.get(i, 0.0) for i in range(20)], np.float32)

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(evaluate=scored, weights=self.scores)


def known(od: Any, s: Any, out: Any) -> Any:
    """The result of a pile of i stones is od[i]."""
    return np.int64(od[s[0]])


def counted(od: Any, s: Any, out: Any) -> Any:
    """The same with a distance that ends before the game does, like a distance to the next capture."""
    out[slots.PROBE_DISTANCE], out[slots.PROBE_CONVERSION] = np.uint64(1) + s[0], np.uint64(1)
    return np.int64(od[s[0]])


class Known:
    """An oracle of piles with a result for each number of stones."""

    def __init__(self, results: dict[int, int], probe: Any = known) -> None:
        self.results = np.array([results.get(i, 0) for i in range(20)], np.uint64)
        self.probe = probe

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        return OracleFunctions(
            probe=self.probe, data=self.results, covers="some piles", why_not=lambda state: "not that one"
        )


SEARCHERS = [
    "minimax:depth=1",
    "alphabeta:depth=1",
    "uct:leaf=evaluator,simulations=3",
    "uct:leaf=mixed,share=0.9999999,simulations=3",
]


def pile(searcher: str, scores: dict[int, float], results: dict[int, int], gate: Gate) -> Player:
    return gf.player(
        Game(Pile()), searcher=searcher, evaluator=Scores(scores), oracle=GatedOracle(Known(results), gate)
    )


def stones(n: int) -> Position:
    return Position(Game(Pile()), (n, 0))


@pytest.mark.parametrize(
    ("searcher", "at"),
    [*itertools.product(SEARCHERS, ["leaves", "root"]), *itertools.product(SEARCHERS[:2], ["searched"])],
)
@pytest.mark.parametrize("f", [-0.75, -0.5, -0.25, 0.0, 0.25, 0.375, 0.75, 0.875])
def test_limits_are_exclusive(searcher: str, at: Any, f: float) -> None:
    """The only sensible move leaves 9 stones, which score f and are known to be lost; the result shows which counts."""
    scores, results = {9: f, 8: HEURISTIC_LIMIT, 7: HEURISTIC_LIMIT}, {9: LOSS}
    found = pile(searcher, scores, results, Gate(low=0.25, high=0.75, at=at)).analyse(stones(10))
    assert found.move.code == 1
    consulted = 0.25 < abs(f) < 0.75
    assert found.score >= 1 if consulted else found.score == pytest.approx(-f, abs=1e-6)


@pytest.mark.parametrize("searcher", SEARCHERS[:2])
@pytest.mark.parametrize(("answer", "move"), [(DRAW, 1), (WIN, 2)])
def test_the_papers_example(searcher: str, answer: int, move: int) -> None:
    """The leaves score 0.3 and -0.9 for the mover. Only the first is looked up; it is played if drawn, not if lost."""
    scores = {9: -0.3, 8: 0.9, 7: HEURISTIC_LIMIT}
    found = pile(searcher, scores, {9: answer, 8: LOSS}, Gate(low=0.25, high=0.75)).analyse(stones(10))
    assert found.move.code == move


@pytest.mark.parametrize("searcher", ["minimax:depth=2", "alphabeta:depth=2", "alphabeta:depth=2,selective=true"])
@pytest.mark.parametrize(("answer", "move"), [(DRAW, 1), (WIN, 2)])
def test_the_papers_example_by_searched_scores(searcher: str, answer: int, move: int) -> None:
    """Two plies find 0.3 and -0.9 for the choices, which score 0 themselves, so that `at=root` would ask about none."""
    scores, gate = {8: 0.4, 7: 0.3, 6: 0.5, 5: -0.9, 4: -HEURISTIC_LIMIT}, Gate(low=0.25, high=0.75, at="searched")
    found = pile(searcher, scores, {9: answer, 8: LOSS}, gate).analyse(stones(10))
    assert found.move.code == move


def test_the_evaluator_chooses_between_wins_if_the_search_makes_progress() -> None:
    """alphabeta plays the win that the evaluator calls nearer, minimax the first win."""
    scores, results, gate = {9: -0.3, 8: -0.6, 7: -0.4}, dict.fromkeys((7, 8, 9), LOSS), Gate(low=0.25, high=0.75)
    assert pile("minimax:depth=1", scores, results, gate).analyse(stones(10)).move.code == 1
    assert pile("alphabeta:depth=1", scores, results, gate).analyse(stones(10)).move.code == 2


def test_distances_to_a_conversion_are_ignored_at_leaves() -> None:
    """With them all wins would be equal. For a player with such a database, ignoring them turned -23 Elo into +18."""
    scores, results = {9: -0.3, 8: -0.6, 7: -0.4}, dict.fromkeys((7, 8, 9), LOSS)
    oracle = GatedOracle(Known(results, counted), Gate(low=0.25, high=0.75))
    player = gf.player(Game(Pile()), searcher="alphabeta:depth=1", evaluator=Scores(scores), oracle=oracle)
    assert player.analyse(stones(10)).move.code == 2


def test_oracles_without_a_gate_come_first() -> None:
    scores = {9: 0.5, 8: HEURISTIC_LIMIT, 7: HEURISTIC_LIMIT}
    gated = GatedOracle(Known({9: WIN}), Gate(low=0.25, high=0.75))
    both = gf.player(
        Game(Pile()), searcher="minimax:depth=1", evaluator=Scores(scores), oracle=[gated, Known({9: LOSS})]
    )
    assert both.analyse(stones(10)).score == 1


def test_the_python_api_probes_without_the_gate() -> None:
    """Only searches apply the gate."""
    assert gf.oracle(GatedOracle(Known({9: LOSS}), Gate(low=0.25, high=0.75))).probe(stones(9)).value == "loss"


@pytest.mark.parametrize(
    ("searcher", "evaluator", "oracle", "sentence"),
    [
        ("minimax", "none", "gated:oracle=book", "unknown oracle 'book': that is the name of a book"),
        ("minimax", "material", "gated", "oracle.oracle is missing"),
        (
            "minimax",
            "material",
            'gated:low=0.8,oracle="chinook:pieces=2"',
            r"oracle.high = 0.75: must be above low = 0.8",
        ),
        ("minimax", "material", 'gated:low=-0.1,oracle="chinook:pieces=2"', "oracle.low = -0.1: must be a number"),
        (
            "minimax",
            "material",
            'gated:high=1.1,oracle="chinook:pieces=2"',
            "oracle.high = 1.1: must be a number",
        ),
        ("minimax", "material", "gated:oracle=chinok", "gated.oracle: unknown oracle 'chinok'"),
        ("minimax", "material", 'gated:oracle={use="gated",oracle="chinook:pieces=2"}', "has a gate already"),
        ("minimax", "none", 'gated:oracle="chinook:pieces=2"', "there is no evaluator"),
        (
            "random",
            "material",
            'gated:oracle="chinook:pieces=2"',
            "oracle 'gated': .* does not consult gated oracles; choose the oracle 'none'",
        ),
        ("uct", "material", 'gated:oracle="chinook:pieces=2"', "the searcher does not consult gated oracles"),
        (
            "uct:leaf=evaluator",
            "material",
            'gated:at=searched,oracle="chinook:pieces=2"',
            "this searcher does not find exactly; choose `at=leaves` or `at=root`",
        ),
    ],
)
def test_bad_input(searcher: str, evaluator: str, oracle: str, sentence: str) -> None:
    with pytest.raises(GameforgeError, match=sentence):
        gf.player("draughts", searcher=searcher, evaluator=evaluator, oracle=oracle)


def test_searched_scores_of_finished_games_are_outside_the_gate() -> None:
    with pytest.raises(ValueError, match="at = 'searched': needs limits from 0 to 1"):
        Gate(low=-1, high=1, at="searched")


def test_two_gates_must_be_the_same() -> None:
    oracles = ['gated:oracle="chinook:pieces=2"', 'gated:low=0.3,oracle="chinook:pieces=3"']
    with pytest.raises(GameforgeError, match="two oracles have different gates"):
        gf.player("draughts", searcher="minimax", evaluator="material", oracle=oracles)


def test_a_player_with_a_gate_is_saved_by_its_settings(tmp_path: Path) -> None:
    player = gf.player(
        "draughts", searcher="minimax:depth=3", evaluator="material", oracle='gated:oracle="chinook:pieces=3"'
    )
    (settings,) = player.spec["oracle"]
    assert (settings["use"], settings["low"], settings["high"], settings["at"]) == ("gated", 0.25, 0.75, "leaves")
    assert (settings["oracle"]["use"], settings["oracle"]["pieces"]) == ("chinook", 3)
    save_player(tmp_path, player)
    assert gf.player(tmp_path).spec == player.spec


def test_the_default_limits_are_the_papers() -> None:
    assert Gated(oracle=Spec("chinook")).gate == Gate(low=0.25, high=0.75, at="leaves")


def test_contract() -> None:
    print(check("oracle", 'gated:oracle="chinook:pieces=3"', game="draughts").require())


def scores_of_some_states() -> list[float]:
    searching = player("alphabeta:depth=2", GATES[0])
    return [searching.analyse(Position(GAME, state)).score for state in STATES[::150]]


@pytest.mark.skipif(not COMPILED, reason="compares with compiled kernels")
def test_the_uncompiled_search_agrees() -> None:
    code = (
        "import json, numpy; numpy.seterr(over='ignore')\n"
        "from test_gated import scores_of_some_states; print(json.dumps(scores_of_some_states()))"
    )
    assert json.loads(printed_uncompiled(code)) == scores_of_some_states()
