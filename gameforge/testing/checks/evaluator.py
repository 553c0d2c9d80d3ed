"""The contract of evaluators: nets, compiled evaluators and batch evaluators."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import attrs
import numpy as np

from gameforge.interfaces.evaluator import Evaluator, EvaluatorFunctions, NetFunctions, Trainable, WeightVector
from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import compiled_evaluator
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.kernel.context import CompiledEvaluator
from gameforge.kernel.types import FloatArray, WordArray
from gameforge.play.adapters import as_evaluator
from gameforge.play.batches import batch_functions
from gameforge.play.bounds import GUARD, block
from gameforge.play.perft import playouts
from gameforge.play.pipeline import Pipeline
from gameforge.testing.contract import Broken, Contract, Given, Skipped, checks_of, expect
from gameforge.testing.sampling import Sample, same_words, sample_of
from gameforge.testing.toy import Greedy, Remainders

_SIGN_STATES, _PLAYOUTS = 60, 60
_AGAINST = -0.3
"""A correlation between scores and results of random games below this cannot be chance."""
_GRADIENT_STATES, _GRADIENT_WEIGHTS, _STEPS = 5, 40, (2.0**-6, 2.0**-10)


@attrs.frozen
class Scored:
    """An evaluator, with initial weights if they are trained, and a sample of positions to score."""

    sample: Sample
    component: Any
    functions: NetFunctions | EvaluatorFunctions
    compiled: CompiledEvaluator
    weights: FloatArray | None
    """The vector of weights; None if the evaluator has none that are trained."""
    size: int
    """Number of inputs plus the scratch after them."""

    @property
    def net(self) -> NetFunctions:
        if not isinstance(self.functions, NetFunctions):
            raise Skipped("the evaluator is not a net")
        return self.functions

    def inputs(self) -> FloatArray:
        """Make the block `x`, with a guard."""
        return np.full(self.size + GUARD, 7.0, np.float32)

    def score(self, state: State, x: FloatArray | None = None, words: WordArray | None = None) -> float:
        """Call the evaluator; the score of a net is from its features' viewpoint."""
        compiled = self.compiled
        x, words = self.inputs() if x is None else x, block(state) if words is None else words
        if not compiled.is_net:
            return float(call(compiled.evaluate, compiled.data, compiled.weights, words, x))
        call(compiled.features, compiled.features_data, words, x)
        return float(call(compiled.forward, compiled.data, compiled.weights, x))

    def logits(self, state: State, x: FloatArray) -> list[float]:
        """Call the policy after the evaluator; a logit for each legal move."""
        moves, compiled = np.array(self.sample.game.legal(state), np.uint64), self.compiled
        self.score(state, x)
        logits = np.full(len(moves) + GUARD, np.nan)
        number = np.uint64(len(moves))
        call(compiled.policy, compiled.data, compiled.weights, block(state), moves, number, x, logits)
        expect(bool(np.isnan(logits[len(moves) :]).all()), "policy writes more logits than there are moves")
        return [float(logit) for logit in logits[: len(moves)]]


def prepare(given: Given) -> Scored:
    """Check functions() or values(); a net has features, groups that cover every weight once, and initial weights."""
    game, features = given.played, given.features
    component = as_evaluator(given.component, game)
    if given.game is None and features is None and isinstance(component, Evaluator):
        features = Remainders()
    pipeline = Pipeline(
        game=game, searcher=Greedy(), evaluator=component, features=features, learner="none", oracle="none",
        registry=given.registry,
    )  # fmt: skip
    if not isinstance(component, Evaluator):
        functions: Any = batch_functions(component, game.functions.words)
        if functions.vector is None:
            values = component.values(np.array([game.rules.initial()], np.uint64))
            expect(np.shape(values) == (1,), f"values() of one state returned the shape {np.shape(values)}, not (1,)")
    else:
        feature_map = pipeline.features
        functions = component.functions(game.rules, None if feature_map is None else feature_map.functions(game.rules))
    known = isinstance(functions, NetFunctions | EvaluatorFunctions)
    expect(known, f"functions() returned {functions!r}, not NetFunctions or EvaluatorFunctions")
    weights = None if functions.vector is None else _initial_weights(component, functions)
    size = functions.scratch + (functions.features.inputs if isinstance(functions, NetFunctions) else 0)
    sample = sample_of(game, given.seed)
    return Scored(sample, component, functions, compiled_evaluator(functions, weights), weights, size)


def _initial_weights(component: object, functions: NetFunctions | EvaluatorFunctions) -> FloatArray:
    if not isinstance(component, Trainable):
        raise Broken("the evaluator has trainable weights, but no initial_weights(net, rng)")
    if isinstance(functions, NetFunctions):
        groups = sorted(functions.groups, key=lambda g: g.start)
        ends = [0, *(place for group in groups for place in (group.start, group.stop))]
        whole = all(ends[i] == ends[i + 1] for i in range(0, len(ends) - 1, 2))
        expect(whole, "groups does not cover every weight exactly once")
    assert functions.vector is not None
    weights, length = component.initial_weights(functions, np.random.default_rng(1)), functions.vector.length
    right = isinstance(weights, np.ndarray) and weights.dtype == np.float32 and weights.shape == (length,)
    expect(right, f"initial_weights() did not return an array of {length} float32")
    return weights


def scores_are_within_one(evaluator: Scored) -> int:
    """Check that heuristic scores lie in (-1, 1): scores beyond are for proven results."""
    for state in evaluator.sample.states:
        score = evaluator.score(state)
        expect(-1.0 <= score <= 1.0, f"the score is {score} in {evaluator.sample.text(state)}")
    return len(evaluator.sample.states)


def scores_depend_only_on_the_state(evaluator: Scored) -> int:
    """Check that scores depend neither on earlier calls nor on the contents of the workspace."""
    first = {state: evaluator.score(state) for state in evaluator.sample.states}
    for state in reversed(evaluator.sample.states):
        again = evaluator.score(state, np.zeros_like(evaluator.inputs()))
        same = first[state] == again or first[state] != first[state]
        expect(same, f"the score of {evaluator.sample.text(state)} was first {first[state]}, then {again}")
    return len(first)


def nothing_else_is_written(evaluator: Scored) -> int:
    """Check that the state, settings, weights and the memory after the workspace do not change."""
    compiled = evaluator.compiled
    before = compiled.weights.copy(), compiled.data.copy()
    for state in evaluator.sample.states:
        x, words = evaluator.inputs(), block(state)
        evaluator.score(state, x, words)
        expect(same_words(words, state), f"{evaluator.sample.text(state)} is changed")
        untouched = bool((x[evaluator.size :] == 7.0).all())
        expect(untouched, f"more than scratch = {evaluator.functions.scratch} elements are written")
        kept = before[0].tobytes() == compiled.weights.tobytes() and np.array_equal(before[1], compiled.data)
        compiled.weights[:], compiled.data[:] = before
        expect(kept, f"weights or settings are changed in {evaluator.sample.text(state)}")
    return len(evaluator.sample.states)


def scores_are_for_the_side_to_move(evaluator: Scored) -> int:
    """Check that scores do not contradict the results of random games."""
    if evaluator.functions.vector is not None:
        raise Skipped("the evaluator has weights that are not trained")
    game, states = evaluator.sample.game, evaluator.sample.running[:_SIGN_STATES]
    scores, results = [], []
    for number, state in enumerate(states):
        found = playouts(game.position(game.position_text(state)), _PLAYOUTS, seed=number)
        scores.append(evaluator.score(state))
        results.append((found.wins - found.losses) / _PLAYOUTS)
    if len(states) < 8 or np.std(scores) == 0 or np.std(results) == 0:
        raise Skipped("the sample is too small, or all positions have the same score")
    agreement = float(np.corrcoef(scores, results)[0, 1])
    against = f"scores contradict the results of random games (correlation {agreement:.2f}): is the sign wrong?"
    expect(agreement > _AGAINST, against)
    return len(states)


def batches_are_scored_like_single_states(evaluator: Scored) -> int:
    compiled, states = evaluator.compiled, evaluator.sample.states
    if not compiled.has_values:
        raise Skipped("the evaluator does not score batches")
    together = np.full(len(states), np.nan)
    words = np.array(states, np.uint64).reshape(-1)
    call(compiled.values, compiled.data, compiled.weights, words, np.uint64(len(states)), together)
    for state, score in zip(states, together.tolist(), strict=True):
        alone = evaluator.score(state)
        close = abs(score - alone) <= 1e-5
        expect(close, f"the score of {evaluator.sample.text(state)} is {score} in a batch and {alone} alone")
    return len(states)


def logits_are_finite_and_depend_only_on_the_state(evaluator: Scored) -> int:
    """Check that the policy has a finite logit for each move, whatever was evaluated before."""
    if not evaluator.compiled.has_policy:
        raise Skipped("the evaluator has no policy")
    first = {state: evaluator.logits(state, evaluator.inputs()) for state in evaluator.sample.running}
    for state in reversed(evaluator.sample.running):
        where = evaluator.sample.text(state)
        expect(bool(np.isfinite(first[state]).all()), f"the logits of {where} are {first[state]}")
        x = np.zeros_like(evaluator.inputs())
        again = evaluator.logits(state, x)
        expect(first[state] == again, f"the logits of {where} were first {first[state]}, then {again}")
        expect(
            not x[evaluator.size :].any(), f"policy writes more than scratch = {evaluator.functions.scratch} elements"
        )
    return len(first)


def update_is_refresh_to_the_bit(evaluator: Scored) -> int:
    """Follow random games: update gives the accumulator that refresh gives, from which comes the score of evaluate."""
    compiled = evaluator.compiled
    size, common = int(compiled.accumulator), (compiled.data, compiled.weights)
    if not size:
        raise Skipped("the evaluator keeps no accumulator")

    def refreshed(state: State) -> WordArray:
        acc = np.full(size + GUARD, 7, np.uint64)
        call(compiled.refresh, *common, block(state), acc)
        return acc

    lines = evaluator.sample.lines
    for line in lines:
        acc = refreshed(line.states[0])
        for move, state in zip(line.moves, line.states[1:], strict=False):
            before, child, where = acc.copy(), np.full(size + GUARD, 7, np.uint64), evaluator.sample.text(state)
            call(compiled.update, *common, acc, block(state), np.uint64(move), child)
            expect(np.array_equal(acc, before), f"update changes the accumulator of the position before {where}")
            expect(bool((child[size:] == 7).all()), f"update writes more than accumulator = {size} words in {where}")
            fresh, x = refreshed(state), evaluator.inputs()
            expect(bool((fresh[size:] == 7).all()), f"refresh writes more than accumulator = {size} words in {where}")
            expect(np.array_equal(child, fresh), f"update gives another accumulator than refresh in {where}")
            found, score = float(call(compiled.accumulated, *common, child, x)), evaluator.score(state)
            expect(found == score, f"the score is {found} by the accumulator, but {score} by evaluate, in {where}")
            intact = bool((x[evaluator.size :] == 7.0).all())
            expect(intact, f"accumulated writes more than scratch = {evaluator.functions.scratch} elements")
            acc = child
    return sum(len(line.moves) for line in lines)


def the_same_seed_gives_the_same_weights(evaluator: Scored) -> int:
    if evaluator.functions.vector is None:
        raise Skipped("the evaluator has no trainable weights")
    one, other = (evaluator.component.initial_weights(evaluator.functions, np.random.default_rng(3)) for _ in range(2))
    expect(np.array_equal(one, other), "initial_weights() depends on more than the random generator")
    return 1


def backward_is_the_slope_of_forward(evaluator: Scored) -> int:
    """Compare the gradient with finite differences of forward; backward adds it to the trace."""
    compiled, vector = evaluator.compiled, evaluator.net.vector

    def backward(state: State, x: FloatArray, trace: FloatArray) -> None:
        call(compiled.backward, compiled.data, compiled.weights, x, trace)

    return _compare_slopes(evaluator, vector, backward, evaluator.score, "forward")


def gradient_is_the_slope_of_evaluate(evaluator: Scored) -> int:
    """Compare the gradient with finite differences of evaluate, except for stepped weights, which it may omit."""
    _, vector, function = _offered(evaluator, "gradient")
    compiled = evaluator.compiled

    def gradient(state: State, x: FloatArray, trace: FloatArray) -> None:
        call(function, compiled.data, compiled.weights, block(state), x, trace)

    return _compare_slopes(evaluator, vector, gradient, evaluator.score, "evaluate")


def slope_is_that_of_score_and_logits(evaluator: Scored) -> int:
    """Compare the gradient of a sum over score and logits, with random factors, with finite differences."""
    functions, compiled, game = evaluator.functions, evaluator.compiled, evaluator.sample.game
    factors = np.random.default_rng(9).uniform(-1, 1, 1 + game.functions.max_moves).astype(np.float32)

    def total(state: State, x: FloatArray | None = None) -> float:
        x = evaluator.inputs() if x is None else x
        logits = evaluator.logits(state, x)
        return float(factors[0] * evaluator.score(state) + np.dot(factors[1 : 1 + len(logits)], logits))

    if isinstance(functions, EvaluatorFunctions) and functions.batches is not None:
        net, indices = functions.batches, game.moves
        expect(evaluator.weights is not None and indices is not None, "batches need a vector of weights, and moves")
        assert functions.vector is not None
        assert evaluator.weights is not None
        assert indices is not None
        weights, length, size = evaluator.weights, functions.vector.length, indices.size

        def slope_of_batch(state: State, x: FloatArray, trace: FloatArray) -> None:
            columns, logits = game.move_indices(state), np.zeros((1, size))
            logits[0, columns] = factors[1 : 1 + len(columns)]
            trace[:length] += net.slope(weights, np.array([state], np.uint64), factors[:1].astype(np.float64), logits)

        vector = attrs.evolve(functions.vector, unpack_backward=lambda weights, trace: trace[:length])
        return _compare_slopes(evaluator, vector, slope_of_batch, total, "score and logits", evaluator.sample.running)
    _, vector, function = _offered(evaluator, "slope")

    def slope(state: State, x: FloatArray, trace: FloatArray) -> None:
        moves = np.array(game.legal(state), np.uint64)
        number = np.uint64(len(moves))
        call(function, compiled.data, compiled.weights, block(state), moves, number, x, factors, trace)

    return _compare_slopes(evaluator, vector, slope, total, "score and logits", evaluator.sample.running)


def _offered(
    evaluator: Scored, name: Literal["gradient", "slope", "terms"]
) -> tuple[EvaluatorFunctions, WeightVector, Callable[..., object]]:
    """Return (functions, weights, the function of this name, compiled); Skipped if the evaluator does not offer it."""
    functions = evaluator.functions
    found = getattr(functions, name) if isinstance(functions, EvaluatorFunctions) else None
    if not isinstance(functions, EvaluatorFunctions) or found is None:
        raise Skipped(f"the evaluator has no function {name}")
    vector = functions.vector
    expect(vector is not None, f"the evaluator has the function {name}, but no vector of weights")
    assert vector is not None
    return functions, vector, compiled_function(name, found, compiled=functions.compiled)


def _compare_slopes(
    evaluator: Scored,
    vector: WeightVector,
    add: Callable[..., None],
    score: Callable[..., float],
    of: str,
    states: Sequence[State] | None = None,
) -> int:
    """Compare what add(state, x, trace) adds to the trace of a state with finite differences of score(state, x).

    states: a sample of those of the evaluator; None: all of them.
    """
    compiled, block_before = evaluator.compiled, evaluator.compiled.weights.copy()
    assert evaluator.weights is not None
    weights, name = evaluator.weights.copy(), add.__name__
    free = np.setdiff1d(np.arange(vector.length), [one.place for one in vector.stepped])
    chosen = np.random.default_rng(5).permutation(free)[:_GRADIENT_WEIGHTS]
    sample = (evaluator.sample.states if states is None else states)[:_GRADIENT_STATES]
    for state in sample:
        x, trace = evaluator.inputs(), np.ones_like(block_before)
        score(state, x)
        add(state, x, trace)
        intact = bool((x[evaluator.size :] == 7.0).all())
        expect(intact, f"{name} wrote more than scratch = {evaluator.functions.scratch} elements")
        gradient = vector.gradient(weights, trace - 1)
        for i in chosen:
            # A function with kinks may have two slopes; its gradient is one of them, or lies between. A long step may
            # cross many kinks, and with a short one rounded weights may show no slope: one of the two has to do.
            for length in _STEPS:
                ends = []
                for step in (length, 0.0, -length):
                    moved = weights.copy()
                    moved[i] += np.float32(step)
                    compiled.weights[:] = vector.block(moved)
                    ends.append(score(state))
                compiled.weights[:] = block_before
                low, high = sorted(((ends[0] - ends[1]) / length, (ends[1] - ends[2]) / length))
                slope, added = (low + high) / 2, float(gradient[i])
                allowed = 2e-3 + 2e-2 * abs(slope)
                close = low - allowed <= added <= high + allowed
                if close:
                    break
            where = f"of weight {i} in {evaluator.sample.text(state)}"
            expect(close, f"{name} added {added:.5f} to the trace {where}, but the slope of {of} is {slope:.5f}")
    return len(chosen) * len(sample)


def terms_make_the_score(evaluator: Scored) -> int:
    """Check, with random weights, that the score is tanh(v / 2), where v is the sum of weight times factor."""
    functions, vector, terms = _offered(evaluator, "terms")
    compiled = evaluator.compiled
    weights = vector.rounded(np.random.default_rng(7).uniform(-0.2, 0.2, vector.length).astype(np.float32))
    drawn, before = compiled_evaluator(functions, weights).weights, compiled.weights.copy()
    most = functions.max_terms
    for state in evaluator.sample.states:
        places, factors = np.full(most + GUARD, -7, np.int32), np.full(most + GUARD, -7.0, np.float32)
        n, where = int(call(terms, compiled.data, block(state), places, factors)), evaluator.sample.text(state)
        expect(0 <= n <= most, f"terms returned {n}, more than max_terms = {most}, in {where}")
        intact = bool((places[most:] == -7).all() and (factors[most:] == -7.0).all())
        expect(intact, f"terms wrote more than max_terms = {most} elements in {where}")
        right = bool(((places[:n] >= 0) & (places[:n] < vector.length)).all())
        expect(right, f"the place of a term is not from 0 to {vector.length - 1} in {where}")
        total = float((weights[places[:n]].astype(np.float64) * factors[:n]).sum())
        compiled.weights[:] = drawn
        score = evaluator.score(state)
        compiled.weights[:] = before
        close = abs(np.tanh(total / 2) - score) <= 1e-5
        expect(close, f"the terms give the score {np.tanh(total / 2):.6f}, but the score is {score:.6f}, in {where}")
    return len(evaluator.sample.states)


def one_weight_is_unpacked_as_all_are(evaluator: Scored) -> int:
    """Check that unpack_one, for each of some weights that change, leaves the block that unpack makes of all."""
    vector, compiled = evaluator.functions.vector, evaluator.compiled
    if vector is None or vector.unpack_one is None:
        raise Skipped("the evaluator has no function unpack_one")
    assert evaluator.weights is not None
    function = compiled_function("unpack_one", vector.unpack_one, compiled=evaluator.functions.compiled)
    data = block(vector.unpack_data() if vector.unpack_data else ())
    rng, weights, found = np.random.default_rng(11), evaluator.weights.copy(), compiled.weights.copy()
    chosen = rng.permutation(vector.length)[:_GRADIENT_WEIGHTS]
    for place in chosen:
        weights[place] += np.float32(rng.uniform(-1, 1))
        call(function, data, found, weights, int(place))
    same = found.tobytes() == vector.block(weights).tobytes()
    expect(same, f"unpack_one leaves another block than unpack after changes of the weights {chosen[:5].tolist()}, ...")
    return len(chosen)


CONTRACT = Contract(prepare, checks_of(__name__))
