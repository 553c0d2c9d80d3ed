"""ProbCut: a shallow search shows that a deep one would very probably fall outside the window [Buro1995].

The scores of a position at two depths are almost linearly related, so a deep score can be predicted from a shallow one,
with an error. If a position that is to be searched with a null window is predicted to fall outside it by a few errors,
it is not searched to the full depth. With cuts for several depths this is Multi-ProbCut [Buro1997]: shallow searches
use cuts themselves. The command `gameforge probcut` fits the cuts to searches of a player (fitting.py).
"""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from gameforge.config.validation import number
from gameforge.kernel.abi import UNKNOWN
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.evaluate import static_score
from gameforge_search_minimax.leaves import Child
from gameforge_search_minimax.limits import CUT_DEPTHS, CUT_WORDS, CUTS, UNIT
from gameforge_search_minimax.windows import LEAST, PROBE_ABOVE, PROBE_BELOW, PROBED, bounds_of_child, is_null
from gameforge_search_minimax.workspace import ALPHA, BETA, BOUNDS, FLOOR, NEXT, WINDOW

_0 = np.uint64(0)
_PROBES = PROBE_ABOVE | PROBE_BELOW
_SLOPE = number("from 0.1 to 10", 0.1, 10)
_OFFSET = number("from -1 to 1", -1, 1)
_ERROR = number("from 0 to 2", 0, 2)


@attrs.frozen
class Cut:
    """The score at `depth` plies is slope * (the score at `shallow` plies) + offset, with a standard error."""

    depth: int = attrs.field(validator=[attrs.validators.ge(2), attrs.validators.lt(CUT_DEPTHS)])
    """Remaining depth of the search that is predicted, in plies."""
    shallow: int = attrs.field(validator=attrs.validators.ge(1))
    """Depth of the search that predicts it, in plies."""
    slope: float = attrs.field(validator=_SLOPE)
    """Factor of the shallow score."""
    offset: float = attrs.field(validator=_OFFSET)
    """Added to the shallow score."""
    error: float = attrs.field(validator=_ERROR)
    """Standard deviation of the prediction."""

    @shallow.validator
    def _is_below_depth(self, attribute: object, value: int) -> None:
        if value >= self.depth:
            raise ValueError(f"must be less than depth, which is {self.depth}")


def cut_limits(cuts: Sequence[Cut], confidence: float) -> list[int]:
    """The cuts as part of the block `limits`; deeper positions use the deepest cut of the same parity, if any."""
    words = [0] * (CUT_DEPTHS * CUT_WORDS)
    for depth in range(2, CUT_DEPTHS):
        usable = [cut for cut in cuts if cut.depth == depth or (cut.depth < depth and (depth - cut.depth) % 2 == 0)]
        deepest = max(usable, key=lambda cut: cut.depth, default=None)
        if deepest is not None:
            values = deepest.slope, deepest.offset, confidence * deepest.error
            place = CUT_WORDS * depth
            words[place : place + CUT_WORDS] = [deepest.shallow, *(round(value / UNIT) for value in values)]
    return words


@inline
def shallow_probe(ctx: Any, limits: Any, child: Any, known: Any) -> Any:
    """(PROBE_ABOVE, PROBE_BELOW or 0; the child with the depth and the null window of the probe).

    There is a probe only if the static score is already on the far side of the probe's window, because most others
    decide nothing. There is none on the principal variation, if an oracle knows the result, or if only a proven result
    is outside the window.
    """
    if known != UNKNOWN or not is_null(child.alpha, child.beta):
        return _0, child
    place = CUTS + CUT_WORDS * np.int64(child.left)
    if limits[place] == 0:
        return _0, child
    slope, offset, margin = limits[place + 1] * UNIT, limits[place + 2] * UNIT, limits[place + 3] * UNIT
    above, below = (child.beta + margin - offset) / slope, (child.alpha - margin - offset) / slope
    score = static_score(ctx.evaluator, child.state)
    probe, alpha, beta = _0, 0.0, 0.0
    if score >= above and abs(above) < 1.0:
        probe, alpha, beta = PROBE_ABOVE, above - LEAST, above
    elif score <= below and abs(below) < 1.0:
        probe, alpha, beta = PROBE_BELOW, below, below + LEAST
    if probe == _0:
        return _0, child
    return probe, Child(child.state, child.ply, np.uint64(limits[place]), child.since, child.key, alpha, beta)


@inline
def end_probe(stack: Any, scores: Any, frame: Any, bounds: Any, here: Any, score: Any) -> Any:
    """(whether the move at `here` has to be searched fully, its score); does nothing if there was no probe.

    `score` is that of the search which has just ended. A probe that found what it looked for shows a bound of the
    window that it took the place of.
    """
    window = stack[frame + WINDOW]
    probe = window & _PROBES
    if probe == _0:
        return False, score
    child = bounds + BOUNDS
    found = -score >= scores[child + BETA] if probe == PROBE_ABOVE else -score <= scores[child + FLOOR]
    if not found:
        stack[frame + NEXT], stack[frame + WINDOW] = here, PROBED
        return True, score
    stack[frame + WINDOW] = window - probe
    alpha, beta = bounds_of_child(scores[bounds + ALPHA], scores[bounds + BETA], window - probe)
    return False, -beta if probe == PROBE_ABOVE else -alpha
