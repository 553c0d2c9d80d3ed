"""TD, TDLeaf and TreeStrap on evaluators of every kind: worked by hand, and against a plain reference.

Kernels run uncompiled here: the steps within this process, whole trainings in one process that compiles nothing. The
group `slow` has a training that is compiled.
"""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import attrs
import numpy as np
import pytest
from gameforge_learn_td.learner import TD
from gameforge_learn_td.trainee import slopes_of
from td_reference import reward, train
from td_toys import CELLS, GAME, INPUTS, Cells, Perceptron, parts
from uncompiled import printed_uncompiled

from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import EvaluatorFunctions, NetFunctions, WeightVector
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules, State
from gameforge.kernel import CompiledEvaluator
from gameforge.play.parts import Parts
from gameforge.testing.uncompiled import uncompiled

_1 = np.uint64(1)


def reversed_vector(weights: Any) -> Any:
    return np.ascontiguousarray(weights[::-1])


def unpack_one(ud: Any, w: Any, vector: Any, place: Any) -> None:
    w[np.uint64(INPUTS) - place] = vector[place]


def evaluate(ed: Any, w: Any, s: Any, x: Any) -> Any:
    """tanh(v / 2), v = bias + own cells - the other side's; w is the vector backwards if ed[0] is 1."""
    total = 0.0
    for i in range(INPUTS + 1):
        cell = (s[i // CELLS] >> np.uint64(i % CELLS)) & _1 if i < INPUTS else _1
        total += np.float64(w[INPUTS - i if ed[0] else i]) * np.float64(cell)
    x[0] = np.tanh(total / 2)
    return np.float64(x[0])


def terms(ed: Any, s: Any, places: Any, factors: Any) -> Any:
    n = 0
    for i in range(INPUTS + 1):
        if i == INPUTS or (s[i // CELLS] >> np.uint64(i % CELLS)) & _1:
            places[n], factors[n] = i, np.float32(1)
            n += 1
    return np.uint64(n)


def gradient(ed: Any, w: Any, s: Any, x: Any, trace: Any) -> None:
    for i in range(INPUTS + 1):
        if i == INPUTS or (s[i // CELLS] >> np.uint64(i % CELLS)) & _1:
            trace[i] += np.float32(0.5) * (np.float32(1) - x[0] * x[0])


@attrs.frozen(kw_only=True)
class Linear:
    """A linear evaluator before a squash, whose slopes are terms, with another order in the block, or a gradient."""

    has_terms: bool = True
    unpacks_one: bool = True

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        unpack = reversed_vector if self.has_terms else None
        vector = WeightVector(INPUTS + 1, unpack, unpack_one=unpack_one if unpack and self.unpacks_one else None)
        return EvaluatorFunctions(
            evaluate=evaluate,
            terms=terms if self.has_terms else None,
            gradient=None if self.has_terms else gradient,
            max_terms=INPUTS + 1,
            scratch=1,
            vector=vector,
            data=np.array([self.has_terms], np.uint64),
        )

    def initial_weights(self, functions: Any, rng: np.random.Generator) -> Any:
        return rng.uniform(-0.5, 0.5, INPUTS + 1).astype(np.float32)


EVALUATORS: dict[str, Any] = {"net": Perceptron(), "terms": Linear(), "gradient": Linear(has_terms=False)}


def tree_parts(kind: str) -> Parts:
    from gameforge_search_minimax.minimax import Minimax

    return Parts(GAME, Minimax(depth=2), EVALUATORS[kind], Cells() if kind == "net" else None)


COMMON: dict[str, Any] = {"sessions": 2, "games": 5, "regime": "block", "result": "net", "gamma": 0.9, "lambda_": 0.6}
TRAININGS: dict[str, tuple[str, dict[str, Any]]] = {
    "td with terms": ("terms", {"rule": "td", "coherence": "exponential"}),
    "td with a net": ("net", {"rule": "td", "coherence": "linear"}),
    "tdleaf with a net": ("net", {"rule": "tdleaf", "coherence": "linear"}),
    "tdleaf with terms": ("terms", {"rule": "tdleaf"}),
    "treestrap with terms": ("terms", {"rule": "treestrap", "coherence": "exponential", "rate": 4.0}),
    "treestrap with a gradient": ("gradient", {"rule": "treestrap", "rate": 4.0}),
}
STRAIGHT = TD(sessions=2, games=3, regime="straight", rule="tdleaf", coherence="linear", result="net", draw=0.5)


def print_trainings() -> None:
    """Print all that the tests below read; called where nothing is compiled."""
    found: dict[str, Any] = {}
    for name, (kind, settings) in TRAININGS.items():
        course = train(tree_parts(kind), TD(**COMMON, **settings), seed=3)
        games = [(list(game.codes), game.learner, reward(game)) for game in course.of("training")]
        found[name] = course.trained.initial_weights.tolist(), course.trained.weights.tolist(), games
    whole = train(tree_parts("terms"), STRAIGHT, seed=5)
    resumed = [train(tree_parts("terms"), STRAIGHT, seed=5, saved=whole.states[i][0]) for i in (0, 3)]
    found["resumed"] = [course.trained.weights.tolist() for course in (whole, *resumed)]
    random = train(tree_parts("terms"), TD(**COMMON, rule="tdleaf", epsilon=1.0)).trained
    found["random"] = random.initial_weights.tolist(), random.weights.tolist()
    print(json.dumps(found))


@pytest.fixture(scope="module")
def trainings() -> dict[str, Any]:
    pytest.importorskip("gameforge_search_minimax")
    printed = printed_uncompiled(
        "import numpy; numpy.seterr(all='ignore')\nfrom test_td_any_evaluator import print_trainings; print_trainings()"
    )
    found: dict[str, Any] = json.loads(printed)
    return found


@attrs.define(slots=False)
class Reference:
    """The rules in float64, written down from the papers; `kind` is the kind of evaluator."""

    kind: str
    w: Any
    rate: float = 1.0
    coherence: str = "none"
    e: Any = 0.0
    old: float | None = None

    def __attrs_post_init__(self) -> None:
        self.net, self.all = np.zeros_like(self.w), np.zeros_like(self.w)
        self.rates = np.full(INPUTS + 1, 1 / (INPUTS + 1))
        if self.kind == "net":
            self.rates = np.append(np.full(INPUTS, 1 / INPUTS), 1 / 2)

    def value(self, state: State) -> tuple[float, Any]:
        """The score for the side to move, and its gradient."""
        cells = [[word >> i & 1 for i in range(CELLS)] for word in state]
        if self.kind == "net":
            x = np.array(cells[1] + cells[0], float)
            net = Perceptron()
            return -net.value(self.w, x), -net.gradient(self.w, x)
        x = np.array([*cells[0], *cells[1], 1], float)
        p = np.tanh(self.w @ x / 2)
        return float(p), (1 - p * p) / 2 * x

    def search(self, state: State, depth: int) -> tuple[float, State | None, int, list[tuple[State, float]]]:
        """Return (value, leaf, 1 if the same side is to move there else -1, all inner nodes with their values)."""
        legal = GAME.legal(state)
        code = GAME.code(state, len(legal))
        if code:
            return {1: 1.0, 2: -1.0, 3: 0.0}[code & 3], None, 1, []
        if depth == 0:
            return self.value(state)[0], state, 1, []
        best, nodes = (-9.0, None, 1), []
        for move in legal:
            value, leaf, side, below = self.search(GAME.play(state, move), depth - 1)
            nodes += below
            if -value > best[0]:
                best = -value, leaf, -side  # type: ignore[assignment]
        return *best, [*nodes, (state, best[0])]

    def correct(self, error: float) -> None:
        r = error * self.e
        share = np.divide(np.abs(self.net), self.all, out=np.ones_like(self.w), where=self.all > 0)
        if self.coherence == "exponential":
            share = np.where(self.all > 0, np.exp(2.7 * (share - 1)), 1)
        self.w = self.w + self.rate * self.rates * (1 if self.coherence == "none" else share) * r
        self.net, self.all = self.net + r, self.all + np.abs(r)

    def forget(self) -> None:
        self.e, self.old = np.zeros_like(self.w), None

    def follow(self, value: float, position: State | None, side: int) -> None:
        """TD and TDLeaf: the next value; the position has it, seen from `side`, or no position has."""
        if self.old is not None:
            self.correct(0.9 * value - self.old)
        self.e = 0.6 * self.e
        self.old = value
        if position is not None:
            value, slope = self.value(position)
            self.old, self.e = side * value, self.e + side * slope

    def play_again(self, rule: str, moves: list[int], learner: int, reward: float) -> None:
        state = GAME.rules.initial()
        self.forget()
        for ply, move in enumerate(moves):
            before, state, legal = state, GAME.play(state, move), GAME.legal(state)
            if ply % 2 != learner:
                continue
            if rule == "td":
                self.follow(-self.value(state)[0], state, -1)
            elif len(legal) > 1:
                value, leaf, side, nodes = self.search(before, 2)
                if rule == "tdleaf":
                    self.follow(value, leaf, side)
                else:
                    scores = [(node, score, *self.value(node)) for node, score in nodes]
                    self.e = sum((v - h) * slope for _, v, h, slope in scores) / len(scores)
                    self.correct(1.0)
        if self.old is not None:
            self.correct(reward - self.old)


@pytest.mark.parametrize("name", TRAININGS)
def test_the_weights_are_those_of_the_reference(name: str, trainings: dict[str, Any]) -> None:
    initial, weights, games = trainings[name]
    kind, settings = TRAININGS[name]
    reference = Reference(kind, np.array(initial), settings.get("rate", 1.0), settings.get("coherence", "none"))
    for moves, learner, won in games:
        reference.play_again(settings["rule"], moves, learner, won)
    np.testing.assert_allclose(weights, reference.w, atol=2e-5)
    assert np.abs(reference.w - initial).max() > 0.02


def test_a_resumed_training_ends_with_the_same_weights(trainings: dict[str, Any]) -> None:
    """Both players learn, and the sums of temporal coherence are in the checkpoint."""
    whole, *resumed = trainings["resumed"]
    assert resumed == [whole, whole]


def test_nothing_is_learned_from_random_moves(trainings: dict[str, Any]) -> None:
    """They follow no search, so there are no leaves; and what was predicted before them is not corrected."""
    initial, weights = trainings["random"]
    assert weights == initial


class Steps:
    """The functions of the rules, uncompiled, with a linear evaluator of one word whose bits are its inputs."""

    def __init__(self, weights: list[float], coherence: str = "none", rate: float = 1.0) -> None:
        self.rules = uncompiled("gameforge_learn_td.trainee")
        trainee = vars(self.rules)["Trainee"]
        n = len(weights)

        def inputs(s: Any) -> list[int]:
            return [i for i in range(n) if s[0] >> np.uint64(i) & _1]

        def score(ed: Any, w: Any, s: Any, x: Any) -> float:
            return float(np.tanh(sum(float(w[i]) for i in inputs(s)) / 2))

        def write(ed: Any, s: Any, places: Any, factors: Any) -> int:
            for k, i in enumerate(inputs(s)):
                places[k], factors[k] = i, 1
            return len(inputs(s))

        self.vector, word = np.array(weights, np.float32), np.zeros(1, np.uint64)
        nothing: Any = None
        self.evaluator = CompiledEvaluator(
            np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0), np.float64(1), nothing, nothing,
            nothing, score, *(nothing,) * 5, word, word, self.vector, np.zeros(1, np.float32), word,
        )  # fmt: skip
        floats, whole = np.zeros(n, np.float32), np.zeros(n, np.int32)
        self.t = trainee(
            kind=np.uint64(1), terms=write, gradient=nothing, unpack_one=nothing, unpack_data=word,
            unpacks=np.uint64(0), gamma=np.float64(1), lambda_=np.float32(0.5),
            coherence=np.uint64(("none", "linear", "exponential").index(coherence)), vector=self.vector,
            rates=np.full(n, rate, np.float32), net_changes=floats.copy(), all_changes=floats.copy(),
            trace=floats.copy(), listed=whole.copy(), seats=whole.copy(), counts=np.zeros(2, np.int64),
            prediction=np.zeros(1), slopes=floats.copy(), places=whole.copy(), factors=floats.copy(), states=word,
        )  # fmt: skip


def test_treestrap_on_a_tree_worked_by_hand() -> None:
    """All scores are 0, where the slope of each input is 1/2. A node is its inputs; there are four of them.

    01: value 0.5, so its error is 0.5. 10: value 3, a proven win, counts as 1. 11: at least -0.25, which 0 is already.
    01: at most -0.75, so its error is -0.75. The mean error of input 0 is (0.5 - 0.75) / 4, of input 1 it is 1 / 4.
    """
    steps = Steps([0.0, 0.0], rate=0.8)
    answer, stack, one = steps.rules.answer, np.zeros(40, np.uint64), np.uint64(1)
    answer.begin_handing_out(stack)
    for node, value, bound in ((1, 0.5, 0), (2, 3.0, 0), (3, -0.25, 1), (1, -0.75, 2)):
        answer.hand_out(stack, np.uint64(5), one, np.array([node], np.uint64), value, np.uint64(bound))
    context = SimpleNamespace(stack=stack, evaluator=steps.evaluator, rules=SimpleNamespace(words=one))
    steps.rules.learn_tree(SimpleNamespace(context=context), steps.t, np.uint64(5))
    np.testing.assert_allclose(steps.vector, [0.8 * 0.5 * -0.25 / 4, 0.8 * 0.5 * 1 / 4], rtol=1e-6)
    assert not steps.t.trace.any()
    assert not steps.t.seats.any()


def test_nodes_beyond_the_room_are_counted_only() -> None:
    answer, stack, one = Steps([0.0]).rules.answer, np.zeros(8, np.uint64), np.uint64(1)
    answer.begin_handing_out(stack)
    for i in range(5):
        answer.hand_out(stack, np.uint64(1), one, np.array([7 + i], np.uint64), -0.5, np.uint64(0))
    assert stack[[1, 4, 7]].tolist() == [7, 8, 5]
    assert answer.handed_out(stack[2]) == -0.5


@pytest.mark.parametrize("coherence", ["linear", "exponential"])
def test_a_step_shrinks_where_changes_cancel(coherence: str) -> None:
    """Changes 0.5, 0.5, -0.5, by a trace of 1/2 and errors of 1, 1, -1; the shares before them are 1, 1, 1.

    Before a fourth they have the sum 0.5 and absolute values of 1.5.
    """
    steps = Steps([0.0], coherence)
    steps.t.trace[0], steps.t.listed[0], steps.t.seats[0], steps.t.counts[0] = 0.5, 0, 1, 1
    correct = vars(steps.rules)["correct"]
    for error in (1.0, 1.0, -1.0):
        correct(steps.evaluator, steps.t, error)
    assert steps.vector[0] == 0.5
    correct(steps.evaluator, steps.t, 1.0)
    share = 1 / 3 if coherence == "linear" else np.exp(2.7 * (1 / 3 - 1))
    assert steps.vector[0] - 0.5 == pytest.approx(0.5 * share, rel=1e-5)


def test_the_trace_is_the_slope_of_the_score() -> None:
    """For terms, by finite differences; entries that have decayed are dropped from the list."""
    steps, state = Steps([0.3, -0.2, 0.9]), np.array([0b101], np.uint64)
    add_gradient, decay = vars(steps.rules)["add_gradient"], vars(steps.rules)["decay"]
    score = add_gradient(steps.evaluator, steps.t, state, 2.0)
    slopes = []
    for i in range(3):
        steps.vector[i] += np.float32(2**-8)
        slopes.append(2 * 2**8 * (steps.evaluator.evaluate(None, steps.vector, state, None) - score))
        steps.vector[i] -= np.float32(2**-8)
    np.testing.assert_allclose(steps.t.trace, slopes, atol=2e-3)
    assert steps.t.counts[0] == 2
    decay(steps.t, np.float32(2**-30))
    assert (steps.t.counts[0], steps.t.trace.any(), steps.t.seats.any()) == (0, False, False)


def refuse(message: str, call: Callable[[], object]) -> None:
    with pytest.raises(GameforgeError) as error:
        call()
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rule": "tdleaf"}, 'rule = "tdleaf" needs a searcher whose line leads to the position that it scored'),
        ({"rule": "treestrap"}, 'rule = "treestrap" needs a searcher that hands out its nodes, such as minimax'),
        ({"rule": "tdleaf", "target": "oracle"}, 'target = "oracle" needs rule = "td"'),
    ],
)
def test_a_rule_that_the_pipeline_cannot_serve_is_refused(settings: dict[str, Any], message: str) -> None:
    refuse(message, lambda: train(parts(), TD(**settings)))


def test_weights_that_cannot_be_changed_one_by_one_are_refused() -> None:
    fixed = Parts(GAME, parts().searcher, Linear(unpacks_one=False))
    refuse("the weights of Linear cannot be changed one by one during a game", lambda: slopes_of(fixed))


def test_a_net_is_trained_as_before_only_by_td_with_fixed_steps() -> None:
    assert TD().is_neurodraughts
    assert not TD(coherence="linear").is_neurodraughts
    assert isinstance(slopes_of(parts())[0], NetFunctions)


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAININGS)
def test_compiled_trainings_are_the_uncompiled_ones(name: str, trainings: dict[str, Any]) -> None:
    kind, settings = TRAININGS[name]
    course = train(tree_parts(kind), TD(**COMMON, **settings), seed=3)
    assert [list(game.codes) for game in course.of("training")] == [moves for moves, *_ in trainings[name][2]]
    np.testing.assert_allclose(course.trained.weights, trainings[name][1], atol=1e-6)
