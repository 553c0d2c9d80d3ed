"""The functions of components: their signatures inside kernels.

Every block is a pointer, which functions index as `s[0]`, `moves[n]`, `x[i]`. Words are uint64, inputs and weights
float32, scores float64. The first block belongs to the component: settings, masks and weights are data, so that
nothing is recompiled when their values change.

| function                            | returns | does |
|-------------------------------------|---------|------|
| gen(rules, s, moves)                | uint64  | writes the legal moves, returns their number |
| play(rules, s, m, child)            | -       | writes the state after move m |
| outcome(rules, s, n_moves)          | int64   | RUNNING, WIN, LOSS or DRAW for the side to move, plus 4 * reason |
| key(rules, s)                       | uint64  | hash of the position: pieces and side to move, no counters |
| irreversible(rules, s, m)           | uint64  | 1 if no position before m can occur again after it |
| retracts(rules, before, m)          | uint64  | 1 if m takes back the mover's own previous move `before` |
| noisy(rules, s, moves, n)           | uint64  | puts noisy moves first, returns their number (RulesFunctions.noisy) |
| ended(rules, s)                     | int64   | what outcome returns for the state and its legal moves |
| cells(data, s, planes)              | -       | writes a word of cells for each code, then numbers (Cells) |
| index(data, s, m)                   | uint64  | the index of a legal move (MoveIndices) |
| features(fd, s, x)                  | -       | writes the inputs |
| forward(nd, w, x)                   | float64 | value of the inputs; x has room for scratch after them |
| backward(nd, w, x, trace)           | -       | adds d value / d weight of the last forward to the trace |
| evaluate(ed, w, s, x)               | float64 | score of the state, for the side to move |
| refresh(ed, w, s, acc)              | -       | writes the accumulator of a state |
| update(ed, w, acc, s, m, child_acc) | -       | writes that of s, which move m led to, from that of the state before |
| accumulated(ed, w, acc, x)          | float64 | what evaluate returns for the state of an accumulator |
| gradient(ed, w, s, x, trace)        | -       | adds d score / d w to the trace, after evaluate of the state |
| terms(ed, s, places, factors)       | uint64  | writes a state's weights and factors, returns their number |
| unpack_one(ud, w, vector, place)    | -       | writes into w what the weight vector[place] means there |
| values(ed, w, states, n, scores)    | -       | writes the scores of n contiguous states |
| policy(ed, w, s, moves, n, x, logits) | -     | writes a logit for each of the n legal moves, after evaluate |
| slope(ed, w, s, moves, n, x, slopes, trace) | - | adds the gradient of slopes[0] * score + slopes[1 + i] * logit i |
| probe(od, s, out)                   | int64   | UNKNOWN, WIN, LOSS or DRAW; writes the distance |
| search(ctx, s, limits, out)         | float64 | score; writes move, nodes, line and statistics |

A probe writes out[PROBE_DISTANCE] = 1 + plies to the end of the game, or 0 if it knows no distance. With
out[PROBE_CONVERSION] = 1 the distance is that to the next irreversible move instead. The oracle's workspace
(OracleFunctions.scratch) begins at out[PROBE_SCRATCH].

`cells`, `index`, `gradient`, `slope`, `terms` and `unpack_one` belong to no record of compiled functions; components
that need them compile them.

A search writes its answer with `write_answer`, `write_move` or `write_no_move` (answer.py): out[OUT_MOVE],
out[OUT_NODES], out[OUT_LINE_LENGTH], and the moves of the line from out[OUT_LINE] on, the first of which is the move.
A searcher that counts visits adds them with `write_statistics`. limits[DEPTH_LIMIT] is its depth in plies.

These indices are named in slots.py.
"""

from numba import types
from numba.core.typing import Signature

WORD = types.uint64
"""A word: uint64."""
SCORE = types.float64
"""A score: float64."""
WORDS = types.CPointer(types.uint64)
"""A pointer to words: states, moves, data."""
FLOATS = types.CPointer(types.float32)
"""A pointer to float32: weights, inputs, scratch."""
SCORES = types.CPointer(types.float64)
"""A pointer to float64."""
PLACES = types.CPointer(types.int32)
"""A pointer to int32: indices of weights."""
LIMITS = types.CPointer(types.int64)
"""A pointer to int64: limits of a search."""

UNKNOWN = 0
"""What `probe` returns for a state that it does not cover."""

SIGNATURES: dict[str, Signature] = {
    "gen": WORD(WORDS, WORDS, WORDS),
    "play": types.void(WORDS, WORDS, WORD, WORDS),
    "outcome": types.int64(WORDS, WORDS, WORD),
    "key": WORD(WORDS, WORDS),
    "irreversible": WORD(WORDS, WORDS, WORD),
    "retracts": WORD(WORDS, WORD, WORD),
    "noisy": WORD(WORDS, WORDS, WORDS, WORD),
    "ended": types.int64(WORDS, WORDS),
    "cells": types.void(WORDS, WORDS, WORDS),
    "index": WORD(WORDS, WORDS, WORD),
    "features": types.void(WORDS, WORDS, FLOATS),
    "forward": SCORE(WORDS, FLOATS, FLOATS),
    "backward": types.void(WORDS, FLOATS, FLOATS, FLOATS),
    "evaluate": SCORE(WORDS, FLOATS, WORDS, FLOATS),
    "refresh": types.void(WORDS, FLOATS, WORDS, WORDS),
    "update": types.void(WORDS, FLOATS, WORDS, WORDS, WORD, WORDS),
    "accumulated": SCORE(WORDS, FLOATS, WORDS, FLOATS),
    "gradient": types.void(WORDS, FLOATS, WORDS, FLOATS, FLOATS),
    "terms": WORD(WORDS, WORDS, PLACES, FLOATS),
    "unpack_one": types.void(WORDS, FLOATS, FLOATS, WORD),
    "values": types.void(WORDS, FLOATS, WORDS, WORD, SCORES),
    "policy": types.void(WORDS, FLOATS, WORDS, WORDS, WORD, FLOATS, SCORES),
    "slope": types.void(WORDS, FLOATS, WORDS, WORDS, WORD, FLOATS, FLOATS, FLOATS),
    "probe": types.int64(WORDS, WORDS, WORDS),
}
"""All but `search`: its first argument is the context, whose type is made of these signatures (context.py)."""
