"""The table of functions: one signature for each thing that a component can do inside a kernel.

Every block is a pointer; a function indexes it as `s[0]`, `moves[n]`, `x[i]`. Words are uint64,
inputs and weights float32, scores float64. The first block belongs to the component: settings,
masks and weights are data, so that nothing is recompiled for another value of them.

| function                            | returns | does |
|-------------------------------------|---------|------|
| gen(rules, s, moves)                | uint64  | writes the legal moves, returns how many |
| play(rules, s, m, child)            | -       | writes the state after move m |
| outcome(rules, s, n_moves)          | int64   | RUNNING, WIN, LOSS or DRAW for the side to move, plus 4 * reason |
| key(rules, s)                       | uint64  | hash of the position: pieces and side to move, no counters |
| irreversible(rules, s, m)           | uint64  | 1 if no position before m can occur again after it |
| retracts(rules, before, m)          | uint64  | 1 if m takes the mover's own previous move `before` back |
| noisy(rules, s, moves, n)           | uint64  | puts noisy moves first, returns how many (RulesFunctions.noisy) |
| features(fd, s, x)                  | -       | writes the inputs |
| forward(nd, w, x)                   | float64 | value of the inputs; scratch behind the inputs in x |
| backward(nd, w, x, trace)           | -       | adds d value / d weight of the last forward to the trace |
| evaluate(ed, w, s, x)               | float64 | score of the state, for the side to move |
| values(ed, w, states, n, scores)    | -       | writes the scores of n states that lie one behind the other |
| probe(od, s, out)                   | int64   | UNKNOWN, WIN, LOSS or DRAW; out[0] = 1 + plies to the end or 0 |
| search(ctx, s, limits, out)         | float64 | score; out: move, nodes, n, the n moves of the line, statistics |

A probe that gives distances may set out[1] = 1: they end with the next irreversible move, not with the game. From
out[4] on lies the workspace that the oracle asks for (OracleFunctions.scratch). A search's statistics are those of
`gameforge.interfaces.searcher.STATISTICS`; few searchers have any.
"""

from typing import Any

from numba import types

from gameforge.interfaces.outcome import DRAW, LOSS, RUNNING, WIN

__all__ = [
    "DRAW",
    "FLOATS",
    "LIMITS",
    "LOSS",
    "RUNNING",
    "SCORE",
    "SCORES",
    "SIGNATURES",
    "UNKNOWN",
    "WIN",
    "WORD",
    "WORDS",
]

WORD = types.uint64
SCORE = types.float64
WORDS = types.CPointer(types.uint64)
FLOATS = types.CPointer(types.float32)
SCORES = types.CPointer(types.float64)
LIMITS = types.CPointer(types.int64)

UNKNOWN = 0
"""What `probe` answers for a state it does not cover."""

SIGNATURES: dict[str, Any] = {
    "gen": WORD(WORDS, WORDS, WORDS),
    "play": types.void(WORDS, WORDS, WORD, WORDS),
    "outcome": types.int64(WORDS, WORDS, WORD),
    "key": WORD(WORDS, WORDS),
    "irreversible": WORD(WORDS, WORDS, WORD),
    "retracts": WORD(WORDS, WORD, WORD),
    "noisy": WORD(WORDS, WORDS, WORDS, WORD),
    "features": types.void(WORDS, WORDS, FLOATS),
    "forward": SCORE(WORDS, FLOATS, FLOATS),
    "backward": types.void(WORDS, FLOATS, FLOATS, FLOATS),
    "evaluate": SCORE(WORDS, FLOATS, WORDS, FLOATS),
    "values": types.void(WORDS, FLOATS, WORDS, WORD, SCORES),
    "probe": types.int64(WORDS, WORDS, WORDS),
}
"""`search` is missing: its first argument is the context, which is made of these (context.py)."""
