"""The context: everything that a search or a game needs, one per thread, as one argument.

Fields are function values (functions.py), data blocks and caller-owned workspace; kernels
allocate nothing. All components of one kind have the same type here, so each kernel is
compiled once for all of them.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from gameforge.kernel.abi import LIMITS, SCORE, SIGNATURES, WORDS

Words = NDArray[np.uint64]
Floats = NDArray[np.float32]
Integers = NDArray[np.int64]
MAX_ORACLES = 3
"""Oracles are asked in order; the number of slots is part of the context's type."""


class CompiledRules(NamedTuple):
    """A game's functions, their settings, and the sizes that kernels allocate by."""

    gen: Any
    play: Any
    outcome: Any
    key: Any
    irreversible: Any
    retracts: Any
    noisy: Any
    data: Words
    words: np.uint64
    """uint64 words of a state."""
    max_moves: np.uint64
    """Upper bound of what gen writes."""
    has_key: np.uint64
    """0: key is a placeholder, positions are hashed word by word (keys.py)."""
    has_noisy: np.uint64
    """0: noisy is a placeholder, no move is."""


class CompiledEvaluator(NamedTuple):
    """A net over a feature map, or an evaluator of its own kind; static_score (evaluate.py) knows which."""

    is_net: np.uint64
    """1: features, then forward; 0: evaluate."""
    has_values: np.uint64
    """1: values scores many states at once, and costs as much for one; 0: it is a placeholder."""
    sign: np.float64
    """-1 if the net looks from the side that has just moved, else 1."""
    features: Any
    forward: Any
    backward: Any
    evaluate: Any
    values: Any
    features_data: Words
    data: Words
    weights: Floats
    inputs: Floats
    """Inputs of the last evaluation, behind them the evaluator's scratch."""


class CompiledOracles(NamedTuple):
    """Oracles in the order in which they are asked; spare slots know nothing."""

    probes: tuple[Any, ...]
    data: tuple[Words, ...]
    size: np.uint64
    """How many of the slots hold an oracle that is asked everywhere; gated ones follow."""
    gated: np.uint64
    """How many are gated."""
    gate: np.uint64
    """Where these are asked: GATE_NOWHERE, GATE_LEAVES, GATE_ROOT."""
    low: np.float64
    high: np.float64
    """Only where low < |static score| < high."""
    out: Words


class Context(NamedTuple):
    """What a search gets as its first argument."""

    rules: CompiledRules
    evaluator: CompiledEvaluator
    oracle: CompiledOracles
    memory: Words
    """The searcher's own block: settings and what it keeps between moves."""
    stack: Words
    """Workspace of one search: states, moves, frames."""
    scores: NDArray[np.float64]
    """Workspace of one search: windows and best scores."""
    rng: Words
    """rng[0]: state of the generator in random.py."""
    history: Words
    """history[0] = n; history[1 : n + 1] = keys of the game since its last irreversible move, the present one last."""
    played: Words
    """Moves of the game so far, counters[0] of them."""
    draws: Integers
    """[repetition, no_progress, max_plies, shuffle] of gameforge.interfaces.rules.DrawRules."""
    counters: Integers
    """counters[0]: plies of the game so far (game.py)."""
    crew: Any
    """crew(1) starts this search's helper threads on the state at the start of the stack, crew(0) ends them; a searcher
    may have one of its own (SearcherFunctions.crew)."""
    control: Integers
    """[STOP]: any thread sets it to end the search. [NODES]: nodes of all searches so far. [DEPTH]: plies that the last
    one searched to the end. [ASKED]: moment from which the next one counts its time (clock.py), 0 for its beginning.
    [PROBES], [HITS]: how often oracles were asked for a state, and knew it."""


class CompiledPlayer(NamedTuple):
    """One player for one thread."""

    search: Any
    context: Context
    limits: Integers
    out: Words
    """Where the search writes its move, nodes and line (abi.py)."""
    book: Words
    """Lines that are followed without a search (book.py)."""


STOP, NODES, DEPTH, ASKED, PROBES, HITS = range(6)
GATE_NOWHERE, GATE_LEAVES, GATE_ROOT = (np.uint64(i) for i in range(3))
CONTROLS = 6
"""Length of `control`."""

_WORDS = types.Array(types.uint64, 1, "C")
_FLOATS = types.Array(types.float32, 1, "C")
_INTEGERS = types.Array(types.int64, 1, "C")
_SCORES = types.Array(types.float64, 1, "C")


def _function(name: str) -> Any:
    return types.FunctionType(SIGNATURES[name])


RULES_TYPE = types.NamedTuple(
    [_function(n) for n in ("gen", "play", "outcome", "key", "irreversible", "retracts", "noisy")]
    + [_WORDS, types.uint64, types.uint64, types.uint64, types.uint64],
    CompiledRules,
)
EVALUATOR_TYPE = types.NamedTuple(
    [types.uint64, types.uint64, types.float64]
    + [_function(n) for n in ("features", "forward", "backward", "evaluate", "values")]
    + [_WORDS, _WORDS, _FLOATS, _FLOATS],
    CompiledEvaluator,
)
_GATES = [types.uint64, types.uint64, types.uint64, types.float64, types.float64]
ORACLE_TYPE = types.NamedTuple(
    [types.UniTuple(_function("probe"), MAX_ORACLES), types.UniTuple(_WORDS, MAX_ORACLES), *_GATES, _WORDS],
    CompiledOracles,
)
CREW_SIGNATURE = types.int64(types.int64)
"""crew(command) of a context; returns the nodes that the helpers have searched."""
_BLOCKS = [_WORDS, _WORDS, _SCORES, _WORDS, _WORDS, _WORDS, _INTEGERS, _INTEGERS]
CONTEXT_TYPE = types.NamedTuple(
    [RULES_TYPE, EVALUATOR_TYPE, ORACLE_TYPE, *_BLOCKS, types.FunctionType(CREW_SIGNATURE), _INTEGERS], Context
)
SEARCH_SIGNATURE = SCORE(CONTEXT_TYPE, WORDS, LIMITS, WORDS)
"""search(ctx, s, limits, out) of the table (abi.py)."""
