"""The context: everything that a search needs, in one argument; each thread has its own.

Its fields are compiled functions (compile/functions.py), data blocks, and workspace that the caller owns; kernels
allocate nothing. All components of one kind have the same type here, so each kernel is compiled once for all of them.
slots.py names the indices into blocks that several modules use.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import types

from gameforge.kernel.abi import LIMITS, SCORE, SIGNATURES, WORDS
from gameforge.kernel.compile.records import Record
from gameforge.kernel.types import (
    FloatArray,
    Floats,
    IntegerArray,
    Limits,
    Score,
    ScoreArray,
    Scores,
    Word,
    WordArray,
    Words,
)

MAX_ORACLES = 3
"""The most oracles that a player can have; the number is part of the context's type."""


class CompiledRules(NamedTuple):
    """The functions of rules, their data block, and the sizes of workspace.

    The functions are `gen`, `play`, `outcome`, `key`, `irreversible`, `retracts`, `noisy` and `ended`; placeholders
    stand for those that the rules lack.
    """

    gen: Callable[[Words, Words, Words], Word]
    play: Callable[[Words, Words, Word, Words], None]
    outcome: Callable[[Words, Words, Word], int]
    key: Callable[[Words, Words], Word]
    irreversible: Callable[[Words, Words, Word], Word]
    retracts: Callable[[Words, Word, Word], Word]
    noisy: Callable[[Words, Words, Words, Word], Word]
    ended: Callable[[Words, Words], int]
    data: WordArray
    """The first block of each of these functions."""
    words: np.uint64
    """uint64 words of a state."""
    max_moves: np.uint64
    """Largest number of moves that gen writes."""
    has_key: np.uint64
    """0: `key` is a placeholder, and positions are hashed word by word (keys.py)."""
    has_noisy: np.uint64
    """0: `noisy` is a placeholder, and no move is noisy."""
    has_ended: np.uint64
    """0: `ended` is a placeholder, and the moves of a state decide whether the game is over."""


class CompiledEvaluator(NamedTuple):
    """A net over a feature map, or an evaluator that reads states; static_score (evaluate.py) calls either.

    The functions are `features`, `forward` and `backward` of a net, `evaluate`, `values`, `policy`, `refresh`, `update`
    and `accumulated` of an evaluator; placeholders stand for the others.
    """

    is_net: np.uint64
    """1: scores come from `features` and `forward`; 0: from `evaluate`."""
    has_values: np.uint64
    """1: `values` scores many states for about the price of one; 0: it is a placeholder."""
    has_policy: np.uint64
    """1: `policy` writes logits of moves; 0: it is a placeholder."""
    accumulator: np.uint64
    """Words of an accumulator; 0: the evaluator keeps none, and `refresh`, `update`, `accumulated` are placeholders."""
    is_costly: np.uint64
    """1: a score takes much longer than keeping it and finding it again."""
    sign: np.float64
    """-1 if the features are seen by the side that has just moved, else 1."""
    features: Callable[[Words, Words, Floats], None]
    forward: Callable[[Words, Floats, Floats], Score]
    backward: Callable[[Words, Floats, Floats, Floats], None]
    evaluate: Callable[[Words, Floats, Words, Floats], Score]
    values: Callable[[Words, Floats, Words, Word, Scores], None]
    policy: Callable[[Words, Floats, Words, Words, Word, Floats, Scores], None]
    refresh: Callable[[Words, Floats, Words, Words], None]
    update: Callable[[Words, Floats, Words, Words, Word, Words], None]
    accumulated: Callable[[Words, Floats, Words, Floats], Score]
    features_data: WordArray
    """The block `fd` of the feature map."""
    data: WordArray
    """The block `nd` of the net, or `ed` of the evaluator."""
    weights: FloatArray
    """The block `w`."""
    inputs: FloatArray
    """Inputs of the last evaluation, followed by the evaluator's scratch; then the same again for a second state."""
    accumulators: WordArray
    """The accumulators of a search, one for each ply from the root on (SearcherFunctions.accumulators)."""


class CompiledGate(NamedTuple):
    """When gated oracles are consulted (oracles.py)."""

    place: np.uint64
    """Positions on which they are consulted: GATE_NOWHERE, GATE_LEAVES, GATE_ROOT or GATE_SEARCHED."""
    low: np.float64
    """Scores must be farther from 0 than this."""
    high: np.float64
    """They are consulted only if low < |score| < high."""
    size: np.uint64
    """Number of gated oracles."""


class CompiledOracles(NamedTuple):
    """Oracles in the order in which they are consulted; unused places hold oracles that know nothing."""

    probes: tuple[Callable[[Words, Words, Words], int], ...]
    """The function `probe` of each oracle."""
    data: tuple[WordArray, ...]
    """The block `od` of each oracle."""
    size: np.uint64
    """Number of oracles without a gate; the gated ones follow them."""
    gate: CompiledGate
    """The range of scores for gated oracles."""
    out: WordArray
    """`probe` writes into [PROBE_DISTANCE] and [PROBE_CONVERSION]; the oracle's workspace begins at [PROBE_SCRATCH]."""


class Context(NamedTuple):
    """The first argument of a search. slots.py names the entries of its blocks."""

    rules: CompiledRules
    """The rules."""
    evaluator: CompiledEvaluator
    """The evaluator, or a placeholder for a searcher that needs none."""
    oracle: CompiledOracles
    """The oracles."""
    memory: WordArray
    """The searcher's own block: settings and what it keeps between moves."""
    stack: WordArray
    """Workspace of one search: states, moves, frames."""
    scores: ScoreArray
    """Workspace of one search: windows and best scores."""
    rng: WordArray
    """State of the random number generator (random.py), one word."""
    history: WordArray
    """Keys of the positions since the last irreversible move; the last one is that of the current position."""
    played: WordArray
    """Moves of the game so far, counters[PLIES] of them."""
    draws: IntegerArray
    """The game's DrawRules (gameforge.interfaces.rules), with 0 for a rule that it lacks."""
    counters: IntegerArray
    """Plies and shuffles of the game so far, and where it began."""
    crew: Callable[[int], int]
    """crew(1) starts the search's helper threads on the state at the start of the stack, crew(0) ends them (crew.py).
    A searcher may have its own crew (SearcherFunctions.crew)."""
    control: IntegerArray
    """What any thread may ask of the search, and what the search reports."""


class CompiledPlayer(NamedTuple):
    """One player for one thread."""

    search: Callable[[Context, Words, Limits, Words], Score]
    """The searcher's `search`."""
    context: Context
    """Its first argument."""
    limits: IntegerArray
    """The block `limits` of the search."""
    out: WordArray
    """Block for the answer of the search (answer.py)."""
    book: WordArray
    """Lines that are followed without a search (book.py)."""


EVALUATOR_FUNCTIONS: tuple[str, ...] = ("features", "forward", "backward", "evaluate", "values", "policy")
EVALUATOR_FUNCTIONS += ("refresh", "update", "accumulated")
"""Names of the functions of CompiledEvaluator, in their order."""
GATE_NOWHERE, GATE_LEAVES, GATE_ROOT, GATE_SEARCHED = (np.uint64(i) for i in range(4))
"""Values of CompiledGate.place."""

_WORDS, _FLOATS = types.Array(types.uint64, 1, "C"), types.Array(types.float32, 1, "C")
_INTEGERS, _SCORES = types.Array(types.int64, 1, "C"), types.Array(types.float64, 1, "C")
_FUNCTIONS = {name: types.FunctionType(signature) for name, signature in SIGNATURES.items()}

RULES_TYPE = Record(
    CompiledRules,
    [_FUNCTIONS[name] for name in ("gen", "play", "outcome", "key", "irreversible", "retracts", "noisy", "ended")]
    + [_WORDS, types.uint64, types.uint64, types.uint64, types.uint64, types.uint64],
)
"""The numba type of CompiledRules."""
_EVALUATOR_TYPE = Record(
    CompiledEvaluator,
    [types.uint64, types.uint64, types.uint64, types.uint64, types.uint64, types.float64]
    + [_FUNCTIONS[name] for name in EVALUATOR_FUNCTIONS]
    + [_WORDS, _WORDS, _FLOATS, _FLOATS, _WORDS],
)
_GATE_TYPE = Record(CompiledGate, [types.uint64, types.float64, types.float64, types.uint64])
_PROBES = [types.UniTuple(kind, MAX_ORACLES) for kind in (_FUNCTIONS["probe"], _WORDS)]
_ORACLE_TYPE = Record(CompiledOracles, [*_PROBES, types.uint64, _GATE_TYPE, _WORDS])
CREW_SIGNATURE = types.int64(types.int64)
"""crew(command) of a context; returns the nodes that the helpers have searched."""
_BLOCKS = [_WORDS, _WORDS, _SCORES, _WORDS, _WORDS, _WORDS, _INTEGERS, _INTEGERS]
_CONTEXT_TYPE = Record(
    Context,
    [RULES_TYPE, _EVALUATOR_TYPE, _ORACLE_TYPE, *_BLOCKS, types.FunctionType(CREW_SIGNATURE), _INTEGERS],
)
SEARCH_SIGNATURE = SCORE(_CONTEXT_TYPE, WORDS, LIMITS, WORDS)
"""Signature of `search` (abi.py)."""
PLAYER_TYPE = Record(CompiledPlayer, [types.FunctionType(SEARCH_SIGNATURE), _CONTEXT_TYPE, _INTEGERS, _WORDS, _WORDS])
"""The numba type of CompiledPlayer."""
