"""From the interfaces' descriptions to the kernel's tables."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gameforge.interfaces.evaluator import EvaluatorFunctions, NetFunctions
from gameforge.interfaces.oracle import OracleFunctions
from gameforge.interfaces.rules import DrawRules, RulesFunctions
from gameforge.interfaces.searcher import STATISTICS, SearcherFunctions
from gameforge.kernel.compile.functions import Function, compiled_function
from gameforge.kernel.context import (
    CONTROLS,
    CREW_SIGNATURE,
    GATE_LEAVES,
    GATE_NOWHERE,
    GATE_ROOT,
    MAX_ORACLES,
    SEARCH_SIGNATURE,
    CompiledEvaluator,
    CompiledOracles,
    CompiledPlayer,
    CompiledRules,
    Context,
    Floats,
    Words,
)
from gameforge.kernel.crew import crew_function
from gameforge.kernel.game import GameWorkspace


def block(data: NDArray[Any] | None, dtype: Any = np.uint64) -> NDArray[Any]:
    """A data block as kernels take it: contiguous, writable, at least one element."""
    if data is None or len(data) == 0:
        return np.zeros(1, dtype)
    return np.require(data, dtype=dtype, requirements=["C", "W", "A"])


def _no_key(rules: Any, s: Any) -> Any:
    return np.uint64(0)


def _never_irreversible(rules: Any, s: Any, m: Any) -> Any:
    return np.uint64(0)


def _never_retracts(rules: Any, before: Any, m: Any) -> Any:
    return np.uint64(0)


def _never_noisy(rules: Any, s: Any, moves: Any, n: Any) -> Any:
    return np.uint64(0)


def compiled_rules(functions: RulesFunctions) -> CompiledRules:
    """Compile the functions of rules and put them into a table."""

    def entry(name: str, function: Any, otherwise: Any = None) -> Any:
        if function is None:
            return compiled_function(name, otherwise)
        return compiled_function(name, function, compiled=functions.compiled)

    return CompiledRules(
        gen=entry("gen", functions.gen),
        play=entry("play", functions.play),
        outcome=entry("outcome", functions.outcome),
        key=entry("key", functions.key, _no_key),
        irreversible=entry("irreversible", functions.irreversible, _never_irreversible),
        retracts=entry("retracts", functions.retracts, _never_retracts),
        noisy=entry("noisy", functions.noisy, _never_noisy),
        data=block(functions.data),
        words=np.uint64(functions.words),
        max_moves=np.uint64(functions.max_moves),
        has_key=np.uint64(functions.key is not None),
        has_noisy=np.uint64(functions.noisy is not None),
    )


def _no_features(fd: Any, s: Any, x: Any) -> None:
    return


def _no_forward(nd: Any, w: Any, x: Any) -> Any:
    return 0.0


def _no_backward(nd: Any, w: Any, x: Any, trace: Any) -> None:
    return


def _even(ed: Any, w: Any, s: Any, x: Any) -> Any:
    """Every position is even: what a searcher works with when no evaluator is given."""
    return 0.0


def _no_values(ed: Any, w: Any, states: Any, n: Any, scores: Any) -> None:
    return


def _knows_nothing(od: Any, s: Any, out: Any) -> Any:
    return 0


def compiled_evaluator(
    kernel: NetFunctions | EvaluatorFunctions | None, weights: Floats | None = None
) -> CompiledEvaluator:
    """A table with inputs of its own; a net's `weights` are shared, not copied. None: all positions are even."""
    net = isinstance(kernel, NetFunctions)
    values, compiled = None, True
    if isinstance(kernel, NetFunctions):
        features = kernel.features
        functions = {
            "features": compiled_function("features", features.features, compiled=features.compiled),
            "forward": compiled_function("forward", kernel.forward, compiled=kernel.compiled),
            "backward": compiled_function("backward", kernel.backward, compiled=kernel.compiled),
            "evaluate": compiled_function("evaluate", _even),
        }
        sign, inputs, features_data = (
            -1.0 if features.viewpoint == "just moved" else 1.0,
            features.inputs,
            features.data,
        )
    else:
        evaluate = _even
        if kernel is not None:
            evaluate, values, compiled = kernel.evaluate, kernel.values, kernel.compiled
            if weights is not None and kernel.vector is not None:
                weights = kernel.vector.block(weights)
        functions = {
            "features": compiled_function("features", _no_features),
            "forward": compiled_function("forward", _no_forward),
            "backward": compiled_function("backward", _no_backward),
            "evaluate": compiled_function("evaluate", evaluate, compiled=compiled),
        }
        sign, inputs, features_data = 1.0, 0, None
        weights = weights if kernel is None or kernel.weights is None else kernel.weights
    return CompiledEvaluator(
        is_net=np.uint64(net),
        has_values=np.uint64(values is not None),
        sign=np.float64(sign),
        **functions,
        values=compiled_function("values", values or _no_values, compiled=values is None or compiled),
        features_data=block(features_data),
        data=block(None if kernel is None else kernel.data),
        weights=block(weights, np.float32),
        inputs=np.zeros(max(1, inputs + (0 if kernel is None else kernel.scratch)), np.float32),
    )


def with_inputs_of_its_own(table: CompiledEvaluator) -> CompiledEvaluator:
    """The same evaluator for another thread."""
    return table._replace(inputs=np.zeros_like(table.inputs))


def compiled_oracles(kernels: tuple[OracleFunctions, ...]) -> CompiledOracles:
    """Oracles in the order in which they are asked, those behind a gate last. These have one gate (Parts checks it)."""
    gate = next((functions.gate for functions in kernels if functions.gate is not None), None)
    everywhere = [functions for functions in kernels if functions.gate is None]
    gated = [functions for functions in kernels if functions.gate is not None]
    kernels = (*everywhere, *gated)
    nothing = compiled_function("probe", _knows_nothing)
    probes = [compiled_function("probe", functions.probe, compiled=functions.compiled) for functions in kernels]
    data = [block(functions.data) for functions in kernels]
    spare = MAX_ORACLES - len(kernels)
    return CompiledOracles(
        probes=tuple(probes + [nothing] * spare),
        data=tuple(data + [block(None)] * spare),
        size=np.uint64(len(everywhere)),
        gated=np.uint64(len(gated)),
        gate=GATE_NOWHERE if gate is None else GATE_ROOT if gate.at == "root" else GATE_LEAVES,
        low=np.float64(0 if gate is None else gate.low),
        high=np.float64(0 if gate is None else gate.high),
        out=np.zeros(4 + max((functions.scratch for functions in kernels), default=0), np.uint64),
    )


def search_function(functions: SearcherFunctions) -> Any:
    """The function value of a searcher."""
    return compiled_function("search", functions.search, signature=SEARCH_SIGNATURE, bare=functions.bare)


def compiled_player(
    rules: CompiledRules,
    search: Any,
    functions: SearcherFunctions,
    evaluator: CompiledEvaluator,
    oracle: CompiledOracles,
    game: GameWorkspace,
    seed: int = 0,
    book: Words | None = None,
) -> CompiledPlayer:
    """A player for one thread, with workspace of its own; what it sees of the game's course is `game`'s."""
    context = Context(
        rules=rules,
        evaluator=with_inputs_of_its_own(evaluator),
        oracle=oracle._replace(out=np.zeros_like(oracle.out)),
        memory=block(None if functions.memory is None else functions.memory.copy()),
        history=game.history,
        played=game.played,
        draws=game.draws,
        counters=game.counters,
        crew=crew_function(()),
        stack=np.zeros(max(functions.stack, int(rules.words + rules.max_moves)), np.uint64),
        scores=np.zeros(max(1, functions.scores), np.float64),
        rng=np.array([seed], np.uint64),
        control=np.zeros(CONTROLS, np.int64),
    )
    limits = np.array(functions.limits, np.int64)
    out = np.zeros(STATISTICS + 1 + (3 * int(rules.max_moves) if functions.statistics else 0), np.uint64)
    player = CompiledPlayer(search=search, context=context, limits=limits, out=out, book=block(book))
    if functions.crew is not None:
        crew = compiled_function("crew", functions.crew(player, game), compiled=False, signature=CREW_SIGNATURE)
        return player._replace(context=context._replace(crew=crew))
    if functions.workers == 1:
        return player
    helpers = tuple(_helper(player, number) for number in range(1, functions.workers))
    return player._replace(context=context._replace(crew=crew_function(helpers, context.stack)))


def _helper(player: CompiledPlayer, number: int) -> CompiledPlayer:
    """The player's helper in another thread: its workspace is its own, the memory is shared."""
    context = player.context
    limits = player.limits.copy()
    limits[-1] = number
    return player._replace(
        context=context._replace(
            evaluator=with_inputs_of_its_own(context.evaluator),
            oracle=context.oracle._replace(out=np.zeros_like(context.oracle.out)),
            stack=np.zeros_like(context.stack),
            scores=np.zeros_like(context.scores),
            rng=context.rng + np.uint64(number),
            control=np.zeros_like(context.control),
        ),
        limits=limits,
        out=np.zeros_like(player.out),
    )


def game_workspace(rules: CompiledRules, draws: DrawRules) -> GameWorkspace:
    """Workspace for games of one thread; its history is handed to the players of that thread."""
    return GameWorkspace(
        rules=rules,
        draws=np.array([draws.repetition, draws.no_progress, draws.max_plies, draws.shuffle], np.int64),
        history=np.zeros(draws.max_plies + 2, np.uint64),
        states=np.zeros(2 * int(rules.words), np.uint64),
        moves=np.zeros(int(rules.max_moves), np.uint64),
        played=np.zeros(max(1, draws.max_plies), np.uint64),
        counters=np.zeros(3, np.int64),
        clocks=np.zeros(4, np.int64),
    )


def check(*tables: Any) -> None:
    """Raise what a Python callback of these tables (nested tuples) raised inside a kernel; none is left behind."""
    failure = take_failure(*tables)
    if failure is not None:
        raise failure


def take_failure(*tables: Any, thread: int | None = None) -> BaseException | None:
    """What a Python callback of these tables raised inside a kernel of that thread, or of any; none is left behind."""
    taken = [function.take_failure(thread) for function in _functions(tables)]
    return next((failure for failure in taken if failure is not None), None)


def _functions(tables: tuple[Any, ...]) -> Iterator[Function]:
    for table in tables:
        if isinstance(table, Function):
            yield table
        elif isinstance(table, tuple):
            yield from _functions(table)
