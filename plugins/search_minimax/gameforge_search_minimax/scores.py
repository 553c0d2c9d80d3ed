"""Scores of decided positions, by their plies from the root; the bands are those of gameforge.interfaces.evaluator."""

from typing import Any

import numpy as np

from gameforge.interfaces.evaluator import ORACLE_WIN, PLY, PROVEN_WIN, WON
from gameforge.kernel.abi import DRAW, LOSS, UNKNOWN, WIN
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import PROBE_CONVERSION, PROBE_DISTANCE

DRAWN = 2.0**-10
"""Factor of the evaluator's score in the score of a drawn position."""
_0 = np.uint64(0)


@inline
def finished(result: Any, ply: Any) -> Any:
    """Score, for the side to move, of a game that ended `ply` plies from the root; nearer wins are better."""
    if result == DRAW:
        return 0.0
    score = PROVEN_WIN - np.float64(ply) * PLY
    return score if result == WIN else -score


@inline
def oracle_score(result: Any, answer: Any, ply: Any) -> Any:
    """Score of an oracle's WIN, LOSS or DRAW, `ply` plies from the root.

    With a distance to the end of the game, nearer wins are better. A distance to the next conversion does not say how
    far the end is, so all wins score WON, as without distances.
    """
    if result == DRAW:
        return 0.0
    score = WON
    if answer[PROBE_DISTANCE] != _0 and answer[PROBE_CONVERSION] == _0:
        score = ORACLE_WIN - np.float64(ply + answer[PROBE_DISTANCE] - np.uint64(1)) * PLY
    return score if result == WIN else -score


@inline
def oracle_score_at_leaf(result: Any, answer: Any, ply: Any, static: Any, progress: Any) -> Any:
    """Score of an oracle's result at a leaf; with `progress`, one without a distance to the end is `guided`."""
    if progress and (answer[PROBE_DISTANCE] == _0 or answer[PROBE_CONVERSION] != _0):
        return guided(result, static)
    return oracle_score(result, answer, ply)


@inline
def kept(result: Any, ply: Any) -> Any:
    """The result for the side to move `ply` plies from a root with this result, if neither side makes a mistake."""
    if result in (UNKNOWN, DRAW) or ply & np.uint64(1) == _0:
        return result
    return LOSS if result == WIN else WIN


@inline
def guided(result: Any, static: Any) -> Any:
    """Score of a result whose distance is unknown, guided by the evaluator's score `static`.

    Wins are between WON and ORACLE_WIN, losses between the negative values of these. Draws keep a small fraction of the
    evaluator's score, so that the side that is ahead keeps trying.
    """
    if result == DRAW:
        return DRAWN * static
    return WON + 0.25 * (1.0 + static) if result == WIN else -WON - 0.25 * (1.0 - static)


@inline
def from_here(score: Any, ply: Any) -> Any:
    """Turn a score whose plies count from the root into one that counts from the node `ply` plies below it."""
    if score > WON:
        return score + np.float64(ply) * PLY
    if score < -WON:
        return score - np.float64(ply) * PLY
    return score


@inline
def from_root(score: Any, ply: Any) -> Any:
    """Turn a score whose plies count from the node `ply` plies below the root into one that counts from the root."""
    if score > WON:
        return score - np.float64(ply) * PLY
    if score < -WON:
        return score + np.float64(ply) * PLY
    return score


@inline
def as_stored(score: Any) -> Any:
    """Round a score to float32, as the table stores it, so that storing it does not change it."""
    return np.float64(np.float32(score))
