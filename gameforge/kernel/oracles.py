"""How searchers and games consult the oracles of a context, and where the gate allows it."""

from typing import Any

import numpy as np

from gameforge.kernel.abi import UNKNOWN
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import (
    GATE_LEAVES,
    GATE_ROOT,
    HITS,
    PROBE_CONVERSION,
    PROBES,
    CompiledGate,
    Context,
)

_0, _1 = np.uint64(0), np.uint64(1)


@inline
def ask_oracles(context: Context, s: Any) -> Any:
    """Return the result for the side to move from the first oracle that knows it, else UNKNOWN.

    The distance is in oracle.out.
    """
    return _ask(context, s, _0, context.oracle.size)


@inline
def ask_gated(context: Context, s: Any, static: Any) -> Any:
    """Consult the gated oracles like ask_oracles; UNKNOWN if the gate excludes `static`, the state's static_score."""
    oracle = context.oracle
    if not oracle.gate.low < abs(static) < oracle.gate.high:
        return UNKNOWN
    return _ask(context, s, oracle.size, oracle.gate.size)


@inline
def gated_at_leaves(gate: CompiledGate) -> Any:
    """Return whether gated oracles are consulted on the positions that the evaluator scores at the ends of lines."""
    return gate.place == GATE_LEAVES


@inline
def gated_after_root(gate: CompiledGate, ply: Any) -> Any:
    """Return whether gated oracles are consulted `ply` plies from the root, which they are only after its moves."""
    return gate.place == GATE_ROOT and ply == _1


@inline
def _ask(context: Context, s: Any, first: Any, n: Any) -> Any:
    """Consult n oracles in order, from number `first` on."""
    oracle = context.oracle
    oracle.out[PROBE_CONVERSION] = _0
    context.control[PROBES] += 1
    for i in range(n):  # range(first, first + n) costs a shallow search 8 % of its time
        number = first + i
        status = oracle.probes[number](at(oracle.data[number], _0), s, at(oracle.out, _0))
        if status != UNKNOWN:
            context.control[HITS] += 1
            return status
    return UNKNOWN
